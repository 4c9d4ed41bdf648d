/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sense/parse.h"
#include "sense/proc.h"

static const struct sense_root fixtures = {"tests/fixtures"};

static char *load(const char *path)
{
	char *text = NULL;

	assert_int_equal(proc_read_file(&fixtures, path, &text), 0);
	return text;
}

static void assert_count(struct count count, uint64_t value)
{
	assert_true(count.is_known);
	assert_int_equal(count.value, value);
}

/* Expected: all scan, all steal, global scan, global steal. */
static void check_vmstat(const char *path, const uint64_t expected[4])
{
	_cleanup_free_ char *text = load(path);
	struct vmstat_reclaim totals;

	parse_vmstat_reclaim(text, &totals);
	assert_count(totals.all_scan_pages, expected[0]);
	assert_count(totals.all_steal_pages, expected[1]);
	assert_count(totals.global_scan_pages, expected[2]);
	assert_count(totals.global_steal_pages, expected[3]);
}

static void sums_zones_without_the_throttle_on_a_3_10_kernel(void **state)
{
	(void)state;
	check_vmstat("/vmstat/rhel7-3.10.txt",
		     (const uint64_t[]){1500, 1030, 1500, 1030});
}

static void counts_each_page_once_where_both_dimensions_show(void **state)
{
	(void)state;
	check_vmstat("/vmstat/5.10.txt",
		     (const uint64_t[]){12000, 9000, 12000, 9000});
	check_vmstat("/vmstat/6.7.txt",
		     (const uint64_t[]){12100, 9050, 12100, 9050});
}

static void ignores_the_order_and_unknown_keys(void **state)
{
	(void)state;
	check_vmstat("/vmstat/7.x-reordered.txt",
		     (const uint64_t[]){14100, 10050, 14100, 10050});
}

static void tells_global_from_all_when_only_cgroups_reclaim(void **state)
{
	(void)state;
	check_vmstat("/vmstat/6.18-memcg-only-reclaim.txt",
		     (const uint64_t[]){5154, 2783, 0, 0});
}

static void knows_no_reclaim_total_without_event_counters(void **state)
{
	struct vmstat_reclaim totals;

	(void)state;
	memset(&totals, 0xff, sizeof(totals));
	parse_vmstat_reclaim("nr_free_pages 1\npgscan_direct_throttle 9\n",
			     &totals);
	assert_false(totals.all_scan_pages.is_known);
	assert_false(totals.all_steal_pages.is_known);
	assert_false(totals.global_scan_pages.is_known);
	assert_false(totals.global_steal_pages.is_known);
}

static void takes_scan_and_steal_from_the_same_dimension(void **state)
{
	struct vmstat_reclaim totals;

	(void)state;
	/* By type only the scans: steal by type would be a guess. */
	parse_vmstat_reclaim("pgscan_anon 1\npgscan_file 2\n"
			     "pgscan_kswapd 10\npgscan_direct 20\n"
			     "pgsteal_kswapd 4\npgsteal_direct 5",
			     &totals);
	assert_count(totals.all_scan_pages, 30);
	assert_count(totals.all_steal_pages, 9);
}

static void finds_a_field_by_its_exact_key(void **state)
{
	_cleanup_free_ char *v2 = load("/memory.stat/v2-7.x.txt");

	(void)state;
	/* pgscan is the total: pgscan_* are its parts. */
	assert_count(parse_stat_field(v2, "pgscan"), 4000);
	assert_count(parse_stat_field(v2, "anon"), 104857600);
	assert_count(parse_stat_field(v2, "future_field"), 1);
	assert_false(parse_stat_field(v2, "pgsca").is_known);
	assert_false(parse_stat_field(v2, "").is_known);
	assert_false(parse_stat_field("", "anon").is_known);
}

static void calls_a_field_that_is_no_number_absent(void **state)
{
	const char *text = "a -1\nb 1x\nc\nd 18446744073709551616\n"
			   "e 18446744073709551615\nf 1 2\ng 7";

	(void)state;
	assert_false(parse_stat_field(text, "a").is_known);
	assert_false(parse_stat_field(text, "b").is_known);
	assert_false(parse_stat_field(text, "c").is_known);
	assert_false(parse_stat_field(text, "d").is_known);
	assert_count(parse_stat_field(text, "e"), UINT64_MAX);
	assert_false(parse_stat_field(text, "f").is_known);
	assert_count(parse_stat_field(text, "g"), 7);
}

