/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of prices against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/price.h"
#include "util.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)

/* `bios` of one page each, none left out. */
static struct swt_cost_io single_pages(uint64_t bios, uint64_t ns_per_page)
{
	return (struct swt_cost_io){
		.bios_estimate = bios,
		.sampled_bios = bios,
		.sampled_pages = bios,
		.sampled_ns = bios * ns_per_page,
	};
}

static void add(struct price_mean *mean, uint64_t bios, uint64_t ns_per_page)
{
	struct swt_cost_io delta = single_pages(bios, ns_per_page);

	price_add(mean, &delta);
}

static void price_is_time_by_pages(void **s)
{
	const struct swt_cost_io delta = {
		.bios_estimate = 20,
		.sampled_bios = 20,
		.sampled_pages = 80,
		.sampled_ns = 8000000,
	};
	struct price_mean mean = {0};

	(void)s;
	price_add(&mean, &delta);
	assert_int_equal(mean.ns_per_page, 100000);
	/* 8,000,000 + 20 * 500,000 = 18,000,000 on 100 pages */
	add(&mean, 20, 500000);
	assert_int_equal(mean.ns_per_page, 180000);
}

static void a_price_is_never_0_once_known(void **s)
{
	struct price_mean mean = {0};

	(void)s;
	add(&mean, 16, 0);
	assert_int_equal(mean.ns_per_page, 1);
}

static void too_few_bios_give_no_price(void **s)
{
	struct price_mean mean = {0};

	(void)s;
	add(&mean, 15, 70000);
	assert_int_equal(mean.ns_per_page, 0);
	add(&mean, 1, 70000);
	assert_int_equal(mean.ns_per_page, 70000);
}

static void too_few_bios_hold_the_last_price(void **s)
{
	struct price_mean mean = {0};

	(void)s;
	add(&mean, 100, 70000);
	price_fade(&mean, 10 * S);
	assert_int_equal(mean.ns_per_page, 70000);
	add(&mean, 15, 9000);
	assert_int_equal(mean.ns_per_page, 70000);
	add(&mean, 1, 9000);
	assert_int_equal(mean.ns_per_page, 9000);
}

static void nothing_sampled_changes_nothing(void **s)
{
	const struct swt_cost_io no_bio = {.sampled_pages = 5, .sampled_ns = 9};
	const struct swt_cost_io no_page = {.sampled_bios = 5, .sampled_ns = 9};
	struct price_mean mean = {0};
	struct price_mean before;

	(void)s;
	add(&mean, 20, 1000);
	before = mean;
	price_add(&mean, &no_bio);
	price_add(&mean, &no_page);
	assert_memory_equal(&mean, &before, sizeof(mean));
}

static void estimate_counts_the_pages_that_were_not_sampled(void **s)
{
	const struct swt_cost_io delta = {
		.bios_estimate = 160,
		.sampled_bios = 16,
		.sampled_pages = 40,
		.sampled_ns = 1,
	};
	struct price_mean mean = {0};

	(void)s;
	/* 40 pages * 160 / 16 = 400, in 1/1024 */
	price_add(&mean, &delta);
	assert_int_equal(mean.estimate_q10, 409600);
	assert_int_equal(mean.pages_q10, 40960);
	assert_int_equal(mean.bios_q10, 16384);
}

static void memory_fades_by_its_share_of_ten_seconds(void **s)
{
	struct price_mean mean = {1000000, 20480, 10240, 40960, 77};

	(void)s;
	price_fade(&mean, S);
	assert_int_equal(mean.ns, 900000);
	assert_int_equal(mean.pages_q10, 18432);
	assert_int_equal(mean.bios_q10, 9216);
	assert_int_equal(mean.estimate_q10, 36864);
	assert_int_equal(mean.ns_per_page, 77);
	price_fade(&mean, 0);
	price_fade(&mean, MS - 1);
	assert_int_equal(mean.ns, 900000);
	price_fade(&mean, 5 * S);
	assert_int_equal(mean.ns, 450000);
}

