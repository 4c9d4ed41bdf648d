/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The question put to the thread of 2010, "should swappiness be related to the
 * speed ratio between storage types?  How exactly?", answered by measuring.
 */
#include "law/laws.h"

enum swt_reason cost_step(const struct sample *sample, struct law_state *state)
{
	state->value = 0;
	if (!sample->prices.swap_in_ns || !sample->prices.file_read_ns)
		return SWT_REASON_NO_PRICE;
	return SWT_REASON_PRICE;
}

enum swt_reason auto_step(const struct sample *sample, struct law_state *state)
{
	enum swt_reason reason = kolivas_step(sample, state);

	if (reason == SWT_REASON_TENDENCY_HIGH ||
	    reason == SWT_REASON_TENDENCY_LOW)
		return reason;
	if (!sample->prices.swap_in_ns || !sample->prices.file_read_ns)
		return SWT_REASON_NO_PRICE;
	return SWT_REASON_PRICE;
}
