/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sense/parse_stat.h"
#include "sense/proc.h"

static void read_cpu(const char *path, const char *name, struct tlb_ticks *ret)
{
	const struct sense_root root = {"tests/fixtures/stat"};
	_cleanup_free_ char *text = NULL;

	assert_int_equal(proc_read_file(&root, path, &text), 0);
	assert_int_equal(parse_stat_cpu(text, name, ret), 0);
}

static void delta_of(const char *name, struct tlb_ticks *ret)
{
	struct tlb_ticks before, now;

	read_cpu("/before.txt", name, &before);
	read_cpu("/after-iowait-went-back.txt", name, &now);
	parse_stat_delta(&before, &now, ret);
}

static void shows_0_for_a_count_that_went_back(void **state)
{
	struct tlb_ticks delta;

	(void)state;
	delta_of("cpu1", &delta);
	assert_int_equal(delta.of[TLB_IOWAIT], 0);
	assert_int_equal(delta.of[TLB_USER], 30);
	assert_int_equal(delta.of[TLB_IDLE], 350);
	delta_of("cpu", &delta);
	assert_int_equal(delta.of[TLB_IOWAIT], 0);
}

static void counts_a_guest_once(void **state)
{
	struct tlb_ticks delta;

	(void)state;
	delta_of("cpu", &delta);
	assert_int_equal(delta.of[TLB_USER], 60);
	assert_int_equal(delta.of[TLB_GUEST], 40);
	/* user 60, system 20, idle 700, softirq 2, steal 2; not guest's 40. */
	assert_int_equal(tlb_sum_ticks(&delta), 784);
}

static void reads_all_ten_numbers_in_order(void **state)
{
	static const uint64_t want[TLB_NR_TICKS] = {500, 5,  250, 45000, 300,
						    2,	 20, 10,  150,	 1};
	struct tlb_ticks ticks;

	(void)state;
	read_cpu("/before.txt", "cpu1", &ticks);
	assert_memory_equal(ticks.of, want, sizeof(want));
}

static void refuses_what_is_not_ten_numbers(void **state)
{
	struct tlb_ticks ticks = {{42}};

	(void)state;
	assert_int_equal(parse_stat_cpu("", "cpu", &ticks), -ENOENT);
	assert_int_equal(
		parse_stat_cpu("cpu1 1 2 3 4 5 6 7 8 9 10\n", "cpu", &ticks),
		-ENOENT);
	assert_int_equal(
		parse_stat_cpu("cpu 1 2 3 4\ncpu0 5 6 7\n", "cpu", &ticks),
		-EPROTO);
	assert_int_equal(
		parse_stat_cpu("cpu 1 2 3 4 5 6 7 8 9 -1\n", "cpu", &ticks),
		-EPROTO);
	assert_int_equal(ticks.of[TLB_USER], 42);
}

/* "before  91000 0 64000 ..." with the guests' columns that it lacks. */
static void read_mail(const char *name, struct tlb_ticks *ret)
{
	const struct sense_root root = {"tests/fixtures/mail"};
	_cleanup_free_ char *text = NULL;
	char line[256];
	char *row;

	assert_int_equal(proc_read_file(&root, "/proc-stat-delta.txt", &text),
			 0);
	row = strstr(text, name);
	assert_non_null(row);
	snprintf(line, sizeof(line), "%.*s 0 0\n", (int)strcspn(row, "\n"),
		 row);
	assert_int_equal(parse_stat_cpu(line, name, ret), 0);
}

static void adds_up_what_the_mail_shows(void **state)
{
	struct tlb_ticks before, after;

	(void)state;
	read_mail("before", &before);
	read_mail("after", &after);
	assert_int_equal(tlb_sum_ticks(&before), 240000);
	assert_int_equal(tlb_sum_ticks(&after), 240000);
	assert_int_equal(before.of[TLB_SYSTEM] * 10000 / 240000, 2666);
	assert_int_equal(after.of[TLB_SYSTEM] * 10000 / 240000, 2166);
}

static void finds_a_flag_as_a_whole_word(void **state)
{
	static const char text[] =
		"model name\t: flags invlpgb\nflags\t\t: fpu hypervisor xinv\n"
		"bugs\t\t: other\n";

	(void)state;
	assert_true(parse_cpuinfo_flag(text, "fpu"));
	assert_true(parse_cpuinfo_flag(text, "hypervisor"));
	assert_true(parse_cpuinfo_flag(text, "xinv"));
	assert_false(parse_cpuinfo_flag(text, "inv"));
	assert_false(parse_cpuinfo_flag(text, "hyper"));
	assert_false(parse_cpuinfo_flag(text, "invlpgb"));
	assert_false(parse_cpuinfo_flag(text, "other"));
	assert_false(parse_cpuinfo_flag("", "fpu"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_0_for_a_count_that_went_back),
		cmocka_unit_test(counts_a_guest_once),
		cmocka_unit_test(reads_all_ten_numbers_in_order),
		cmocka_unit_test(refuses_what_is_not_ten_numbers),
		cmocka_unit_test(adds_up_what_the_mail_shows),
		cmocka_unit_test(finds_a_flag_as_a_whole_word),
	};

	return cmocka_run_group_tests_name("parse_stat", tests, NULL, NULL);
}
