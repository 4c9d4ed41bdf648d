/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory loads for tests and benchmarks, meant to run inside a limited
 * cgroup.  One of three:
 *   database (default)  random touches of anonymous pages and random 4 KiB
 *                       reads of a file, in a given proportion
 *   --hog-mb            touches anonymous memory in sequence, flat out
 *   --write             writes a file through the limit
 * Prints "t_ms ops" lines (ops so far) and, last, "ops_per_s N".  SIGTERM
 * and SIGINT end it early, with the last line.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load_memory.h"

#define BLOCK_BYTES (1ULL << 20)
#define MB_PAGES (BLOCK_BYTES / PAGE_BYTES)
#define MAX_MB (1ULL << 22)
/* Reading the clock at every touch would be the load. */
#define OPS_PER_CLOCK 64

struct load {
	uint64_t anon_mb, hot_pct, file_mb, hog_mb, write_mb;
	uint64_t seconds, seed, report_ms;
	const char *file_path, *write_path, *cgroup;

	unsigned char *anon;
	uint64_t anon_pages, file_pages;
	int file_fd;
	uint64_t random;
	uint64_t ops, began_ns, ends_ns, next_report_ns;
};

enum {
	OPTION_ANON_MB = 0x100,
	OPTION_ANON_HOT_PCT,
	OPTION_FILE,
	OPTION_FILE_MB,
	OPTION_SECONDS,
	OPTION_SEED,
	OPTION_CGROUP,
	OPTION_REPORT_MS,
	OPTION_HOG_MB,
	OPTION_WRITE,
	OPTION_WRITE_MB,
};

static volatile sig_atomic_t is_stopped;

static void on_stop(int signal_number)
{
	(void)signal_number;
	is_stopped = 1;
}

