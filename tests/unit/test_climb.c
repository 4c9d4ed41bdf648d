/* SPDX-License-Identifier: GPL-2.0-only */
/* Swapping more while it costs nothing: by hand, and what always holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/climb.h"
#include "law/law.h"
#include "util.h"

#define TICK_NS UINT64_C(100000000)
#define TICKS_OF_A_SECOND 10

/* Of the last second, in thousandths of it. */
static struct prices waits(uint32_t anon_permille, uint32_t file_permille)
{
	return (struct prices){.anon_stall_permille = anon_permille,
			       .file_stall_permille = file_permille};
}

static int step(struct climb_state *climb, const struct prices *prices,
		int value, int ticks)
{
	int level = -1;

	while (ticks--)
		level = climb_step(climb, prices, value, 200, TICK_NS);
	return level;
}

static void it_doubles_each_quarter_second_while_swap_ins_are_free(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = waits(0, 600);

	(void)s;
	/* By 100 / 250 each time: 10 * 1.4^3 = 27.44, * 1.4^3 = 75.3 */
	assert_int_equal(step(&climb, &prices, 4, 3), 27);
	assert_int_equal(step(&climb, &prices, 4, 3), 75);
	assert_int_equal(step(&climb, &prices, 4, 3), 200);
	assert_int_equal(step(&climb, &prices, 4, 100), 200);
}

static void it_starts_from_the_value_where_that_is_more(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = waits(0, 600);

	(void)s;
	assert_int_equal(step(&climb, &prices, 100, 1), 140);
	climb = (struct climb_state){0};
	assert_int_equal(climb_step(&climb, &prices, 40, 200, 10 * TICK_NS),
			 80);
}

static void it_ends_at_the_top_but_never_lowers_the_value(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = waits(0, 600);

	(void)s;
	assert_int_equal(climb_step(&climb, &prices, 90, 100, 10 * TICK_NS),
			 100);
	assert_int_equal(climb_step(&climb, &prices, 120, 100, TICK_NS), 120);
}

static void nothing_is_tried_where_nothing_is_to_gain(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = waits(0, 49);

	(void)s;
	assert_int_equal(step(&climb, &prices, 4, 100), 4);
	prices = waits(0, 0);
	assert_int_equal(step(&climb, &prices, 4, 100), 4);
	prices = waits(0, 50);
	assert_int_equal(step(&climb, &prices, 4, 1), 14);
}

static void a_sixteenth_is_not_free_and_a_quarter_is_dear(void **s)
{
	struct climb_state climb = {.level_q10 = 80 * 1024};
	struct prices prices = waits(39, 640);

	(void)s;
	assert_int_equal(step(&climb, &prices, 4, 1), 112);
	prices = waits(40, 640);
	assert_int_equal(step(&climb, &prices, 4, 10), 112);
	prices = waits(159, 640);
	assert_int_equal(step(&climb, &prices, 4, 10), 112);
	prices = waits(160, 640);
	assert_int_equal(step(&climb, &prices, 4, 1), 4);
}

/* Seconds from giving up to the next step up. */
static unsigned int pause_s(struct climb_state *climb)
{
	struct prices dear = waits(500, 500), free = waits(0, 500);
	unsigned int ticks = 0;

	(void)step(climb, &free, 4, 1);
	assert_int_equal(step(climb, &dear, 4, 1), 4);
	while (step(climb, &free, 4, 1) == 4)
		ticks++;
	/* The last tick of a pause is that of the first step. */
	return (ticks + 1) / TICKS_OF_A_SECOND;
}

static void each_wrong_climb_waits_four_times_as_long(void **s)
{
	struct climb_state climb = {0};

	(void)s;
	assert_int_equal(pause_s(&climb), 2);
	assert_int_equal(pause_s(&climb), 8);
	assert_int_equal(pause_s(&climb), 32);
	assert_int_equal(pause_s(&climb), 128);
	assert_int_equal(pause_s(&climb), 128);
}

static void swap_that_is_dear_without_a_climb_is_not_held_against_it(void **s)
{
	struct climb_state climb = {0};
	struct prices dear = waits(500, 500), free = waits(0, 500);

	(void)s;
	assert_int_equal(step(&climb, &dear, 60, 100), 60);
	assert_int_equal(step(&climb, &free, 60, 1), 84);
}

static void what_was_right_fades_slowly_and_is_forgiven(void **s)
{
	struct climb_state climb = {.level_q10 = 100 * 1024,
				    .last_wait_ms = 32000};
	struct prices idle = waits(0, 0);

	(void)s;
	/* 100 * 0.99^10 = 90.4 */
	assert_int_equal(step(&climb, &idle, 4, TICKS_OF_A_SECOND), 90);
	/* ln(100 / 4) * 10 s = 32 s */
	assert_int_equal(step(&climb, &idle, 4, 33 * TICKS_OF_A_SECOND), 4);
	assert_int_equal(pause_s(&climb), 2);
}

static struct prices evicting(uint64_t pages)
{
	struct prices prices = waits(0, 600);

	prices.anon_stolen_pages = pages;
	return prices;
}

/* Ticks until the level is not used, and how many it then is not. */
static void assert_trial(struct climb_state *climb, uint64_t pages_a_tick,
			 int ticks_used, int ticks_not)
{
	struct prices prices = evicting(pages_a_tick), quiet = evicting(0);

	for (int i = 0; i < ticks_used; i++)
		assert_true(step(climb, &prices, 4, 1) > 4);
	assert_int_equal(step(climb, &prices, 4, 1), 4);
	for (int i = 1; i < ticks_not; i++)
		assert_int_equal(step(climb, &quiet, 4, 1), 4);
	assert_true(step(climb, &quiet, 4, 1) > 4);
}

