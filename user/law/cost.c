/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The question put to the thread of 2010, "should swappiness be related to the
 * speed ratio between storage types?  How exactly?", answered by measuring.
 */
#include "law/laws.h"

#define NS_PER_MS UINT64_C(1000000)
#define PUSH_MEMORY_NS (1000 * NS_PER_MS)

enum swt_reason cost_step(const struct sample *sample, struct law_state *state)
{
	state->value = 0;
	if (!sample->prices.swap_in_ns || !sample->prices.file_read_ns)
		return SWT_REASON_NO_PRICE;
	return SWT_REASON_PRICE;
}

/*
 * kolivas forgets by passes: a hard second would push for minutes where what
 * follows are few easy passes.
 */
static void forget_push(const struct sample *sample, struct law_state *state)
{
	uint64_t elapsed_ns = sample->elapsed_ns;

	if (elapsed_ns > PUSH_MEMORY_NS)
		elapsed_ns = PUSH_MEMORY_NS;
	state->value -= (uint32_t)(state->value * (elapsed_ns / NS_PER_MS) /
				   (PUSH_MEMORY_NS / NS_PER_MS));
}

enum swt_reason auto_step(const struct sample *sample, struct law_state *state)
{
	enum swt_reason reason;

	forget_push(sample, state);
	reason = kolivas_step(sample, state);

	if (reason == SWT_REASON_TENDENCY_HIGH ||
	    reason == SWT_REASON_TENDENCY_LOW)
		return reason;
	if (!sample->prices.swap_in_ns || !sample->prices.file_read_ns)
		return SWT_REASON_NO_PRICE;
	return SWT_REASON_PRICE;
}
