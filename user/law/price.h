/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pure arithmetic of prices: means of measured times that forget, and the
 * swappiness that a pair of prices stands for.
 */
#ifndef SWAPTEND_PRICE_H
#define SWAPTEND_PRICE_H

#include "model.h"

/* What was measured counts for a half as much after 0.7 times this. */
#define PRICE_MEMORY_MS 10000

/* With fewer sampled bios in memory the last price is held. */
#define PRICE_MIN_BIOS 16

/* Sums that fade; sums of pages and bios in 1/1024. */
struct price_mean {
	uint64_t ns;
	uint64_t pages_q10;
	uint64_t bios_q10;
	uint64_t estimate_q10; /* pages that the sampled ones stand for */
	uint32_t ns_per_page;  /* the last one trusted; 0: none yet */
};

void price_fade(struct price_mean *mean, uint64_t elapsed_ns);

/* What was sampled since the last call: deltas of struct swt_cost_io. */
void price_add(struct price_mean *mean, const struct swt_cost_io *delta);

/*
 * ns of one swap-in with its swap-out.  A page that comes back was written
 * once, so at most one write counts, and less where pages come back more often
 * than they are written.  Writes to a disk wait in a queue for which nobody
 * waits: there a write counts at most as much as a read; not on zram, where
 * whoever reclaims compresses.  0: unknown.
 */
uint32_t price_swap_ns(const struct price_mean *in,
		       const struct price_mean *out, bool is_synchronous);

/*
 * 200 r / (1 + r) to the nearest, with r = file_ns / swap_ns: mm/vmscan.c
 * weighs anonymous memory by swappiness and files by 200 - swappiness, each
 * the price of one event of the other kind (c843966c556d, v5.8).  Neither may
 * be 0.
 */
int price_swappiness(uint32_t swap_ns, uint32_t file_ns);

/*
 * The base of the laws that follow the price.  Moves at most 200 a second and
 * not for a difference below 5.  params->base until prices are known.
 */
int price_base(const struct sample *sample, const struct law_params *params,
	       struct law_state *state);

#endif
