/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "root_tree.h"

#include "sense/proc.h"

static void put_fixture(const struct tree *tree, const char *path,
			const char *fixture)
{
	const struct sense_root fixtures = {"tests/fixtures"};
	_cleanup_free_ char *text = NULL;

	assert_int_equal(proc_read_file(&fixtures, fixture, &text), 0);
	put(tree, path, text);
}

static const struct memory_levels ram_2_gib = {
	.total_kib = 2097152,
	.swap_total_kib = 1000,
	.swap_free_kib = 400,
};

static int read_group(const struct tree *tree, bool is_v2,
		      struct memory_levels *ret)
{
	_cleanup_close_ int fd = -1;
	char path[128];

	snprintf(path, sizeof(path), "%s/group", tree->path);
	fd = open(path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	return proc_read_group_levels(fd, is_v2, &ram_2_gib, ret);
}

static void reads_a_file_of_any_size_whole(void **state)
{
	struct tree *tree = *state;
	_cleanup_free_ char *text = NULL, *big = malloc(100001);

	assert_non_null(big);
	memset(big, 'x', 100000);
	big[100000] = '\0';
	big[99999] = 'y';
	put(tree, "/big", big);
	assert_int_equal(proc_read_file(&tree->root, "/big", &text), 0);
	assert_string_equal(text, big);
}

static void leaves_the_text_alone_when_the_file_is_missing(void **state)
{
	struct tree *tree = *state;
	char *text = "kept";

	assert_int_equal(proc_read_file(&tree->root, "/none", &text), -ENOENT);
	assert_string_equal(text, "kept");
	assert_int_equal(proc_read_file(&tree->root, "/", &text), -EISDIR);
	assert_string_equal(text, "kept");
}

static void reads_the_levels_of_the_system(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels;

	put_fixture(tree, "/proc/meminfo", "/swap/meminfo-swap.txt");
	assert_int_equal(proc_read_levels(&tree->root, &levels), 0);
	assert_int_equal(levels.total_kib, 1000000);
	assert_int_equal(levels.free_kib, 100000);
	assert_int_equal(levels.page_cache_kib, 300000); /* 280000 + 20000 */
	assert_int_equal(levels.anon_mapped_kib, 400000);
	assert_int_equal(levels.file_mapped_kib, 90000);
	assert_int_equal(levels.swap_total_kib, 400000);
	assert_int_equal(levels.swap_free_kib, 100000);
}

static void refuses_meminfo_without_a_total(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels = {.total_kib = 42};

	assert_int_equal(proc_read_levels(&tree->root, &levels), -ENOENT);
	put(tree, "/proc/meminfo", "MemFree: 5 kB\n");
	assert_int_equal(proc_read_levels(&tree->root, &levels), -EPROTO);
	assert_int_equal(levels.total_kib, 42);
}

static void fill_from(struct tree *tree, const char *fixture,
		      struct sample *sample)
{
	struct memory_levels levels;

