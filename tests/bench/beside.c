/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands beside the job of a benchmark, in the same cgroup:
 *   ring PROCESSES  processes pass blocks of data round a ring of pipes, one
 *                   block on the way for every four processes
 *   walk MB         walks anonymous memory in order, then as many pages at
 *                   random, and again
 *   hold MB         an idle daemon: fills anonymous memory, never looks at it
 *                   again
 * Prints "ready" when it has begun.  Ends on SIGTERM, and then prints
 * "loads N.NN": how often it did its work, a round of the ring counting one
 * hundred-thousandth and both walks over all pages counting one.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE_BYTES 4096ULL
#define MB_PAGES 256ULL
/* At most PIPE_BUF: a write is whole, and so is the read that follows. */
#define BLOCK_BYTES 4096
#define MAX_PROCESSES 1024ULL
#define MAX_MB (1ULL << 22)
#define PROCESSES_PER_BLOCK 4
#define ROUNDS_PER_LOAD 100000ULL

static volatile sig_atomic_t is_stopped;

static void on_stop(int signal_number)
{
	(void)signal_number;
	is_stopped = 1;
}

static int fail(const char *what)
{
	int r = -errno;

	fprintf(stderr, "beside: %s: %s\n", what, strerror(-r));
	return r;
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void say_loads(uint64_t done, uint64_t one)
{
	uint64_t hundredths = done * 100 / one;

	printf("loads %" PRIu64 ".%02" PRIu64 "\n", hundredths / 100,
	       hundredths % 100);
}

/* xorshift64*: the same sequence on every machine. */
static uint64_t draw(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return *random * 2685821657736338717ULL;
}

/* --- ring --- */

/* One step of the ring.  False: the neighbour or the time is over. */
static bool pass_block(int from, int to)
{
	char block[BLOCK_BYTES];

	return read(from, block, sizeof(block)) == sizeof(block) &&
	       write(to, block, sizeof(block)) == sizeof(block);
}

/* Ends with its parent, also if that one is killed. */
static void be_member(int from, int to)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (pass_block(from, to))
		;
	_exit(0);
}

/* A pipe from member to member; the last one leads back to this process. */
static int start_members(uint64_t count, pid_t *pids, int *ret_to,
			 int *ret_from)
{
	int pipe_fds[2], next_fds[2];

	if (pipe(pipe_fds))
		return fail("cannot make a pipe");
	*ret_to = pipe_fds[1];
	for (uint64_t i = 0; i < count; i++) {
		if (pipe(next_fds))
			return fail("cannot make a pipe");
		pids[i] = fork();
		if (pids[i] < 0)
			return fail("cannot start a process");
		if (!pids[i]) {
			close(*ret_to);
			close(next_fds[0]);
			be_member(pipe_fds[0], next_fds[1]);
		}
		close(pipe_fds[0]);
		close(next_fds[1]);
		pipe_fds[0] = next_fds[0];
	}
	*ret_from = pipe_fds[0];
	return 0;
}

static int send_blocks(int to, uint64_t count)
{
	char block[BLOCK_BYTES] = "";

	for (uint64_t i = 0; i < count; i++) {
		if (write(to, block, sizeof(block)) != sizeof(block))
			return fail("cannot write to a pipe");
	}
	return 0;
}

/* This process is one of them, the one that counts. */
static int run_ring(uint64_t processes)
{
	pid_t pids[MAX_PROCESSES] = {0};
	uint64_t blocks = processes / PROCESSES_PER_BLOCK;
	uint64_t rounds = 0;
	int from = -1, to = -1;
	int r = start_members(processes - 1, pids, &to, &from);

	if (!r)
		r = send_blocks(to, blocks ? blocks : 1);
	if (!r)
		say_ready();
	while (!r && !is_stopped && pass_block(from, to))
		rounds++;
	for (uint64_t i = 0; i < MAX_PROCESSES && pids[i] > 0; i++)
		kill(pids[i], SIGKILL);
	if (!r && !is_stopped)
		return fail("the ring broke");
	if (!r)
		say_loads(rounds, ROUNDS_PER_LOAD);
	return r;
}

/* --- memory --- */

/* Half of each page is noise: it compresses to about a half, not to nothing. */
static void fill_page(uint64_t *random, unsigned char *page)
{
	for (size_t i = 0; i < PAGE_BYTES / 2; i += sizeof(uint64_t)) {
		uint64_t noise = draw(random);

		memcpy(page + i, &noise, sizeof(noise));
	}
}

static unsigned char *map_filled(uint64_t mb, uint64_t *random)
{
	uint64_t bytes = mb * MB_PAGES * PAGE_BYTES;
	unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		(void)fail("cannot map anonymous memory");
		return NULL;
	}
	/* Huge pages would hide what is touched and what is not. */
	(void)madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (uint64_t at = 0; at < bytes && !is_stopped; at += PAGE_BYTES)
		fill_page(random, memory + at);
	return memory;
}

static int run_walk(uint64_t mb)
{
	uint64_t random = 3, touched = 0, pages = mb * MB_PAGES;
	unsigned char *memory = map_filled(mb, &random);

	if (!memory)
		return -ENOMEM;
	say_ready();
	for (; !is_stopped; touched++) {
		uint64_t page = touched % pages;

		if (touched / pages % 2)
			page = draw(&random) % pages;
		memory[page * PAGE_BYTES]++;
	}
	say_loads(touched, 2 * pages);
	return 0;
}

static int run_hold(uint64_t mb)
{
	uint64_t random = 5;
	sigset_t stops, before;

	if (!map_filled(mb, &random))
		return -ENOMEM;
	/* Blocked first: a signal just before the wait would be missed. */
	sigemptyset(&stops);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGINT);
	sigprocmask(SIG_BLOCK, &stops, &before);
	say_ready();
	while (!is_stopped)
		sigsuspend(&before);
	say_loads(0, 1);
	return 0;
}

/* --- command line --- */

static const struct {
	const char *name;
	int (*run)(uint64_t number);
	uint64_t min, max;
} modes[] = {
	{"ring", run_ring, 2, MAX_PROCESSES},
	{"walk", run_walk, 1, MAX_MB},
	{"hold", run_hold, 1, MAX_MB},
};

static bool parse_number(const char *text, uint64_t min, uint64_t max,
			 uint64_t *ret_number)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || number < min ||
	    number > max) {
		fprintf(stderr,
			"beside: '%s' is not a number of %" PRIu64 "..%" PRIu64
			"\n",
			text, min, max);
		return false;
	}
	*ret_number = number;
	return true;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_stop};
	uint64_t number;

	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGINT, &action, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (argc != 3 || strcmp(argv[1], modes[i].name))
			continue;
		if (!parse_number(argv[2], modes[i].min, modes[i].max, &number))
			return 2;
		return modes[i].run(number) ? 1 : 0;
	}
	fprintf(stderr, "usage: beside ring PROCESSES | walk MB | hold MB\n");
	return 2;
}
