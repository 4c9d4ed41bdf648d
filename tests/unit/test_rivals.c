/* SPDX-License-Identifier: GPL-2.0-only */
/* Foreign writers: real processes writing plain files and real knobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "act/rivals.h"
#include "util.h"

#define BASE_DIR "/tmp/swaptend-test-rivals-XXXXXX"
#define V1_MEMORY "/sys/fs/cgroup/memory"
#define SYSCTL "/proc/sys/vm/swappiness"
#define QUEUE_MAX "/proc/sys/fs/inotify/max_queued_events"
#define NOBODY 65534

/* Longer than a comm may be: the kernel keeps 15 bytes. */
#define WRITER_NAME "rival writer 1234"
#define WRITER_COMM "rival writer 12"

struct fixture {
	char base[sizeof(BASE_DIR)];
	char *path;
	char *other;
	char *group; /* a cgroup, if the test made one */
	struct rivals *rivals;
};

/* A process that wrote and lives on until told. */
struct writer {
	pid_t pid;
	int stop_fd;
};

static char *join(const char *dir, const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	return path;
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_put = fd >= 0 &&
		      write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	util_close_fd(&fd);
	return is_put;
}

static void make(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	assert_true(fd >= 0);
	/* Whatever the umask: nobody writes it below. */
	assert_int_equal(fchmod(fd, 0666), 0);
	close(fd);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	strcpy(fixture->base, BASE_DIR);
	if (!mkdtemp(fixture->base) || chmod(fixture->base, 0755) < 0)
		return -1;
	fixture->path = join(fixture->base, "one");
	fixture->other = join(fixture->base, "two");
	make(fixture->path);
	make(fixture->other);
	*state = fixture;
	return rivals_new(&fixture->rivals);
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	rivals_free(fixture->rivals);
	unlink(fixture->path);
	unlink(fixture->other);
	if (fixture->group)
		rmdir(fixture->group);
	if (rmdir(fixture->base) < 0)
		return -1;
	free(fixture->path);
	free(fixture->other);
	free(fixture->group);
	free(fixture);
	return 0;
}

static void need_fanotify(const struct fixture *fixture)
{
	if (!rivals_names_writer(fixture->rivals)) {
		print_message("no fanotify here (not root?)\n");
		skip();
	}
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
	assert_true(asprintf(&fixture->group, V1_MEMORY "/swaptend-rival-%d",
			     (int)getpid()) > 0);
	assert_int_equal(mkdir(fixture->group, 0755), 0);
	return join(fixture->group, "memory.swappiness");
}

static struct writer start_writer(const char *path, const char *text)
{
	struct writer writer;
	int ready[2], stop[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(stop), 0);
	writer.pid = fork();
	assert_true(writer.pid >= 0);
	if (!writer.pid) {
		close(stop[1]);
		prctl(PR_SET_NAME, WRITER_NAME);
		if (!put(path, text) || write(ready[1], "r", 1) != 1)
			_exit(1);
		_exit((int)read(stop[0], &byte, 1));
	}
	close(ready[1]);
	close(stop[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	writer.stop_fd = stop[1];
	return writer;
}

static void stop_writer(struct writer writer)
{
	int status;

	close(writer.stop_fd);
	assert_int_equal(waitpid(writer.pid, &status, 0), writer.pid);
	assert_int_equal(status, 0);
}

static bool is_ready(const struct rivals *rivals)
{
	struct pollfd wanted = {.fd = rivals_fd(rivals), .events = POLLIN};

	return poll(&wanted, 1, 0) == 1;
}

static void assert_event_of(struct rivals *rivals, const char *path, pid_t pid,
			    const char *comm)
{
	struct rival_event event = {0};
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	assert_true(is_ready(rivals));
	assert_int_equal(rivals_next(rivals, &event), 1);
	assert_int_equal(event.file_id, status.st_ino);
	assert_int_equal(event.device, status.st_dev);
	assert_int_equal(event.pid, pid);
	assert_string_equal(event.comm, comm);
}

static void assert_no_event(struct rivals *rivals)
{
	struct rival_event event;

	assert_int_equal(rivals_next(rivals, &event), 0);
}

static void assert_sees_writer(struct fixture *fixture, const char *path,
			       const char *text)
{
	struct writer writer;

	assert_int_equal(rivals_watch(fixture->rivals, path), 0);
	writer = start_writer(path, text);
	assert_event_of(fixture->rivals, path, writer.pid, WRITER_COMM);
	assert_no_event(fixture->rivals);
	stop_writer(writer);
}

static void names_the_writer_of_a_plain_file(void **state)
{
	struct fixture *fixture = *state;

	need_fanotify(fixture);
	assert_sees_writer(fixture, fixture->path, "30\n");
}

static void names_the_writer_of_a_real_groups_knob(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *path = NULL;

	need_fanotify(fixture);
	path = make_group(fixture);
	assert_sees_writer(fixture, path, "30");
}

/* Writes the value that is there: a write all the same, and no change. */
static void names_the_writer_of_the_sysctl(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	need_fanotify(fixture);
	if (access(SYSCTL, W_OK) < 0) {
		print_message("%s cannot be written here\n", SYSCTL);
		skip();
	}
	file = fopen(SYSCTL, "re");
	assert_non_null(file);
	assert_true(getline(&line, &size, file) > 0);
	assert_sees_writer(fixture, SYSCTL, line);
}

static void leaves_out_our_own_writes(void **state)
{
	struct fixture *fixture = *state;
	struct writer writer;

	need_fanotify(fixture);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->path), 0);
	assert_true(put(fixture->path, "70\n"));
	assert_no_event(fixture->rivals);
	/* Between two of ours a foreign one is found. */
	assert_true(put(fixture->path, "71\n"));
	writer = start_writer(fixture->path, "30\n");
	assert_true(put(fixture->path, "72\n"));
	assert_event_of(fixture->rivals, fixture->path, writer.pid,
			WRITER_COMM);
	assert_no_event(fixture->rivals);
	stop_writer(writer);
}

