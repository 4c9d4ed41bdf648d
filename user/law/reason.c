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
};

_Static_assert(sizeof(names) / sizeof(names[0]) == _SWT_REASON_MAX,
	       "every reason needs a name");

const char *reason_name(enum swt_reason reason)
{
	unsigned int i = (unsigned int)reason;

	return i < _SWT_REASON_MAX && names[i] ? names[i] : "unknown";
}
