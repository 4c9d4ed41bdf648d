/* SPDX-License-Identifier: GPL-2.0-only */
/* The laws cost and auto: vectors by hand, and what holds for all prices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "law/law.h"
#include "util.h"

#define INTERVAL_NS UINT64_C(100000000)
#define SAMPLES_OF_A_SECOND 10

static const char *const names[] = {"cost", "auto"};

static const struct law_params params = {
	.base = 60, .top = 200, .min = 0, .max = 200, .fixed = -1};

static const struct law *find(const char *name)
{
	int fixed;
	const struct law *law = law_find(name, &fixed);

	assert_non_null(law);
	return law;
}

/* 100 ms in which nothing was reclaimed. */
static struct sample priced(uint32_t swap_in_ns, uint32_t file_read_ns)
{
	return (struct sample){
		.elapsed_ns = INTERVAL_NS,
		.swap_free_pct = 100,
		.has_swap = true,
		.prices = {.swap_in_ns = swap_in_ns,
			   .file_read_ns = file_read_ns},
	};
}

static struct decision decide(const char *name, const struct sample *sample,
			      struct law_state *state)
{
	struct decision decision;

	law_decide(find(name), &params, sample, state, &decision);
	return decision;
}

/*
 * The value after so many samples alike; from 190 on without what auto makes of
 * it for nine tenths of the time.
 */
static int settle(const char *name, const struct sample *sample,
		  struct law_state *state, int samples)
{
	int value = -1;

	while (samples--)
		value = decide(name, sample, state).swappiness;
	if (strcmp(name, "auto") != 0 || value < 190 || !state->has_base ||
	    state->base < 190)
		return value;
	return state->base;
}

/* xorshift64 with a fixed seed: a failure is the same failure next time. */
static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t random_below(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

/* Of any size up to 4 s, never 0. */
static uint32_t random_ns(void)
{
	uint64_t limit = UINT64_C(1) << (1 + random_below(32));

	return (uint32_t)(1 + random_below(limit - 1));
}

static void both_settle_at_what_the_prices_say(void **s)
{
	static const struct {
		uint32_t swap_in_ns, file_read_ns;
		int swappiness;
	} vectors[] = {
		/* 200 / 21 = 9.5, from below */
		{100000, 5000, 10},   {100000, 100000, 100},
		{50000, 100000, 133}, {5000, 100000, 190},
		{8000000, 160000, 4}, {1, UINT32_MAX, 200},
		{UINT32_MAX, 1, 0},   {90000, 10000, 20},
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(vectors); i++)
		for (size_t j = 0; j < SWT_ARRAY_SIZE(names); j++) {
			struct sample sample = priced(vectors[i].swap_in_ns,
						      vectors[i].file_read_ns);
			struct law_state state = {0};

			assert_int_equal(settle(names[j], &sample, &state,
						SAMPLES_OF_A_SECOND),
					 vectors[i].swappiness);
		}
}

static void both_say_whether_prices_are_known(void **s)
{
	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(names); i++) {
		struct law_state state = {0};
		struct sample sample = priced(0, 0);

		assert_int_equal(decide(names[i], &sample, &state).reason,
				 SWT_REASON_NO_PRICE);
		sample = priced(5000, 0);
		assert_int_equal(decide(names[i], &sample, &state).reason,
				 SWT_REASON_NO_PRICE);
		sample = priced(0, 5000);
		assert_int_equal(decide(names[i], &sample, &state).reason,
				 SWT_REASON_NO_PRICE);
		sample = priced(5000, 5000);
		assert_int_equal(decide(names[i], &sample, &state).reason,
				 SWT_REASON_PRICE);
		sample.has_swap = false;
		assert_int_equal(decide(names[i], &sample, &state).reason,
				 SWT_REASON_NO_SWAP);
	}
}

static void without_swap_both_give_the_base_that_was_asked_for(void **s)
{
	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(names); i++) {
		struct law_state state = {0};
		struct sample sample = priced(5000, 100000);

		assert_int_equal(settle(names[i], &sample, &state, 10), 190);
		sample.has_swap = false;
		assert_int_equal(settle(names[i], &sample, &state, 1), 60);
		/* Back at once when swap is. */
		sample.has_swap = true;
		assert_int_equal(settle(names[i], &sample, &state, 1), 190);
	}
}

static void distress_does_not_push_cost(void **s)
{
	struct sample sample = priced(0, 0);
	struct law_state state = {.value = 700};

	(void)s;
	sample.passes[0] = 1000;
	assert_int_equal(settle("cost", &sample, &state, 20), 60);
	assert_int_equal(state.value, 0);
	sample = priced(90000, 10000);
	sample.passes[0] = 1000;
	assert_int_equal(settle("cost", &sample, &state, 20), 20);
}

/* Prices that say `aim`, and the state of kolivas at `value`. */
static int pushed(uint32_t aim, uint32_t value)
{
	struct sample sample = priced((200 - aim) * 100, aim * 100);
	struct law_state state = {
		.value = value, .base = (int)aim, .has_base = true};

	sample.elapsed_ns = 0;
	return settle("auto", &sample, &state, 1);
}