static void tells_nothing_of_a_file_not_watched_any_more(void **state)
{
	struct fixture *fixture = *state;
	struct writer writer;

	need_fanotify(fixture);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->path), 0);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->other), 0);
	rivals_unwatch(fixture->rivals, fixture->path);
	rivals_unwatch(fixture->rivals, "/never/watched");
	stop_writer(start_writer(fixture->path, "30\n"));
	writer = start_writer(fixture->other, "30\n");
	assert_event_of(fixture->rivals, fixture->other, writer.pid,
			WRITER_COMM);
	assert_no_event(fixture->rivals);
	stop_writer(writer);
}

static void watches_the_file_that_took_the_path(void **state)
{
	struct fixture *fixture = *state;
	struct writer writer;

	need_fanotify(fixture);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->path), 0);
	assert_int_equal(rename(fixture->other, fixture->path), 0);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->path), 0);
	writer = start_writer(fixture->path, "30\n");
	assert_event_of(fixture->rivals, fixture->path, writer.pid,
			WRITER_COMM);
	assert_no_event(fixture->rivals);
	stop_writer(writer);
}

static void reports_what_cannot_be_watched(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(unlink(fixture->other), 0);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->other),
			 -ENOENT);
	assert_int_equal(symlink(fixture->path, fixture->other), 0);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->other),
			 -EINVAL);
}

/* The kernel cannot open the file for us then: the event says "check all". */
static void survives_a_group_that_went_before_its_event_was_read(void **state)
{
	struct fixture *fixture = *state;
	_cleanup_free_ char *path = make_group(fixture);
	struct rival_event event = {.file_id = 7};
	struct writer writer;

	need_fanotify(fixture);
	assert_int_equal(rivals_watch(fixture->rivals, path), 0);
	assert_int_equal(rivals_watch(fixture->rivals, fixture->path), 0);
	stop_writer(start_writer(path, "30"));
	assert_int_equal(rmdir(fixture->group), 0);
	assert_int_equal(rivals_next(fixture->rivals, &event), 1);
	assert_int_equal(event.file_id, 0);
	assert_int_equal(event.pid, 0);
	assert_string_equal(event.comm, "");
	rivals_unwatch(fixture->rivals, path);
	writer = start_writer(fixture->path, "30\n");
	assert_event_of(fixture->rivals, fixture->path, writer.pid,
			WRITER_COMM);
	assert_no_event(fixture->rivals);
	stop_writer(writer);
}

static unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void closes_every_file_it_was_given(void **state)
{
	struct fixture *fixture = *state;
	unsigned int before = count_fds();
	struct rivals *rivals = NULL;
	struct rival_event event;

	need_fanotify(fixture);
	assert_int_equal(rivals_new(&rivals), 0);
	assert_int_equal(rivals_watch(rivals, fixture->path), 0);
	assert_int_equal(rivals_watch(rivals, fixture->other), 0);
	for (int i = 0; i < 5; i++) {
		stop_writer(start_writer(fixture->path, "30\n"));
		assert_true(put(fixture->other, "70\n"));
	}
	for (int i = 0; i < 5; i++)
		assert_int_equal(rivals_next(rivals, &event), 1);
	assert_no_event(rivals);
	/* Two watches and the group itself. */
	assert_int_equal(count_fds(), before + 3);
	stop_writer(start_writer(fixture->path, "30\n"));
	stop_writer(start_writer(fixture->other, "30\n"));
	/* One is handed out, the other only read. */
	assert_int_equal(rivals_next(rivals, &event), 1);
	rivals_free(rivals);
	assert_int_equal(count_fds(), before);
}

/* Runs as somebody whom fanotify is refused; exits with the failed line. */
#define EXPECT(condition)                                             \
	do {                                                          \
		if (!(condition))                                     \
			_exit(__LINE__ & 255 ? __LINE__ & 255 : 255); \
	} while (0)

static void become_nobody(void)
{
	if (geteuid() == 0)
		EXPECT(setresuid(NOBODY, NOBODY, NOBODY) == 0);
}

static struct rivals *new_without_rights(const struct fixture *fixture)
{
	struct rivals *rivals = NULL;

	become_nobody();
	EXPECT(rivals_new(&rivals) == 0);
	EXPECT(!rivals_names_writer(rivals));
	EXPECT(rivals_watch(rivals, fixture->path) == 0);
	EXPECT(rivals_watch(rivals, fixture->other) == 0);
	return rivals;
}

static _Noreturn void see_writes_without_rights(const struct fixture *fixture)
{
	struct rivals *rivals = new_without_rights(fixture);
	struct rival_event event = {0};
	struct stat status;

	EXPECT(rivals_next(rivals, &event) == 0);
	EXPECT(put(fixture->other, "30\n"));
	EXPECT(stat(fixture->other, &status) == 0);
	EXPECT(is_ready(rivals));
	EXPECT(rivals_next(rivals, &event) == 1);
	EXPECT(event.file_id == status.st_ino);
	EXPECT(event.device == status.st_dev);
	EXPECT(event.pid == 0 && event.comm[0] == '\0');
	EXPECT(rivals_next(rivals, &event) == 0);
	rivals_unwatch(rivals, fixture->other);
	EXPECT(put(fixture->other, "40\n"));
	EXPECT(rivals_next(rivals, &event) == 0);
	rivals_free(rivals);
	_exit(0);
}

/* Two files in turn, so that the kernel does not merge the events. */
static _Noreturn void overflow_the_queue(const struct fixture *fixture)
{
	_cleanup_fclose_ FILE *file = fopen(QUEUE_MAX, "re");
	struct rivals *rivals = new_without_rights(fixture);
	struct rival_event event = {0};
	int max, seen = 0, overflows = 0;
	int one = open(fixture->path, O_WRONLY | O_CLOEXEC);
	int two = open(fixture->other, O_WRONLY | O_CLOEXEC);

	EXPECT(file && fscanf(file, "%d", &max) == 1);
	for (int i = 0; i <= max; i++)
		EXPECT(pwrite(i % 2 ? one : two, "1", 1, 0) == 1);
	while (rivals_next(rivals, &event) == 1) {
		seen++;
		overflows += event.file_id == 0;
	}
	EXPECT(seen == max + 1);
	EXPECT(overflows == 1);
	EXPECT(event.file_id == 0);
	rivals_free(rivals);
	_exit(0);
}

static void run_apart(void (*body)(const struct fixture *),
		      const struct fixture *fixture)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		body(fixture);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void sees_writes_without_a_name_where_fanotify_is_refused(void **state)
{
	run_apart(see_writes_without_rights, *state);
}

static void says_check_all_when_the_queue_overflowed(void **state)
{
	run_apart(overflow_the_queue, *state);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(names_the_writer_of_a_plain_file),
		CASE(names_the_writer_of_a_real_groups_knob),
		CASE(names_the_writer_of_the_sysctl),
		CASE(leaves_out_our_own_writes),
		CASE(tells_nothing_of_a_file_not_watched_any_more),
		CASE(watches_the_file_that_took_the_path),
		CASE(reports_what_cannot_be_watched),
		CASE(survives_a_group_that_went_before_its_event_was_read),
		CASE(closes_every_file_it_was_given),
		CASE(sees_writes_without_a_name_where_fanotify_is_refused),
		CASE(says_check_all_when_the_queue_overflowed),
	};

	return cmocka_run_group_tests_name("rivals", tests, NULL, NULL);
}