static void trust_is_earned_by_what_stays_away(void **s)
{
	struct climb_state climb = {0};
	struct prices quiet = evicting(0);

	(void)s;
	(void)step(&climb, &quiet, 4, 1);
	/* The fourth 64 make 256; then a second, in ten ticks. */
	assert_trial(&climb, 64, 3, 10);
	assert_trial(&climb, 256, 3, 10);
	assert_trial(&climb, 1024, 3, 10);
}

static void what_is_evicted_without_a_climb_risks_nothing(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = evicting(100000);

	(void)s;
	/* The first step up comes after those pages. */
	assert_int_equal(step(&climb, &prices, 4, 1), 14);
	assert_int_equal(step(&climb, &prices, 4, 1), 4);
}

static void a_wrong_climb_loses_its_trust(void **s)
{
	struct climb_state climb = {.level_q10 = 100 * 1024,
				    .trust_pages = 65536,
				    .risked_pages = 250};
	struct prices dear = waits(500, 500), quiet = evicting(0);

	(void)s;
	assert_int_equal(step(&climb, &dear, 4, 1), 4);
	while (step(&climb, &quiet, 4, 1) == 4)
		continue;
	assert_trial(&climb, 64, 3, 10);
}

static void swap_ins_end_a_trial_before_its_time(void **s)
{
	struct climb_state climb = {.level_q10 = 100 * 1024, .proof_ms = 500};
	struct prices dear = waits(500, 500), free = waits(0, 600);

	(void)s;
	assert_int_equal(step(&climb, &dear, 4, 1), 4);
	/* 2 s, not the 400 ms that were left */
	assert_int_equal(step(&climb, &free, 4, 19), 4);
	assert_true(step(&climb, &free, 4, 1) > 4);
}

static void a_long_silence_is_not_one_great_leap(void **s)
{
	struct climb_state climb = {0};
	struct prices prices = waits(0, 600);

	(void)s;
	assert_int_equal(climb_step(&climb, &prices, 4, 200,
				    UINT64_C(3600) * 1000000000),
			 20);
}

static void nothing_leaves_the_range(void **s)
{
	static const uint32_t permilles[] = {0,	  1,   12,   49,	50,
					     200, 800, 4000, UINT32_MAX};
	const size_t count = SWT_ARRAY_SIZE(permilles);
	struct climb_state climb = {0};
	uint64_t random = 1;

	(void)s;
	for (int i = 0; i < 100000; i++) {
		struct prices prices;
		int value, top, level;

		random = random * UINT64_C(6364136223846793005) + 1;
		prices = waits(permilles[(random >> 33) % count],
			       permilles[(random >> 40) % count]);
		prices.anon_stolen_pages = (random >> 8) % 1000;
		value = (int)((random >> 20) % 201);
		top = (int)((random >> 50) % 201);
		level = climb_step(&climb, &prices, value, top,
				   (random >> 13) % (20 * TICK_NS));
		assert_true(level >= value);
		/* The top may have been another before. */
		assert_true(level <= 200);
	}
}

static void of_the_laws_auto_alone_climbs(void **s)
{
	static const char *const names[] = {"auto", "cost"};
	const struct law_params params = {
		.base = 60, .top = 200, .min = 0, .max = 150, .fixed = -1};
	struct sample sample = {
		.elapsed_ns = TICK_NS,
		.has_swap = true,
		.prices = {.swap_in_ns = 6600000,
			   .file_read_ns = 66000,
			   .file_stall_permille = 600},
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(names); i++) {
		struct law_state state = {0};
		struct decision decision;
		int fixed;

		for (int tick = 0; tick < 100; tick++)
			law_decide(law_find(names[i], &fixed), &params, &sample,
				   &state, &decision);
		/* 200 / 101; the ceiling */
		assert_int_equal(decision.swappiness, i ? 2 : 150);
		assert_int_equal(decision.reason,
				 i ? SWT_REASON_PRICE : SWT_REASON_TRIAL);
	}
}

static void without_swap_there_is_nothing_to_try(void **s)
{
	const struct law_params params = {
		.base = 60, .top = 200, .min = 0, .max = 200, .fixed = -1};
	const struct sample sample = {
		.elapsed_ns = TICK_NS,
		.prices = {.file_read_ns = 66000, .file_stall_permille = 600},
	};
	struct law_state state = {0};
	struct decision decision;
	int fixed;

	(void)s;
	for (int tick = 0; tick < 10; tick++)
		law_decide(law_find("auto", &fixed), &params, &sample, &state,
			   &decision);
	assert_int_equal(decision.swappiness, 60);
	assert_int_equal(decision.reason, SWT_REASON_NO_SWAP);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(it_doubles_each_quarter_second_while_swap_ins_are_free),
		CASE(it_starts_from_the_value_where_that_is_more),
		CASE(it_ends_at_the_top_but_never_lowers_the_value),
		CASE(nothing_is_tried_where_nothing_is_to_gain),
		CASE(a_sixteenth_is_not_free_and_a_quarter_is_dear),
		CASE(each_wrong_climb_waits_four_times_as_long),
		CASE(swap_that_is_dear_without_a_climb_is_not_held_against_it),
		CASE(what_was_right_fades_slowly_and_is_forgiven),
		CASE(trust_is_earned_by_what_stays_away),
		CASE(what_is_evicted_without_a_climb_risks_nothing),
		CASE(a_wrong_climb_loses_its_trust),
		CASE(swap_ins_end_a_trial_before_its_time),
		CASE(a_long_silence_is_not_one_great_leap),
		CASE(nothing_leaves_the_range),
		CASE(of_the_laws_auto_alone_climbs),
		CASE(without_swap_there_is_nothing_to_try),
	};

	return cmocka_run_group_tests_name("climb", tests, NULL, NULL);
}
