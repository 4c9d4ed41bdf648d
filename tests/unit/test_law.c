/* SPDX-License-Identifier: GPL-2.0-only */
/* Laws against vectors worked out by hand from the mails' formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "law/law.h"
#include "law/passes.h"
#include "util.h"

static const struct law_params classic = {
	.base = 0, .top = 100, .min = 0, .max = 200, .fixed = -1};

static const struct law *find(const char *spec)
{
	int fixed;
	const struct law *law = law_find(spec, &fixed);

	assert_non_null(law);
	return law;
}

static struct sample with_swap(uint32_t mapped_ratio_pct)
{
	return (struct sample){
		.mapped_ratio_pct = mapped_ratio_pct,
		.swap_free_pct = 100,
		.has_swap = true,
	};
}

/* Steps `law` by passes[priority] = count; returns the new state. */
static uint32_t step(const char *name, uint32_t from, uint32_t mapped_ratio_pct,
		     unsigned int priority, uint64_t count,
		     enum swt_reason *ret_reason)
{
	struct sample sample = with_swap(mapped_ratio_pct);
	struct law_state state = {.value = from};

	sample.passes[priority] = count;
	*ret_reason = find(name)->step(&sample, &state);
	return state.value;
}

static void distress_doubles_from_1_to_100_over_the_last_priorities(void **s)
{
	static const uint32_t from_12_to_0[] = {0, 0, 0,  0,  0,  0,  1,
						3, 6, 12, 25, 50, 100};

	(void)s;
	for (unsigned int i = 0; i < SWT_NR_PRIORITIES; i++)
		assert_int_equal(law_distress_pct(12 - i), from_12_to_0[i]);
}

static void unknown_priority_has_no_distress(void **s)
{
	(void)s;
	assert_int_equal(law_distress_pct(13), 0);
	assert_int_equal(law_distress_pct(64), 0);
	assert_int_equal(law_distress_pct(UINT32_MAX), 0);
}

struct vector {
	uint32_t from;
	uint32_t mapped_ratio_pct;
	unsigned int priority;
	uint64_t count;
	uint32_t to;
	enum swt_reason reason;
};

static void check_vectors(const char *name, const struct vector *vectors,
			  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct vector *v = &vectors[i];
		enum swt_reason reason;
		uint32_t to = step(name, v->from, v->mapped_ratio_pct,
				   v->priority, v->count, &reason);

		if (to != v->to || reason != v->reason)
			fail_msg("%s, vector %zu: %u %s, not %u %s", name, i,
				 to, reason_name(reason), v->to,
				 reason_name(v->reason));
	}
}

static void kolivas_rises_by_ten_tenths_above_tendency_50(void **s)
{
	static const struct vector vectors[] = {
		/* 0/2 + 100 = 100 */
		{0, 0, 0, 1, 10, SWT_REASON_TENDENCY_HIGH},
		/* 2/2 + 50 = 51; 3/2 is 1 as well */
		{200, 2, 1, 1, 210, SWT_REASON_TENDENCY_HIGH},
		{200, 3, 1, 1, 210, SWT_REASON_TENDENCY_HIGH},
		/* 100/2 + 1 = 51 */
		{7, 100, 6, 1, 17, SWT_REASON_TENDENCY_HIGH},
		{0, 0, 0, 30, 300, SWT_REASON_TENDENCY_HIGH},
	};

	(void)s;
	check_vectors("kolivas", vectors, SWT_ARRAY_SIZE(vectors));
}

static void kolivas_falls_by_one_tenth_at_tendency_50_or_less(void **s)
{
	static const struct vector vectors[] = {
		{500, 20, 12, 1, 499, SWT_REASON_TENDENCY_LOW},
		/* 1/2 + 50 = 50, not above */
		{500, 1, 1, 1, 499, SWT_REASON_TENDENCY_LOW},
		/* 100/2 + 0 = 50 */
		{500, 100, 12, 1, 499, SWT_REASON_TENDENCY_LOW},
		{1000, 0, 12, 1, 999, SWT_REASON_TENDENCY_LOW},
		{500, 0, 12, 123, 377, SWT_REASON_TENDENCY_LOW},
	};

	(void)s;
	check_vectors("kolivas", vectors, SWT_ARRAY_SIZE(vectors));
}