static void all_is_forgotten_after_ten_seconds_or_more(void **s)
{
	static const uint64_t pauses_ns[] = {10 * S, 11 * S, 86400 * S,
					     UINT64_MAX};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(pauses_ns); i++) {
		struct price_mean mean = {1000003, 20483, 10247, 40961, 77};

		price_fade(&mean, pauses_ns[i]);
		assert_int_equal(mean.ns, 0);
		assert_int_equal(mean.pages_q10, 0);
		assert_int_equal(mean.bios_q10, 0);
		assert_int_equal(mean.estimate_q10, 0);
		assert_int_equal(mean.ns_per_page, 77);
	}
}

static void half_is_left_after_seven_seconds_of_small_steps(void **s)
{
	struct price_mean mean = {.ns = UINT64_C(1000000000)};

	(void)s;
	/* 0.99 ^ 70 = 0.4948 */
	for (int i = 0; i < 70; i++)
		price_fade(&mean, 100 * MS);
	assert_in_range(mean.ns, 494800000, 494900000);
}

static void old_measurements_count_less_than_new_ones(void **s)
{
	struct price_mean mean = {0};

	(void)s;
	add(&mean, 64, 1000);
	price_fade(&mean, 5 * S);
	/* (32 * 1000 + 64 * 4000) / 96 */
	add(&mean, 64, 4000);
	assert_int_equal(mean.ns_per_page, 3000);
}

static void huge_sums_fade_without_wrapping(void **s)
{
	struct price_mean mean = {.ns = UINT64_MAX};

	(void)s;
	price_fade(&mean, 5 * S);
	assert_in_range(mean.ns, UINT64_MAX / 2 - 5000, UINT64_MAX / 2 + 5000);
	mean.ns = UINT64_MAX;
	price_fade(&mean, 1 * MS);
	assert_in_range(mean.ns, UINT64_MAX / 10000 * 9999 - 5000,
			UINT64_MAX / 10000 * 9999 + 5000);
}

static void huge_times_are_cut_to_32_bits(void **s)
{
	struct price_mean mean = {0};

	(void)s;
	add(&mean, 16, UINT64_C(1) << 56);
	assert_int_equal(mean.ns_per_page, UINT32_MAX);
}

static void samples_of_a_long_pause_do_not_wrap(void **s)
{
	/* Some minutes of 8 CPUs, every 1024th bio: 2^22 of 8 pages. */
	const struct swt_cost_io delta = {
		.bios_estimate = UINT64_C(1) << 32,
		.sampled_bios = UINT64_C(1) << 22,
		.sampled_pages = UINT64_C(1) << 25,
		.sampled_ns = UINT64_C(50000) << 25,
	};
	struct price_mean mean = {0};

	(void)s;
	price_add(&mean, &delta);
	assert_int_equal(mean.ns_per_page, 50000);
	/* 2^25 * 1024 pages, in 1/1024 */
	assert_true(mean.estimate_q10 == UINT64_C(1) << 45);
}

static void the_last_64_pages_outlast_any_pause(void **s)
{
	const struct swt_cost_io slow = {
		.bios_estimate = 1000,
		.sampled_bios = 500,
		.sampled_pages = 1000,
		.sampled_ns = 3000000000,
	};
	/* 36 pages in a burst, then as many as there were. */
	const struct swt_cost_io burst = {
		.bios_estimate = 36,
		.sampled_bios = 36,
		.sampled_pages = 36,
		.sampled_ns = 36 * 50000,
	};
	struct price_mean mean = {0};

	(void)s;
	price_add(&mean, &slow);
	assert_int_equal(mean.ns_per_page, 3000000);
	price_fade_but_last(&mean, UINT64_MAX);
	assert_int_equal(mean.pages_q10, 64 * 1024);
	assert_int_equal(mean.bios_q10, 32 * 1024);
	assert_int_equal(mean.estimate_q10, 128 * 1024);
	assert_true(mean.ns == 192000000);
	price_fade_but_last(&mean, UINT64_MAX);
	assert_int_equal(mean.pages_q10, 64 * 1024);
	/* (64 * 3,000,000 + 36 * 50,000) / 100 */
	price_add(&mean, &burst);
	assert_int_equal(mean.ns_per_page, 1938000);
	/* A tenth of 1,000 pages goes in a second, as without a floor. */
	mean = (struct price_mean){0};
	price_add(&mean, &slow);
	price_fade_but_last(&mean, UINT64_C(1000000000));
	assert_int_equal(mean.pages_q10, 900 * 1024);
	assert_true(mean.ns == 2700000000);
}

