/* SPDX-License-Identifier: GPL-2.0-only */
#include "load_memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000ULL

uint64_t load_now_ns(void)
{
	struct timespec t;

	/* Cannot fail: the clock is there and the pointer is good. */
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

uint64_t load_draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

void load_fill_page(uint64_t *state, unsigned char *page)
{
	for (size_t i = 0; i < PAGE_BYTES / 2; i += sizeof(uint64_t)) {
		uint64_t noise = load_draw(state);

		memcpy(page + i, &noise, sizeof(noise));
	}
}

int load_fail(const char *what, const char *name)
{
	int r = errno ? -errno : -EIO;

	fprintf(stderr, "load: %s '%s': %s\n", what, name, strerror(-r));
	return r;
}