static void kolivas_stops_at_both_ends(void **s)
{
	static const struct vector vectors[] = {
		{0, 0, 12, 1, 0, SWT_REASON_STEADY},
		{3, 0, 12, 5, 0, SWT_REASON_TENDENCY_LOW},
		{990, 0, 0, 1, 1000, SWT_REASON_TENDENCY_HIGH},
		/* "while <= 990": 991..999 stay, they are not cut to 1000 */
		{991, 0, 0, 1, 991, SWT_REASON_STEADY},
		{999, 0, 0, 50, 999, SWT_REASON_STEADY},
		{1000, 0, 0, 1, 1000, SWT_REASON_STEADY},
		/* 100 steps from 0; from 5: 5 + 99 * 10 = 995 */
		{0, 0, 0, 200, 1000, SWT_REASON_TENDENCY_HIGH},
		{5, 0, 0, 200, 995, SWT_REASON_TENDENCY_HIGH},
	};

	(void)s;
	check_vectors("kolivas", vectors, SWT_ARRAY_SIZE(vectors));
}

static void kolivas_adds_ten_ups_and_takes_off_downs_between_the_ends(void **s)
{
	struct sample sample = with_swap(0);
	struct law_state state = {.value = 500};

	(void)s;
	/* 500 + 10 * 3 - (20 + 7) = 503; priority 1 has tendency 50: down */
	sample.passes[0] = 3;
	sample.passes[1] = 7;
	sample.passes[12] = 20;
	assert_int_equal(find("kolivas")->step(&sample, &state),
			 SWT_REASON_TENDENCY_HIGH);
	assert_int_equal(state.value, 503);
}

static void kolivas_replays_two_ups_and_four_downs_spread_evenly(void **s)
{
	struct sample sample = with_swap(0);
	struct law_state state = {0};

	(void)s;
	/* Down down up down down up: 0 0 10 9 8 18. */
	sample.passes[0] = 2;
	sample.passes[12] = 4;
	(void)find("kolivas")->step(&sample, &state);
	assert_int_equal(state.value, 18);
}

static void kolivas_without_pass_keeps_its_state(void **s)
{
	static const struct vector vectors[] = {
		{321, 80, 0, 0, 321, SWT_REASON_NO_RECLAIM},
	};

	(void)s;
	check_vectors("kolivas", vectors, SWT_ARRAY_SIZE(vectors));
	check_vectors("kolivas-proportional", vectors, 1);
}

static void proportional_steps_by_a_tenth_of_the_distance_from_50(void **s)
{
	static const struct vector vectors[] = {
		/* (50 + 100 - 50) / 10 */
		{0, 100, 0, 1, 10, SWT_REASON_TENDENCY_HIGH},
		/* (30 + 100 - 50) / 10 */
		{40, 60, 0, 1, 48, SWT_REASON_TENDENCY_HIGH},
		/* (30 + 50 - 50) / 10 */
		{40, 60, 1, 2, 46, SWT_REASON_TENDENCY_HIGH},
		/* (30 + 0 - 50) / 10 */
		{40, 60, 12, 3, 34, SWT_REASON_TENDENCY_LOW},
		/* (0 + 0 - 50) / 10 */
		{40, 0, 12, 1, 35, SWT_REASON_TENDENCY_LOW},
	};

	(void)s;
	check_vectors("kolivas-proportional", vectors, SWT_ARRAY_SIZE(vectors));
}

static void proportional_drops_fractions_toward_zero(void **s)
{
	static const struct vector vectors[] = {
		/* (30 + 12 - 50) / 10 = -8 / 10 */
		{40, 60, 3, 99, 40, SWT_REASON_STEADY},
		/* (9 + 50 - 50) / 10 = 9 / 10 */
		{40, 18, 1, 99, 40, SWT_REASON_STEADY},
		/* (9 - 50) / 10 = -41 / 10 */
		{40, 18, 12, 1, 36, SWT_REASON_TENDENCY_LOW},
	};

	(void)s;
	check_vectors("kolivas-proportional", vectors, SWT_ARRAY_SIZE(vectors));
}

static void proportional_is_cut_to_0_and_100(void **s)
{
	static const struct vector vectors[] = {
		{3, 0, 12, 1, 0, SWT_REASON_TENDENCY_LOW},
		{0, 0, 12, 9, 0, SWT_REASON_STEADY},
		{97, 100, 0, 1, 100, SWT_REASON_TENDENCY_HIGH},
		{100, 100, 0, 9, 100, SWT_REASON_STEADY},
	};

	(void)s;
	check_vectors("kolivas-proportional", vectors, SWT_ARRAY_SIZE(vectors));
}

