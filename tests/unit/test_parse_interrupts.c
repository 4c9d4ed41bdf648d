/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sense/parse_interrupts.h"
#include "sense/proc.h"

/* Too large for a stack with sanitizers. */
static int make(void **state)
{
	*state = calloc(1, sizeof(struct interrupts));
	return *state ? 0 : -1;
}

static int unmake(void **state)
{
	free(*state);
	return 0;
}

static int parse_fixture(const char *path, struct interrupts *ret)
{
	const struct sense_root root = {"tests/fixtures/interrupts"};
	_cleanup_free_ char *text = NULL;

	assert_int_equal(proc_read_file(&root, path, &text), 0);
	return parse_interrupts(text, ret);
}

static void reads_the_shootdowns_of_each_cpu(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(parse_fixture("/x86-4cpu.before.txt", look), 0);
	assert_int_equal(look->nr_cpus, 4);
	assert_int_equal(look->nr_online, 4);
	assert_true(look->has_line[INTERRUPTS_TLB]);
	assert_int_equal(look->counts[INTERRUPTS_TLB][0], 120034);
	assert_int_equal(look->counts[INTERRUPTS_TLB][3], 65001);
	assert_int_equal(look->counts[INTERRUPTS_CAL][1], 55017);
	assert_false(look->is_torn);
	assert_false(look->is_hyperv);
}

static void names_the_columns_by_the_header(void **state)
{
	struct interrupts *look = *state;
	uint64_t total = 0;

	assert_int_equal(parse_fixture("/x86-256cpu-offline.txt", look), 0);
	assert_int_equal(look->nr_online, 245);
	assert_int_equal(look->nr_cpus, 256);
	assert_false(look->is_online[10]);
	assert_true(look->is_online[20]);
	assert_int_equal(look->counts[INTERRUPTS_TLB][20], 6000038);
	assert_int_equal(look->counts[INTERRUPTS_TLB][255], 3000264);
	for (unsigned int cpu = 0; cpu < look->nr_cpus; cpu++)
		total += look->counts[INTERRUPTS_TLB][cpu];
	assert_int_equal(total, 64699978407);
}

static void has_no_line_where_the_kernel_shows_none(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(parse_fixture("/arm64-8cpu.txt", look), 0);
	assert_int_equal(look->nr_online, 8);
	assert_false(look->has_line[INTERRUPTS_TLB]);
	assert_false(look->has_line[INTERRUPTS_CAL]);
	assert_int_equal(parse_fixture("/x86-up-no-tlb-line.txt", look), 0);
	assert_int_equal(look->nr_online, 1);
	assert_false(look->has_line[INTERRUPTS_TLB]);
	assert_false(look->is_torn);
}

static void sees_hyper_v(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(parse_fixture("/x86-hyperv.txt", look), 0);
	assert_true(look->is_hyperv);
	assert_int_equal(look->counts[INTERRUPTS_TLB][2], 14);
	/* Either of its lines is enough. */
	assert_int_equal(parse_interrupts("CPU0\nHRE: 0 x\n", look), 0);
	assert_true(look->is_hyperv);
	assert_int_equal(parse_interrupts("CPU0\nHVS: 0 x\n", look), 0);
	assert_true(look->is_hyperv);
	/* Of every guest. */
	assert_int_equal(parse_interrupts("CPU0\nHYP: 0 x\n", look), 0);
	assert_false(look->is_hyperv);
}

static void refuses_a_text_without_a_header(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(parse_fixture("/empty.txt", look), -ENODATA);
	assert_int_equal(parse_interrupts("TLB: 1 2\n", look), -ENODATA);
	assert_int_equal(parse_interrupts("CPUx\nTLB: 1\n", look), -ENODATA);
	assert_int_equal(parse_interrupts("CPU1 CPU0\nTLB: 1 2\n", look),
			 -ENODATA);
	assert_int_equal(parse_interrupts("CPU0 CPU0\nTLB: 1 2\n", look),
			 -ENODATA);
	assert_int_equal(parse_interrupts("CPU8191\nTLB: 1\n", look), 0);
	assert_int_equal(look->counts[INTERRUPTS_TLB][8191], 1);
	assert_int_equal(parse_interrupts("CPU8192\nTLB: 1\n", look), -E2BIG);
	assert_int_equal(
		parse_interrupts("CPU99999999999999999999\nTLB: 1\n", look),
		-ENODATA);
}

