/* SPDX-License-Identifier: GPL-2.0-only */
/* The journal on real files: cut, damaged, foreign, full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "act/journal.h"
#include "util.h"

#define NAMES "tests/fixtures/cgroup-names.txt"
#define BASE_DIR "/tmp/swaptend-test-journal-XXXXXX"

struct fixture {
	char base[sizeof(BASE_DIR)];
	char *dir; /* the journal's, below base; not made yet */
	char *file;
	char *lock;
};

static char *join(const char *dir, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->base, BASE_DIR);
	if (!mkdtemp(fixture->base))
		return -1;
	fixture->dir = join(fixture->base, "run");
	fixture->file = join(fixture->dir, "journal");
	fixture->lock = join(fixture->dir, "lock");
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->file);
	unlink(fixture->lock);
	rmdir(fixture->dir);
	unlink(fixture->dir);
	/* Fails if a test left anything else, a temporary file say. */
	if (rmdir(fixture->base) < 0)
		return -1;
	free(fixture->dir);
	free(fixture->file);
	free(fixture->lock);
	free(fixture);
	return 0;
}

static struct journal *open_journal(const struct fixture *fixture)
{
	struct journal *journal = NULL;

	assert_int_equal(journal_open(&journal, fixture->dir), 0);
	return journal;
}

static size_t slurp(const char *path, char **ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	*ret = calloc(1, (size_t)status.st_size + 1);
	assert_int_equal(read(fd, *ret, (size_t)status.st_size),
			 status.st_size);
	close(fd);
	return (size_t)status.st_size;
}

static void spew(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	close(fd);
}

static void assert_entry(const struct journal *journal, unsigned int index,
			 const char *path, uint64_t file_id, int original,
			 int last, int previous)
{
	const struct journal_entry *entry = journal_entry(journal, index);

	assert_non_null(entry);
	assert_string_equal(entry->path, path);
	assert_int_equal(entry->file_id, file_id);
	assert_int_equal(entry->original, original);
	assert_int_equal(entry->last, last);
	assert_int_equal(entry->previous, previous);
}

/* The textbook CRC-32, apart from the one under test. */
static uint32_t crc32_of(const char *text, size_t length)
{
	uint32_t table[256], crc = 0xffffffff;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320
						: table[i] >> 1;
	}
	for (size_t i = 0; i < length; i++)
		crc = table[(crc ^ (unsigned char)text[i]) & 255] ^ crc >> 8;
	return crc ^ 0xffffffff;
}

static void keeps_entries_in_order_across_a_crash(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_count(journal), 0);
	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_add(journal, "/b", UINT64_MAX, 30), 0);
	assert_int_equal(journal_add(journal, "/c", 3, 0), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 70), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 80), 0);
	assert_int_equal(journal_intend(journal, "/b", UINT64_MAX, 200), 0);
	journal_close(journal);
	journal = open_journal(*state);
	assert_int_equal(journal_count(journal), 3);
	assert_entry(journal, 0, "/a", 1, 60, 80, 70);
	assert_entry(journal, 1, "/b", UINT64_MAX, 30, 200, 30);
	assert_entry(journal, 2, "/c", 3, 0, 0, 0);
	assert_null(journal_entry(journal, 3));
	journal_close(journal);
}

static void forgets_an_entry_for_good(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_add(journal, "/b", 2, 30), 0);
	assert_int_equal(journal_forget(journal, "/a", 1), 0);
	assert_int_equal(journal_forget(journal, "/a", 1), -ENOENT);
	assert_int_equal(journal_intend(journal, "/a", 1, 9), -ENOENT);
	assert_null(journal_find(journal, "/a", 1));
	assert_entry(journal, 0, "/b", 2, 30, 30, 30);
	journal_close(journal);
	journal = open_journal(*state);
	assert_int_equal(journal_count(journal), 1);
	assert_entry(journal, 0, "/b", 2, 30, 30, 30);
	journal_close(journal);
}

static void tells_a_recreated_group_from_the_old_one(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_add(journal, "/a", 2, 10), 0);
	assert_int_equal(journal_count(journal), 2);
	assert_null(journal_find(journal, "/a", 3));
	assert_int_equal(journal_find(journal, "/a", 1)->original, 60);
	assert_int_equal(journal_find(journal, "/a", 2)->original, 10);
	journal_close(journal);
}

static void takes_a_new_original_when_added_again(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 80), 0);
	assert_int_equal(journal_add(journal, "/a", 1, 30), 0);
	assert_entry(journal, 0, "/a", 1, 30, 30, 30);
	journal_close(journal);
	journal = open_journal(*state);
	assert_int_equal(journal_count(journal), 1);
	assert_entry(journal, 0, "/a", 1, 30, 30, 30);
	journal_close(journal);
}