static void kolivas_2004_squares_the_smaller_share(void **s)
{
	static const uint32_t vectors[][3] = {
		/* application share, free swap, state */
		{70, 90, 49},  {90, 70, 49},   {100, 100, 100}, {100, 0, 0},
		{0, 100, 0},   {10, 50, 1},    {9, 50, 0},	{50, 99, 25},
		{99, 100, 98}, {250, 300, 100}};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(vectors); i++) {
		struct sample sample = with_swap(0);
		struct law_state state = {.value = 77};

		sample.application_share_pct = vectors[i][0];
		sample.swap_free_pct = vectors[i][1];
		assert_int_equal(find("kolivas-2004")->step(&sample, &state),
				 SWT_REASON_MEMORY_SHARE);
		assert_int_equal(state.value, vectors[i][2]);
	}
}

static int decide(const char *name, uint32_t value,
		  const struct law_params *params)
{
	struct sample sample = with_swap(0);
	struct law_state state = {.value = value};
	struct decision decision;

	law_decide(find(name), params, &sample, &state, &decision);
	return decision.swappiness;
}

static void state_pushes_from_base_towards_top(void **s)
{
	struct law_params params = {60, 200, 1, 200, -1, 0};

	(void)s;
	assert_int_equal(decide("kolivas", 0, &params), 60);
	assert_int_equal(decide("kolivas", 500, &params), 130);
	/* 140 * 10 / 1000 = 1.4 */
	assert_int_equal(decide("kolivas", 10, &params), 61);
	assert_int_equal(decide("kolivas", 1000, &params), 200);
	assert_int_equal(decide("kolivas-proportional", 50, &params), 130);
	assert_int_equal(decide("kolivas-proportional", 100, &params), 200);
}

static void classic_scale_is_state_divided_by_ten(void **s)
{
	(void)s;
	for (uint32_t value = 0; value <= 1000; value++)
		assert_int_equal(decide("kolivas", value, &classic),
				 value / 10);
}

static void base_above_top_pushes_downwards(void **s)
{
	struct law_params params = {60, 0, 0, 200, -1, 0};

	(void)s;
	assert_int_equal(decide("kolivas", 0, &params), 60);
	assert_int_equal(decide("kolivas", 500, &params), 30);
	/* -60 * 10 / 1000 = -0.6: stays */
	assert_int_equal(decide("kolivas", 10, &params), 60);
	assert_int_equal(decide("kolivas", 1000, &params), 0);
}

static void floor_and_ceiling_hold(void **s)
{
	struct law_params params = {0, 200, 1, 100, -1, 0};

	(void)s;
	assert_int_equal(decide("kolivas", 0, &params), 1);
	assert_int_equal(decide("kolivas", 500, &params), 100);
	assert_int_equal(decide("kolivas", 1000, &params), 100);
	params.min = 0;
	assert_int_equal(decide("kolivas", 0, &params), 0);
}

static void decision_carries_its_evidence(void **s)
{
	struct law_params params = {60, 200, 1, 200, -1, 0};
	struct sample sample = with_swap(41);
	struct law_state state = {.value = 100};
	struct decision decision;

	(void)s;
	sample.passes[12] = 5;
	sample.passes[2] = 2; /* 20 + 25 = 45: down */
	sample.passes[1] = 3; /* 20 + 50 = 70: up */
	law_decide(find("kolivas"), &params, &sample, &state, &decision);
	assert_int_equal(state.value, 100 + 3 * 10 - 7);
	assert_int_equal(decision.state_permille, 123);
	/* 60 + 140 * 123 / 1000 = 60 + 17.22 */
	assert_int_equal(decision.swappiness, 77);
	assert_int_equal(decision.reason, SWT_REASON_TENDENCY_HIGH);
	assert_int_equal(decision.distress_pct, 50);
	assert_int_equal(decision.tendency_pct, 70);
	assert_int_equal(decision.passes, 10);
}

static void no_reclaim_keeps_the_push(void **s)
{
	struct law_params params = {60, 200, 1, 200, -1, 0};
	struct sample sample = with_swap(41);
	struct law_state state = {.value = 500};
	struct decision decision;

	(void)s;
	law_decide(find("kolivas"), &params, &sample, &state, &decision);
	assert_int_equal(state.value, 500);
	assert_int_equal(decision.swappiness, 130);
	assert_int_equal(decision.reason, SWT_REASON_NO_RECLAIM);
	assert_int_equal(decision.distress_pct, 0);
	assert_int_equal(decision.tendency_pct, 20);
	assert_int_equal(decision.passes, 0);
}

