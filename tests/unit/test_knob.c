/* SPDX-License-Identifier: GPL-2.0-only */
/* Knobs: plain files, a cgroup of our own, and files of /proc that refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "act/journal.h"
#include "act/knob.h"
#include "util.h"

#define BASE_DIR "/tmp/swaptend-test-knob-XXXXXX"
#define V1_MEMORY "/sys/fs/cgroup/memory"
#define KILLS 50
/* 11 s in all, where a first write takes long: under emulation. */
#define MAX_KILLS 200

struct fixture {
	char base[sizeof(BASE_DIR)];
	char *dir;
	char *path; /* a plain file that stands for a knob */
	struct journal *journal;
	char *group; /* a cgroup, if the test made one */
};

static char *join(const char *dir, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Not by knob_read(). */
static int get(const char *path)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	int value;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &value), 1);
	return value;
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->base, BASE_DIR);
	if (!mkdtemp(fixture->base))
		return -1;
	fixture->dir = join(fixture->base, "run");
	fixture->path = join(fixture->base, "memory.swappiness");
	put(fixture->path, "60\n");
	*state = fixture;
	return journal_open(&fixture->journal, fixture->dir);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *file = join(fixture->dir, "journal");

	if (fixture->group)
		rmdir(fixture->group);
	free(fixture->group);
	journal_close(fixture->journal);
	unlink(file);
	unlink(fixture->path);
	rmdir(fixture->dir);
	if (rmdir(fixture->base) < 0)
		return -1;
	free(fixture->dir);
	free(fixture->path);
	free(fixture);
	return 0;
}

static struct knob *open_knob(const char *path)
{
	struct knob *knob = NULL;

	assert_int_equal(knob_open(&knob, path), 0);
	return knob;
}

static void apply(struct fixture *fixture, struct knob *knob, int value)
{
	bool did_write = false;
	int found;

	assert_int_equal(
		knob_apply(knob, fixture->journal, value, &did_write, &found),
		0);
	assert_true(did_write);
}

/* As after a crash: the journal is read again from disk. */
static void crash(struct fixture *fixture)
{
	journal_close(fixture->journal);
	assert_int_equal(journal_open(&fixture->journal, fixture->dir), 0);
}

static uint64_t inode(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_ino;
}

static void add_left_over(struct fixture *fixture, int original, int last)
{
	uint64_t id = inode(fixture->path);

	assert_int_equal(
		journal_add(fixture->journal, fixture->path, id, original), 0);
	assert_int_equal(
		journal_intend(fixture->journal, fixture->path, id, last), 0);
}

static enum knob_restored restore_first(struct fixture *fixture)
{
	const struct journal_entry *entry = journal_entry(fixture->journal, 0);
	enum knob_restored outcome;

	assert_non_null(entry);
	assert_int_equal(knob_restore_entry(fixture->journal, entry, &outcome),
			 0);
	return outcome;
}

/* No write gets beyond this many bytes into a file; to be put back. */
static struct rlimit limit_file_size(rlim_t size_bytes)
{
	struct rlimit old, limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = size_bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	return old;
}

/* Its knob; the group goes with the fixture. */
static char *make_group(struct fixture *fixture)
{
	if (geteuid() != 0) {
		print_message("not root: cannot make a cgroup\n");
		skip();
	}
	if (access(V1_MEMORY "/memory.swappiness", F_OK) < 0) {
		print_message("no memory hierarchy of cgroup v1 here\n");
		skip();
	}
	assert_true(asprintf(&fixture->group, V1_MEMORY "/swaptend-test-%d",
			     (int)getpid()) > 0);
	assert_int_equal(mkdir(fixture->group, 0755), 0);
	return join(fixture->group, "memory.swappiness");
}