static void keeps_the_previous_value_when_one_is_said_twice(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 70), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 80), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 80), 0);
	assert_entry(journal, 0, "/a", 1, 60, 80, 70);
	journal_close(journal);
}

static void refuses_a_relative_path_and_a_negative_value(void **state)
{
	struct journal *journal = open_journal(*state);

	assert_int_equal(journal_add(journal, "a", 1, 60), -EINVAL);
	assert_int_equal(journal_add(journal, "", 1, 60), -EINVAL);
	assert_int_equal(journal_add(journal, "/a", 1, -1), -EINVAL);
	assert_int_equal(journal_count(journal), 0);
	journal_close(journal);
}

/* Three knobs, one intent and one forgotten: six lines with the header. */
static void fill(const struct fixture *fixture)
{
	struct journal *journal = open_journal(fixture);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 70), 0);
	assert_int_equal(journal_add(journal, "/b b", 2, 30), 0);
	assert_int_equal(journal_forget(journal, "/a", 1), 0);
	assert_int_equal(journal_add(journal, "/c", 3, 10), 0);
	journal_close(journal);
}

/* What fill() had made when `lines` of its lines were whole. */
static void assert_filled_to(const struct fixture *fixture, unsigned int lines)
{
	static const unsigned int counts[] = {0, 0, 1, 1, 2, 1, 2};
	struct journal *journal = open_journal(fixture);

	assert_true(lines < SWT_ARRAY_SIZE(counts));
	assert_int_equal(journal_count(journal), counts[lines]);
	if (lines == 2)
		assert_entry(journal, 0, "/a", 1, 60, 60, 60);
	if (lines == 3 || lines == 4)
		assert_entry(journal, 0, "/a", 1, 60, 70, 60);
	if (lines == 4)
		assert_entry(journal, 1, "/b b", 2, 30, 30, 30);
	if (lines >= 5)
		assert_entry(journal, 0, "/b b", 2, 30, 30, 30);
	if (lines == 6)
		assert_entry(journal, 1, "/c", 3, 10, 10, 10);
	/* What is added behind the damage counts. */
	assert_int_equal(journal_add(journal, "/new", 9, 99), 0);
	journal_close(journal);
	journal = open_journal(fixture);
	assert_int_equal(journal_count(journal), counts[lines] + 1);
	assert_entry(journal, counts[lines], "/new", 9, 99, 99, 99);
	journal_close(journal);
}

static unsigned int count_lines(const char *text, size_t size)
{
	unsigned int lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	return lines;
}

static void loads_what_came_before_a_cut_at_every_byte(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *text = NULL;
	size_t size;

	fill(fixture);
	size = slurp(fixture->file, &text);
	assert_int_equal(count_lines(text, size), 6);
	for (size_t cut = 0; cut <= size; cut++) {
		spew(fixture->file, text, cut);
		assert_filled_to(fixture, count_lines(text, cut));
	}
}

static void loads_what_came_before_a_flipped_bit_of_every_byte(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *text = NULL;
	size_t size;

	fill(fixture);
	size = slurp(fixture->file, &text);
	for (size_t at = 0; at < size; at++) {
		unsigned int whole = count_lines(text, at);

		/* The eight bits in turn, along the file. */
		text[at] ^= (char)(1 << at % 8);
		spew(fixture->file, text, size);
		assert_filled_to(fixture, whole);
		text[at] ^= (char)(1 << at % 8);
		/* The case of a hex digit. */
		text[at] ^= 0x20;
		spew(fixture->file, text, size);
		assert_filled_to(fixture, whole);
		text[at] ^= 0x20;
	}
}

static void voids_the_journal_of_another_boot(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *text = NULL, *old = NULL, *changed = NULL;
	struct journal *journal;
	char *line_end;
	size_t size, body;

	assert_int_equal(crc32_of("123456789", 9), 0xcbf43926);
	fill(fixture);
	size = slurp(fixture->file, &text);
	old = strdup(text);
	line_end = strchr(text, '\n');
	/* The last digit of the boot id; then a checksum that fits it. */
	body = (size_t)(line_end - text) - 9;
	text[body - 1] = text[body - 1] == '0' ? '1' : '0';
	assert_true(asprintf(&changed, "%.*s %08" PRIx32 "%s", (int)body, text,
			     crc32_of(text, body), line_end) > 0);
	assert_int_equal(strlen(changed), size);
	spew(fixture->file, changed, size);
	journal = open_journal(fixture);
	assert_int_equal(journal_count(journal), 0);
	journal_close(journal);
	/* Replaced on disk too, by this boot's header alone. */
	free(TAKE_PTR(text));
	size = slurp(fixture->file, &text);
	assert_int_equal(count_lines(text, size), 1);
	assert_memory_equal(text, old, size);
}