static void reads_meminfo_lines_in_kib_only(void **state)
{
	_cleanup_free_ char *text = load("/swap/meminfo-swap.txt");

	(void)state;
	assert_count(parse_meminfo_kib(text, "MemTotal"), 1000000);
	assert_count(parse_meminfo_kib(text, "Cached"), 280000);
	assert_false(parse_meminfo_kib(text, "HugePages_Total").is_known);
	assert_false(parse_meminfo_kib(text, "Mem").is_known);
	assert_false(parse_meminfo_kib("Cached: -4 kB\n", "Cached").is_known);
}

static void has_no_delta_when_a_counter_went_back(void **state)
{
	const struct count absent = {0}, five = {true, 5}, nine = {true, 9};

	(void)state;
	assert_count(parse_delta(five, nine), 4);
	assert_count(parse_delta(five, five), 0);
	assert_false(parse_delta(nine, five).is_known);
	assert_false(parse_delta(absent, five).is_known);
	assert_false(parse_delta(five, absent).is_known);
}

static void drops_the_interval_of_a_reset_vmstat(void **state)
{
	_cleanup_free_ char *was =
		load("/vmstat/before-after-reset.before.txt");
	_cleanup_free_ char *now = load("/vmstat/before-after-reset.after.txt");
	struct count before = parse_stat_field(was, "pgscan_kswapd");
	struct count after = parse_stat_field(now, "pgscan_kswapd");

	(void)state;
	assert_count(before, 500000);
	assert_true(after.is_known);
	assert_false(parse_delta(before, after).is_known);
}

static void reads_a_swap_device(void **state)
{
	_cleanup_free_ char *text = load("/swap/swaps-zram.txt");
	const char *rest = text;
	struct swap_device device;

	(void)state;
	assert_int_equal(parse_swaps_next(&rest, &device), 1);
	assert_string_equal(device.path, "/dev/zram0");
	assert_string_equal(device.type, "partition");
	assert_int_equal(device.size_kib, 4194300);
	assert_int_equal(device.used_kib, 512);
	assert_int_equal(device.priority, 100);
	assert_false(device.is_deleted);
	assert_int_equal(parse_swaps_next(&rest, &device), 0);
	assert_string_equal(device.path, "/dev/zram0");
}

static void unescapes_a_swap_files_name_and_sees_it_deleted(void **state)
{
	_cleanup_free_ char *text = load("/swap/swaps-odd-name.txt");
	const char *rest = text;
	struct swap_device device;

	(void)state;
	assert_int_equal(parse_swaps_next(&rest, &device), 1);
	assert_string_equal(device.path, "/mnt/my swap/swap\tfile");
	assert_string_equal(device.type, "file");
	assert_int_equal(device.priority, -2);
	assert_false(device.is_deleted);
	assert_int_equal(parse_swaps_next(&rest, &device), 1);
	assert_string_equal(device.path, "/var/swapfile");
	assert_int_equal(device.used_kib, 10);
	assert_true(device.is_deleted);
	assert_int_equal(parse_swaps_next(&rest, &device), 0);
}

static void finds_no_device_below_a_lone_header(void **state)
{
	_cleanup_free_ char *text = load("/swap/swaps-none.txt");
	const char *rest = text;
	struct swap_device device;

	(void)state;
	assert_int_equal(parse_swaps_next(&rest, &device), 0);
	rest = "";
	assert_int_equal(parse_swaps_next(&rest, &device), 0);
}

static void cuts_an_overlong_swap_path_and_skips_odd_lines(void **state)
{
	char text[700], *s = text;
	const char *rest = text;
	struct swap_device device;

	(void)state;
	s = stpcpy(s, "junk\n/a file x 0 -2\n/");
	memset(s, 'p', 400);
	strcpy(s + 400, " file 8 4 -3");
	assert_int_equal(parse_swaps_next(&rest, &device), 1);
	assert_int_equal(strlen(device.path), sizeof(device.path) - 1);
	assert_int_equal(device.size_kib, 8);
	assert_int_equal(device.priority, -3);
	assert_int_equal(parse_swaps_next(&rest, &device), 0);
}

static void understands_every_way_of_writing_unlimited(void **state)
{
	static const char *const ways[] = {
		"max\n",
		"-1\n",
		"9223372036854771712\n", /* 4 KiB pages */
		"9223372036854759424",	 /* 16 KiB */
		"9223372036854710272",	 /* 64 KiB */
		"9223372036854775807\n", /* before 3.19 */
		"18446744073709551615\n",
	};

	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(ways); i++) {
		uint64_t bytes = 1;

		assert_int_equal(parse_limit_bytes(ways[i], &bytes), 0);
		assert_int_equal(bytes, UINT64_MAX);
	}
}

