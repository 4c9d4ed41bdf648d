/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which programs are chosen for which kernel.  What is expected was read off
 * the kernels' whole BTFs with bpftool, not off the programs.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sense/bpf.h"
#include "sense/bpf_tlb_private.h"

/* Arguments of tracepoints and functions; -1: it is not there. */
struct kernel {
	const char *name;
	int isolate, begin, end, bio_queue;
	int flush_func, flush_func_remote; /* functions */
	int call_function;
	int tlb_flush;
	const char *reason_5; /* NULL: the kernel names no reason */
};

static const struct kernel kernels[] = {
	{"x86_64-5.10", 8, 2, 1, 2, -1, 1, 1, 2, ""},
	{"x86_64-6.1", 8, 2, 1, 1, 1, -1, 1, 2, ""},
	{"x86_64-6.12", 7, 2, 1, 1, 1, -1, 1, 2, ""},
	{"x86_64-6.18", 7, 2, 1, 1, 1, -1, 1, 2, "TLB_REMOTE_WRONG_CPU"},
	{"x86_64-7.0", 7, 2, 1, 1, 1, -1, 1, 2, "TLB_REMOTE_WRONG_CPU"},
	{"x86_64-7.1", 7, 3, 2, 1, 1, -1, 1, 2, "TLB_REMOTE_WRONG_CPU"},
	{"x86_64-7.3", 7, 3, 2, 1, 1, -1, 1, 2, "TLB_REMOTE_WRONG_CPU"},
	{"arm64-6.1", 8, 2, 1, 1, -1, -1, -1, 2, ""},
	{"arm64-6.12", 7, 2, 1, 1, -1, -1, -1, 2, ""},
	{"arm64-7.3", 7, 3, 2, 1, -1, -1, -1, -1, NULL},
};

static char path[128];

static void of_kernel(const struct kernel *kernel)
{
	snprintf(path, sizeof(path), "tests/fixtures/btf/%s.btf", kernel->name);
}

static void expect(const struct kernel *kernel, struct bpf_signal *signals,
		   unsigned int count, const char *program, int found_args,
		   bool is_on)
{
	const struct bpf_signal *signal =
		sense_find_signal(signals, count, program);

	assert_non_null(signal);
	if (signal->found_args != found_args || signal->is_on != is_on)
		fail_msg("%s: %s: %d arguments, %s (%s)", kernel->name, program,
			 signal->found_args, signal->is_on ? "on" : "off",
			 signal->why);
}

/* The variant with as many arguments as the kernel has, and no other. */
static void variants_of_a_tracepoint_are_chosen_by_its_arguments(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		const struct kernel *k = &kernels[i];
		struct bpf_signal s[BPF_MAX_SIGNALS];
		unsigned int n;

		of_kernel(k);
		assert_int_equal(sense_probe(path, s, &n), 0);
		expect(k, s, n, "on_isolate_7", k->isolate, k->isolate == 7);
		expect(k, s, n, "on_isolate_8", k->isolate, k->isolate == 8);
		expect(k, s, n, "on_bio_queue_1", k->bio_queue,
		       k->bio_queue == 1);
		expect(k, s, n, "on_bio_queue_2", k->bio_queue,
		       k->bio_queue == 2);
	}
}

/* v7.1 gave each one more (874a0a566ede); none is looked at. */
static void
begins_and_ends_are_used_however_many_arguments_they_have(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		const struct kernel *k = &kernels[i];
		struct bpf_signal s[BPF_MAX_SIGNALS];
		unsigned int n;

		of_kernel(k);
		assert_int_equal(sense_probe(path, s, &n), 0);
		expect(k, s, n, "on_direct_begin", k->begin, true);
		expect(k, s, n, "on_memcg_begin", k->begin, true);
		expect(k, s, n, "on_direct_end", k->end, true);
		expect(k, s, n, "on_memcg_end", k->end, true);
	}
}

static void the_rest_of_reclaim_and_prices_is_to_be_had_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		const struct kernel *k = &kernels[i];
		struct bpf_signal s[BPF_MAX_SIGNALS];
		unsigned int n;

		of_kernel(k);
		assert_int_equal(sense_probe(path, s, &n), 0);
		expect(k, s, n, "on_shrink_inact", 6, true);
		expect(k, s, n, "on_shrink_act", 7, true);
		expect(k, s, n, "on_kswapd_wake", 3, true);
		expect(k, s, n, "on_kswapd_sleep", 1, true);
		expect(k, s, n, "on_bio_complete", 2, true);
		expect(k, s, n, "on_rq_complete", 3, true);
	}
}

static void flushes_are_received_by_what_the_kernel_has(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		const struct kernel *k = &kernels[i];
		struct tlb_bpf tlb = {.signal_count = 0};
		struct bpf_signal *s = tlb.signals;
		unsigned int n;

		of_kernel(k);
		assert_int_equal(tlb_probe(&tlb, path), 0);
		n = tlb.signal_count;
		expect(k, s, n, "on_flush_in", k->flush_func,
		       k->flush_func == 1);
		expect(k, s, n, "on_flush_out", k->flush_func,
		       k->flush_func == 1);
		expect(k, s, n, "on_remote_in", k->flush_func_remote,
		       k->flush_func_remote == 1);
		expect(k, s, n, "on_call_in", k->call_function,
		       k->call_function == 1);
		expect(k, s, n, "on_single_in", k->call_function,
		       k->call_function == 1);
		expect(k, s, n, "on_tlb_flush", k->tlb_flush,
		       k->tlb_flush == 2);
		expect(k, s, n, "on_isolate_7", k->isolate, k->isolate == 7);
		expect(k, s, n, "on_isolate_8", k->isolate, k->isolate == 8);
	}
}

/* include/linux/mm_types.h; what is called NR_ is no reason. */
static void
reasons_of_flushes_have_the_names_that_the_kernel_gives(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		const char *reason_5 = kernels[i].reason_5;
		struct tlb_bpf tlb = {.signal_count = 0};

		of_kernel(&kernels[i]);
		assert_int_equal(tlb_probe(&tlb, path), 0);
		assert_int_equal(tlb.reasons.task_switch, reason_5 ? 0 : -1);
		assert_int_equal(tlb.reasons.remote_send, reason_5 ? 4 : -1);
		assert_string_equal(tlb.reasons.name[1],
				    reason_5 ? "TLB_REMOTE_SHOOTDOWN" : "");
		assert_string_equal(tlb.reasons.name[5],
				    reason_5 ? reason_5 : "");
	}
}

static void a_file_without_btf_is_told_from_no_file(void **state)
{
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	unsigned int count = 7;

	(void)state;
	assert_int_equal(sense_probe("/dev/null", signals, &count), -EPROTO);
	assert_int_equal(sense_probe("/nowhere/at/all", signals, &count),
			 -ENOENT);
	assert_int_equal(count, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			variants_of_a_tracepoint_are_chosen_by_its_arguments),
		cmocka_unit_test(
			begins_and_ends_are_used_however_many_arguments_they_have),
		cmocka_unit_test(
			the_rest_of_reclaim_and_prices_is_to_be_had_everywhere),
		cmocka_unit_test(flushes_are_received_by_what_the_kernel_has),
		cmocka_unit_test(
			reasons_of_flushes_have_the_names_that_the_kernel_gives),
		cmocka_unit_test(a_file_without_btf_is_told_from_no_file),
	};

	return cmocka_run_group_tests_name("bpf_probe", tests, NULL, NULL);
}
