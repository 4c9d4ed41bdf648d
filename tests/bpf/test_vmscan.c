/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reclaim programs in the running kernel: what they count is held against
 * the kernel's own counters, on real reclaim in limited cgroups of our own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <cmocka.h>

#include "loop.h"
#include "sense/bpf.h"
#include "sense/proc.h"

#define LIMIT_MIB 32

/* Where groups with a memory limit can be made, and the limit's file. */
static const struct hierarchy {
	const char *mount, *sign, *limit;
} hierarchies[] = {
	{"/sys/fs/cgroup/memory", "memory.swappiness", "memory.limit_in_bytes"},
	{"/sys/fs/cgroup", "cgroup.subtree_control", "memory.max"},
};

struct group {
	char path[256];
	uint64_t id;
};

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* On v2 the root must hand the memory controller down. */
static bool is_usable(const struct hierarchy *hierarchy)
{
	char path[128], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", hierarchy->mount,
		 hierarchy->sign);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return !strcmp(hierarchy->sign, "memory.swappiness") ||
	       strstr(text, "memory");
}

static const struct hierarchy *find_hierarchy(void)
{
	for (size_t i = 0; i < SWT_ARRAY_SIZE(hierarchies); i++)
		if (!geteuid() && is_usable(&hierarchies[i]))
			return &hierarchies[i];
	return NULL;
}

static void need_hierarchy(void)
{
	if (find_hierarchy())
		return;
	print_message("not root, or no cgroup hierarchy with the memory "
		      "controller\n");
	skip();
}

/* There one event may tell of pages that another told of before. */
static bool is_multi_generational(void)
{
	const struct sense_root root = {""};
	_cleanup_free_ char *text = NULL;

	return !proc_read_file(&root, "/sys/kernel/mm/lru_gen/enabled",
			       &text) &&
	       strncmp(text, "0x0000", 6);
}

static void make_group(struct group *group, const char *name)
{
	const struct hierarchy *hierarchy = find_hierarchy();
	char file[320], limit[32];
	struct stat st;

	snprintf(group->path, sizeof(group->path), "%s/swaptend-bpf-%d-%s",
		 hierarchy->mount, (int)getpid(), name);
	assert_int_equal(mkdir(group->path, 0755), 0);
	assert_int_equal(stat(group->path, &st), 0);
	group->id = st.st_ino;
	snprintf(file, sizeof(file), "%s/%s", group->path, hierarchy->limit);
	snprintf(limit, sizeof(limit), "%d", LIMIT_MIB << 20);
	write_text(file, limit);
}

static void remove_group(struct group *group)
{
	/* Children were waited for; charges of their files move to the parent.
	 */
	assert_int_equal(rmdir(group->path), 0);
}