static void reads_the_sentinel_of_a_5_4_memory_stat(void **state)
{
	_cleanup_free_ char *text = load("/memory.stat/v1-5.4.txt");
	struct count limit =
		parse_stat_field(text, "hierarchical_memory_limit");
	uint64_t bytes;
	char digits[32];

	(void)state;
	assert_count(limit, 9223372036854771712u);
	snprintf(digits, sizeof(digits), "%llu",
		 (unsigned long long)limit.value);
	assert_int_equal(parse_limit_bytes(digits, &bytes), 0);
	assert_int_equal(bytes, UINT64_MAX);
	assert_count(parse_stat_field(text, "rss"), 5992448);
	assert_count(parse_stat_field(text, "mapped_file"), 7868416);
}

static void reads_a_limit_and_refuses_what_is_none(void **state)
{
	static const char *const bad[] = {
		"",    "\n",  "maximum", "-2",
		"12k", "1 2", "max max", "18446744073709551616",
	};
	uint64_t bytes = 42;

	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_limit_bytes(bad[i], &bytes), -EINVAL);
	assert_int_equal(bytes, 42);
	assert_int_equal(parse_limit_bytes("104857600\n", &bytes), 0);
	assert_int_equal(bytes, 104857600);
	assert_int_equal(parse_limit_bytes("0\n", &bytes), 0);
	assert_int_equal(bytes, 0);
}

static void reads_whole_numbers_only(void **state)
{
	uint64_t value = 42;
	int number = 42;

	(void)state;
	assert_int_equal(parse_u64(" \t7\n", &value), 0);
	assert_int_equal(value, 7);
	assert_int_equal(parse_u64("18446744073709551615", &value), 0);
	assert_int_equal(value, UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(parse_u64("99999999999999999999x", &value), -EINVAL);
	assert_int_equal(parse_u64("+1", &value), -EINVAL);
	assert_int_equal(parse_u64("-1", &value), -EINVAL);
	assert_int_equal(parse_u64("", &value), -EINVAL);
	assert_int_equal(value, UINT64_MAX);
	assert_int_equal(parse_int("-5\n", -10, 10, &number), 0);
	assert_int_equal(number, -5);
	assert_int_equal(parse_int("11", -10, 10, &number), -ERANGE);
	assert_int_equal(parse_int("-11", -10, 10, &number), -ERANGE);
	assert_int_equal(parse_int("99999999999", 0, 10, &number), -ERANGE);
	assert_int_equal(parse_int("--5", -10, 10, &number), -EINVAL);
	assert_int_equal(parse_int("-", -10, 10, &number), -EINVAL);
	assert_int_equal(parse_int("60.0", 0, 200, &number), -EINVAL);
	assert_int_equal(number, -5);
	assert_int_equal(parse_int("-2147483648", INT_MIN, 0, &number), 0);
	assert_int_equal(number, INT_MIN);
}

static void reads_the_word_in_brackets(void **state)
{
	static const char *const modes[] = {"none", "integrity",
					    "confidentiality"};
	char path[64], word[32] = "kept";

	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(modes); i++) {
		_cleanup_free_ char *text = NULL;

		snprintf(path, sizeof(path), "/env/lockdown-%s", modes[i]);
		text = load(path);
		assert_int_equal(parse_bracketed(text, word, sizeof(word)), 0);
		assert_string_equal(word, modes[i]);
	}
	assert_int_equal(parse_bracketed("none integrity\n", word, 32),
			 -ENOENT);
	assert_int_equal(parse_bracketed("[never closed\n", word, 32), -ENOENT);
	assert_int_equal(parse_bracketed("[none]", word, 4), -ENAMETOOLONG);
	assert_string_equal(word, "confidentiality");
	assert_int_equal(parse_bracketed("[none]", word, 5), 0);
	assert_string_equal(word, "none");
}

static void reads_pressure_totals_by_kind(void **state)
{
	_cleanup_free_ char *text = load("/pressure/memory-on.txt");
	_cleanup_free_ char *empty = load("/pressure/memory-empty.txt");
	uint64_t total_us = 42;

	(void)state;
	assert_int_equal(parse_psi_total_us(empty, "some", &total_us), -ENOENT);
	assert_int_equal(
		parse_psi_total_us("some avg10=0.00\n", "some", &total_us),
		-EINVAL);
	assert_int_equal(parse_psi_total_us("some total=\n", "some", &total_us),
			 -EINVAL);
	assert_int_equal(total_us, 42);
	assert_int_equal(parse_psi_total_us(text, "some", &total_us), 0);
	assert_int_equal(total_us, 1234567);
	assert_int_equal(parse_psi_total_us(text, "full", &total_us), 0);
	assert_int_equal(total_us, 89);
	assert_int_equal(parse_psi_total_us(text, "so", &total_us), -ENOENT);
}

