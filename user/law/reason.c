/* SPDX-License-Identifier: GPL-2.0-only */
#include "model.h"

static const char *const names[] = {
	[SWT_REASON_START] = "start",
	[SWT_REASON_NO_RECLAIM] = "no_reclaim",
	[SWT_REASON_TENDENCY_HIGH] = "tendency_high",
	[SWT_REASON_TENDENCY_LOW] = "tendency_low",
	[SWT_REASON_STEADY] = "steady",
	[SWT_REASON_MEMORY_SHARE] = "memory_share",
	[SWT_REASON_FIXED] = "fixed",
	[SWT_REASON_NO_SWAP] = "no_swap",
	[SWT_REASON_FOREIGN_WRITE] = "foreign_write",
	[SWT_REASON_RESUMED] = "resumed",
	[SWT_REASON_RESTORE] = "restore",
	[SWT_REASON_PRICE] = "price",
	[SWT_REASON_NO_PRICE] = "no_price",
	[SWT_REASON_SWAP_NEARLY_FULL] = "swap_nearly_full",
	[SWT_REASON_SWAP_OUT_BUDGET] = "swap_out_budget",
	[SWT_REASON_STREAM] = "stream",
	[SWT_REASON_TRIAL] = "trial",
};

_Static_assert(sizeof(names) / sizeof(names[0]) == _SWT_REASON_MAX,
	       "every reason needs a name");

const char *reason_name(enum swt_reason reason)
{
	unsigned int i = (unsigned int)reason;

	return i < _SWT_REASON_MAX && names[i] ? names[i] : "unknown";
}

const char *price_source_name(enum price_source source)
{
	static const char *const sources[_PRICE_SOURCE_MAX] = {
		[PRICE_UNKNOWN] = "unknown",
		[PRICE_PRIOR] = "prior",
		[PRICE_PROBED] = "probed",
		[PRICE_MEASURED] = "measured",
	};
	unsigned int i = (unsigned int)source;

	return i < _PRICE_SOURCE_MAX ? sources[i] : "unknown";
}