/* Writes four times the limit to a file, inside the group, and waits. */
static void press(const struct group *group)
{
	char procs[320], file[64];
	int status;
	pid_t pid;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group->path);
	snprintf(file, sizeof(file), "/tmp/swaptend-bpf-%d", (int)getpid());
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		static char block[1 << 20];
		int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
			      0600);

		memset(block, 'x', sizeof(block));
		write_text(procs, "0");
		for (int i = 0; fd >= 0 && i < 4 * LIMIT_MIB; i++)
			if (write(fd, block, sizeof(block)) < 0)
				_exit(1);
		_exit(fd < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unlink(file);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static struct sense_bpf *open_sense(const struct bpf_options *options)
{
	struct sense_bpf *sense = NULL;
	char error[512] = "";
	int r = sense_open(&sense, options, error, sizeof(error));

	if (r)
		print_error("sense_open: %s\n", error);
	assert_int_equal(r, 0);
	return sense;
}

static uint64_t sum_passes(const struct swt_reclaim *row, int source)
{
	uint64_t sum = 0;

	for (int i = 0; i < SWT_NR_PRIORITIES; i++)
		sum += row->passes[source][i];
	return sum;
}

static uint64_t vmstat(const char *key)
{
	const struct sense_root root = {""};
	char *text = NULL;
	struct count count;

	assert_int_equal(proc_read_file(&root, "/proc/vmstat", &text), 0);
	count = parse_stat_field(text, key);
	free(text);
	assert_true(count.is_known);
	return count.value;
}

/* The counts of one press of `a`, against the kernel's own. */
static void check_counts(bool no_task_storage)
{
	const struct bpf_options options = {
		.interval_ms = 100,
		.max_groups = 64,
		.no_task_storage = no_task_storage,
	};
	struct swt_reclaim all, row;
	uint64_t scanned, stolen, lost[SWT_NR_LOST];
	struct sense_bpf *sense;
	struct group a, b;

	need_hierarchy();
	make_group(&a, "a");
	make_group(&b, "b");
	sense = open_sense(&options);
	scanned = vmstat("pgscan_anon") + vmstat("pgscan_file");
	stolen = vmstat("pgsteal_anon") + vmstat("pgsteal_file");
	press(&a);
	scanned = vmstat("pgscan_anon") + vmstat("pgscan_file") - scanned;
	stolen = vmstat("pgsteal_anon") + vmstat("pgsteal_file") - stolen;

	assert_int_equal(sense_read_group(sense, SWT_SYSTEM_ID, &all), 0);
	assert_int_equal(sense_read_group(sense, a.id, &row), 0);
	/* The kernel counts what the events report, page by page. */
	if (!is_multi_generational())
		assert_int_equal(all.scanned_pages[SWT_ANON] +
					 all.scanned_pages[SWT_FILE],
				 scanned);
	assert_int_equal(all.reclaimed_pages[SWT_ANON] +
				 all.reclaimed_pages[SWT_FILE],
			 stolen);
	/* Three limits' worth of pages had to go, all by the group's limit. */
	assert_true(row.reclaimed_pages[SWT_FILE] >= 2 * LIMIT_MIB * 256);
	assert_true(sum_passes(&row, SWT_MEMCG) > 0);
	assert_int_equal(sum_passes(&row, SWT_KSWAPD), 0);
	assert_true(row.runs[SWT_MEMCG] > 0);
	/* And nobody else's. */
	assert_int_equal(sense_read_group(sense, b.id, &row), -ENOENT);
	assert_int_equal(sense_read_lost(sense, lost), 0);
	for (int i = 0; i < SWT_NR_LOST; i++)
		assert_int_equal(lost[i], 0);
	sense_close(sense);
	remove_group(&a);
	remove_group(&b);
}

static void counts_what_the_kernel_counts_and_for_whom(void **state)
{
	(void)state;
	check_counts(false);
}

static void counts_the_same_without_task_storage(void **state)
{
	(void)state;
	check_counts(true);
}

static void loads_and_attaches_all_but_the_other_variant(void **state)
{
	const struct bpf_options options = {.interval_ms = 100,
					    .max_groups = 64};
	struct sense_bpf *sense;
	const struct bpf_signal *signals;
	unsigned int on = 0, count;

	(void)state;
	if (geteuid()) {
		print_message("not root\n");
		skip();
	}
	sense = open_sense(&options);
	count = sense_signals(sense, &signals);
	assert_int_equal(count, 14);
	for (unsigned int i = 0; i < count; i++) {
		if (signals[i].is_on)
			on++;
		else
			assert_true(!strcmp(signals[i].tracepoint,
					    "mm_vmscan_lru_isolate") ||
				    !strcmp(signals[i].tracepoint,
					    "block_bio_queue"));
	}
	assert_int_equal(on, 12);
	sense_close(sense);
}

static void counts_a_group_that_has_no_row_as_lost(void **state)
{
	const struct bpf_options options = {.interval_ms = 100,
					    .max_groups = 1};
	struct sense_bpf *sense;
	uint64_t lost[SWT_NR_LOST];
	struct swt_reclaim row;
	struct group a, b;

	(void)state;
	need_hierarchy();
	sense = open_sense(&options);
	make_group(&a, "a");
	make_group(&b, "b");
	press(&a);
	press(&b);
	assert_int_equal(sense_read_group(sense, b.id, &row), -ENOENT);
	assert_int_equal(sense_read_group(sense, a.id, &row), 0);
	assert_int_equal(sense_read_lost(sense, lost), 0);
	assert_true(lost[SWT_LOST_GROUP_MAP_FULL] > 0);
	sense_close(sense);
	remove_group(&a);
	remove_group(&b);
}

static bool keep_none(uint64_t id, void *context)
{
	(void)id;
	(void)context;
	return false;
}

static void makes_room_by_dropping_rows_that_nobody_wants(void **state)
{
	const struct bpf_options options = {.interval_ms = 100,
					    .max_groups = 1};
	struct sense_bpf *sense;
	struct swt_reclaim row;
	struct group a, b;

	(void)state;
	need_hierarchy();
	sense = open_sense(&options);
	make_group(&a, "a");
	make_group(&b, "b");
	press(&a);
	sense_drop_groups(sense, keep_none, NULL);
	press(&b);
	assert_int_equal(sense_read_group(sense, a.id, &row), -ENOENT);
	assert_int_equal(sense_read_group(sense, b.id, &row), 0);
	assert_int_equal(sense_read_group(sense, SWT_SYSTEM_ID, &row), 0);
	sense_close(sense);
	remove_group(&a);
	remove_group(&b);
}

static int count_ring(void *context)
{
	(*(unsigned int *)context)++;
	return 0;
}

static void rings_at_most_once_an_interval(void **state)
{
	unsigned int rings = 0;
	const struct bpf_options options = {.interval_ms = 10000,
					    .max_groups = 64,
					    .on_ring = count_ring,
					    .ring_context = &rings};
	struct sense_bpf *sense;
	struct group a;

	(void)state;
	need_hierarchy();
	sense = open_sense(&options);
	make_group(&a, "a");
	press(&a);
	press(&a);
	assert_int_equal(sense_read_ring(sense), 0);
	/* Two presses take far less than the ten seconds. */
	assert_int_equal(rings, 1);
	sense_close(sense);
	remove_group(&a);
}

/* One struct as the BPF object's BTF has it. */
static const struct btf_type *object_struct(const struct btf *btf,
					    const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	assert_true(id > 0);
	return btf__type_by_id(btf, (__u32)id);
}

static unsigned int member_offset(const struct btf *btf,
				  const struct btf_type *type,
				  const char *member)
{
	const struct btf_member *members = btf_members(type);

	for (int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, members[i].name_off),
			    member))
			return members[i].offset / 8;
	fail_msg("the object has no member %s", member);
	return 0;
}