static void finds_the_mount_of_the_memory_controller(void **state)
{
	_cleanup_free_ char *text = load("/env/mountinfo-hybrid");
	char point[64] = "kept";

	(void)state;
	assert_int_equal(parse_mount_point(text, "cgroup", "memory", point,
					   sizeof(point)),
			 0);
	assert_string_equal(point, "/sys/fs/cgroup/memory");
	assert_int_equal(
		parse_mount_point(text, "cgroup2", NULL, point, sizeof(point)),
		0);
	assert_string_equal(point, "/sys/fs/cgroup/unified");
	assert_int_equal(
		parse_mount_point(text, "cgroup", "mem", point, sizeof(point)),
		-ENOENT);
	assert_int_equal(parse_mount_point(text, "cgroup2", NULL, point, 22),
			 -ENAMETOOLONG);
	assert_string_equal(point, "/sys/fs/cgroup/unified");
	assert_int_equal(parse_mount_point(text, "cgroup2", NULL, point, 23),
			 0);
}

static void finds_tracefs_wherever_it_is_mounted(void **state)
{
	_cleanup_free_ char *debugfs = load("/env/mountinfo-debugfs-only");
	_cleanup_free_ char *tracefs = load("/env/mountinfo-tracefs-only");
	_cleanup_free_ char *none = load("/env/mountinfo-no-bpffs");
	char point[64];

	(void)state;
	assert_int_equal(parse_mount_point(debugfs, "tracefs", NULL, point,
					   sizeof(point)),
			 0);
	assert_string_equal(point, "/sys/kernel/debug/tracing");
	assert_int_equal(parse_mount_point(tracefs, "tracefs", NULL, point,
					   sizeof(point)),
			 0);
	assert_string_equal(point, "/sys/kernel/tracing");
	assert_int_equal(
		parse_mount_point(none, "bpf", NULL, point, sizeof(point)),
		-ENOENT);
}

static void steps_over_optional_fields_and_unescapes_mounts(void **state)
{
	char point[64];

	(void)state;
	assert_int_equal(
		parse_mount_point("9 1 0:9 / /my\\040fs\\134x rw shared:5 "
				  "master:2 - bpf none rw,mode=700\n",
				  "bpf", "mode=700", point, sizeof(point)),
		0);
	assert_string_equal(point, "/my fs\\x");
	assert_int_equal(parse_mount_point("9 1 0:9 / /x rw shared:5\n", "bpf",
					   NULL, point, sizeof(point)),
			 -ENOENT);
}

static void sees_a_read_only_mount_at_its_own_point_only(void **state)
{
	_cleanup_free_ char *text = load("/env/mountinfo-proc-sys-ro");

	(void)state;
	assert_true(parse_mount_is_read_only(text, "/proc/sys"));
	assert_false(parse_mount_is_read_only(text, "/proc/sys/net"));
	assert_false(parse_mount_is_read_only(text, "/proc"));
	/* The later mount covers the earlier one. */
	assert_false(parse_mount_is_read_only("1 1 0:1 / /a ro - t s rw\n"
					      "2 1 0:2 / /a rw - t s rw\n",
					      "/a"));
	assert_true(
		parse_mount_is_read_only("1 1 0:1 / /a rw - t s ro\n", "/a"));
}

static void check_cgroup(const char *file, const char *controller,
			 const char *expected)
{
	_cleanup_free_ char *text = load(file);
	char path[64];

	assert_int_equal(
		parse_cgroup_path(text, controller, path, sizeof(path)), 0);
	assert_string_equal(path, expected);
}

static void finds_the_cgroup_of_each_hierarchy(void **state)
{
	(void)state;
	check_cgroup("/env/cgroup-v1.self", "memory", "/user.slice");
	check_cgroup("/env/cgroup-v1.self", "cpuacct", "/user.slice");
	check_cgroup("/env/cgroup-v1.self", "name=systemd",
		     "/user.slice/session-1.scope");
	check_cgroup("/env/cgroup-v2.self", NULL, "/system.slice/demo.service");
	check_cgroup("/env/cgroup-hybrid.self", "memory", "/tenants/blue/0001");
	check_cgroup("/env/cgroup-hybrid.self", NULL, "/");
	check_cgroup("/env/cgroup-v2-private-ns.self", NULL, "/");
	check_cgroup("/env/cgroup-outside-ns.self", NULL,
		     "/../../kubepods.slice/pod1.slice");
}

