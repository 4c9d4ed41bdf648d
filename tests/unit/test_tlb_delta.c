/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sense/proc.h"
#include "sense/tlb_delta.h"

#define MAX_CPUS 8

struct pair {
	struct interrupts before;
	struct interrupts now;
	struct tlb_line line;
	struct tlb_cpu_count cpus[MAX_CPUS];
};

static int make(void **state)
{
	*state = calloc(1, sizeof(struct pair));
	return *state ? 0 : -1;
}

static int unmake(void **state)
{
	free(*state);
	return 0;
}

static void look_at(const char *name, struct interrupts *ret)
{
	const struct sense_root root = {"tests/fixtures/interrupts/"};
	_cleanup_free_ char *text = NULL;

	assert_int_equal(proc_read_file(&root, name, &text), 0);
	assert_int_equal(parse_interrupts(text, ret), 0);
}

static void delta(struct pair *pair)
{
	assert_true(pair->before.nr_cpus <= MAX_CPUS);
	assert_true(pair->now.nr_cpus <= MAX_CPUS);
	tlb_delta_line(&pair->before, &pair->now, INTERRUPTS_TLB, &pair->line,
		       pair->cpus);
}

static void delta_files(struct pair *pair, const char *before, const char *now)
{
	look_at(before, &pair->before);
	look_at(now, &pair->now);
	delta(pair);
}

static void delta_numbers(struct pair *pair, uint64_t before, uint64_t now)
{
	char text[64];

	snprintf(text, sizeof(text), "CPU0\nTLB: %ju\n", (uintmax_t)before);
	assert_int_equal(parse_interrupts(text, &pair->before), 0);
	snprintf(text, sizeof(text), "CPU0\nTLB: %ju\n", (uintmax_t)now);
	assert_int_equal(parse_interrupts(text, &pair->now), 0);
	delta(pair);
}

static void is_count(const struct pair *pair, unsigned int cpu, uint64_t want)
{
	assert_int_equal(pair->cpus[cpu].known, TLB_KNOWN);
	assert_int_equal(pair->cpus[cpu].count, want);
}

static void is_unknown(const struct pair *pair, unsigned int cpu,
		       enum tlb_known why)
{
	assert_int_equal(pair->cpus[cpu].known, why);
	assert_int_equal(pair->cpus[cpu].count, 0);
}

static void sums_over_the_cpus(void **state)
{
	struct pair *pair = *state;

	delta_files(pair, "x86-4cpu.before.txt", "x86-4cpu.after.txt");
	is_count(pair, 0, 900);
	is_count(pair, 1, 1000);
	is_count(pair, 2, 0);
	is_count(pair, 3, 776);
	assert_int_equal(pair->line.sum, 2676);
	assert_true(pair->line.is_available);
	assert_false(pair->line.is_partial);
	assert_int_equal(pair->line.since_boot, 120934 + 99011 + 77120 + 65777);
}

static void does_not_know_a_cpu_that_went_offline(void **state)
{
	struct pair *pair = *state;

	delta_files(pair, "hotplug.1-all-online.txt",
		    "hotplug.2-cpu2-offline.txt");
	is_count(pair, 0, 60);
	is_count(pair, 1, 40);
	is_unknown(pair, 2, TLB_OFFLINE);
	is_count(pair, 3, 110);
	assert_int_equal(pair->line.sum, 210);
	assert_true(pair->line.is_partial);
}

static void has_no_baseline_of_a_cpu_that_came_back(void **state)
{
	struct pair *pair = *state;

	delta_files(pair, "hotplug.2-cpu2-offline.txt",
		    "hotplug.3-cpu2-back.txt");
	is_count(pair, 0, 20);
	is_count(pair, 1, 20);
	is_unknown(pair, 2, TLB_NO_BASELINE);
	is_count(pair, 3, 80);
	assert_int_equal(pair->line.sum, 120);
	assert_true(pair->line.is_partial);
}

/* The kernel keeps an offline CPU's count, so both ends are enough. */
static void knows_a_cpu_that_both_looks_have(void **state)
{
	struct pair *pair = *state;

	delta_files(pair, "hotplug.1-all-online.txt",
		    "hotplug.3-cpu2-back.txt");
	is_count(pair, 0, 80);
	is_count(pair, 1, 60);
	is_count(pair, 2, 5);
	is_count(pair, 3, 190);
	assert_int_equal(pair->line.sum, 335);
	assert_false(pair->line.is_partial);
}

static void has_nothing_of_a_line_that_is_not_there(void **state)
{
	struct pair *pair = *state;

	delta_files(pair, "arm64-8cpu.txt", "arm64-8cpu.txt");
	assert_false(pair->line.is_available);
	is_unknown(pair, 0, TLB_NO_LINE);
	assert_false(pair->line.is_partial);
	delta_files(pair, "x86-4cpu.before.txt", "x86-up-no-tlb-line.txt");
	assert_false(pair->line.is_available);
}

static void goes_on_over_the_wrap_of_32_bits(void **state)
{
	struct pair *pair = *state;

	delta_numbers(pair, 4294967290, 4);
	is_count(pair, 0, 10);
	assert_false(pair->line.is_partial);
	delta_numbers(pair, 4294967295, 0);
	is_count(pair, 0, 1);
	delta_numbers(pair, 0, 4294967295);
	is_count(pair, 0, 4294967295);
}