#define SAME_OFFSET(type_, member_)                                       \
	assert_int_equal(                                                 \
		member_offset(btf, object_struct(btf, #type_), #member_), \
		offsetof(struct type_, member_))

static void both_sides_see_the_same_structs(void **state)
{
	struct btf *btf = btf__parse("build/swaptend.bpf.o", NULL);

	(void)state;
	assert_non_null(btf);
	assert_int_equal(object_struct(btf, "swt_reclaim")->size,
			 sizeof(struct swt_reclaim));
	assert_int_equal(object_struct(btf, "swt_law")->size,
			 sizeof(struct swt_law));
	assert_int_equal(object_struct(btf, "swt_cost")->size,
			 sizeof(struct swt_cost));
	SAME_OFFSET(swt_reclaim, passes);
	SAME_OFFSET(swt_reclaim, runs);
	SAME_OFFSET(swt_reclaim, scanned_pages);
	SAME_OFFSET(swt_reclaim, reclaimed_pages);
	SAME_OFFSET(swt_reclaim, activated_pages);
	SAME_OFFSET(swt_reclaim, aged_pages);
	SAME_OFFSET(swt_reclaim, aged_anon_no_swap_pages);
	SAME_OFFSET(swt_reclaim, last_pass_ns);
	SAME_OFFSET(swt_law, abi_version);
	SAME_OFFSET(swt_law, decided_at_ns);
	SAME_OFFSET(swt_law, swappiness);
	SAME_OFFSET(swt_law, foreign_pid);
	SAME_OFFSET(swt_law, swap_in_ns);
	SAME_OFFSET(swt_law, refault_pct);
	SAME_OFFSET(swt_law, law);
	SAME_OFFSET(swt_law, path);
	btf__free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_see_the_same_structs),
		cmocka_unit_test(loads_and_attaches_all_but_the_other_variant),
		cmocka_unit_test(counts_what_the_kernel_counts_and_for_whom),
		cmocka_unit_test(counts_the_same_without_task_storage),
		cmocka_unit_test(counts_a_group_that_has_no_row_as_lost),
		cmocka_unit_test(makes_room_by_dropping_rows_that_nobody_wants),
		cmocka_unit_test(rings_at_most_once_an_interval),
	};

	return cmocka_run_group_tests_name("vmscan", tests, NULL, NULL);
}
