/* SPDX-License-Identifier: GPL-2.0-only */
#include "law/climb.h"

#define Q10 1024
#define NS_PER_MS 1000000

static bool is_dear(const struct prices *prices)
{
	return prices->anon_stall_permille &&
	       (uint64_t)prices->anon_stall_permille * CLIMB_DEAR_SHARE >=
		       prices->file_stall_permille;
}

static bool is_worth(const struct prices *prices)
{
	return prices->file_stall_permille >= CLIMB_WORTH_PERMILLE &&
	       (uint64_t)prices->anon_stall_permille * CLIMB_FREE_SHARE <
		       prices->file_stall_permille;
}

static void end(struct climb_state *climb)
{
	climb->level_q10 = 0;
	climb->trust_pages = 0;
	climb->risked_pages = 0;
	climb->proof_ms = 0;
}

/* Dear without a climb is the price's own affair. */
static void give_up(struct climb_state *climb, uint32_t value_q10)
{
	if (climb->level_q10 > value_q10) {
		uint32_t wait_ms = climb->last_wait_ms * 4;

		if (!wait_ms)
			wait_ms = CLIMB_WAIT_MS;
		if (wait_ms > CLIMB_WAIT_MAX_MS)
			wait_ms = CLIMB_WAIT_MAX_MS;
		climb->last_wait_ms = wait_ms;
		climb->wait_ms = wait_ms;
	}
	end(climb);
}

static uint32_t trust_of(const struct climb_state *climb)
{
	return climb->trust_pages ? climb->trust_pages : CLIMB_TRUST_PAGES;
}

/* Is the level not to be used until it has proved right? */
static bool is_on_trial(struct climb_state *climb, const struct prices *prices,
			uint32_t value_q10, uint32_t elapsed_ms)
{
	if (climb->proof_ms > elapsed_ms) {
		climb->proof_ms -= elapsed_ms;
		return true;
	}
	if (climb->proof_ms) {
		uint32_t trust = trust_of(climb);

		climb->proof_ms = 0;
		climb->risked_pages = 0;
		climb->trust_pages = trust < CLIMB_TRUST_MAX_PAGES / 4
					     ? trust * 4
					     : CLIMB_TRUST_MAX_PAGES;
		return false;
	}
	if (climb->level_q10 > value_q10)
		climb->risked_pages += prices->anon_stolen_pages;
	if (climb->risked_pages < trust_of(climb))
		return false;
	climb->proof_ms = CLIMB_PROOF_MS;
	return true;
}

static void rise(struct climb_state *climb, uint32_t value_q10,
		 uint32_t top_q10, uint32_t elapsed_ms)
{
	uint32_t level_q10 = climb->level_q10;

	if (level_q10 < value_q10)
		level_q10 = value_q10;
	if (level_q10 < CLIMB_START * Q10)
		level_q10 = CLIMB_START * Q10;
	if (elapsed_ms > CLIMB_DOUBLING_MS)
		elapsed_ms = CLIMB_DOUBLING_MS;
	level_q10 += level_q10 * elapsed_ms / CLIMB_DOUBLING_MS;
	climb->level_q10 = level_q10 < top_q10 ? level_q10 : top_q10;
}

static void fall(struct climb_state *climb, uint32_t value_q10,
		 uint32_t elapsed_ms)
{
	climb->level_q10 -= climb->level_q10 * elapsed_ms / CLIMB_FADE_MS;
	/* It was right to the end. */
	if (climb->level_q10 && climb->level_q10 <= value_q10) {
		end(climb);
		climb->last_wait_ms = 0;
	}
}

int climb_step(struct climb_state *climb, const struct prices *prices,
	       int value, int top, uint64_t elapsed_ns)
{
	uint32_t value_q10 = (uint32_t)value * Q10;
	uint32_t elapsed_ms = 1000;
	int level;

	if (elapsed_ns < UINT64_C(1000) * NS_PER_MS)
		elapsed_ms = (uint32_t)(elapsed_ns / NS_PER_MS);
	if (is_dear(prices))
		give_up(climb, value_q10);
	else if (climb->wait_ms > elapsed_ms)
		climb->wait_ms -= elapsed_ms;
	else if (is_on_trial(climb, prices, value_q10, elapsed_ms))
		return value;
	else if (is_worth(prices))
		rise(climb, value_q10, (uint32_t)top * Q10, elapsed_ms);
	else if (prices->file_stall_permille < CLIMB_WORTH_PERMILLE)
		fall(climb, value_q10, elapsed_ms);
	level = (int)(climb->level_q10 / Q10);
	return level > value ? level : value;
}
