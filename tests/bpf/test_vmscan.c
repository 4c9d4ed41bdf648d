/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reclaim programs in the running kernel: what they count is held against
 * the kernel's own counters, on real reclaim in limited cgroups of our own.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <bpf/bpf.h>
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

/* What a case has made, and what goes with it however it ends. */
static struct {
	struct sense_bpf *sense;
	struct group groups[2];
	volatile sig_atomic_t group_count;
	volatile pid_t child;
	char file[64];
} made;

/* Only what a signal handler may do. */
static bool clean_up(void)
{
	static const struct timespec pause = {.tv_nsec = 10000000};
	bool is_clean = true;

	if (made.child > 0) {
		kill(made.child, SIGKILL);
		waitpid(made.child, NULL, 0);
		made.child = 0;
	}
	if (*made.file)
		unlink(made.file);
	/* Charges of files move to the parent; the last task may linger. */
	for (int i = 0; i < made.group_count; i++) {
		int tries = 500;

		while (rmdir(made.groups[i].path) && errno == EBUSY && --tries)
			nanosleep(&pause, NULL);
		is_clean = is_clean && access(made.groups[i].path, F_OK);
	}
	made.group_count = 0;
	return is_clean;
}

static void on_signal(int number)
{
	(void)clean_up(); /* as well as it can */
	_exit(128 + number);
}

static int tear_down(void **state)
{
	(void)state;
	sense_close(made.sense);
	made.sense = NULL;
	return clean_up() ? 0 : -1;
}

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

static const struct group *make_group(const char *name)
{
	const struct hierarchy *hierarchy = find_hierarchy();
	struct group *group = &made.groups[made.group_count];
	char file[320], limit[32];
	struct stat st;

	assert_in_range(made.group_count, 0, SWT_ARRAY_SIZE(made.groups) - 1);
	snprintf(group->path, sizeof(group->path), "%s/swaptend-bpf-%d-%s",
		 hierarchy->mount, (int)getpid(), name);
	made.group_count++;
	assert_int_equal(mkdir(group->path, 0755), 0);
	assert_int_equal(stat(group->path, &st), 0);
	group->id = st.st_ino;
	snprintf(file, sizeof(file), "%s/%s", group->path, hierarchy->limit);
	snprintf(limit, sizeof(limit), "%d", LIMIT_MIB << 20);
	write_text(file, limit);
	return group;
}

/* Writes four times the limit to a file, inside the group, and waits. */
static void press(const struct group *group)
{
	char procs[320];
	int status;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group->path);
	snprintf(made.file, sizeof(made.file), "/tmp/swaptend-bpf-%d",
		 (int)getpid());
	made.child = fork();
	assert_true(made.child >= 0);
	if (!made.child) {
		static char block[1 << 20];
		int fd = open(made.file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
			      0600);

		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		memset(block, 'x', sizeof(block));
		write_text(procs, "0");
		for (int i = 0; fd >= 0 && i < 4 * LIMIT_MIB; i++)
			if (write(fd, block, sizeof(block)) < 0)
				_exit(1);
		_exit(fd < 0);
	}
	assert_int_equal(waitpid(made.child, &status, 0), made.child);
	made.child = 0;
	unlink(made.file);
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
	made.sense = sense;
	return sense;
}

/* A map of the object that this process has loaded, by its descriptor. */
static int own_map(const char *name, uint32_t *ret_rows)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct bpf_map_info info = {0};
		__u32 size = sizeof(info);
		char link[64], kind[32] = "";

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, kind, sizeof(kind) - 1) < 0 ||
		    strcmp(kind, "anon_inode:bpf-map") ||
		    bpf_obj_get_info_by_fd(fd, &info, &size) ||
		    strcmp(info.name, name))
			continue;
		*ret_rows = info.max_entries;
		return fd;
	}
	fail_msg("no map %s", name);
	return -1;
}