static void escapes_every_name_a_group_may_have(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_fclose_ FILE *names = fopen(NAMES, "re");
	_cleanup_free_ char *line = NULL, *text = NULL;
	char *paths[32];
	unsigned int count = 0;
	size_t room = 0, size;
	struct journal *journal = open_journal(fixture);

	assert_non_null(names);
	while (getline(&line, &room, names) > 0) {
		line[strcspn(line, "\n")] = '\0';
		paths[count++] = strdup(line);
	}
	assert_int_equal(count, 11);
	paths[count++] = strdup("/tenants/new\nline\r\\x41\x7f\x01'\xff");
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(journal_add(journal, paths[i], i, (int)i), 0);
	journal_close(journal);
	size = slurp(fixture->file, &text);
	assert_int_equal(count_lines(text, size), count + 1);
	journal = open_journal(fixture);
	assert_int_equal(journal_count(journal), count);
	for (unsigned int i = 0; i < count; i++) {
		assert_entry(journal, i, paths[i], i, (int)i, (int)i, (int)i);
		free(paths[i]);
	}
	journal_close(journal);
}

static void stays_small_when_much_is_written(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = open_journal(fixture);
	struct stat status;
	ino_t first;
	bool was_replaced = false;

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_add(journal, "/b", 2, 30), 0);
	assert_int_equal(stat(fixture->file, &status), 0);
	first = status.st_ino;
	for (int i = 0; i < 5000; i++) {
		assert_int_equal(journal_intend(journal, "/a", 1, i % 200), 0);
		assert_int_equal(stat(fixture->file, &status), 0);
		assert_true(status.st_size <= 65536 + 64);
		was_replaced |= status.st_ino != first;
	}
	assert_true(was_replaced);
	journal_close(journal);
	journal = open_journal(fixture);
	/* 4999 % 200, and the one before. */
	assert_entry(journal, 0, "/a", 1, 60, 199, 198);
	assert_entry(journal, 1, "/b", 2, 30, 30, 30);
	journal_close(journal);
}

static void says_so_when_the_disk_takes_no_more(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = open_journal(fixture);
	struct rlimit limit, old;
	struct stat status;
	off_t size;

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(stat(fixture->file, &status), 0);
	size = status.st_size;
	/* Half a line fits: a full disk as near as a process can have it. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = (rlim_t)size + 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(journal_intend(journal, "/a", 1, 80), -EFBIG);
	assert_int_equal(journal_add(journal, "/b", 2, 30), -EFBIG);
	assert_int_equal(journal_forget(journal, "/a", 1), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(stat(fixture->file, &status), 0);
	assert_int_equal(status.st_size, size);
	assert_int_equal(journal_count(journal), 1);
	assert_entry(journal, 0, "/a", 1, 60, 60, 60);
	/* And works again when there is room. */
	assert_int_equal(journal_intend(journal, "/a", 1, 90), 0);
	journal_close(journal);
	journal = open_journal(fixture);
	assert_int_equal(journal_count(journal), 1);
	assert_entry(journal, 0, "/a", 1, 60, 90, 60);
	journal_close(journal);
}