static struct price_mean known(uint32_t ns_per_page, uint64_t estimate_pages)
{
	return (struct price_mean){
		.estimate_q10 = estimate_pages * 1024,
		.ns_per_page = ns_per_page,
	};
}

static void check_swap(struct price_mean in, struct price_mean out,
		       bool is_synchronous, uint32_t expected_ns)
{
	assert_int_equal(price_swap_ns(&in, &out, is_synchronous), expected_ns);
}

static void a_swap_in_has_no_price_before_one_was_seen(void **s)
{
	(void)s;
	check_swap(known(0, 0), known(0, 0), true, 0);
	check_swap(known(0, 0), known(3000, 500), true, 0);
	check_swap(known(0, 0), known(3000, 500), false, 0);
}

static void at_most_one_write_counts(void **s)
{
	(void)s;
	/* No price of a write is known: as much as the read. */
	check_swap(known(2000, 100), known(0, 0), true, 4000);
	check_swap(known(2000, 100), known(0, 0), false, 4000);
	/* One write for one read, or more writes than reads. */
	check_swap(known(2000, 100), known(3000, 100), true, 5000);
	check_swap(known(2000, 100), known(3000, 900), true, 5000);
}

static void a_write_is_shared_by_the_reads_of_its_page(void **s)
{
	(void)s;
	/* 2000 + 3000 / 4 */
	check_swap(known(2000, 400), known(3000, 100), true, 2750);
	check_swap(known(2000, 400), known(3000, 0), true, 2000);
}

static void a_write_that_nobody_waits_for_costs_a_read_at_most(void **s)
{
	(void)s;
	check_swap(known(2000, 100), known(3000, 100), false, 4000);
	check_swap(known(2000, 100), known(1500, 100), false, 3500);
	/* Cut first, shared then: 2000 + 2000 / 4 */
	check_swap(known(2000, 400), known(90000, 100), false, 2500);
}

static void a_write_to_zram_costs_what_it_takes(void **s)
{
	(void)s;
	check_swap(known(2000, 100), known(90000, 100), true, 92000);
}

static void swap_prices_are_cut_to_32_bits(void **s)
{
	(void)s;
	check_swap(known(UINT32_MAX, 100), known(UINT32_MAX, 100), true,
		   UINT32_MAX);
	check_swap(known(UINT32_MAX, 100), known(UINT32_MAX, 100), false,
		   UINT32_MAX);
	check_swap(known(UINT32_MAX - 1, 100), known(1, 100), true, UINT32_MAX);
}

static void huge_numbers_of_pages_do_not_wrap(void **s)
{
	(void)s;
	/* 2^20 + 2^20 / 2 */
	check_swap(known(1048576, UINT64_C(1) << 36),
		   known(1048576, UINT64_C(1) << 35), false, 1572864);
	check_swap(known(1048576, UINT64_C(1) << 53),
		   known(1048576, UINT64_C(1) << 52), true, 1572864);
}

static void swappiness_is_200_r_by_1_and_r(void **s)
{
	static const struct {
		uint32_t swap_ns, file_ns;
		int swappiness;
	} vectors[] = {
		/* r = 0.43: 86 / 1.43 = 60.1 */
		{100000, 43000, 60},
		{100000, 100000, 100},
		/* r = 2: 400 / 3 = 133.3 */
		{50000, 100000, 133},
		/* r = 0.5: 100 / 1.5 = 66.7 */
		{100000, 50000, 67},
		/* r = 20: 4000 / 21 = 190.5 */
		{5000, 100000, 190},
		/* r = 9 */
		{10000, 90000, 180},
		/* r = 0.02: 4 / 1.02 = 3.9 */
		{100000, 2000, 4},
		/* 0.5 and 199.5 round up, less rounds down. */
		{399, 1, 1},
		{400, 1, 0},
		{1, 399, 200},
		{1, 398, 199},
		{1, 1, 100},
		{UINT32_MAX, 1, 0},
		{1, UINT32_MAX, 200},
		{UINT32_MAX, UINT32_MAX, 100},
		/* r = 1 / 3 */
		{3000000000, 1000000000, 50},
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(vectors); i++)
		assert_int_equal(price_swappiness(vectors[i].swap_ns,
						  vectors[i].file_ns),
				 vectors[i].swappiness);
}

