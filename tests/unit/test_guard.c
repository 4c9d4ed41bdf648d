/* SPDX-License-Identifier: GPL-2.0-only */
/* What the guards make of a law's 150, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/guard.h"
#include "util.h"

static struct law_params params;
static struct sample sample;
static struct decision decision;

/* Nothing that a guard would mind. */
static int calm(void **s)
{
	(void)s;
	params = (struct law_params){
		.base = 60, .top = 200, .min = 1, .max = 200, .fixed = -1};
	sample = (struct sample){
		.swap_free_pct = 100,
		.has_swap = true,
	};
	return 0;
}

static void set_refault_pct(uint32_t refault_pct)
{
	sample.prices.has_refault_pct = true;
	sample.prices.refault_pct = refault_pct;
}

static void set_swap_out(uint64_t budget_kib_s, uint64_t kib_s)
{
	params.swap_out_budget_kib_s = budget_kib_s;
	sample.swap_out_kib_s = kib_s;
}

static void check_from(int from, int to, enum swt_reason reason)
{
	decision = (struct decision){
		.swappiness = from,
		.reason = SWT_REASON_PRICE,
		.state_permille = 123,
		.distress_pct = 25,
		.tendency_pct = 45,
		.passes = 678,
	};
	guard_apply(&params, &sample, &decision);
	if (decision.swappiness != to || decision.reason != reason)
		fail_msg("%d became %d, %s; not %d, %s", from,
			 decision.swappiness, reason_name(decision.reason), to,
			 reason_name(reason));
}

static void check(int to, enum swt_reason reason)
{
	check_from(150, to, reason);
}

static void check_untouched(void)
{
	check(150, SWT_REASON_PRICE);
}

static void nothing_to_mind_changes_nothing(void **s)
{
	(void)s;
	check_untouched();
	set_refault_pct(100);
	set_swap_out(1000, 0);
	check_untouched();
}

static void only_value_and_reason_are_changed(void **s)
{
	(void)s;
	sample.swap_free_pct = 5;
	check(75, SWT_REASON_SWAP_NEARLY_FULL);
	assert_int_equal(decision.state_permille, 123);
	assert_int_equal(decision.distress_pct, 25);
	assert_int_equal(decision.tendency_pct, 45);
	assert_int_equal(decision.passes, 678);
}

static void the_value_falls_with_the_last_tenth_of_swap(void **s)
{
	static const int by_free_pct[] = {1,  15,  30,	45,  60, 75,
					  90, 105, 120, 135, 150};

	(void)s;
	for (uint32_t pct = 0; pct < 10; pct++) {
		sample.swap_free_pct = pct;
		check(by_free_pct[pct], SWT_REASON_SWAP_NEARLY_FULL);
	}
	sample.swap_free_pct = 10;
	check_untouched();
	sample.swap_free_pct = 11;
	check_untouched();
}

static void full_swap_gives_0_where_that_is_allowed(void **s)
{
	(void)s;
	params.min = 0;
	sample.swap_free_pct = 0;
	check(0, SWT_REASON_SWAP_NEARLY_FULL);
}

static void the_value_falls_by_how_far_the_budget_is_exceeded(void **s)
{
	(void)s;
	set_swap_out(1000, 1000);
	check_untouched();
	set_swap_out(1000, 1500);
	check(100, SWT_REASON_SWAP_OUT_BUDGET);
	set_swap_out(1000, 2000);
	check(75, SWT_REASON_SWAP_OUT_BUDGET);
	set_swap_out(1000, 150000);
	check(1, SWT_REASON_SWAP_OUT_BUDGET);
	/* 149.85: the first KiB beyond counts. */
	set_swap_out(1000, 1001);
	check(149, SWT_REASON_SWAP_OUT_BUDGET);
}

static void no_budget_is_no_limit(void **s)
{
	(void)s;
	set_swap_out(0, UINT64_MAX);
	check_untouched();
}

static void budgets_at_the_ends_of_the_range_hold(void **s)
{
	(void)s;
	set_swap_out(1, UINT64_MAX);
	check(1, SWT_REASON_SWAP_OUT_BUDGET);
	set_swap_out(UINT64_C(1) << 30, UINT64_C(1) << 31);
	check(75, SWT_REASON_SWAP_OUT_BUDGET);
	set_swap_out(UINT64_C(1) << 30, UINT64_MAX);
	check(1, SWT_REASON_SWAP_OUT_BUDGET);
}

