/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A load that changes its character, meant to run inside a limited cgroup:
 * one process keeps its anonymous memory and its files through a sequence of
 * phases, which differ in the share of anonymous accesses and in how files
 * are read.
 *   --phase SECONDS:ANON_PCT:random   4 KiB reads of --file at random
 *   --phase SECONDS:ANON_PCT:stream   4 KiB reads of --stream, one after the
 *                                     other, again and again
 * With --pause-us it rests after each --burst of accesses, as an idle daemon
 * or a desktop does.  --warm reads --file once in sequence before: at random,
 * a slow disk would take minutes to fill the page cache for the first time.
 * Prints "ready", then "t_ms ops" lines if asked, then for each phase
 * "phase NUMBER ms ops slow_ops max_us", where an access is slow from 1 ms on;
 * SIGTERM and SIGINT end it early, with the lines so far.
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
#include <time.h>
#include <unistd.h>

#include "load_memory.h"

#define MB_BYTES (1ULL << 20)
#define MB_PAGES (MB_BYTES / PAGE_BYTES)
#define MAX_MB (1ULL << 22)
#define MAX_SECONDS 86400ULL
#define MAX_US 1000000000ULL
#define MAX_PHASES 64
#define SLOW_NS 1000000ULL
#define SECOND_NS 1000000000ULL

struct phase {
	uint64_t seconds, anon_pct;
	bool is_stream;
};

struct file {
	const char *path;
	uint64_t pages, next;
	int fd;
};

struct load {
	uint64_t anon_mb, burst_ops, pause_us, report_ms, seed;
	const char *random_path, *stream_path;
	struct phase phases[MAX_PHASES];
	size_t phase_count;
	bool is_warmed;

	unsigned char *anon;
	uint64_t anon_pages;
	struct file random_file, stream_file;
	uint64_t random;
	uint64_t ops, began_ns, next_report_ns;
};

/* What one phase counted. */
struct tally {
	uint64_t ops, slow_ops, max_ns;
};

enum {
	OPTION_ANON_MB = 0x100,
	OPTION_FILE,
	OPTION_STREAM,
	OPTION_PHASE,
	OPTION_BURST,
	OPTION_PAUSE_US,
	OPTION_REPORT_MS,
	OPTION_SEED,
	OPTION_WARM,
};

static volatile sig_atomic_t is_stopped;

static void on_stop(int signal_number)
{
	(void)signal_number;
	is_stopped = 1;
}

static int fill_anon(struct load *load)
{
	uint64_t bytes = load->anon_mb * MB_BYTES;

	load->anon_pages = load->anon_mb * MB_PAGES;
	if (!bytes)
		return 0;
	load->anon = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (load->anon == MAP_FAILED)
		return load_fail("cannot map", "anonymous memory");
	/* Huge pages would hide what is touched and what is not. */
	(void)madvise(load->anon, bytes, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < load->anon_pages && !is_stopped; i++)
		load_fill_page(&load->random, load->anon + i * PAGE_BYTES);
	return 0;
}

static int open_file(struct file *file)
{
	struct stat st;

	file->fd = -1;
	if (!file->path)
		return 0;
	file->fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &st))
		return load_fail("cannot open", file->path);
	file->pages = (uint64_t)st.st_size / PAGE_BYTES;
	if (!file->pages) {
		errno = ENODATA;
		return load_fail("less than a page in", file->path);
	}
	return 0;
}

static int read_page(struct file *file, uint64_t at)
{
	char page[PAGE_BYTES];
	ssize_t n;

	errno = 0;
	n = pread(file->fd, page, sizeof(page), (off_t)(at * PAGE_BYTES));
	if (n == (ssize_t)sizeof(page) || (n < 0 && errno == EINTR))
		return 0;
	return load_fail("cannot read", file->path);
}

