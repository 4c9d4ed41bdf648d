/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Con Kolivas to lkml, 2002-10-11:
 *
 *	vm_swap_feedback = (swap_tendency - 50) / 10;
 *	vm_swappiness += vm_swap_feedback;
 *
 * kept within 0..100.  C's division drops the fraction, so that a tendency of
 * 41..59 moves nothing.
 */
#include "law/laws.h"

#include "law/passes.h"

#define FEEDBACK_DIVISOR 10 /* from that mail */

static int feedback(const struct sample *sample, unsigned int priority)
{
	int tendency_pct = (int)law_tendency_pct(sample, priority);

	return (tendency_pct - LAW_TENDENCY_THRESHOLD_PCT) / FEEDBACK_DIVISOR;
}

static uint32_t pass(uint32_t state, int step)
{
	int moved = (int)state + step;

	if (moved < 0)
		return 0;
	return moved > PROPORTIONAL_STATE_MAX ? PROPORTIONAL_STATE_MAX
					      : (uint32_t)moved;
}

enum swt_reason proportional_step(const struct sample *sample,
				  struct law_state *state)
{
	uint64_t moving[SWT_NR_PRIORITIES];
	int steps[SWT_NR_PRIORITIES];
	struct passes passes;
	uint32_t value = state->value;
	int priority;

	if (!passes_sum(sample->passes, SWT_NR_PRIORITIES))
		return SWT_REASON_NO_RECLAIM;
	/* Passes without effect must not crowd out the others at the cap. */
	for (unsigned int i = 0; i < SWT_NR_PRIORITIES; i++) {
		steps[i] = feedback(sample, i);
		moving[i] = steps[i] ? sample->passes[i] : 0;
	}
	passes_init(&passes, moving, SWT_NR_PRIORITIES);
	while ((priority = passes_next(&passes)) >= 0)
		value = pass(value, steps[priority]);

	enum swt_reason reason = law_compare(state->value, value);

	state->value = value;
	return reason;
}

/*
 * As for kolivas, A above B: A - B <= fall lost by A + rise lost by B.
 * A lost some fall: it stood at 0, so A <= rise; `state` of the fall went
 *	before, so without a loss in B A - B <= fall - state.
 * B lost some rise: it stood at 100, so B >= 100 - fall and A - B <= fall;
 *	100 - state of the rise went before, so without a loss in A
 *	A - B <= rise - (100 - state).
 * Both: A - B <= min(rise, fall).  Counts above PASSES_CAP: as for kolivas.
 */
uint32_t proportional_order_bound(uint32_t state, uint64_t rise, uint64_t fall)
{
	uint64_t to_top = PROPORTIONAL_STATE_MAX - state;
	bool can_lose_fall = fall > state;
	bool can_lose_rise = rise > to_top;
	uint64_t bound = rise < fall ? rise : fall;

	if (!can_lose_fall && !can_lose_rise)
		return 0;
	if (!can_lose_rise && bound > fall - state)
		bound = fall - state;
	if (!can_lose_fall && bound > rise - to_top)
		bound = rise - to_top;
	return bound < PROPORTIONAL_STATE_MAX ? (uint32_t)bound
					      : PROPORTIONAL_STATE_MAX;
}