	put_fixture(tree, "/proc/meminfo", fixture);
	assert_int_equal(proc_read_levels(&tree->root, &levels), 0);
	proc_fill_sample(&levels, sample);
}

static void turns_levels_into_percentages(void **state)
{
	struct sample sample = {.passes = {[3] = 7}, .elapsed_ns = 9};

	fill_from(*state, "/swap/meminfo-swap.txt", &sample);
	assert_int_equal(sample.mapped_ratio_pct, 49);	    /* 490000 / 10^6 */
	assert_int_equal(sample.application_share_pct, 60); /* 100 - 40 */
	assert_int_equal(sample.swap_free_pct, 25);
	assert_true(sample.has_swap);
	assert_int_equal(sample.passes[3], 7);
	assert_int_equal(sample.elapsed_ns, 9);
}

static void has_nothing_free_of_no_swap(void **state)
{
	struct sample sample = {.has_swap = true, .swap_free_pct = 42};

	fill_from(*state, "/swap/meminfo-noswap.txt", &sample);
	assert_false(sample.has_swap);
	assert_int_equal(sample.swap_free_pct, 0);
	/* 1500000 of 2037760 free is 73 %, rounded down. */
	assert_int_equal(sample.application_share_pct, 27);
	assert_int_equal(sample.mapped_ratio_pct, 0);
}

static void clamps_levels_that_exceed_their_total(void **state)
{
	struct sample sample;

	fill_from(*state, "/swap/meminfo-free-exceeds-total.txt", &sample);
	assert_int_equal(sample.mapped_ratio_pct, 100);
	assert_int_equal(sample.application_share_pct, 0);
	assert_int_equal(sample.swap_free_pct, 100);
}

static void survives_levels_at_the_ends_of_the_range(void **state)
{
	const struct memory_levels zero = {0};
	const struct memory_levels huge = {
		.total_kib = UINT64_MAX,
		.free_kib = UINT64_MAX / 2,
		.page_cache_kib = UINT64_MAX,
		.anon_mapped_kib = UINT64_MAX / 4,
		.swap_total_kib = UINT64_MAX,
		.swap_free_kib = UINT64_MAX / 2,
	};
	struct sample sample;

	(void)state;
	proc_fill_sample(&zero, &sample);
	assert_int_equal(sample.mapped_ratio_pct, 0);
	assert_int_equal(sample.application_share_pct, 100);
	assert_int_equal(sample.swap_free_pct, 0);
	proc_fill_sample(&huge, &sample);
	assert_in_range(sample.mapped_ratio_pct, 24, 25);
	assert_int_equal(sample.application_share_pct, 0);
	assert_in_range(sample.swap_free_pct, 49, 50);
}

static void takes_a_v1_groups_own_pages_against_ram_if_unlimited(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels;

	put_fixture(tree, "/group/memory.stat", "/memory.stat/v1-5.4.txt");
	put(tree, "/group/memory.usage_in_bytes", "2097152000\n");
	assert_int_equal(read_group(tree, false, &levels), 0);
	assert_int_equal(levels.total_kib, 2097152);
	assert_int_equal(levels.free_kib, 49152);	/* less 2048000 */
	assert_int_equal(levels.anon_mapped_kib, 5852); /* rss / 1024 */
	assert_int_equal(levels.file_mapped_kib, 7684);
	assert_int_equal(levels.page_cache_kib, 1792320); /* total_cache */
	assert_int_equal(levels.swap_total_kib, 1000);
	assert_int_equal(levels.swap_free_kib, 400);
}

static void takes_a_v1_groups_limit_below_ram(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels;

	put(tree, "/group/memory.stat",
	    "rss 52428800\nmapped_file 10485760\ntotal_cache 20971520\n"
	    "total_swapcached 1048576\nhierarchical_memory_limit 104857600\n");
	put(tree, "/group/memory.usage_in_bytes", "209715200\n");
	assert_int_equal(read_group(tree, false, &levels), 0);
	assert_int_equal(levels.total_kib, 102400);
	assert_int_equal(levels.free_kib, 0); /* usage above the limit */
	assert_int_equal(levels.page_cache_kib, 19456); /* 20480 - 1024 */
}

static void bounds_a_v2_group_by_its_memory_max(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels;
	struct sample sample;

	put_fixture(tree, "/group/memory.stat", "/memory.stat/v2-7.x.txt");
	put(tree, "/group/memory.current", "320000000\n");
	put(tree, "/group/memory.max", "419430400\n");
	assert_int_equal(read_group(tree, true, &levels), 0);
	assert_int_equal(levels.total_kib, 409600);
	assert_int_equal(levels.free_kib, 97100); /* 409600 - 312500 */
	assert_int_equal(levels.anon_mapped_kib, 102400);
	assert_int_equal(levels.file_mapped_kib, 0);	 /* 1000 bytes */
	assert_int_equal(levels.page_cache_kib, 204796); /* less swapcached */
	proc_fill_sample(&levels, &sample);
	assert_int_equal(sample.mapped_ratio_pct, 25);
	put(tree, "/group/memory.max", "max\n");
	assert_int_equal(read_group(tree, true, &levels), 0);
	assert_int_equal(levels.total_kib, 2097152);
}

static void takes_the_v2_root_group_for_the_whole_of_ram(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels;

	/* It has neither memory.max nor memory.current. */
	put_fixture(tree, "/group/memory.stat", "/memory.stat/v2-5.10.txt");
	assert_int_equal(read_group(tree, true, &levels), 0);
	assert_int_equal(levels.total_kib, 2097152);
	assert_int_equal(levels.free_kib, 1789952); /* less 102400 + 204800 */
}

static void reports_a_vanished_group_and_touches_nothing(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels = {.total_kib = 42};

	put(tree, "/group/other", "");
	assert_int_equal(read_group(tree, true, &levels), -ENOENT);
	assert_int_equal(read_group(tree, false, &levels), -ENOENT);
	put_fixture(tree, "/group/memory.stat", "/memory.stat/v2-vanished.txt");
	assert_int_equal(read_group(tree, true, &levels), -ENODEV);
	assert_int_equal(read_group(tree, false, &levels), -ENODEV);
	/* Gone between two of its files. */
	put(tree, "/group/memory.stat", "rss 1\n");
	assert_int_equal(read_group(tree, false, &levels), -ENOENT);
	assert_int_equal(levels.total_kib, 42);
}

static void refuses_a_limit_that_is_no_number(void **state)
{
	struct tree *tree = *state;
	struct memory_levels levels = {.total_kib = 42};

	put(tree, "/group/memory.stat", "anon 1\n");
	put(tree, "/group/memory.max", "lots\n");
	assert_int_equal(read_group(tree, true, &levels), -EPROTO);
	put(tree, "/group/memory.usage_in_bytes", "lots\n");
	assert_int_equal(read_group(tree, false, &levels), -EPROTO);
	assert_int_equal(levels.total_kib, 42);
}

static void only_confidentiality_keeps_programs_from_reading(void **state)
{
	struct tree *tree = *state;
	const char *path = "/sys/kernel/security/lockdown";

	assert_false(proc_is_confidential(&tree->root));
	put(tree, path, "none [integrity] confidentiality\n");
	assert_false(proc_is_confidential(&tree->root));
	put(tree, path, "none integrity [confidentiality]\n");
	assert_true(proc_is_confidential(&tree->root));
	put(tree, path, "confidentiality\n");
	assert_false(proc_is_confidential(&tree->root));
}

static void tells_the_states_of_pressure_information_apart(void **state)
{
	struct tree *tree = *state;

	assert_int_equal(proc_psi_state(&tree->root), PSI_NOT_BUILT_IN);
	put_fixture(tree, "/proc/pressure/memory",
		    "/pressure/memory-empty.txt");
	assert_int_equal(proc_psi_state(&tree->root), PSI_OFF);
	put_fixture(tree, "/proc/pressure/memory", "/pressure/memory-on.txt");
	assert_int_equal(proc_psi_state(&tree->root), PSI_ON);
}

static void calls_pressure_that_fails_to_read_off(void **state)
{
	struct tree *tree = *state;
	char path[128];

	/* A directory opens and then fails to read, as EOPNOTSUPP does. */
	put(tree, "/proc/pressure/other", "");
	snprintf(path, sizeof(path), "%s/proc/pressure/memory", tree->path);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(proc_psi_state(&tree->root), PSI_OFF);
}

static void finds_the_memory_controller_on_a_hybrid_host(void **state)
{
	struct tree *tree = *state;
	struct cgroup_host host;

	put_fixture(tree, "/proc/self/mountinfo", "/env/mountinfo-hybrid");
	assert_int_equal(proc_cgroup_host(&tree->root, &host), 0);
	assert_int_equal(host.mode, CGROUP_V1);
	assert_true(host.is_hybrid);
	assert_string_equal(host.mount, "/sys/fs/cgroup/memory");
}

static void finds_the_memory_controller_on_a_v2_host(void **state)
{
	struct tree *tree = *state;
	struct cgroup_host host;

	put(tree, "/proc/self/mountinfo",
	    "33 31 0:29 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
	put(tree, "/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	assert_int_equal(proc_cgroup_host(&tree->root, &host), 0);
	assert_int_equal(host.mode, CGROUP_V2);
	assert_false(host.is_hybrid);
	assert_string_equal(host.mount, "/sys/fs/cgroup");
}

static void finds_no_memory_controller_where_none_is(void **state)
{
	struct tree *tree = *state;
	struct cgroup_host host = {.mode = CGROUP_V1, .mount = "/kept"};

	assert_int_equal(proc_cgroup_host(&tree->root, &host), -ENOENT);
	assert_string_equal(host.mount, "/kept");
	put_fixture(tree, "/proc/self/mountinfo", "/env/mountinfo-no-bpffs");
	assert_int_equal(proc_cgroup_host(&tree->root, &host), 0);
	assert_int_equal(host.mode, CGROUP_NONE);
	assert_string_equal(host.mount, "");
	/* Mounted, but booted with cgroup_disable=memory. */
	put(tree, "/proc/self/mountinfo",
	    "33 31 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put(tree, "/sys/fs/cgroup/cgroup.controllers", "cpu memory2\n");
	assert_int_equal(proc_cgroup_host(&tree->root, &host), 0);
	assert_int_equal(host.mode, CGROUP_NONE);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, plant, fell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(reads_a_file_of_any_size_whole),
		TREE_TEST(leaves_the_text_alone_when_the_file_is_missing),
		TREE_TEST(reads_the_levels_of_the_system),
		TREE_TEST(refuses_meminfo_without_a_total),
		TREE_TEST(turns_levels_into_percentages),
		TREE_TEST(has_nothing_free_of_no_swap),
		TREE_TEST(clamps_levels_that_exceed_their_total),
		cmocka_unit_test(survives_levels_at_the_ends_of_the_range),
		TREE_TEST(takes_a_v1_groups_own_pages_against_ram_if_unlimited),
		TREE_TEST(takes_a_v1_groups_limit_below_ram),
		TREE_TEST(bounds_a_v2_group_by_its_memory_max),
		TREE_TEST(takes_the_v2_root_group_for_the_whole_of_ram),
		TREE_TEST(reports_a_vanished_group_and_touches_nothing),
		TREE_TEST(refuses_a_limit_that_is_no_number),
		TREE_TEST(only_confidentiality_keeps_programs_from_reading),
		TREE_TEST(tells_the_states_of_pressure_information_apart),
		TREE_TEST(calls_pressure_that_fails_to_read_off),
		TREE_TEST(finds_the_memory_controller_on_a_hybrid_host),
		TREE_TEST(finds_the_memory_controller_on_a_v2_host),
		TREE_TEST(finds_no_memory_controller_where_none_is),
	};

	return cmocka_run_group_tests_name("proc", tests, NULL, NULL);
}