static void no_swap_gives_the_base_and_keeps_the_state(void **s)
{
	struct law_params params = {60, 200, 1, 200, -1, 0};
	struct sample sample = with_swap(0);
	struct law_state state = {.value = 500};
	struct decision decision;

	(void)s;
	sample.has_swap = false;
	sample.passes[0] = 9;
	law_decide(find("kolivas"), &params, &sample, &state, &decision);
	assert_int_equal(state.value, 500);
	assert_int_equal(decision.swappiness, 60);
	assert_int_equal(decision.reason, SWT_REASON_NO_SWAP);
	assert_int_equal(decision.passes, 9);

	params.base = 0;
	law_decide(find("kolivas"), &params, &sample, &state, &decision);
	assert_int_equal(decision.swappiness, 1);

	state.value = 50;
	law_decide(find("kolivas-2004"), &params, &sample, &state, &decision);
	assert_int_equal(state.value, 50);
	assert_int_equal(decision.reason, SWT_REASON_NO_SWAP);
}

static void static_gives_its_value_whatever_happens(void **s)
{
	struct law_params params = {60, 200, 1, 150, 42, 0};
	struct sample sample = with_swap(100);
	struct law_state state = {0};
	struct decision decision;

	(void)s;
	sample.passes[0] = 1000;
	law_decide(find("static:42"), &params, &sample, &state, &decision);
	assert_int_equal(decision.swappiness, 42);
	assert_int_equal(decision.reason, SWT_REASON_FIXED);
	assert_int_equal(decision.state_permille, 0);
	params.fixed = 200;
	law_decide(find("static:200"), &params, &sample, &state, &decision);
	assert_int_equal(decision.swappiness, 150);
	params.fixed = 0;
	law_decide(find("static:0"), &params, &sample, &state, &decision);
	assert_int_equal(decision.swappiness, 1);
}

static void state_of_another_law_is_brought_into_range(void **s)
{
	struct law_params params = {0, 100, 0, 200, -1, 0};

	(void)s;
	assert_int_equal(decide("kolivas-proportional", 700, &params), 100);
	assert_int_equal(decide("kolivas", 5000, &params), 100);
}

static void law_names_are_found(void **s)
{
	static const char *const names[] = {"kolivas", "kolivas-proportional",
					    "kolivas-2004", "cost", "auto"};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(names); i++) {
		int fixed = 7;
		const struct law *law = law_find(names[i], &fixed);

		assert_non_null(law);
		assert_string_equal(law->name, names[i]);
		assert_int_equal(fixed, -1);
	}
}

static void static_values_are_parsed(void **s)
{
	int fixed = -1;

	(void)s;
	assert_string_equal(law_find("static:0", &fixed)->name, "static");
	assert_int_equal(fixed, 0);
	assert_non_null(law_find("static:60", &fixed));
	assert_int_equal(fixed, 60);
	assert_non_null(law_find("static:200", &fixed));
	assert_int_equal(fixed, 200);
}

static void other_specs_are_no_law_and_leave_the_output_alone(void **s)
{
	static const char *const specs[] = {
		"",	      "static",	     "static:",
		"static:201", "static:-1",   "static:4x",
		"static:+4",  "static: 4",   "static:4 ",
		"static:999", "static:0x10", "static:4294967297",
		"staticx:4",  "Kolivas",     "kolivas ",
		"kolivas:1",  "kolivas-200", "kolivas-",
		"costs",      "Cost",	     "cost:1",
		"automatic",  "auto ",	     "static:1.5",
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(specs); i++) {
		int fixed = 77;

		if (law_find(specs[i], &fixed))
			fail_msg("'%s' was taken for a law", specs[i]);
		assert_int_equal(fixed, 77);
	}
}

static void every_law_says_what_it_does_and_where_it_comes_from(void **s)
{
	(void)s;
	assert_int_equal(law_count, 6);
	for (unsigned int i = 0; i < law_count; i++) {
		assert_true(strlen(law_table[i].summary) > 0);
		assert_true(strlen(law_table[i].rule) > 0);
		assert_true(strlen(law_table[i].source) > 0);
		assert_null(strchr(law_table[i].summary, '\n'));
		assert_true(strlen(law_table[i].name) < SWT_NAME_LEN);
	}
}

static void every_reason_has_a_name_of_its_own(void **s)
{
	(void)s;
	assert_string_equal(reason_name(SWT_REASON_START), "start");
	assert_string_equal(reason_name(SWT_REASON_TENDENCY_HIGH),
			    "tendency_high");
	assert_string_equal(reason_name(SWT_REASON_RESTORE), "restore");
	for (int i = 0; i < _SWT_REASON_MAX; i++) {
		const char *name = reason_name((enum swt_reason)i);

		assert_true(strlen(name) > 0 && strlen(name) < SWT_NAME_LEN);
		assert_string_not_equal(name, "unknown");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(
				name, reason_name((enum swt_reason)j));
	}
	assert_string_equal(reason_name(_SWT_REASON_MAX), "unknown");
	assert_string_equal(reason_name((enum swt_reason) - 1), "unknown");
}