static void does_not_take_a_reset_for_a_wrap(void **state)
{
	struct pair *pair = *state;

	delta_numbers(pair, 700, 5);
	is_unknown(pair, 0, TLB_WENT_BACK);
	assert_int_equal(pair->line.sum, 0);
	assert_true(pair->line.is_partial);
	/* Half the range and more is no growth that a wrap explains. */
	delta_numbers(pair, 2147483648, 0);
	is_unknown(pair, 0, TLB_WENT_BACK);
	delta_numbers(pair, 2147483649, 0);
	is_count(pair, 0, 2147483647);
	/* A count beyond 32 bits does not wrap there. */
	delta_numbers(pair, 4294967296, 4);
	is_unknown(pair, 0, TLB_WENT_BACK);
}

static void is_whole_without_cpus_that_are_in_neither_look(void **state)
{
	struct pair *pair = *state;

	assert_int_equal(
		parse_interrupts("CPU0 CPU3\nTLB: 5 7\n", &pair->before), 0);
	assert_int_equal(parse_interrupts("CPU0 CPU3\nTLB: 6 9\n", &pair->now),
			 0);
	delta(pair);
	assert_int_equal(pair->line.sum, 3);
	assert_int_equal(pair->line.since_boot, 15);
	assert_false(pair->line.is_partial);
	assert_int_equal(pair->cpus[1].known, TLB_NO_CPU);
}

static void has_nothing_of_a_line_that_only_one_look_has(void **state)
{
	struct pair *pair = *state;

	assert_int_equal(parse_interrupts("CPU0\n", &pair->before), 0);
	assert_int_equal(parse_interrupts("CPU0\nTLB: 9\n", &pair->now), 0);
	delta(pair);
	assert_false(pair->line.is_available);
	assert_int_equal(pair->line.since_boot, 0);
	assert_int_equal(pair->cpus[0].known, TLB_NO_LINE);
}

static void subtracts_what_the_programs_counted_before(void **state)
{
	struct swt_tlb old[1] = {{.received = 5, .received_ns = 500}};
	struct swt_tlb new[2] = {{.received = 7, .received_ns = 400},
				 {.received = 3}};
	struct tlb_counts before = {1, old, 10, 2, 4, true},
			  now = {2, new, 15, 3, 9, true};

	(void)state;
	old[0].flushes[SWT_TLB_EVICT_ANON][4].events = 10;
	new[0].flushes[SWT_TLB_EVICT_ANON][4].events = 14;
	new[0].aged_anon_no_swap_pages = 6;
	old[0].received_for[SWT_TLB_EVICT_ANON] = 1;
	new[0].received_for[SWT_TLB_EVICT_ANON] = 3;
	tlb_delta_counts(&before, &now);
	assert_int_equal(new[0].received_for[SWT_TLB_EVICT_ANON], 2);
	assert_int_equal(new[0].flushes[SWT_TLB_EVICT_ANON][4].events, 4);
	assert_int_equal(new[0].received, 2);
	assert_int_equal(new[0].received_ns, 0);
	assert_int_equal(new[0].aged_anon_no_swap_pages, 6);
	assert_int_equal(new[1].received, 3);
	assert_int_equal(now.programs_ns, 5);
	assert_int_equal(now.programs_runs, 1);
	assert_int_equal(now.missed_runs, 5);
}

static void orders_senders_by_what_they_sent_since(void **state)
{
	const struct tlb_sender before[] = {
		{{1, "old"}, {1000, 10}},
		{{2, "idle"}, {50, 0}},
		{{3, "anew"}, {90, 0}},
	};
	struct tlb_sender now[] = {
		{{1, "old"}, {1003, 11}}, {{2, "idle"}, {50, 0}},
		{{3, "anew"}, {20, 1}},	  {{4, "new"}, {7, 7}},
		{{1, "execed"}, {4, 0}},
	};

	(void)state;
	assert_int_equal(tlb_delta_senders(before, 3, now, 5), 4);
	assert_string_equal(now[0].key.command, "anew");
	assert_int_equal(now[0].sent.shootdowns, 20);
	assert_string_equal(now[1].key.command, "new");
	assert_string_equal(now[2].key.command, "execed");
	assert_string_equal(now[3].key.command, "old");
	assert_int_equal(now[3].sent.shootdowns, 3);
	assert_int_equal(now[3].sent.reclaim_shootdowns, 1);
	assert_int_equal(tlb_delta_senders(NULL, 0, NULL, 0), 0);
}

#define PAIR_TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(sums_over_the_cpus),
		PAIR_TEST(does_not_know_a_cpu_that_went_offline),
		PAIR_TEST(has_no_baseline_of_a_cpu_that_came_back),
		PAIR_TEST(knows_a_cpu_that_both_looks_have),
		PAIR_TEST(has_nothing_of_a_line_that_is_not_there),
		PAIR_TEST(goes_on_over_the_wrap_of_32_bits),
		PAIR_TEST(does_not_take_a_reset_for_a_wrap),
		PAIR_TEST(is_whole_without_cpus_that_are_in_neither_look),
		PAIR_TEST(has_nothing_of_a_line_that_only_one_look_has),
		cmocka_unit_test(subtracts_what_the_programs_counted_before),
		cmocka_unit_test(orders_senders_by_what_they_sent_since),
	};

	return cmocka_run_group_tests_name("tlb_delta", tests, NULL, NULL);
}
