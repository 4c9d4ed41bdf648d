// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes TLB shootdowns: threads of one process, so that what one unmaps is in
 * the TLB of the others' CPUs.
 *	tlb_load [--threads N] [--seconds S] [--touch-mb M] [--name NAME]
 *		[--spin]
 * Each thread maps a page, writes it, protects it and unmaps it, in a loop; or,
 * with --touch-mb, all write to the same M MiB over and over, which makes
 * reclaim unmap them where memory is short.  Prints the rounds done.  They wait
 * for one another; with --spin, a thread beside each does not, so that their
 * CPUs are never idle: idle ones are not interrupted.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 64

static struct {
	long threads, seconds, touch_mib;
	const char *name; /* of the other threads; NULL: the program's */
	bool has_spinners;
} options = {.threads = 2, .seconds = 2};

static atomic_bool is_over;
static atomic_uint_fast64_t rounds, failures;
static char *touched;
static size_t page_size;

static bool map_and_unmap(void)
{
	char *page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	*(volatile char *)page = 1;
	return !mprotect(page, page_size, PROT_READ) &&
	       !munmap(page, page_size);
}

static bool touch_all(void)
{
	size_t size = (size_t)options.touch_mib << 20;

	/* Not read before: the zero page's COW would be a shootdown too. */
	for (size_t i = 0; i < size && !is_over; i += page_size)
		((volatile char *)touched)[i] = 1;
	return true;
}

/* Two threads on one CPU would send nothing to each other. */
static void take_cpu(long thread)
{
	cpu_set_t allowed, one;
	int left;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	left = (int)(thread % CPU_COUNT(&allowed));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || left--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void *work(void *number_of_thread)
{
	long thread = (long)(intptr_t)number_of_thread;

	take_cpu(thread);
	if (options.name && thread)
		prctl(PR_SET_NAME, options.name);
	while (!is_over) {
		if (touched ? touch_all() : map_and_unmap())
			rounds++;
		else
			failures++;
	}
	return NULL;
}

static void *spin(void *number_of_thread)
{
	take_cpu((long)(intptr_t)number_of_thread);
	while (!is_over)
		;
	return NULL;
}

static long number(const char *text, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < 1 || value > max) {
		fprintf(stderr, "tlb_load: '%s' is not 1..%ld\n", text, max);
		exit(2);
	}
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option known[] = {
		{"threads", required_argument, NULL, 't'},
		{"seconds", required_argument, NULL, 's'},
		{"touch-mb", required_argument, NULL, 'm'},
		{"name", required_argument, NULL, 'n'},
		{"spin", no_argument, NULL, 'p'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 't')
			options.threads = number(optarg, MAX_THREADS);
		else if (c == 's')
			options.seconds = number(optarg, 3600);
		else if (c == 'm')
			options.touch_mib = number(optarg, 1 << 20);
		else if (c == 'n')
			options.name = optarg;
		else if (c == 'p')
			options.has_spinners = true;
		else
			exit(2);
	}
}

static bool start_threads(pthread_t *threads, pthread_t *spinners)
{
	for (long i = 0; options.has_spinners && i < options.threads; i++)
		if (pthread_create(&spinners[i], NULL, spin,
				   (void *)(intptr_t)i))
			return false;
	for (long i = 1; i < options.threads; i++)
		if (pthread_create(&threads[i], NULL, work,
				   (void *)(intptr_t)i))
			return false;
	return true;
}

static void *sleep_then_stop(void *unused)
{
	struct timespec left = {.tv_sec = options.seconds};

	(void)unused;
	while (nanosleep(&left, &left) && errno == EINTR)
		;
	is_over = true;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS], spinners[MAX_THREADS], clock;

	parse(argc, argv);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (options.touch_mib) {
		touched = mmap(NULL, (size_t)options.touch_mib << 20,
			       PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (touched == MAP_FAILED)
			touched = NULL;
	}
	if (options.touch_mib && !touched)
		return 1;
	if (pthread_create(&clock, NULL, sleep_then_stop, NULL) ||
	    !start_threads(threads, spinners))
		return 1;
	work(NULL);
	for (long i = 1; i < options.threads; i++)
		pthread_join(threads[i], NULL);
	for (long i = 0; options.has_spinners && i < options.threads; i++)
		pthread_join(spinners[i], NULL);
	pthread_join(clock, NULL);
	printf("%llu\n", (unsigned long long)rounds);
	return failures ? 1 : 0;
}