static void replay_emits_a_known_order(void **s)
{
	/*
	 * Due from 0 2 4, 0 3 and 0; deadlines 2 4 6, 3 6 and 6; ties go to
	 * the lower index.
	 */
	static const uint64_t counts[] = {3, 0, 2, 1};
	static const int order[] = {0, 2, 0, 2, 0, 3};
	struct passes passes;

	(void)s;
	passes_init(&passes, counts, SWT_ARRAY_SIZE(counts));
	for (size_t i = 0; i < SWT_ARRAY_SIZE(order); i++)
		assert_int_equal(passes_next(&passes), order[i]);
	assert_int_equal(passes_next(&passes), -1);
	assert_int_equal(passes_next(&passes), -1);
}

static void replay_of_nothing_ends_at_once(void **s)
{
	static const uint64_t counts[SWT_NR_PRIORITIES] = {0};
	struct passes passes;

	(void)s;
	passes_init(&passes, counts, SWT_NR_PRIORITIES);
	assert_int_equal(passes_next(&passes), -1);
}

static void replay_is_bounded_and_keeps_every_class(void **s)
{
	uint64_t counts[SWT_NR_PRIORITIES];
	uint64_t seen[SWT_NR_PRIORITIES] = {0};
	struct passes passes;
	uint64_t total = 0;
	int class;

	(void)s;
	for (unsigned int i = 0; i < SWT_NR_PRIORITIES; i++)
		counts[i] = i == 0 ? 1 : UINT64_MAX;
	passes_init(&passes, counts, SWT_NR_PRIORITIES);
	while ((class = passes_next(&passes)) >= 0) {
		seen[class]++;
		total++;
	}
	assert_true(total > PASSES_CAP / 2);
	assert_true(total <= PASSES_CAP + SWT_NR_PRIORITIES);
	assert_int_equal(seen[0], 1);
	for (unsigned int i = 2; i < SWT_NR_PRIORITIES; i++)
		assert_int_equal(seen[i], seen[1]);
}

static void sum_of_counts_does_not_wrap(void **s)
{
	static const uint64_t counts[] = {UINT64_MAX - 1, 1, 1, 5};

	(void)s;
	assert_true(passes_sum(counts, 2) == UINT64_MAX);
	assert_true(passes_sum(counts, 4) == UINT64_MAX);
	assert_true(passes_sum(counts + 1, 3) == 7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(distress_doubles_from_1_to_100_over_the_last_priorities),
		CASE(unknown_priority_has_no_distress),
		CASE(kolivas_rises_by_ten_tenths_above_tendency_50),
		CASE(kolivas_falls_by_one_tenth_at_tendency_50_or_less),
		CASE(kolivas_stops_at_both_ends),
		CASE(kolivas_adds_ten_ups_and_takes_off_downs_between_the_ends),
		CASE(kolivas_replays_two_ups_and_four_downs_spread_evenly),
		CASE(kolivas_without_pass_keeps_its_state),
		CASE(proportional_steps_by_a_tenth_of_the_distance_from_50),
		CASE(proportional_drops_fractions_toward_zero),
		CASE(proportional_is_cut_to_0_and_100),
		CASE(kolivas_2004_squares_the_smaller_share),
		CASE(state_pushes_from_base_towards_top),
		CASE(classic_scale_is_state_divided_by_ten),
		CASE(base_above_top_pushes_downwards),
		CASE(floor_and_ceiling_hold),
		CASE(decision_carries_its_evidence),
		CASE(no_reclaim_keeps_the_push),
		CASE(no_swap_gives_the_base_and_keeps_the_state),
		CASE(static_gives_its_value_whatever_happens),
		CASE(state_of_another_law_is_brought_into_range),
		CASE(law_names_are_found),
		CASE(static_values_are_parsed),
		CASE(other_specs_are_no_law_and_leave_the_output_alone),
		CASE(every_law_says_what_it_does_and_where_it_comes_from),
		CASE(every_reason_has_a_name_of_its_own),
		CASE(replay_emits_a_known_order),
		CASE(replay_of_nothing_ends_at_once),
		CASE(replay_is_bounded_and_keeps_every_class),
		CASE(sum_of_counts_does_not_wrap),
	};

	return cmocka_run_group_tests_name("law", tests, NULL, NULL);
}