static void takes_a_label_at_any_indentation(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(
		parse_interrupts("  CPU0\nTLB: 7 TLB shootdowns\n", look), 0);
	assert_int_equal(look->counts[INTERRUPTS_TLB][0], 7);
	assert_int_equal(
		parse_interrupts("  CPU0\n\t     TLB:7 TLB shootdowns\n", look),
		0);
	assert_int_equal(look->counts[INTERRUPTS_TLB][0], 7);
	assert_int_equal(parse_interrupts("  CPU0\nXTLB: 7 x\n", look), 0);
	assert_false(look->has_line[INTERRUPTS_TLB]);
}

static void skips_odd_lines(void **state)
{
	struct interrupts *look = *state;

	assert_int_equal(parse_interrupts("CPU0 CPU2\n\n:\nERR: 0\n"
					  "what is this\n 1: 2\n"
					  "TLB: 5 6 TLB shootdowns\nMIS: 0\n",
					  look),
			 0);
	assert_int_equal(look->counts[INTERRUPTS_TLB][0], 5);
	assert_int_equal(look->counts[INTERRUPTS_TLB][2], 6);
	assert_int_equal(look->nr_cpus, 3);
}

static void trusts_no_line_with_other_columns_than_the_header(void **state)
{
	static const char *const torn[] = {
		"CPU0 CPU1\nTLB: 5 TLB shootdowns\n",
		"CPU0 CPU1\nTLB: 5 6 7 TLB shootdowns\n",
		"CPU0 CPU1\nTLB: 5 6", /* the file was cut */
		"CPU0 CPU1\nTLB:",
		"CPU0 CPU1\nTLB: 5 99999999999999999999 x\n",
		"CPU0 CPU1\nTLB: 5 -6 x\n",
	};
	struct interrupts *look = *state;

	for (size_t i = 0; i < SWT_ARRAY_SIZE(torn); i++) {
		assert_int_equal(parse_interrupts(torn[i], look), 0);
		assert_true(look->is_torn);
		assert_false(look->has_line[INTERRUPTS_TLB]);
	}
}

static void reads_4096_cpus(void **state)
{
	struct interrupts *look = *state;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int cpu = 0; cpu < 4096; cpu++)
		fprintf(out, "%11s%d", "CPU", cpu);
	fputs("\n  24:", out);
	for (int cpu = 0; cpu < 4096; cpu++)
		fprintf(out, " %10d", 1);
	fputs("  PCI-MSIX\n TLB:", out);
	for (int cpu = 0; cpu < 4096; cpu++)
		fprintf(out, " %10u", 4294963200U + (unsigned int)cpu);
	fputs("  TLB shootdowns\n", out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(parse_interrupts(text, look), 0);
	assert_int_equal(look->nr_online, 4096);
	assert_int_equal(look->counts[INTERRUPTS_TLB][0], 4294963200);
	assert_int_equal(look->counts[INTERRUPTS_TLB][4095], 4294967295);
}

#define LOOK_TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LOOK_TEST(reads_the_shootdowns_of_each_cpu),
		LOOK_TEST(names_the_columns_by_the_header),
		LOOK_TEST(has_no_line_where_the_kernel_shows_none),
		LOOK_TEST(sees_hyper_v),
		LOOK_TEST(refuses_a_text_without_a_header),
		LOOK_TEST(takes_a_label_at_any_indentation),
		LOOK_TEST(skips_odd_lines),
		LOOK_TEST(trusts_no_line_with_other_columns_than_the_header),
		LOOK_TEST(reads_4096_cpus),
	};

	return cmocka_run_group_tests_name("parse_interrupts", tests, NULL,
					   NULL);
}
