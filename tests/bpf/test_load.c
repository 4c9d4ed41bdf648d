/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is tried where a kernel refuses part of the programs.  No kernel is
 * asked: the two functions of libbpf that would are those below.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <cmocka.h>

#include "sense/bpf.h"

/* A kernel, and what it was asked for. */
static struct kernel {
	bool has_task_storage; /* of any kind */
	bool takes_task_storage, takes_prices, takes_functions;
	unsigned int loads;
	bool was_taken;
	bool had_task_storage, had_prices, had_functions; /* the last load */
} kernel;

int libbpf_probe_bpf_map_type(enum bpf_map_type type, const void *opts)
{
	(void)opts;
	assert_int_equal(type, BPF_MAP_TYPE_TASK_STORAGE);
	return kernel.has_task_storage;
}

static bool has_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	assert_non_null(map);
	return bpf_map__autocreate(map);
}

/* Of a section with this in its name. */
static bool has_program(struct bpf_object *object, const char *part)
{
	struct bpf_program *program;

	bpf_object__for_each_program(
		program, object) if (bpf_program__autoload(program) &&
				     strstr(bpf_program__section_name(program),
					    part)) return true;
	return false;
}

int bpf_object__load_skeleton(struct bpf_object_skeleton *skeleton)
{
	struct bpf_object *object = *skeleton->obj;

	kernel.loads++;
	kernel.had_task_storage = has_map(object, "task_runs");
	kernel.had_prices = has_program(object, "/block_");
	kernel.had_functions = has_program(object, "fexit/");
	assert_int_equal(kernel.had_functions, has_program(object, "fentry/"));
	/* One of the two, always. */
	assert_int_not_equal(kernel.had_task_storage,
			     has_map(object, "thread_runs"));
	kernel.was_taken =
		(kernel.takes_task_storage || !kernel.had_task_storage) &&
		(kernel.takes_prices || !kernel.had_prices) &&
		(kernel.takes_functions || !kernel.had_functions);
	return kernel.was_taken ? 0 : -EINVAL;
}

static void load(void)
{
	const struct bpf_options options = {.interval_ms = 100,
					    .max_groups = 64};
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	struct sense_bpf *sense = NULL;
	unsigned int count;
	char error[512] = "";

	if (sense_probe(NULL, signals, &count)) {
		print_message("this kernel has no BTF\n");
		skip();
	}
	/* It cannot go on: nothing was made. */
	assert_int_not_equal(sense_open(&sense, &options, error, sizeof(error)),
			     0);
}

static void a_kernel_that_takes_all_is_asked_once(void **state)
{
	(void)state;
	kernel = (struct kernel){.has_task_storage = true,
				 .takes_task_storage = true,
				 .takes_prices = true,
				 .takes_functions = true};
	load();
	assert_true(kernel.was_taken);
	assert_int_equal(kernel.loads, 1);
	assert_true(kernel.had_task_storage);
	assert_true(kernel.had_prices);
}

static void task_storage_not_for_tracing_is_done_without(void **state)
{
	(void)state;
	kernel =
		(struct kernel){.has_task_storage = true, .takes_prices = true};
	load();
	assert_true(kernel.was_taken);
	assert_false(kernel.had_task_storage);
	assert_true(kernel.had_prices);
}

static void prices_that_are_refused_are_done_without(void **state)
{
	(void)state;
	kernel = (struct kernel){.has_task_storage = true,
				 .takes_task_storage = true};
	load();
	assert_true(kernel.was_taken);
	assert_true(kernel.had_task_storage);
	assert_false(kernel.had_prices);
}

/* On kernels without zswap there are none. */
static void functions_that_are_refused_are_done_without(void **state)
{
	(void)state;
	kernel = (struct kernel){.has_task_storage = true,
				 .takes_task_storage = true,
				 .takes_prices = true};
	load();
	assert_true(kernel.was_taken);
	assert_true(kernel.had_task_storage);
	assert_true(kernel.had_prices);
	assert_false(kernel.had_functions);
}

static void all_may_be_refused(void **state)
{
	(void)state;
	kernel = (struct kernel){.has_task_storage = true};
	load();
	assert_true(kernel.was_taken);
	assert_false(kernel.had_task_storage);
	assert_false(kernel.had_prices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_that_takes_all_is_asked_once),
		cmocka_unit_test(task_storage_not_for_tracing_is_done_without),
		cmocka_unit_test(prices_that_are_refused_are_done_without),
		cmocka_unit_test(functions_that_are_refused_are_done_without),
		cmocka_unit_test(all_may_be_refused),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
