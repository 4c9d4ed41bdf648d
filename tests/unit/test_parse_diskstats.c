/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sense/parse_diskstats.h"

#define DEV(major, minor) ((major) << 20 | (minor))

/* 8 sectors are a page: 8,000,000 of them in 25,000 ms are 25 us each. */
#define VDA " 254 0 vda 19466347 17 8000000 25000 1 2 3 4 0 5 6 7 8 9 10\n"
#define SDB "   8 16 sdb 100000 0 1600000 800000 1 2 3 4 0 5 6\n"
/* Fast and much read: with any of these the mean would be another. */
#define STACKED                                    \
	"   7 0 loop0 9 0 800000000 1 0 0 0 0\n"   \
	" 253 0 dm-0 9 0 800000000 1 0 0 0 0\n"    \
	"   9 127 md127 9 0 800000000 1 0 0 0 0\n" \
	" 252 0 zram0 9 0 800000000 1 0 0 0 0\n"   \
	"   1 0 ram0 9 0 800000000 1 0 0 0 0\n"

static void a_page_costs_what_the_disk_took_since_boot(void **s)
{
	(void)s;
	assert_int_equal(diskstats_read_ns(VDA, NULL, 0), 25000);
}

static void disks_count_by_the_pages_read(void **s)
{
	(void)s;
	/* 825,000 ms for 1,200,000 pages. */
	assert_int_equal(diskstats_read_ns(VDA SDB, NULL, 0), 687500);
}

static void what_stands_on_a_disk_or_in_memory_is_no_disk(void **s)
{
	(void)s;
	assert_int_equal(diskstats_read_ns(STACKED VDA, NULL, 0), 25000);
	assert_int_equal(diskstats_read_ns(STACKED, NULL, 0), 0);
}

static void a_swap_device_is_left_out(void **s)
{
	static const uint32_t swaps[] = {0, DEV(8, 16)};

	(void)s;
	assert_int_equal(diskstats_read_ns(SDB VDA, swaps, 2), 25000);
	assert_int_equal(diskstats_read_ns(SDB VDA, swaps, 1), 687500);
}

static void little_evidence_and_odd_lines_say_nothing(void **s)
{
	(void)s;
	assert_int_equal(diskstats_read_ns("", NULL, 0), 0);
	assert_int_equal(
		diskstats_read_ns("8 0 sda 5 0 8191 9 0 0 0 0\n", NULL, 0), 0);
	assert_int_equal(
		diskstats_read_ns("8 0 sda 5 0 8192 0 0 0 0 0\n", NULL, 0), 0);
	assert_int_equal(diskstats_read_ns("8 0 sda 5 0\n\nx\n" VDA, NULL, 0),
			 25000);
}

static void sums_of_years_do_not_wrap(void **s)
{
	(void)s;
	/* 2^61 ms for 2^58 pages: 8 ms a page. */
	assert_int_equal(diskstats_read_ns("8 0 sda 1 0 2305843009213693952 "
					   "2305843009213693952 0 0 0 0\n",
					   NULL, 0),
			 8000000);
	assert_int_equal(
		diskstats_read_ns("8 0 sda 1 0 8192 9999999 0 0 0\n", NULL, 0),
		UINT32_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(a_page_costs_what_the_disk_took_since_boot),
		CASE(disks_count_by_the_pages_read),
		CASE(what_stands_on_a_disk_or_in_memory_is_no_disk),
		CASE(a_swap_device_is_left_out),
		CASE(little_evidence_and_odd_lines_say_nothing),
		CASE(sums_of_years_do_not_wrap),
	};

	return cmocka_run_group_tests_name("diskstats", tests, NULL, NULL);
}
