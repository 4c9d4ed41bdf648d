/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Con Kolivas to lkml, 2002-10-08: swappiness regulates itself.  His rule, once
 * a call of refill_inactive_zone, where Andrew Morton's "reduced and tunable
 * swappiness" (8f7a1404) had a constant:
 *
 *	swap_tendency = mapped_ratio / 2 + distress;
 *	if (swap_tendency > 50) {
 *		if (vm_swappiness <= 990)
 *			vm_swappiness += 10;
 *	} else if (vm_swappiness > 0)
 *		vm_swappiness--;
 *	swap_tendency += vm_swappiness / 10;
 */
#include "law/laws.h"

#include "law/passes.h"

/* All from that patch; in tenths, so that it climbs ten times as it falls. */
#define STEP_UP 10
#define STEP_DOWN 1
#define LAST_RISING_STATE 990

enum effect {
	LOWERS,
	RAISES,
	NR_EFFECTS,
};

static uint32_t pass(uint32_t state, enum effect effect)
{
	if (effect == RAISES)
		return state <= LAST_RISING_STATE ? state + STEP_UP : state;
	return state > 0 ? state - STEP_DOWN : 0;
}

/* Passes differ only in what they do to the state: two classes to spread. */
static void count_effects(const struct sample *sample,
			  uint64_t ret_counts[NR_EFFECTS])
{
	uint64_t by_effect[NR_EFFECTS][SWT_NR_PRIORITIES] = {0};

	for (unsigned int i = 0; i < SWT_NR_PRIORITIES; i++) {
		bool raises = law_tendency_pct(sample, i) >
			      LAW_TENDENCY_THRESHOLD_PCT;

		by_effect[raises ? RAISES : LOWERS][i] = sample->passes[i];
	}
	for (unsigned int i = 0; i < NR_EFFECTS; i++)
		ret_counts[i] = passes_sum(by_effect[i], SWT_NR_PRIORITIES);
}

enum swt_reason kolivas_step(const struct sample *sample,
			     struct law_state *state)
{
	uint64_t counts[NR_EFFECTS];
	struct passes passes;
	uint32_t value = state->value;
	int effect;

	count_effects(sample, counts);
	passes_init(&passes, counts, NR_EFFECTS);
	if (!passes.total)
		return SWT_REASON_NO_RECLAIM;
	while ((effect = passes_next(&passes)) >= 0)
		value = pass(value, (enum effect)effect);

	enum swt_reason reason = law_compare(state->value, value);

	state->value = value;
	return reason;
}

/*
 * Away from the ends every order gives state + 10 ups - downs.  Orders differ
 * only by steps lost at the ends, a fall at 0 or a rise at 991..1000.  (There
 * the +10 map is not monotone: 990 goes to 1000, 991 stays.  So no argument by
 * comparing neighbours; this one needs none.)  Let order A end above order B:
 *
 *	A - B = falls lost by A + 10 * rises lost by B - the two other losses
 *
 * so A lost falls or B lost rises.
 * A lost a fall: it stood at 0, where only rises followed, so A <= 10 ups, and
 *	`state` falls went before the first loss.  If B lost no rise,
 *	A - B <= falls lost <= downs - state, and A - B <= A <= 10 ups.
 * B lost a rise: it stood at 991 or above, so B >= 991 - downs, and A <= 1000:
 *	A - B <= downs + 9.  And A - B <= 10 ups: as above if A lost a fall,
 *	else because B lost no more than all rises.
 * A fall can be lost only if downs > state, a rise only if the state can pass
 * 990 before the last: state + 10 ups > 1000.
 *
 * Counts above PASSES_CAP are halved before the replay, which is then none of
 * the true orders.  The bound holds all the same: one count is in the tens of
 * thousands, so every order and the replay come to that end and stay within
 * what the other count can move them away; halving does not increase it.
 */
uint32_t kolivas_order_bound(uint32_t state, uint64_t ups, uint64_t downs)
{
	/* Beyond this a count changes nothing, and products cannot wrap. */
	uint64_t rise = ups > KOLIVAS_STATE_MAX ? KOLIVAS_STATE_MAX * STEP_UP
						: ups * STEP_UP;
	bool can_lose_fall = downs > state;
	bool can_lose_rise = state + rise > KOLIVAS_STATE_MAX;
	uint64_t fall =
		downs > 2 * KOLIVAS_STATE_MAX ? 2 * KOLIVAS_STATE_MAX : downs;
	uint64_t bound = 0;

	if (!ups || !downs)
		return 0;
	if (can_lose_rise)
		bound = fall + STEP_UP - 1;
	else if (can_lose_fall)
		bound = fall - state;
	if (bound > rise)
		bound = rise;
	return bound < KOLIVAS_STATE_MAX ? (uint32_t)bound : KOLIVAS_STATE_MAX;
}