static void the_push_of_auto_at_most_doubles_the_price(void **s)
{
	(void)s;
	assert_int_equal(pushed(20, 0), 20);
	assert_int_equal(pushed(20, 500), 30);
	assert_int_equal(pushed(20, 1000), 40);
	assert_int_equal(pushed(1, 1000), 2);
	assert_int_equal(pushed(60, 1000), 120);
	assert_int_equal(pushed(100, 1000), 200);
}

static void the_push_of_auto_ends_at_the_top(void **s)
{
	(void)s;
	assert_int_equal(pushed(180, 0), 180);
	assert_int_equal(pushed(180, 500), 190);
	assert_int_equal(pushed(180, 1000), 200);
	assert_int_equal(pushed(150, 1000), 200);
}

static void a_top_below_the_price_takes_the_push_away_not_the_price(void **s)
{
	const struct law_params low_top = {
		.base = 60, .top = 100, .min = 0, .max = 200, .fixed = -1};
	struct sample sample = priced(5000, 45000);
	struct law_state state = {.value = 1000, .base = 180, .has_base = true};
	struct decision decision;

	(void)s;
	sample.elapsed_ns = 0;
	law_decide(find("auto"), &low_top, &sample, &state, &decision);
	assert_int_equal(decision.swappiness, 180);
}

static void auto_follows_distress_as_kolivas_does(void **s)
{
	struct sample sample = priced(100000, 100000);
	struct law_state state = {.base = 100, .has_base = true};
	struct decision decision;

	(void)s;
	sample.elapsed_ns = 0;
	/* 100 > 50: ten tenths each; 100 + 100 * 300 / 1000 */
	sample.passes[0] = 30;
	decision = decide("auto", &sample, &state);
	assert_int_equal(state.value, 300);
	assert_int_equal(decision.swappiness, 130);
	assert_int_equal(decision.reason, SWT_REASON_TENDENCY_HIGH);
	assert_int_equal(decision.state_permille, 300);
	/* 0 <= 50: one tenth each; 100 + 100 * 200 / 1000 */
	sample.passes[0] = 0;
	sample.passes[12] = 100;
	decision = decide("auto", &sample, &state);
	assert_int_equal(decision.swappiness, 120);
	assert_int_equal(decision.reason, SWT_REASON_TENDENCY_LOW);
	/* No pass and no time: the push stays. */
	sample.passes[12] = 0;
	decision = decide("auto", &sample, &state);
	assert_int_equal(decision.swappiness, 120);
	assert_int_equal(decision.reason, SWT_REASON_PRICE);
}

static void the_push_of_auto_fades_within_a_second(void **s)
{
	/* Of 1000, with the time that went by; then one easy pass. */
	static const struct {
		uint64_t elapsed_ms;
		uint32_t value;
	} cases[] = {{0, 999}, {1, 998},  {100, 899},  {500, 499},
		     {999, 0}, {1000, 0}, {3600000, 0}};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(cases); i++) {
		struct sample sample = priced(100000, 100000);
		struct law_state state = {.value = 1000};

		sample.passes[12] = 1;
		sample.elapsed_ns = cases[i].elapsed_ms * 1000000;
		(void)decide("auto", &sample, &state);
		assert_int_equal(state.value, cases[i].value);
	}
}

static void auto_pushes_the_given_base_while_prices_are_unknown(void **s)
{
	struct sample sample = priced(0, 0);
	struct law_state state = {0};

	(void)s;
	sample.elapsed_ns = 0;
	/* At most doubled: 60 + 60 * 300 / 1000 */
	sample.passes[0] = 30;
	assert_int_equal(settle("auto", &sample, &state, 1), 78);
	assert_int_equal(settle("auto", &sample, &state, 10), 120);
}

static void nothing_moves_without_both_prices(void **s)
{
	(void)s;
	for (int i = 0; i < 2000; i++) {
		const char *name = names[i % 2];
		struct law_state state = {0};
		struct sample sample = priced(0, 0);
		int held = 60;

		if (i & 2) {
			sample = priced(random_ns(), random_ns());
			held = settle(name, &sample, &state, 20);
		}
		sample =
			i & 4 ? priced(random_ns(), 0) : priced(0, random_ns());
		if (i & 8)
			sample = priced(0, 0);
		for (int j = 0; j < 20; j++) {
			sample.elapsed_ns = random_below(UINT64_C(1) << 34);
			assert_int_equal(settle(name, &sample, &state, 1),
					 held);
		}
	}
}

static int settled_at(const char *name, uint32_t swap_ns, uint32_t file_ns,
		      uint64_t hard_passes, int samples)
{
	struct sample sample = priced(swap_ns, file_ns);
	struct law_state state = {0};

	int value;

	sample.passes[0] = hard_passes;
	value = settle(name, &sample, &state, samples);
	/* Above, time decides and not the price. */
	return value < 190 ? value : 190;
}