static void makes_its_directory_and_file_private(void **state)
{
	struct fixture *fixture = *state;
	mode_t mask = umask(0);
	struct journal *journal = open_journal(fixture);
	struct stat status;

	umask(mask);
	assert_int_equal(stat(fixture->dir, &status), 0);
	assert_int_equal(status.st_mode, S_IFDIR | 0700);
	assert_int_equal(stat(fixture->file, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
	journal_close(journal);
}

static void refuses_a_symlink_in_place_of_the_file(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *victim = join(fixture->base, "victim");
	_cleanup_free_ char *text = NULL;
	struct journal *journal = NULL;
	int fd, pid;

	spew(victim, "precious\n", 9);
	assert_int_equal(mkdir(fixture->dir, 0700), 0);
	assert_int_equal(symlink(victim, fixture->file), 0);
	assert_int_equal(symlink(victim, fixture->lock), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -ELOOP);
	assert_null(journal);
	assert_int_equal(journal_lock(fixture->dir, &fd, &pid), -ELOOP);
	slurp(victim, &text);
	assert_string_equal(text, "precious\n");
	assert_int_equal(unlink(victim), 0);
}

static void refuses_a_symlink_in_place_of_the_directory(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = NULL;

	assert_int_equal(symlink(fixture->base, fixture->dir), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -ENOTDIR);
	assert_null(journal);
}

static void refuses_what_others_may_write(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = NULL;
	int fd, pid;

	assert_int_equal(mkdir(fixture->dir, 0700), 0);
	assert_int_equal(chmod(fixture->dir, 01777), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -EPERM);
	assert_int_equal(journal_lock(fixture->dir, &fd, &pid), -EPERM);
	assert_int_equal(chmod(fixture->dir, 0770), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -EPERM);
	assert_int_equal(chmod(fixture->dir, 0755), 0);
	spew(fixture->file, "", 0);
	assert_int_equal(chmod(fixture->file, 0622), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -EPERM);
	assert_null(journal);
}

static void refuses_a_directory_of_somebody_else(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = NULL;

	if (geteuid() != 0) {
		print_message("not root: cannot give a directory away\n");
		skip();
	}
	assert_int_equal(mkdir(fixture->dir, 0700), 0);
	assert_int_equal(chown(fixture->dir, 65534, 65534), 0);
	assert_int_equal(journal_open(&journal, fixture->dir), -EPERM);
	assert_null(journal);
}

static void replaces_a_temporary_file_of_a_crash(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *left = join(fixture->dir, "journal.new");
	struct journal *journal;

	assert_int_equal(mkdir(fixture->dir, 0700), 0);
	assert_int_equal(symlink("/nonexistent", left), 0);
	journal = open_journal(fixture);
	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	journal_close(journal);
	assert_int_equal(access(left, F_OK), -1);
}

static void removes_the_file_only_when_nothing_is_left(void **state)
{
	struct fixture *fixture = *state;
	struct journal *journal = open_journal(fixture);

	assert_int_equal(journal_add(journal, "/a", 1, 60), 0);
	assert_int_equal(journal_finish(journal), 0);
	assert_int_equal(access(fixture->file, F_OK), 0);
	assert_int_equal(journal_forget(journal, "/a", 1), 0);
	assert_int_equal(journal_finish(journal), 0);
	assert_int_equal(access(fixture->file, F_OK), -1);
	/* Made again when it is needed after all. */
	assert_int_equal(journal_add(journal, "/b", 2, 30), 0);
	journal_close(journal);
	journal = open_journal(fixture);
	assert_int_equal(journal_count(journal), 1);
	assert_entry(journal, 0, "/b", 2, 30, 30, 30);
	journal_close(journal);
}

/* Holds the lock until the pipe is closed. */
static pid_t start_holder(const char *dir, int *ret_pipe)
{
	int ready[2], stop[2], fd, pid;
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(stop), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(stop[1]);
		if (journal_lock(dir, &fd, &pid) ||
		    write(ready[1], "r", 1) != 1)
			_exit(1);
		_exit((int)read(stop[0], &byte, 1));
	}
	close(ready[1]);
	close(stop[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_pipe = stop[1];
	return child;
}

static void names_the_holder_to_the_second_locker(void **state)
{
	struct fixture *fixture = *state;
	int holder_pipe, fd = -1, pid = -1, status;
	pid_t child = start_holder(fixture->dir, &holder_pipe);

	assert_int_equal(journal_lock(fixture->dir, &fd, &pid), -EBUSY);
	assert_int_equal(pid, child);
	assert_int_equal(fd, -1);
	/* A pid that is no pid is none. */
	spew(fixture->lock, "12x\n", 4);
	assert_int_equal(journal_lock(fixture->dir, &fd, &pid), -EBUSY);
	assert_int_equal(pid, 0);
	/* However it ends, the lock is free. */
	spew(fixture->lock, "999999999\n", 10);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(holder_pipe);
	assert_int_equal(journal_lock(fixture->dir, &fd, &pid), 0);
	assert_true(fd >= 0);
	close(fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(keeps_entries_in_order_across_a_crash),
		CASE(forgets_an_entry_for_good),
		CASE(tells_a_recreated_group_from_the_old_one),
		CASE(takes_a_new_original_when_added_again),
		CASE(keeps_the_previous_value_when_one_is_said_twice),
		CASE(refuses_a_relative_path_and_a_negative_value),
		CASE(loads_what_came_before_a_cut_at_every_byte),
		CASE(loads_what_came_before_a_flipped_bit_of_every_byte),
		CASE(voids_the_journal_of_another_boot),
		CASE(escapes_every_name_a_group_may_have),
		CASE(stays_small_when_much_is_written),
		CASE(says_so_when_the_disk_takes_no_more),
		CASE(makes_its_directory_and_file_private),
		CASE(refuses_a_symlink_in_place_of_the_file),
		CASE(refuses_a_symlink_in_place_of_the_directory),
		CASE(refuses_what_others_may_write),
		CASE(refuses_a_directory_of_somebody_else),
		CASE(replaces_a_temporary_file_of_a_crash),
		CASE(removes_the_file_only_when_nothing_is_left),
		CASE(names_the_holder_to_the_second_locker),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
