/* SPDX-License-Identifier: GPL-2.0-only */
/* What the memory loads share. */
#ifndef SWAPTEND_LOAD_MEMORY_H
#define SWAPTEND_LOAD_MEMORY_H

#include <stdint.h>

#define PAGE_BYTES 4096ULL

uint64_t load_now_ns(void); /* CLOCK_MONOTONIC */

/* xorshift64*: the same sequence for the same seed, on every machine. */
uint64_t load_draw(uint64_t *state);

/* Half of each page is noise: it compresses to about a half, not to nothing. */
void load_fill_page(uint64_t *state, unsigned char *page);

/* "load: what 'name': why" on standard error; -errno, -EIO where it is 0. */
int load_fail(const char *what, const char *name);

#endif
