/* SPDX-License-Identifier: GPL-2.0-only */
/* How the base follows the prices: how fast, and what moves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/price.h"
#include "util.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)

static const struct law_params params = {
	.base = 60, .top = 200, .min = 1, .max = 200, .fixed = -1};

/* Prices whose swappiness is `aim`: aim : 200 - aim is the price ratio. */
static int base_at(struct law_state *state, uint32_t aim, uint64_t elapsed_ns)
{
	const struct sample sample = {
		.elapsed_ns = elapsed_ns,
		.has_swap = true,
		.prices = {.swap_in_ns = (200 - aim) * 100,
			   .file_read_ns = aim * 100},
	};

	return price_base(&sample, &params, state);
}

static void the_given_base_stands_until_both_prices_are_known(void **s)
{
	struct sample sample = {.elapsed_ns = S, .has_swap = true};
	struct law_state state = {0};

	(void)s;
	assert_int_equal(price_base(&sample, &params, &state), 60);
	sample.prices.swap_in_ns = 5000;
	assert_int_equal(price_base(&sample, &params, &state), 60);
	sample.prices = (struct prices){.file_read_ns = 100000};
	assert_int_equal(price_base(&sample, &params, &state), 60);
	assert_false(state.has_base);
	sample.prices.swap_in_ns = 5000;
	assert_int_equal(price_base(&sample, &params, &state), 190);
	assert_true(state.has_base);
}

static void the_last_base_is_held_while_a_price_is_unknown(void **s)
{
	struct sample sample = {.elapsed_ns = S, .has_swap = true};
	struct law_state state = {0};

	(void)s;
	assert_int_equal(base_at(&state, 150, S), 150);
	for (int i = 0; i < 3; i++)
		assert_int_equal(price_base(&sample, &params, &state), 150);
}

static void differences_below_5_move_nothing(void **s)
{
	static const uint32_t aims[] = {64, 56, 61, 59, 60, 64, 56};
	struct law_state state = {.base = 60, .has_base = true};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(aims); i++)
		assert_int_equal(base_at(&state, aims[i], S), 60);
	assert_int_equal(base_at(&state, 65, S), 65);
	/* From there, no longer from the base that was given. */
	assert_int_equal(base_at(&state, 65, S), 65);
	assert_int_equal(base_at(&state, 61, S), 65);
	assert_int_equal(base_at(&state, 60, S), 60);
}

static void the_first_price_is_followed_at_once(void **s)
{
	static const uint32_t aims[] = {1, 58, 64, 199};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(aims); i++) {
		struct law_state state = {0};

		/* The second one is not: a tenth of a second is 20. */
		assert_int_equal(base_at(&state, aims[i], MS), aims[i]);
		assert_int_equal(base_at(&state, 100, 100 * MS),
				 aims[i] < 80	 ? (int)aims[i] + 20
				 : aims[i] > 120 ? (int)aims[i] - 20
						 : 100);
	}
}

static void on_its_way_it_goes_all_the_way(void **s)
{
	struct law_state state = {.base = 60, .has_base = true};

	(void)s;
	/* The last of the steps is smaller than 5. */
	for (int i = 0; i < 3; i++)
		(void)base_at(&state, 102, 100 * MS);
	assert_int_equal(base_at(&state, 102, 100 * MS), 102);
}

static void noise_behind_a_move_moves_nothing(void **s)
{
	static const uint32_t aims[] = {101, 99, 102, 98, 103, 97, 101};
	struct law_state state = {0};

	(void)s;
	assert_int_equal(base_at(&state, 100, S), 100);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(aims); i++)
		assert_int_equal(base_at(&state, aims[i], S), 100);
}

/* How far the base comes on its way from `from` to `to`. */
static int way_of_half_a_second(uint64_t interval_ms, uint32_t from,
				uint32_t to)
{
	struct law_state state = {.base = (int)from, .has_base = true};
	int way;

	for (uint64_t t_ms = 0; t_ms < 500; t_ms += interval_ms)
		(void)base_at(&state, to, interval_ms * MS);
	way = state.base - (int)from;
	return way < 0 ? -way : way;
}

static void half_a_second_moves_by_100(void **s)
{
	static const uint64_t intervals_ms[] = {10, 20, 50, 100, 250, 500};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(intervals_ms); i++) {
		uint64_t ms = intervals_ms[i];
		int up = way_of_half_a_second(ms, 0, 199);
		int down = way_of_half_a_second(ms, 200, 1);

		if (up != 100 || down != 100)
			fail_msg("each %d ms: up by %d, down by %d", (int)ms,
				 up, down);
	}
}

static void short_samples_still_move(void **s)
{
	struct law_state state = {.base = 60, .has_base = true};

	(void)s;
	for (int i = 0; i < 200; i++)
		(void)base_at(&state, 100, 1 * MS);
	assert_int_equal(state.base, 100);
}

static void a_long_pause_moves_to_the_end_and_not_beyond(void **s)
{
	static const uint64_t pauses_ns[] = {S, 3600 * S, UINT64_MAX};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(pauses_ns); i++) {
		struct law_state state = {.base = 0, .has_base = true};

		assert_int_equal(base_at(&state, 199, pauses_ns[i]), 199);
		assert_int_equal(base_at(&state, 1, pauses_ns[i]), 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(the_given_base_stands_until_both_prices_are_known),
		CASE(the_last_base_is_held_while_a_price_is_unknown),
		CASE(differences_below_5_move_nothing),
		CASE(the_first_price_is_followed_at_once),
		CASE(on_its_way_it_goes_all_the_way),
		CASE(noise_behind_a_move_moves_nothing),
		CASE(half_a_second_moves_by_100),
		CASE(short_samples_still_move),
		CASE(a_long_pause_moves_to_the_end_and_not_beyond),
	};

	return cmocka_run_group_tests_name("price base", tests, NULL, NULL);
}