static void leaves_the_path_alone_without_such_a_hierarchy(void **state)
{
	_cleanup_free_ char *text = load("/env/cgroup-v2.self");
	char path[64] = "kept";

	(void)state;
	assert_int_equal(parse_cgroup_path(text, "memory", path, 64), -ENOENT);
	assert_int_equal(parse_cgroup_path(text, NULL, path, 26),
			 -ENAMETOOLONG);
	assert_int_equal(
		parse_cgroup_path("junk\n3:memory\n", "memory", path, 64),
		-ENOENT);
	assert_string_equal(path, "kept");
	assert_int_equal(
		parse_cgroup_path("3:memory:/a:b\n", "memory", path, 64), 0);
	assert_string_equal(path, "/a:b");
}

static void reads_a_capability_mask(void **state)
{
	const char *status = "Name:\tx\nCapPrm:\t0000000000000001\n"
			     "CapEff:\t000001ffffffffff\n";
	uint64_t mask = 42;

	(void)state;
	assert_int_equal(parse_status_mask(status, "CapInh", &mask), -ENOENT);
	assert_int_equal(parse_status_mask("CapEff:\t12g\n", "CapEff", &mask),
			 -EINVAL);
	assert_int_equal(parse_status_mask("CapEff:\n", "CapEff", &mask),
			 -EINVAL);
	assert_int_equal(parse_status_mask("CapEff:\t11111111111111111\n",
					   "CapEff", &mask),
			 -EINVAL);
	assert_int_equal(mask, 42);
	assert_int_equal(parse_status_mask(status, "CapEff", &mask), 0);
	assert_int_equal(mask, 0x1ffffffffff);
}

static void reads_a_kernel_release(void **state)
{
	int major = 42, minor = 42;

	(void)state;
	assert_int_equal(parse_release("linux", &major, &minor), -EINVAL);
	assert_int_equal(parse_release("6", &major, &minor), -EINVAL);
	assert_int_equal(major, 42);
	assert_int_equal(parse_release("6.1.0-18-amd64\n", &major, &minor), 0);
	assert_int_equal(major, 6);
	assert_int_equal(minor, 1);
	assert_int_equal(parse_release("5.10-rc1", &major, &minor), 0);
	assert_int_equal(major, 5);
	assert_int_equal(minor, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			sums_zones_without_the_throttle_on_a_3_10_kernel),
		cmocka_unit_test(
			counts_each_page_once_where_both_dimensions_show),
		cmocka_unit_test(ignores_the_order_and_unknown_keys),
		cmocka_unit_test(
			tells_global_from_all_when_only_cgroups_reclaim),
		cmocka_unit_test(knows_no_reclaim_total_without_event_counters),
		cmocka_unit_test(takes_scan_and_steal_from_the_same_dimension),
		cmocka_unit_test(finds_a_field_by_its_exact_key),
		cmocka_unit_test(calls_a_field_that_is_no_number_absent),
		cmocka_unit_test(reads_meminfo_lines_in_kib_only),
		cmocka_unit_test(has_no_delta_when_a_counter_went_back),
		cmocka_unit_test(drops_the_interval_of_a_reset_vmstat),
		cmocka_unit_test(reads_a_swap_device),
		cmocka_unit_test(
			unescapes_a_swap_files_name_and_sees_it_deleted),
		cmocka_unit_test(finds_no_device_below_a_lone_header),
		cmocka_unit_test(
			cuts_an_overlong_swap_path_and_skips_odd_lines),
		cmocka_unit_test(understands_every_way_of_writing_unlimited),
		cmocka_unit_test(reads_the_sentinel_of_a_5_4_memory_stat),
		cmocka_unit_test(reads_a_limit_and_refuses_what_is_none),
		cmocka_unit_test(reads_whole_numbers_only),
		cmocka_unit_test(reads_the_word_in_brackets),
		cmocka_unit_test(reads_pressure_totals_by_kind),
		cmocka_unit_test(finds_the_mount_of_the_memory_controller),
		cmocka_unit_test(finds_tracefs_wherever_it_is_mounted),
		cmocka_unit_test(
			steps_over_optional_fields_and_unescapes_mounts),
		cmocka_unit_test(sees_a_read_only_mount_at_its_own_point_only),
		cmocka_unit_test(finds_the_cgroup_of_each_hierarchy),
		cmocka_unit_test(
			leaves_the_path_alone_without_such_a_hierarchy),
		cmocka_unit_test(reads_a_capability_mask),
		cmocka_unit_test(reads_a_kernel_release),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