static int enter_cgroup(const char *dir)
{
	char *path = NULL;
	int fd, r = 0;

	if (asprintf(&path, "%s/cgroup.procs", dir) < 0)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* 0 means the writer itself. */
	if (fd < 0 || write(fd, "0", 1) != 1)
		r = load_fail("cannot enter by", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return r;
}

static int map_anon(struct load *load, uint64_t mb)
{
	load->anon_pages = mb * MB_PAGES;
	if (!mb)
		return 0;
	load->anon = mmap(NULL, mb * BLOCK_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (load->anon == MAP_FAILED)
		return load_fail("cannot map", "anonymous memory");
	/* Huge pages would hide what is touched and what is not. */
	(void)madvise(load->anon, mb * BLOCK_BYTES, MADV_NOHUGEPAGE);
	return 0;
}

static int write_all(int fd, const unsigned char *data, size_t size,
		     uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int write_blocks(struct load *load, int fd, uint64_t mb,
			bool (*may_go_on)(struct load *load))
{
	unsigned char *block = calloc(1, BLOCK_BYTES);
	int r = block ? 0 : -ENOMEM;

	for (uint64_t i = 0; !r && i < MB_PAGES; i++)
		load_fill_page(&load->random, block + i * PAGE_BYTES);
	for (uint64_t i = 0; !r && i < mb && may_go_on(load); i++)
		r = write_all(fd, block, BLOCK_BYTES, i * BLOCK_BYTES);
	free(block);
	return r;
}

static bool is_not_stopped(struct load *load)
{
	(void)load;
	return !is_stopped;
}

static int open_file(struct load *load)
{
	struct stat st;
	int r;

	load->file_pages = load->file_mb * MB_PAGES;
	if (!load->file_mb)
		return 0;
	load->file_fd =
		open(load->file_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (load->file_fd < 0 || fstat(load->file_fd, &st))
		return load_fail("cannot open", load->file_path);
	if ((uint64_t)st.st_size < load->file_mb * BLOCK_BYTES) {
		r = write_blocks(load, load->file_fd, load->file_mb,
				 is_not_stopped);
		if (!r && fdatasync(load->file_fd))
			r = -errno;
		errno = -r;
		if (r)
			return load_fail("cannot write", load->file_path);
	}
	/*
	 * Pages cached on behalf of another cgroup would be read for nothing.
	 * Read-ahead would bring in neighbours that a database never wants.
	 */
	(void)posix_fadvise(load->file_fd, 0, 0, POSIX_FADV_DONTNEED);
	(void)posix_fadvise(load->file_fd, 0, 0, POSIX_FADV_RANDOM);
	return 0;
}

static void start_clock(struct load *load)
{
	load->began_ns = load_now_ns();
	load->ends_ns = load->seconds
				? load->began_ns + load->seconds * 1000000000ULL
				: UINT64_MAX;
	load->next_report_ns =
		load->report_ms ? load->began_ns + load->report_ms * 1000000
				: UINT64_MAX;
}

/* Counts one operation, reports when due; false: time is up. */
static bool count_op(struct load *load)
{
	uint64_t now;

	if (++load->ops % OPS_PER_CLOCK)
		return true;
	now = load_now_ns();
	while (now >= load->next_report_ns) {
		printf("%" PRIu64 " %" PRIu64 "\n",
		       (load->next_report_ns - load->began_ns) / 1000000,
		       load->ops);
		fflush(stdout);
		load->next_report_ns += load->report_ms * 1000000;
	}
	return now < load->ends_ns && !is_stopped;
}

static bool count_block(struct load *load)
{
	for (uint64_t i = 0; i < MB_PAGES; i++) {
		if (!count_op(load))
			return false;
	}
	return true;
}

static int read_page(struct load *load)
{
	char page[PAGE_BYTES];
	uint64_t at = load_draw(&load->random) % load->file_pages;
	ssize_t n = pread(load->file_fd, page, sizeof(page),
			  (off_t)(at * PAGE_BYTES));

	if (n == (ssize_t)sizeof(page) || (n < 0 && errno == EINTR))
		return 0;
	if (n >= 0)
		errno = EIO;
	return load_fail("cannot read", load->file_path);
}

static int run_database(struct load *load)
{
	int r = map_anon(load, load->anon_mb);

	if (r)
		return r;
	for (uint64_t i = 0; i < load->anon_pages && !is_stopped; i++)
		load_fill_page(&load->random, load->anon + i * PAGE_BYTES);
	r = open_file(load);
	start_clock(load);
	while (!r) {
		bool is_anon = load_draw(&load->random) % 100 < load->hot_pct;

		if (load->anon_pages && (is_anon || !load->file_pages))
			load->anon[load_draw(&load->random) % load->anon_pages *
				   PAGE_BYTES]++;
		else
			r = read_page(load);
		if (!count_op(load))
			break;
	}
	return r;
}

static int run_hog(struct load *load)
{
	int r = map_anon(load, load->hog_mb);

	if (r)
		return r;
	start_clock(load);
	for (uint64_t i = 0;; i = (i + 1) % load->anon_pages) {
		/* Its own number at both ends: no two pages are the same. */
		load->anon[i * PAGE_BYTES + PAGE_BYTES - 1]++;
		memcpy(load->anon + i * PAGE_BYTES, &i, sizeof(i));
		if (!count_op(load))
			return 0;
	}
}

/* Once over the file, or again and again until --seconds are over. */
static int run_write(struct load *load)
{
	int fd = open(load->write_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int r = 0;

	if (fd < 0)
		return load_fail("cannot open", load->write_path);
	start_clock(load);
	do {
		r = write_blocks(load, fd, load->write_mb, count_block);
	} while (!r && load->seconds && load_now_ns() < load->ends_ns &&
		 !is_stopped);
	close(fd);
	errno = -r;
	return r ? load_fail("cannot write", load->write_path) : 0;
}

static uint64_t parse_number(struct argp_state *state, const char *text,
			     uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || value > max)
		argp_error(state, "'%s' is not a number of 0..%" PRIu64, text,
			   max);
	return value;
}

/* The number that the option sets, or NULL. */
static uint64_t *number_of(struct load *load, int key, uint64_t *ret_max)
{
	*ret_max = MAX_MB;
	switch (key) {
	case OPTION_ANON_MB:
		return &load->anon_mb;
	case OPTION_FILE_MB:
		return &load->file_mb;
	case OPTION_HOG_MB:
		return &load->hog_mb;
	case OPTION_WRITE_MB:
		return &load->write_mb;
	case OPTION_SECONDS:
	case OPTION_REPORT_MS:
		*ret_max = 86400000;
		return key == OPTION_SECONDS ? &load->seconds
					     : &load->report_ms;
	case OPTION_SEED:
		*ret_max = UINT64_MAX;
		return &load->seed;
	case OPTION_ANON_HOT_PCT:
		*ret_max = 100;
		return &load->hot_pct;
	default:
		return NULL;
	}
}

static void check_options(const struct load *load, struct argp_state *state)
{
	bool is_database = load->anon_mb || load->file_mb;

	if (is_database + !!load->hog_mb + !!load->write_mb != 1)
		argp_error(state, "give one of --anon-mb/--file-mb, --hog-mb "
				  "and --write-mb");
	if (!load->file_path != !load->file_mb)
		argp_error(state, "--file and --file-mb go together");
	if (!load->write_path != !load->write_mb)
		argp_error(state, "--write and --write-mb go together");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct load *load = state->input;
	uint64_t max;
	uint64_t *number = number_of(load, key, &max);

	if (number) {
		*number = parse_number(state, value, max);
		return 0;
	}
	switch (key) {
	case OPTION_FILE:
		load->file_path = value;
		return 0;
	case OPTION_WRITE:
		load->write_path = value;
		return 0;
	case OPTION_CGROUP:
		load->cgroup = value;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option", value);
		return 0;
	case ARGP_KEY_END:
		check_options(load, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"anon-mb", OPTION_ANON_MB, "N", 0, "Anonymous memory", 0},
	{"anon-hot-pct", OPTION_ANON_HOT_PCT, "P", 0,
	 "Share of accesses that go to it (2)", 0},
	{"file", OPTION_FILE, "PATH", 0, "File to read, made if missing", 0},
	{"file-mb", OPTION_FILE_MB, "N", 0, "Its size", 0},
	{"hog-mb", OPTION_HOG_MB, "N", 0, "Touch that much in sequence", 0},
	{"write", OPTION_WRITE, "PATH", 0, "File to write", 0},
	{"write-mb", OPTION_WRITE_MB, "N", 0, "How much of it", 0},
	{"cgroup", OPTION_CGROUP, "DIR", 0, "Enter it first", 0},
	{"seconds", OPTION_SECONDS, "S", 0,
	 "How long (10; --write: once over the file)", 0},
	{"report-ms", OPTION_REPORT_MS, "M", 0, "Print 't_ms ops' each M", 0},
	{"seed", OPTION_SEED, "N", 0, "Of the random accesses (1)", 0},
	{0},
};

int main(int argc, char **argv)
{
	struct argp argp = {.options = options, .parser = parse_option};
	struct sigaction action = {.sa_handler = on_stop};
	struct load load = {.hot_pct = 2, .seed = 1, .file_fd = -1};
	uint64_t elapsed_ns;
	int r = 0;

	if (argp_parse(&argp, argc, argv, 0, NULL, &load))
		return 2;
	if (!load.seconds && !load.write_path)
		load.seconds = 10;
	/* The generator must not start at 0. */
	load.random = load.seed * 2 + 1;
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	if (load.cgroup)
		r = enter_cgroup(load.cgroup);
	if (!r && load.hog_mb)
		r = run_hog(&load);
	else if (!r && load.write_path)
		r = run_write(&load);
	else if (!r)
		r = run_database(&load);
	if (r)
		return 1;
	elapsed_ns = load_now_ns() - load.began_ns;
	printf("ops_per_s %" PRIu64 "\n",
	       elapsed_ns < 1000000 ? load.ops * 1000
				    : load.ops * 1000000 / (elapsed_ns / 1000));
	return 0;
}
