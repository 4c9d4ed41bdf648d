/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every program against the BTF of every kernel in tests/fixtures/btf, as
 * libbpf relocates it and as the program itself chooses which to load.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "fake_kernel.h"
#include "sense/bpf.h"
#include "sense/bpf_tlb_private.h"

static const char *const kernels[] = {
	"x86_64-5.10", "x86_64-6.1", "x86_64-6.12", "x86_64-6.18", "x86_64-7.0",
	"x86_64-7.1",  "x86_64-7.3", "arm64-6.1",   "arm64-6.12",  "arm64-7.3",
};

static char btf_path[128];

/* Beside this program. */
static char wrong_object[4096];

static bool is_old(const char *kernel)
{
	return !strcmp(kernel, "x86_64-5.10");
}

/* __BPF_FUNC_MAX_ID: one more than the last helper that this kernel has. */
static int count_helpers(void)
{
	struct btf *btf = btf__parse(btf_path, NULL);
	const struct btf_type *type;
	int id, count = -1;

	assert_non_null(btf);
	id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	assert_true(id > 0);
	type = btf__type_by_id(btf, (__u32)id);
	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf,
						btf_enum(type)[i].name_off),
			    "__BPF_FUNC_MAX_ID"))
			count = btf_enum(type)[i].val;
	assert_true(count > 0);
	btf__free(btf);
	return count;
}

/* The next programs meet this kernel. */
static void boot(const char *kernel, bool has_task_storage)
{
	struct fake_kernel as = {.has_task_storage = has_task_storage};

	snprintf(btf_path, sizeof(btf_path), "tests/fixtures/btf/%s.btf",
		 kernel);
	as.nr_helpers = count_helpers();
	fake_reset(&as);
}

static const struct fake_program *loaded(const char *name)
{
	const struct fake_program *found = NULL;

	for (size_t i = 0; i < fake_program_count; i++) {
		if (strcmp(fake_programs[i].name, name) != 0)
			continue;
		if (found)
			fail_msg("%s was loaded twice", name);
		found = &fake_programs[i];
	}
	return found;
}

/* What was found fit to load was loaded, at the first try, and can run. */
static void judge(const char *kernel, const struct bpf_signal *signals,
		  unsigned int count)
{
	unsigned int on = 0;

	for (unsigned int i = 0; i < count; i++) {
		const struct fake_program *program = loaded(signals[i].program);

		if (signals[i].is_on && !program)
			fail_msg("%s: %s was not loaded", kernel,
				 signals[i].program);
		if (!signals[i].is_on && program)
			fail_msg("%s: %s was loaded though %s", kernel,
				 signals[i].program, signals[i].why);
		if (program && *program->fault)
			fail_msg("%s: %s: %s", kernel, program->name,
				 program->fault);
		on += signals[i].is_on;
	}
	assert_int_equal(fake_program_count, on);
	assert_true(on > 0);
}

static void load_reclaim(const char *kernel, bool has_task_storage)
{
	struct bpf_options options = {
		.interval_ms = 100,
		.max_groups = 64,
		.btf_path = btf_path,
	};
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	struct sense_bpf *sense = NULL;
	unsigned int count;
	char error[512] = "";

	boot(kernel, has_task_storage);
	assert_int_equal(sense_probe(btf_path, signals, &count), 0);
	/* No ring buffer here, so it does not get past loading. */
	if (!sense_open(&sense, &options, error, sizeof(error)))
		fail_msg("%s: opened", kernel);
	assert_string_equal(error, "no memory for reading the maps");
	judge(kernel, signals, count);
}

static void load_tlb(const char *kernel, bool has_task_storage)
{
	struct tlb_bpf_options options = {
		.receive_wanted = TLB_RECEIVE_FLUSH_FUNC,
		.btf_path = btf_path,
	};
	struct tlb_bpf probed = {.signal_count = 0}, *tlb = NULL;
	char error[512] = "";

	boot(kernel, has_task_storage);
	assert_int_equal(tlb_probe(&probed, btf_path), 0);
	/* Nothing attaches here, so it does not get past loading. */
	if (!tlb_bpf_open(&tlb, &options, error, sizeof(error)))
		fail_msg("%s: opened", kernel);
	judge(kernel, probed.signals, probed.signal_count);
}

static void programs_of_reclaim_and_prices_find_all_they_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		load_reclaim(kernels[i], false);
		if (!is_old(kernels[i]))
			load_reclaim(kernels[i], true);
	}
}

static void programs_of_flushes_find_all_they_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		load_tlb(kernels[i], false);
		if (!is_old(kernels[i]))
			load_tlb(kernels[i], true);
	}
}

static void load_wrong(const char *kernel)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);
	struct bpf_object *object;

	boot(kernel, true);
	options.btf_custom_path = btf_path;
	object = bpf_object__open_file(wrong_object, &options);
	assert_non_null(object);
	assert_int_equal(bpf_object__load(object), 0);
	bpf_object__close(object);
}

static void expect_fault(const char *kernel, const char *name, bool is_faulty)
{
	const struct fake_program *program = loaded(name);

	if (!program)
		fail_msg("%s: %s was not loaded", kernel, name);
	if (!*program->fault == is_faulty)
		fail_msg("%s: %s: fault '%s'", kernel, name, program->fault);
}

static void a_member_that_no_kernel_has_is_found_on_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		load_wrong(kernels[i]);
		expect_fault(kernels[i], "no_member", true);
		expect_fault(kernels[i], "no_member_deep", true);
		expect_fault(kernels[i], "wrong_guard", true);
	}
}

static void a_member_behind_a_guard_may_be_missing(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		load_wrong(kernels[i]);
		expect_fault(kernels[i], "no_member_ok", false);
		expect_fault(kernels[i], "not_wanted_ok", false);
	}
}

static void a_changed_member_is_found_where_it_changed(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		bool is_x86 = !strncmp(kernels[i], "x86", 3);
		bool is_618 = strstr(kernels[i], "-6.18") ||
			      strstr(kernels[i], "-7.");

		load_wrong(kernels[i]);
		expect_fault(kernels[i], "page_flags", is_618);
		/* Renamed in v7.1. */
		expect_fault(kernels[i], "compound_head",
			     strstr(kernels[i], "-7.1") ||
				     strstr(kernels[i], "-7.3"));
		expect_fault(kernels[i], "bio_disk", !is_old(kernels[i]));
		/* v5.13, and x86 alone. */
		expect_fault(kernels[i], "flush_cpu",
			     !is_x86 || is_old(kernels[i]));
	}
}

static void a_helper_that_an_old_kernel_lacks_is_found_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(kernels); i++) {
		load_wrong(kernels[i]);
		expect_fault(kernels[i], "task_btf", is_old(kernels[i]));
	}
}

static int start(void **state)
{
	ssize_t length = readlink("/proc/self/exe", wrong_object,
				  sizeof(wrong_object) - 16);

	(void)state;
	if (length < 0)
		return -errno;
	wrong_object[length] = '\0';
	snprintf(strrchr(wrong_object, '/'), 16, "/wrong.bpf.o");
	return fake_start();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			programs_of_reclaim_and_prices_find_all_they_read),
		cmocka_unit_test(programs_of_flushes_find_all_they_read),
		cmocka_unit_test(a_member_that_no_kernel_has_is_found_on_each),
		cmocka_unit_test(a_member_behind_a_guard_may_be_missing),
		cmocka_unit_test(a_changed_member_is_found_where_it_changed),
		cmocka_unit_test(
			a_helper_that_an_old_kernel_lacks_is_found_there),
	};

	return cmocka_run_group_tests_name("core", tests, start, NULL);
}