/* Rows of groups that are none, until not one more fits. */
static void fill_reclaim(void)
{
	uint32_t rows;
	int fd = own_map("reclaim", &rows), r = 0;
	struct swt_reclaim *row_by_cpu =
		calloc((size_t)libbpf_num_possible_cpus(), sizeof(*row_by_cpu));
	uint64_t id = 1ULL << 63;

	assert_non_null(row_by_cpu);
	for (uint32_t i = 0; i <= rows && !r; i++, id++)
		r = bpf_map_update_elem(fd, &id, row_by_cpu, BPF_NOEXIST);
	free(row_by_cpu);
	assert_int_equal(r, -E2BIG);
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

/* Of both kinds, by the kernel. */
struct pages {
	uint64_t scanned, stolen;
};

static struct pages pages_of_vmstat(void)
{
	return (struct pages){vmstat("pgscan_anon") + vmstat("pgscan_file"),
			      vmstat("pgsteal_anon") + vmstat("pgsteal_file")};
}

static struct pages pages_of(const struct swt_reclaim *row)
{
	return (struct pages){
		row->scanned_pages[SWT_ANON] + row->scanned_pages[SWT_FILE],
		row->reclaimed_pages[SWT_ANON] + row->reclaimed_pages[SWT_FILE],
	};
}

/*
 * Page by page, if nobody but the group reclaimed.  What others did may have
 * been before or after the kernel's counters were read, or halfway done.
 */
static void assert_counted(uint64_t all, uint64_t own, uint64_t by_kernel)
{
	uint64_t slack = all > own ? all - own + 1024 : 0;

	assert_in_range(by_kernel, all > slack ? all - slack : 0, all + slack);
	assert_true(all >= own);
}

/* But samples of I/O, of which there may be more than room on any machine. */
static void assert_nothing_lost(struct sense_bpf *sense)
{
	uint64_t lost[SWT_NR_LOST];

	assert_int_equal(sense_read_lost(sense, lost), 0);
	for (int i = 0; i < SWT_NR_LOST; i++)
		if (i != SWT_LOST_IO_SLOT && i != SWT_LOST_COST_MAP_FULL)
			assert_int_equal(lost[i], 0);
}

/* The counts of one press of `a`, against the kernel's own. */
static void check_counts(bool no_task_storage)
{
	const struct bpf_options options = {
		.interval_ms = 100,
		.max_groups = 1024,
		.no_task_storage = no_task_storage,
	};
	const struct group *a, *b;
	struct swt_reclaim all, row;
	struct pages before, after;
	struct sense_bpf *sense;

	need_hierarchy();
	a = make_group("a");
	b = make_group("b");
	sense = open_sense(&options);
	before = pages_of_vmstat();
	press(a);
	after = pages_of_vmstat();

	assert_int_equal(sense_read_group(sense, a->id, &row), 0);
	assert_int_equal(sense_read_group(sense, SWT_SYSTEM_ID, &all), 0);
	if (!is_multi_generational())
		assert_counted(pages_of(&all).scanned, pages_of(&row).scanned,
			       after.scanned - before.scanned);
	assert_counted(pages_of(&all).stolen, pages_of(&row).stolen,
		       after.stolen - before.stolen);
	/* Three limits' worth of pages had to go, all by the group's limit. */
	assert_true(row.reclaimed_pages[SWT_FILE] >= 2 * LIMIT_MIB * 256);
	assert_true(sum_passes(&row, SWT_MEMCG) > 0);
	assert_int_equal(sum_passes(&row, SWT_KSWAPD), 0);
	assert_true(row.runs[SWT_MEMCG] > 0);
	/* And nobody else's. */
	assert_int_equal(sense_read_group(sense, b->id, &row), -ENOENT);
	assert_nothing_lost(sense);
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
	assert_int_equal(count, 22);
	for (unsigned int i = 0; i < count; i++) {
		/* zswap's; attached when it is on. */
		if (signals[i].is_function)
			continue;
		if (signals[i].is_on)
			on++;
		else
			assert_true(!strcmp(signals[i].tracepoint,
					    "mm_vmscan_lru_isolate") ||
				    !strcmp(signals[i].tracepoint,
					    "block_bio_queue"));
	}
	assert_int_equal(on, 12);
}

/* Others may reclaim, too: so many rows that each finds one, until full. */
static const struct bpf_options many_rows = {.interval_ms = 100,
					     .max_groups = 256};

static void counts_a_group_that_has_no_row_as_lost(void **state)
{
	const struct group *a, *b;
	struct sense_bpf *sense;
	uint64_t lost[SWT_NR_LOST];
	struct swt_reclaim row;

	(void)state;
	need_hierarchy();
	sense = open_sense(&many_rows);
	a = make_group("a");
	b = make_group("b");
	press(a);
	assert_int_equal(sense_read_lost(sense, lost), 0);
	assert_int_equal(lost[SWT_LOST_GROUP_MAP_FULL], 0);
	fill_reclaim();
	press(b);
	assert_int_equal(sense_read_group(sense, b->id, &row), -ENOENT);
	assert_int_equal(sense_read_group(sense, a->id, &row), 0);
	assert_int_equal(sense_read_lost(sense, lost), 0);
	assert_true(lost[SWT_LOST_GROUP_MAP_FULL] > 0);
}

static bool keep_none(uint64_t id, void *context)
{
	(void)id;
	(void)context;
	return false;
}

static void makes_room_by_dropping_rows_that_nobody_wants(void **state)
{
	const struct group *a, *b;
	struct sense_bpf *sense;
	struct swt_reclaim row;

	(void)state;
	need_hierarchy();
	sense = open_sense(&many_rows);
	a = make_group("a");
	b = make_group("b");
	press(a);
	fill_reclaim();
	sense_drop_groups(sense, keep_none, NULL);
	press(b);
	assert_int_equal(sense_read_group(sense, a->id, &row), -ENOENT);
	assert_int_equal(sense_read_group(sense, b->id, &row), 0);
	assert_int_equal(sense_read_group(sense, SWT_SYSTEM_ID, &row), 0);
}

static bool has_cost(struct sense_bpf *sense, uint32_t dev)
{
	static struct sense_cost rows[SENSE_MAX_COSTS];
	unsigned int count;
	bool is_there = false;

	assert_int_equal(sense_read_costs(sense, rows, &count), 0);
	while (count--)
		is_there = is_there || rows[count].dev == dev;
	return is_there;
}

static void forgets_the_cost_of_one_device(void **state)
{
	struct sense_bpf *sense;
	struct swt_cost *row_by_cpu;
	/* 511:1 and 511:2, which no driver has (Documentation/devices.txt) */
	uint32_t gone = 511 << 20 | 1, there = 511 << 20 | 2, rows;
	int fd;

	(void)state;
	need_hierarchy();
	sense = open_sense(&many_rows);
	fd = own_map("cost", &rows);
	assert_int_equal(rows, SENSE_MAX_COSTS);
	row_by_cpu =
		calloc((size_t)libbpf_num_possible_cpus(), sizeof(*row_by_cpu));
	assert_non_null(row_by_cpu);
	assert_int_equal(bpf_map_update_elem(fd, &gone, row_by_cpu, 0), 0);
	assert_int_equal(bpf_map_update_elem(fd, &there, row_by_cpu, 0), 0);
	free(row_by_cpu);
	assert_true(has_cost(sense, gone));
	sense_forget_cost(sense, gone);
	assert_false(has_cost(sense, gone));
	assert_true(has_cost(sense, there));
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
	const struct group *a;
	struct sense_bpf *sense;

	(void)state;
	need_hierarchy();
	sense = open_sense(&options);
	a = make_group("a");
	press(a);
	press(a);
	assert_int_equal(sense_read_ring(sense), 0);
	/* Two presses take far less than the ten seconds. */
	assert_int_equal(rings, 1);
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

#define CASE(f) cmocka_unit_test_teardown(f, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_see_the_same_structs),
		CASE(loads_and_attaches_all_but_the_other_variant),
		CASE(counts_what_the_kernel_counts_and_for_whom),
		CASE(counts_the_same_without_task_storage),
		CASE(counts_a_group_that_has_no_row_as_lost),
		CASE(makes_room_by_dropping_rows_that_nobody_wants),
		CASE(forgets_the_cost_of_one_device),
		CASE(rings_at_most_once_an_interval),
	};

	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	return cmocka_run_group_tests_name("vmscan", tests, NULL, NULL);
}