static int warm(struct file *file)
{
	int r = 0;

	(void)posix_fadvise(file->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (uint64_t i = 0; !r && i < file->pages && !is_stopped; i++)
		r = read_page(file, i);
	return r;
}

static int access_once(struct load *load, const struct phase *phase)
{
	if (load_draw(&load->random) % 100 < phase->anon_pct) {
		load->anon[load_draw(&load->random) % load->anon_pages *
			   PAGE_BYTES]++;
		return 0;
	}
	if (!phase->is_stream)
		return read_page(&load->random_file,
				 load_draw(&load->random) %
					 load->random_file.pages);
	load->stream_file.next =
		(load->stream_file.next + 1) % load->stream_file.pages;
	return read_page(&load->stream_file, load->stream_file.next);
}

static void report(struct load *load, uint64_t now)
{
	while (load->report_ms && now >= load->next_report_ns) {
		printf("%" PRIu64 " %" PRIu64 "\n",
		       (load->next_report_ns - load->began_ns) / 1000000,
		       load->ops);
		fflush(stdout);
		load->next_report_ns += load->report_ms * 1000000;
	}
}

static void rest(const struct load *load)
{
	struct timespec pause = {
		.tv_sec = (time_t)(load->pause_us / 1000000),
		.tv_nsec = (long)(load->pause_us % 1000000 * 1000),
	};

	/* A signal ends it early, and is_stopped says so. */
	if (load->pause_us)
		(void)nanosleep(&pause, NULL);
}

static int run_burst(struct load *load, const struct phase *phase,
		     struct tally *tally)
{
	/* Each access is timed: the clock costs 30 ns, a fault over 1000. */
	uint64_t before = load_now_ns();
	int r = 0;

	for (uint64_t i = 0; !r && i < load->burst_ops && !is_stopped; i++) {
		uint64_t now;

		r = access_once(load, phase);
		now = load_now_ns();
		tally->slow_ops += now - before >= SLOW_NS;
		if (now - before > tally->max_ns)
			tally->max_ns = now - before;
		before = now;
		tally->ops++;
		load->ops++;
	}
	return r;
}

static int run_phase(struct load *load, size_t number)
{
	const struct phase *phase = &load->phases[number];
	struct tally tally = {0};
	uint64_t began = load_now_ns(), now = began;
	int r = 0;

	while (!r && !is_stopped && now - began < phase->seconds * SECOND_NS) {
		r = run_burst(load, phase, &tally);
		rest(load);
		now = load_now_ns();
		report(load, now);
	}
	printf("phase %zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
	       number + 1, (now - began) / 1000000, tally.ops, tally.slow_ops,
	       tally.max_ns / 1000);
	fflush(stdout);
	return r;
}

static int run(struct load *load)
{
	int r = fill_anon(load);

	load->random_file.path = load->random_path;
	load->stream_file.path = load->stream_path;
	if (!r)
		r = open_file(&load->random_file);
	if (!r)
		r = open_file(&load->stream_file);
	if (!r && load->is_warmed)
		r = warm(&load->random_file);
	if (r)
		return r;
	/* Read-ahead would bring in neighbours that nobody wants. */
	if (load->random_path)
		(void)posix_fadvise(load->random_file.fd, 0, 0,
				    POSIX_FADV_RANDOM);
	puts("ready");
	fflush(stdout);
	load->began_ns = load_now_ns();
	load->next_report_ns = load->began_ns + load->report_ms * 1000000;
	for (size_t i = 0; !r && i < load->phase_count && !is_stopped; i++)
		r = run_phase(load, i);
	return r;
}

/* The digits up to one of the ends; *text then points behind that end. */
static uint64_t parse_number(struct argp_state *state, const char **text,
			     char end_char, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(*text, &end, 10);
	if (errno || *end != end_char || **text < '0' || **text > '9' ||
	    value > max)
		argp_error(state, "'%s' is not a number of 0..%" PRIu64, *text,
			   max);
	*text = *end ? end + 1 : end;
	return value;
}

static void parse_phase(struct load *load, const char *text,
			struct argp_state *state)
{
	struct phase *phase = &load->phases[load->phase_count];

	if (load->phase_count == MAX_PHASES)
		argp_error(state, "more than %d phases", MAX_PHASES);
	phase->seconds = parse_number(state, &text, ':', MAX_SECONDS);
	phase->anon_pct = parse_number(state, &text, ':', 100);
	phase->is_stream = !strcmp(text, "stream");
	if (!phase->is_stream && strcmp(text, "random"))
		argp_error(state, "'%s' is neither random nor stream", text);
	load->phase_count++;
}

static void check_options(const struct load *load, struct argp_state *state)
{
	if (!load->phase_count)
		argp_error(state, "no --phase");
	if (!load->burst_ops)
		argp_error(state, "--burst must not be 0");
	if (load->is_warmed && !load->random_path)
		argp_error(state, "--warm needs --file");
	for (size_t i = 0; i < load->phase_count; i++) {
		const struct phase *phase = &load->phases[i];

		if (phase->anon_pct && !load->anon_mb)
			argp_error(state, "phase %zu needs --anon-mb", i + 1);
		if (phase->anon_pct < 100 &&
		    !(phase->is_stream ? load->stream_path : load->random_path))
			argp_error(state, "phase %zu needs --%s", i + 1,
				   phase->is_stream ? "stream" : "file");
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct load *load = state->input;
	const char *text = value;

	switch (key) {
	case OPTION_ANON_MB:
		load->anon_mb = parse_number(state, &text, '\0', MAX_MB);
		return 0;
	case OPTION_FILE:
		load->random_path = value;
		return 0;
	case OPTION_STREAM:
		load->stream_path = value;
		return 0;
	case OPTION_PHASE:
		parse_phase(load, text, state);
		return 0;
	case OPTION_BURST:
		load->burst_ops = parse_number(state, &text, '\0', MAX_US);
		return 0;
	case OPTION_PAUSE_US:
		load->pause_us = parse_number(state, &text, '\0', MAX_US);
		return 0;
	case OPTION_REPORT_MS:
		load->report_ms = parse_number(state, &text, '\0', MAX_US);
		return 0;
	case OPTION_SEED:
		load->seed = parse_number(state, &text, '\0', MAX_US);
		return 0;
	case OPTION_WARM:
		load->is_warmed = true;
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
	{"file", OPTION_FILE, "PATH", 0, "Read at random", 0},
	{"stream", OPTION_STREAM, "PATH", 0, "Read in sequence", 0},
	{"phase", OPTION_PHASE, "S:P:HOW", 0,
	 "S seconds with P % of the accesses to anonymous memory, files read "
	 "HOW: random or stream; repeatable",
	 0},
	{"burst", OPTION_BURST, "N", 0, "Accesses between pauses (64)", 0},
	{"pause-us", OPTION_PAUSE_US, "U", 0, "Pause after a burst (0)", 0},
	{"report-ms", OPTION_REPORT_MS, "M", 0, "Print 't_ms ops' each M", 0},
	{"warm", OPTION_WARM, NULL, 0, "Read --file once in sequence first", 0},
	{"seed", OPTION_SEED, "N", 0, "Of the random accesses (1)", 0},
	{0},
};

int main(int argc, char **argv)
{
	struct argp argp = {.options = options, .parser = parse_option};
	struct sigaction action = {.sa_handler = on_stop};
	struct load load = {.burst_ops = 64, .seed = 1};

	if (argp_parse(&argp, argc, argv, 0, NULL, &load))
		return 2;
	/* The generator must not start at 0. */
	load.random = load.seed * 2 + 1;
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	return run(&load) ? 1 : 0;
}
