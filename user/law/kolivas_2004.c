/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Con Kolivas to lkml, 2004-07, "Autoregulate swappiness": no feedback,
 * but the share of RAM that applications hold and the share of swap
 * that is free, the smaller of the two, squared to stay low for long:
 *
 *	vm_swappiness = min(application_pct, swap_free_pct)^2 / 100
 *
 * It follows levels, not events, so it needs no pass and has no memory.
 */
#include "law/laws.h"

#define WHOLE_PCT 100

enum swt_reason kolivas_2004_step(const struct sample *sample,
				  struct law_state *state)
{
	uint32_t share_pct = WHOLE_PCT;

	if (share_pct > sample->application_share_pct)
		share_pct = sample->application_share_pct;
	if (share_pct > sample->swap_free_pct)
		share_pct = sample->swap_free_pct;
	state->value = share_pct * share_pct / WHOLE_PCT;
	return SWT_REASON_MEMORY_SHARE;
}