static void dearer_swap_or_cheaper_files_never_raise_the_value(void **s)
{
	(void)s;
	for (int i = 0; i < 20000; i++) {
		const char *name = names[i % 2];
		uint32_t dear = random_ns(), other = random_ns();
		uint32_t cheap = 1 + (uint32_t)random_below(dear);
		uint64_t hard = random_below(60);
		int samples = i & 2 ? 1 : 20;

		assert_true(settled_at(name, dear, other, hard, samples) <=
			    settled_at(name, cheap, other, hard, samples));
		assert_true(settled_at(name, other, dear, hard, samples) >=
			    settled_at(name, other, cheap, hard, samples));
	}
}

/* Is it 200 r / (1 + r) to the nearest, or within `slack` of that? */
static bool is_right(int value, const struct sample *sample, double slack)
{
	double r =
		(double)sample->prices.file_read_ns / sample->prices.swap_in_ns;
	double off = value - 200 * r / (1 + r);

	return (off < 0 ? -off : off) <= slack + 0.5 + 1e-6;
}

static void both_arrive_within_a_second_and_stay(void **s)
{
	(void)s;
	for (int i = 0; i < 201 * 40; i++) {
		const char *name = names[i % 2];
		struct sample sample = priced(random_ns(), random_ns());
		int from = i % 201, value;
		struct law_state state = {.base = from, .has_base = true};

		value = settle(name, &sample, &state, SAMPLES_OF_A_SECOND);
		/* What was close enough stays where it was. */
		assert_true(is_right(value, &sample, value == from ? 4 : 0));
		for (int j = 0; j < 30; j++)
			assert_int_equal(settle(name, &sample, &state, 1),
					 value);
	}
}

/* Samples come late and early; with the same prices nothing swings. */
static void no_sample_overshoots(void **s)
{
	(void)s;
	for (int i = 0; i < 4000; i++) {
		const char *name = names[i % 2];
		struct sample sample = priced(random_ns(), random_ns());
		int last = (int)random_below(201), turns = 0, sign = 0;
		struct law_state state = {.base = last, .has_base = true};

		for (int j = 0; j < 60; j++) {
			int value;

			sample.elapsed_ns = random_below(4 * INTERVAL_NS);
			value = settle(name, &sample, &state, 1);
			if ((value - last) * sign < 0)
				turns++;
			if (value != last)
				sign = value > last ? 1 : -1;
			last = value;
		}
		assert_int_equal(turns, 0);
	}
}

static void from_190_on_auto_is_200_for_nine_tenths_of_the_time(void **s)
{
	struct sample sample = priced(5000, 95000);
	struct law_state state = {.base = 190, .has_base = true};
	int all = 0;

	(void)s;
	for (int i = 0; i < 10 * SAMPLES_OF_A_SECOND; i++) {
		int value = decide("auto", &sample, &state).swappiness;

		assert_true(value == 200 || value == 190);
		all += value == 200;
	}
	assert_int_equal(all, 90);
	/* 200 * 17 / 18 = 188.9 */
	sample = priced(5000, 85000);
	state = (struct law_state){0};
	for (int i = 0; i < 2 * SAMPLES_OF_A_SECOND; i++)
		assert_int_equal(decide("auto", &sample, &state).swappiness,
				 189);
	state = (struct law_state){.base = 190, .has_base = true};
	sample = priced(5000, 95000);
	for (int i = 0; i < 2 * SAMPLES_OF_A_SECOND; i++)
		assert_int_equal(decide("cost", &sample, &state).swappiness,
				 190);
}

static void auto_under_constant_distress_settles_too(void **s)
{
	(void)s;
	for (int i = 0; i < 500; i++) {
		struct sample sample = priced(random_ns(), random_ns());
		struct law_state state = {0};
		int value;

		sample.passes[0] = 20 + random_below(100);
		value = settle("auto", &sample, &state, 20);
		for (int j = 0; j < 50; j++)
			assert_int_equal(settle("auto", &sample, &state, 1),
					 value);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(both_settle_at_what_the_prices_say),
		CASE(both_say_whether_prices_are_known),
		CASE(without_swap_both_give_the_base_that_was_asked_for),
		CASE(distress_does_not_push_cost),
		CASE(the_push_of_auto_at_most_doubles_the_price),
		CASE(the_push_of_auto_ends_at_the_top),
		CASE(a_top_below_the_price_takes_the_push_away_not_the_price),
		CASE(auto_follows_distress_as_kolivas_does),
		CASE(the_push_of_auto_fades_within_a_second),
		CASE(auto_pushes_the_given_base_while_prices_are_unknown),
		CASE(nothing_moves_without_both_prices),
		CASE(dearer_swap_or_cheaper_files_never_raise_the_value),
		CASE(both_arrive_within_a_second_and_stay),
		CASE(no_sample_overshoots),
		CASE(from_190_on_auto_is_200_for_nine_tenths_of_the_time),
		CASE(auto_under_constant_distress_settles_too),
	};

	return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