/* 100,000 pages at 1 us, then 8,192 at 100 us: 8,192 at 1 us are remembered. */
static void a_large_scan_is_soon_outweighed(void **s)
{
	const struct swt_cost_io scan = {
		.bios_estimate = 100000,
		.sampled_bios = 100000,
		.sampled_pages = 100000,
		.sampled_ns = 100000000,
	};
	const struct swt_cost_io random = {
		.bios_estimate = 8192,
		.sampled_bios = 8192,
		.sampled_pages = 8192,
		.sampled_ns = 819200000,
	};
	struct price_mean mean = {0};

	(void)s;
	price_add(&mean, &scan);
	assert_int_equal(mean.ns_per_page, 1000);
	price_add(&mean, &random);
	/* (8192 * 1 + 8192 * 100) / 16384 = 50.5 us */
	assert_int_equal(mean.ns_per_page, 50500);
}

static void the_share_that_came_back_starts_in_doubt(void **s)
{
	(void)s;
	assert_int_equal(price_refault_permille(0, 0, 64), 1000);
	assert_int_equal(price_refault_permille(0, 64, 64), 500);
	/* (36 + 64) / (936 + 64) */
	assert_int_equal(price_refault_permille(36, 936, 64), 100);
	assert_int_equal(price_refault_permille(500, 100, 64), 1000);
	assert_int_equal(price_refault_permille(0, 1000000000, 64), 1);
	assert_int_equal(price_refault_permille(0, 0, 0), 1000);
}

static void what_stays_away_costs_nothing(void **s)
{
	struct prices prices = {
		.swap_in_ns = 6000000,
		.file_read_ns = 60000,
		.anon_refault_permille = 10,
		.file_refault_permille = 1000,
	};

	(void)s;
	price_weigh(&prices);
	assert_int_equal(prices.swap_in_ns, 60000);
	assert_int_equal(prices.file_read_ns, 60000);
	/* Unknown shares change nothing, and a known price stays known. */
	prices.anon_refault_permille = 0;
	price_weigh(&prices);
	assert_int_equal(prices.swap_in_ns, 60000);
	prices = (struct prices){.swap_in_ns = 10, .anon_refault_permille = 1};
	price_weigh(&prices);
	assert_int_equal(prices.swap_in_ns, 1);
	assert_int_equal(prices.file_read_ns, 0);
}

static void anonymous_memory_is_tried_where_nothing_is_known(void **s)
{
	struct prices prices = {.is_trial_due = true};

	(void)s;
	assert_int_equal(price_with_trial(&prices, 1), 10);
	assert_int_equal(price_with_trial(&prices, 60), 60);
	prices.is_trial_due = false;
	assert_int_equal(price_with_trial(&prices, 1), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(price_is_time_by_pages),
		CASE(a_price_is_never_0_once_known),
		CASE(too_few_bios_give_no_price),
		CASE(too_few_bios_hold_the_last_price),
		CASE(nothing_sampled_changes_nothing),
		CASE(estimate_counts_the_pages_that_were_not_sampled),
		CASE(memory_fades_by_its_share_of_ten_seconds),
		CASE(all_is_forgotten_after_ten_seconds_or_more),
		CASE(half_is_left_after_seven_seconds_of_small_steps),
		CASE(old_measurements_count_less_than_new_ones),
		CASE(huge_sums_fade_without_wrapping),
		CASE(huge_times_are_cut_to_32_bits),
		CASE(samples_of_a_long_pause_do_not_wrap),
		CASE(the_last_64_pages_outlast_any_pause),
		CASE(a_swap_in_has_no_price_before_one_was_seen),
		CASE(at_most_one_write_counts),
		CASE(a_write_is_shared_by_the_reads_of_its_page),
		CASE(a_write_that_nobody_waits_for_costs_a_read_at_most),
		CASE(a_write_to_zram_costs_what_it_takes),
		CASE(swap_prices_are_cut_to_32_bits),
		CASE(huge_numbers_of_pages_do_not_wrap),
		CASE(swappiness_is_200_r_by_1_and_r),
		CASE(a_large_scan_is_soon_outweighed),
		CASE(the_share_that_came_back_starts_in_doubt),
		CASE(what_stays_away_costs_nothing),
		CASE(anonymous_memory_is_tried_where_nothing_is_known),
	};

	return cmocka_run_group_tests_name("price", tests, NULL, NULL);
}