static void a_stream_is_held_at_the_base(void **s)
{
	(void)s;
	for (uint32_t pct = 0; pct < 10; pct++) {
		set_refault_pct(pct);
		check(60, SWT_REASON_STREAM);
	}
	set_refault_pct(10);
	check_untouched();
}

static void a_stream_does_not_lift_a_value_below_the_base(void **s)
{
	(void)s;
	set_refault_pct(0);
	check_from(60, 60, SWT_REASON_PRICE);
	check_from(20, 20, SWT_REASON_PRICE);
	check_from(61, 60, SWT_REASON_STREAM);
}

static void unknown_refaults_are_no_stream(void **s)
{
	(void)s;
	sample.prices.has_refault_pct = false;
	sample.prices.refault_pct = 0;
	check_untouched();
}

static void no_guard_goes_below_the_floor(void **s)
{
	(void)s;
	params.min = 70;
	set_refault_pct(0);
	check(70, SWT_REASON_STREAM);
	(void)calm(s);
	params.min = 70;
	set_swap_out(1000, 10000);
	check(70, SWT_REASON_SWAP_OUT_BUDGET);
	(void)calm(s);
	params.min = 70;
	sample.swap_free_pct = 0;
	check(70, SWT_REASON_SWAP_NEARLY_FULL);
}

static void at_the_floor_the_laws_reason_stays(void **s)
{
	(void)s;
	params.min = 20;
	sample.swap_free_pct = 0;
	set_swap_out(1000, 10000);
	set_refault_pct(0);
	check_from(20, 20, SWT_REASON_PRICE);
}

static void the_lowest_of_all_guards_wins_with_its_reason(void **s)
{
	(void)s;
	set_refault_pct(3);
	/* 60, 75 and 150 * 9 / 10 */
	set_swap_out(1000, 2000);
	sample.swap_free_pct = 9;
	check(60, SWT_REASON_STREAM);
	/* 60, 75 and 30: each of what the law said, not one of another */
	sample.swap_free_pct = 2;
	check(30, SWT_REASON_SWAP_NEARLY_FULL);
	/* 60, 15 and 30 */
	set_swap_out(1000, 10000);
	check(15, SWT_REASON_SWAP_OUT_BUDGET);
	/* 60, 15 and 0, so 1 */
	sample.swap_free_pct = 0;
	check(1, SWT_REASON_SWAP_NEARLY_FULL);
}

static void two_guards_do_not_multiply(void **s)
{
	(void)s;
	set_swap_out(1000, 2000);
	sample.swap_free_pct = 6;
	/* 75 and 90 */
	check(75, SWT_REASON_SWAP_OUT_BUDGET);
}

static void without_swap_nothing_is_guarded(void **s)
{
	(void)s;
	sample.has_swap = false;
	sample.swap_free_pct = 0;
	set_swap_out(1000, 10000);
	set_refault_pct(0);
	check_untouched();
}

static void no_guard_ever_raises(void **s)
{
	(void)s;
	for (int from = 1; from <= SWAPPINESS_MAX; from++)
		for (uint32_t i = 0; i < 13 * 5 * 20; i++) {
			decision = (struct decision){.swappiness = from};
			sample.swap_free_pct = i % 13;
			set_swap_out(1000, i / 13 % 5 * 500);
			set_refault_pct(i / 65);
			guard_apply(&params, &sample, &decision);
			assert_in_range(decision.swappiness, params.min, from);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup(name, calm)
		CASE(nothing_to_mind_changes_nothing),
		CASE(only_value_and_reason_are_changed),
		CASE(the_value_falls_with_the_last_tenth_of_swap),
		CASE(full_swap_gives_0_where_that_is_allowed),
		CASE(the_value_falls_by_how_far_the_budget_is_exceeded),
		CASE(no_budget_is_no_limit),
		CASE(budgets_at_the_ends_of_the_range_hold),
		CASE(a_stream_is_held_at_the_base),
		CASE(a_stream_does_not_lift_a_value_below_the_base),
		CASE(unknown_refaults_are_no_stream),
		CASE(no_guard_goes_below_the_floor),
		CASE(at_the_floor_the_laws_reason_stays),
		CASE(the_lowest_of_all_guards_wins_with_its_reason),
		CASE(two_guards_do_not_multiply),
		CASE(without_swap_nothing_is_guarded),
		CASE(no_guard_ever_raises),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