static void reads_whole_numbers_only(void **state)
{
	static const char *const bad[] = {
		"",	  "\n",	   "x\n",	  "60x\n",
		"6 0\n",  "-1\n",  "99999999999", "60\n5",
		"0x3c\n", " 60\n", "60.0\n",
	};
	static const struct {
		const char *text;
		int value;
	} good[] = {
		{"60\n", 60},
		{"60", 60},
		{"0\n", 0},
		{"200\n", 200},
		{"2147483647\n", 2147483647},
	};
	struct fixture *fixture = *state;
	struct knob *knob = NULL;
	int value = -7;

	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad); i++) {
		put(fixture->path, bad[i]);
		assert_int_equal(knob_open(&knob, fixture->path), -EPROTO);
		assert_null(knob);
	}
	for (size_t i = 0; i < SWT_ARRAY_SIZE(good); i++) {
		put(fixture->path, good[i].text);
		knob = open_knob(fixture->path);
		assert_int_equal(knob_original(knob), good[i].value);
		put(fixture->path, "nonsense");
		assert_int_equal(knob_read(knob, &value), -EPROTO);
		assert_int_equal(value, -7);
		knob_free(knob);
	}
}

static void opens_nothing_but_a_file(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *other = join(fixture->base, "other");
	struct knob *knob = NULL;

	assert_int_equal(knob_open(&knob, other), -ENOENT);
	assert_int_equal(knob_open(&knob, "memory.swappiness"), -EINVAL);
	assert_int_equal(knob_open(&knob, fixture->base), -EINVAL);
	assert_int_equal(symlink(fixture->path, other), 0);
	assert_int_equal(knob_open(&knob, other), -ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_int_equal(knob_open(&knob, other), -EINVAL);
	assert_int_equal(unlink(other), 0);
	assert_null(knob);
}

static void leaves_no_trace_of_a_probe(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);

	assert_int_equal(knob_range_max(knob), 200);
	assert_int_equal(knob_probe_range(knob, fixture->journal), 0);
	assert_int_equal(knob_range_max(knob), 200);
	assert_int_equal(get(fixture->path), 60);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

static void does_not_write_to_probe_a_value_above_100(void **state)
{
	const struct timespec long_ago[2] = {{.tv_sec = 1000},
					     {.tv_sec = 1000}};
	struct fixture *fixture = *state;
	struct knob *knob;
	struct stat status;

	put(fixture->path, "101\n");
	assert_int_equal(utimensat(AT_FDCWD, fixture->path, long_ago, 0), 0);
	knob = open_knob(fixture->path);
	assert_int_equal(knob_probe_range(knob, fixture->journal), 0);
	assert_int_equal(knob_range_max(knob), 200);
	assert_int_equal(stat(fixture->path, &status), 0);
	assert_int_equal(status.st_mtim.tv_sec, 1000);
	knob_free(knob);
}

/* vm.dirty_ratio is 0..100 on every kernel: 200 is refused, not stored. */
static void finds_100_where_the_kernel_refuses_200(void **state)
{
	static const char path[] = "/proc/sys/vm/dirty_ratio";
	struct fixture *fixture = *state;
	struct knob *knob;
	int before;

	if (access(path, W_OK) < 0) {
		print_message("%s cannot be written here\n", path);
		skip();
	}
	before = get(path);
	knob = open_knob(path);
	assert_int_equal(knob_probe_range(knob, fixture->journal), 0);
	assert_int_equal(knob_range_max(knob), 100);
	assert_int_equal(get(path), before);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

static void probes_and_restores_a_real_group(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *path = make_group(fixture);
	struct knob *knob = open_knob(path);
	enum knob_restored outcome;
	int original = get(path), fd = open(path, O_WRONLY | O_CLOEXEC), range;

	/* The kernel's own answer. */
	range = write(fd, "200", 3) == 3 ? 200 : 100;
	assert_true(dprintf(fd, "%d", original) > 0);
	close(fd);
	assert_int_equal(knob_probe_range(knob, fixture->journal), 0);
	assert_int_equal(knob_range_max(knob), range);
	assert_int_equal(get(path), original);
	apply(fixture, knob, 7);
	assert_int_equal(get(path), 7);
	apply(fixture, knob, 1000);
	assert_int_equal(get(path), range);
	assert_int_equal(knob_restore(knob, fixture->journal, &outcome), 0);
	assert_int_equal(outcome, KNOB_RESTORED);
	assert_int_equal(get(path), original);
	apply(fixture, knob, 7);
	assert_int_equal(rmdir(fixture->group), 0);
	assert_int_equal(knob_classify(knob_read(knob, &range)), KNOB_GONE);
	assert_int_equal(knob_restore(knob, fixture->journal, &outcome), 0);
	assert_int_equal(outcome, KNOB_VANISHED);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

static void puts_back_what_an_interrupted_probe_left(void **state)
{
	struct fixture *fixture = *state;

	add_left_over(fixture, 60, 200);
	put(fixture->path, "200\n");
	crash(fixture);
	assert_int_equal(restore_first(fixture), KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 60);
	assert_int_equal(journal_count(fixture->journal), 0);
}

static void writes_within_the_range_and_only_changes(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);
	const struct journal_entry *entry;
	bool did_write = true;
	int found = -7;

	assert_int_equal(
		knob_apply(knob, fixture->journal, 60, &did_write, &found), 0);
	assert_false(did_write);
	assert_int_equal(journal_count(fixture->journal), 0);
	apply(fixture, knob, 201);
	assert_int_equal(get(fixture->path), 200);
	apply(fixture, knob, -1);
	assert_int_equal(get(fixture->path), 0);
	apply(fixture, knob, 5);
	assert_int_equal(get(fixture->path), 5);
	assert_int_equal(found, -7);
	entry = journal_find(fixture->journal, fixture->path,
			     inode(fixture->path));
	assert_non_null(entry);
	assert_int_equal(entry->original, 60);
	assert_int_equal(entry->last, 5);
	assert_int_equal(entry->previous, 0);
	knob_free(knob);
}

static void leaves_a_foreign_value_alone(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);
	enum knob_restored outcome;
	bool did_write = true;
	int found = 0;

	apply(fixture, knob, 80);
	put(fixture->path, "30\n");
	assert_int_equal(
		knob_apply(knob, fixture->journal, 90, &did_write, &found),
		-ESTALE);
	assert_int_equal(found, 30);
	assert_int_equal(get(fixture->path), 30);
	/* Even if it is just what we want. */
	assert_int_equal(
		knob_apply(knob, fixture->journal, 30, &did_write, &found),
		-ESTALE);
	assert_int_equal(knob_restore(knob, fixture->journal, &outcome), 0);
	assert_int_equal(outcome, KNOB_IS_FOREIGN);
	assert_int_equal(get(fixture->path), 30);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

static void makes_a_foreign_value_its_original_when_told(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);
	enum knob_restored outcome;

	apply(fixture, knob, 80);
	put(fixture->path, "30\n");
	assert_int_equal(knob_adopt(knob, fixture->journal), 0);
	assert_int_equal(knob_original(knob), 30);
	apply(fixture, knob, 50);
	assert_int_equal(knob_restore(knob, fixture->journal, &outcome), 0);
	assert_int_equal(outcome, KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 30);
	knob_free(knob);
}

/* ngroups_max is a number that not even root may write. */
static void journals_nothing_where_it_may_not_write(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob("/proc/sys/kernel/ngroups_max");
	bool did_write;
	int found, r;

	r = knob_probe_range(knob, fixture->journal);
	assert_int_equal(knob_classify(r), KNOB_REFUSED);
	r = knob_apply(knob, fixture->journal, 10, &did_write, &found);
	assert_int_equal(knob_classify(r), KNOB_REFUSED);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

/*
 * oom_adj keeps 17ths of a thousand: 1 is taken as 58 and read as 58 * 17 /
 * 1000 = 0.
 */
static void reports_a_value_that_does_not_stay(void **state)
{
	static const char path[] = "/proc/self/oom_adj";
	struct fixture *fixture = *state;
	struct knob *knob;
	bool did_write;
	int found;

	if (access(path, W_OK) < 0 || get(path) != 0) {
		print_message("%s is not there or not 0\n", path);
		skip();
	}
	knob = open_knob(path);
	assert_int_equal(
		knob_apply(knob, fixture->journal, 1, &did_write, &found),
		-EIO);
	knob_free(knob);
}

static void writes_nothing_that_the_journal_cannot_hold(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);
	/* More than the knob needs, less than the journal's header. */
	struct rlimit old = limit_file_size(16);
	bool did_write;
	int found, applied, probed;

	applied = knob_apply(knob, fixture->journal, 80, &did_write, &found);
	probed = knob_probe_range(knob, fixture->journal);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(applied, -EFBIG);
	assert_int_equal(probed, -EFBIG);
	assert_int_equal(get(fixture->path), 60);
	knob_free(knob);
}

static void keeps_the_entry_when_it_cannot_restore(void **state)
{
	struct fixture *fixture = *state;
	enum knob_restored outcome;
	struct rlimit old;
	int r;

	add_left_over(fixture, 60, 80);
	put(fixture->path, "80\n");
	old = limit_file_size(0);
	r = knob_restore_entry(fixture->journal,
			       journal_entry(fixture->journal, 0), &outcome);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(r, -EFBIG);
	crash(fixture);
	assert_int_equal(journal_count(fixture->journal), 1);
	assert_int_equal(restore_first(fixture), KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 60);
}

static void knows_its_value_after_writes_that_failed(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob = open_knob(fixture->path);
	uint64_t id = inode(fixture->path);

	apply(fixture, knob, 80);
	/* 90 was said but did not get there; then 95 is wanted. */
	assert_int_equal(
		journal_intend(fixture->journal, fixture->path, id, 90), 0);
	apply(fixture, knob, 95);
	/* Had we died before that write, the file would hold 80. */
	put(fixture->path, "80\n");
	crash(fixture);
	assert_int_equal(restore_first(fixture), KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 60);
	knob_free(knob);
}

static void says_what_became_of_each_knob(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *other = join(fixture->base, "other");

	/* The last value, and the one before it. */
	add_left_over(fixture, 60, 80);
	put(fixture->path, "80\n");
	assert_int_equal(restore_first(fixture), KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 60);
	add_left_over(fixture, 60, 80);
	assert_int_equal(restore_first(fixture), KNOB_WAS_ORIGINAL);
	add_left_over(fixture, 60, 80);
	put(fixture->path, "81\n");
	assert_int_equal(restore_first(fixture), KNOB_IS_FOREIGN);
	assert_int_equal(get(fixture->path), 81);
	/* Another group under the same name keeps its value. */
	add_left_over(fixture, 60, 80);
	put(other, "80\n");
	assert_int_equal(rename(other, fixture->path), 0);
	assert_int_equal(restore_first(fixture), KNOB_VANISHED);
	assert_int_equal(get(fixture->path), 80);
	add_left_over(fixture, 60, 80);
	assert_int_equal(unlink(fixture->path), 0);
	assert_int_equal(restore_first(fixture), KNOB_VANISHED);
	assert_int_equal(journal_count(fixture->journal), 0);
	crash(fixture);
	assert_int_equal(journal_count(fixture->journal), 0);
}

static void writes_to_no_group_that_took_the_name(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *other = join(fixture->base, "other");
	struct knob *knob = open_knob(fixture->path);
	bool did_write;
	int found;

	put(other, "60\n");
	assert_int_equal(rename(other, fixture->path), 0);
	assert_int_equal(
		knob_apply(knob, fixture->journal, 80, &did_write, &found),
		-ENODEV);
	assert_int_equal(get(fixture->path), 60);
	assert_int_equal(journal_count(fixture->journal), 0);
	knob_free(knob);
}

static void takes_over_the_original_of_a_run_that_died(void **state)
{
	struct fixture *fixture = *state;
	struct knob *knob;
	enum knob_restored outcome;

	add_left_over(fixture, 60, 80);
	put(fixture->path, "80\n");
	crash(fixture);
	knob = open_knob(fixture->path);
	assert_int_equal(knob_probe_range(knob, fixture->journal), 0);
	assert_int_equal(knob_original(knob), 60);
	assert_int_equal(get(fixture->path), 80);
	apply(fixture, knob, 90);
	assert_int_equal(knob_restore(knob, fixture->journal, &outcome), 0);
	assert_int_equal(outcome, KNOB_RESTORED);
	assert_int_equal(get(fixture->path), 60);
	knob_free(knob);
}

/* procfs makes the inode number up anew when its cache was dropped. */
static void knows_a_sysctl_by_its_path_alone(void **state)
{
	static const char path[] = "/proc/sys/vm/swappiness";
	struct fixture *fixture = *state;
	int now = get(path);
	uint64_t other_id = inode(path) + 1;

	assert_int_equal(journal_add(fixture->journal, path, other_id, now), 0);
	assert_int_equal(restore_first(fixture), KNOB_WAS_ORIGINAL);
	/* Neither: 201 and 202 cannot be there. */
	assert_int_equal(journal_add(fixture->journal, path, other_id, 201), 0);
	assert_int_equal(journal_intend(fixture->journal, path, other_id, 202),
			 0);
	assert_int_equal(restore_first(fixture), KNOB_IS_FOREIGN);
	assert_int_equal(get(path), now);
}

/* Controls the knob until it is killed; tells by a byte that it begins. */
static _Noreturn void control(const char *dir, const char *path, int ready_fd)
{
	struct journal *journal;
	struct knob *knob;
	bool did_write;
	int found;

	if (journal_open(&journal, dir) || knob_open(&knob, path) ||
	    write(ready_fd, "r", 1) != 1)
		_exit(1);
	if (knob_probe_range(knob, journal))
		_exit(2);
	for (int value = 0;; value = (value + 7) % 101)
		if (knob_apply(knob, journal, value, &did_write, &found))
			_exit(3);
}

/* Returns whether the knob was found changed. */
static bool kill_and_restore(struct fixture *fixture, const char *path,
			     useconds_t after_us)
{
	int original = get(path), ready[2], status;
	enum knob_restored outcome = KNOB_WAS_ORIGINAL;
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		control(fixture->dir, path, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	usleep(after_us);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	crash(fixture);
	assert_true(journal_count(fixture->journal) <= 1);
	if (journal_count(fixture->journal))
		outcome = restore_first(fixture);
	assert_true(outcome == KNOB_RESTORED || outcome == KNOB_WAS_ORIGINAL);
	assert_int_equal(get(path), original);
	return outcome == KNOB_RESTORED;
}

static void kill_often(struct fixture *fixture, const char *path)
{
	unsigned int changed = 0;

	/* Any moment will do: from within the probe to many writes later. */
	for (unsigned int i = 0; i < KILLS || (!changed && i < MAX_KILLS); i++)
		changed += kill_and_restore(fixture, path, i * i * 4);
	/* 100 of 101 values differ from the original. */
	assert_true(changed > 0);
}

static void comes_back_whenever_it_is_killed(void **state)
{
	struct fixture *fixture = *state;

	kill_often(fixture, fixture->path);
}

static void comes_back_whenever_it_is_killed_in_a_real_group(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *path = make_group(fixture);

	kill_often(fixture, path);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(reads_whole_numbers_only),
		CASE(opens_nothing_but_a_file),
		CASE(leaves_no_trace_of_a_probe),
		CASE(does_not_write_to_probe_a_value_above_100),
		CASE(finds_100_where_the_kernel_refuses_200),
		CASE(probes_and_restores_a_real_group),
		CASE(puts_back_what_an_interrupted_probe_left),
		CASE(writes_within_the_range_and_only_changes),
		CASE(leaves_a_foreign_value_alone),
		CASE(makes_a_foreign_value_its_original_when_told),
		CASE(journals_nothing_where_it_may_not_write),
		CASE(reports_a_value_that_does_not_stay),
		CASE(writes_nothing_that_the_journal_cannot_hold),
		CASE(keeps_the_entry_when_it_cannot_restore),
		CASE(knows_its_value_after_writes_that_failed),
		CASE(says_what_became_of_each_knob),
		CASE(writes_to_no_group_that_took_the_name),
		CASE(takes_over_the_original_of_a_run_that_died),
		CASE(knows_a_sysctl_by_its_path_alone),
		CASE(comes_back_whenever_it_is_killed),
		CASE(comes_back_whenever_it_is_killed_in_a_real_group),
	};

	return cmocka_run_group_tests_name("knob", tests, NULL, NULL);
}
