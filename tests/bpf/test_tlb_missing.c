/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TLB programs on kernels that lack something: this kernel's BTF, in which
 * one name is changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sense/bpf_tlb.h"

static char path[] = "/tmp/swaptend-test-btf-XXXXXX";
static struct tlb_bpf *tlb;

/* As a string of its own, between two NULs: not as a part of longer names. */
static bool rename_in(char *btf, size_t size, const char *name)
{
	char whole[96] = "";
	size_t len = strlen(name);
	char *found;

	memcpy(whole + 1, name, len);
	found = memmem(btf, size, whole, len + 2);
	if (found)
		found[1] = '_';
	return found;
}

static void open_without(const char *name)
{
	const struct tlb_bpf_options options = {
		.btf_path = path,
		.receive_wanted = TLB_RECEIVE_FLUSH_FUNC,
	};
	FILE *kernel = fopen("/sys/kernel/btf/vmlinux", "re"), *out;
	const size_t most = 64 << 20;
	_cleanup_free_ char *btf = malloc(most);
	char error[512] = "";
	size_t size;

	if (geteuid() || !kernel) {
		print_message("not root, or no BTF\n");
		skip();
	}
	assert_non_null(btf);
	size = fread(btf, 1, most, kernel);
	fclose(kernel);
	assert_true(rename_in(btf, size, name));
	out = fopen(path, "we");
	assert_non_null(out);
	assert_int_equal(fwrite(btf, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
	if (tlb_bpf_open(&tlb, &options, error, sizeof(error)))
		fail_msg("tlb_bpf_open: %s", error);
}

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int close_tlb(void **state)
{
	(void)state;
	tlb_bpf_close(tlb);
	tlb = NULL;
	return 0;
}

static bool is_missing(const char *what)
{
	const char *missing;

	for (unsigned int i = 0; (missing = tlb_bpf_missing(tlb, i)); i++)
		if (strstr(missing, what))
			return true;
	return false;
}

/* The event of aging is the end of aging's phase, too. */
static void without_shrink_active_neither_aging_nor_phases(void **state)
{
	(void)state;
	open_without("btf_trace_mm_vmscan_lru_shrink_active");
	assert_false(tlb_bpf_has_aging(tlb));
	assert_false(tlb_bpf_has_phases(tlb));
	assert_true(tlb_bpf_has_flushes(tlb));
	assert_true(is_missing("aged without swap are not counted"));
	assert_true(is_missing("aging and evicting are not told apart"));
}

static void without_shrink_inactive_no_phases(void **state)
{
	(void)state;
	open_without("btf_trace_mm_vmscan_lru_shrink_inactive");
	assert_false(tlb_bpf_has_phases(tlb));
	assert_false(tlb_bpf_has_mglru_evicting(tlb));
	assert_true(tlb_bpf_has_aging(tlb));
}

static void without_isolate_aging_is_still_counted(void **state)
{
	(void)state;
	open_without("btf_trace_mm_vmscan_lru_isolate");
	assert_false(tlb_bpf_has_phases(tlb));
	assert_true(tlb_bpf_has_aging(tlb));
	assert_false(is_missing("aged without swap"));
}

static void without_the_flush_event_receiving_is_still_measured(void **state)
{
	(void)state;
	open_without("btf_trace_tlb_flush");
	assert_false(tlb_bpf_has_flushes(tlb));
	assert_true(tlb_bpf_receive(tlb) != TLB_RECEIVE_NONE);
	assert_true(is_missing("flushes are not counted"));
}

static void without_the_reason_of_a_sender_none_is_known(void **state)
{
	(void)state;
	open_without("TLB_REMOTE_SEND_IPI");
	assert_int_equal(tlb_bpf_reasons(tlb)->remote_send, -1);
	assert_true(tlb_bpf_has_flushes(tlb));
	assert_true(is_missing("senders are not counted"));
}

static void without_one_end_of_a_call_no_time_is_taken(void **state)
{
	(void)state;
	open_without("btf_trace_call_function_single_exit");
	assert_true(tlb_bpf_receive(tlb) != TLB_RECEIVE_CALL);
}

static void without_an_event_it_does_not_use_nothing_is_missed(void **state)
{
	(void)state;
	open_without("btf_trace_mm_vmscan_kswapd_wake");
	assert_true(tlb_bpf_has_aging(tlb));
	assert_true(tlb_bpf_has_phases(tlb));
	assert_true(tlb_bpf_has_flushes(tlb));
}

#define CASE(name) cmocka_unit_test_teardown(name, close_tlb)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_shrink_active_neither_aging_nor_phases),
		CASE(without_shrink_inactive_no_phases),
		CASE(without_isolate_aging_is_still_counted),
		CASE(without_the_flush_event_receiving_is_still_measured),
		CASE(without_the_reason_of_a_sender_none_is_known),
		CASE(without_one_end_of_a_call_no_time_is_taken),
		CASE(without_an_event_it_does_not_use_nothing_is_missed),
	};

	return cmocka_run_group_tests_name("tlb missing", tests, make_file,
					   remove_file);
}
