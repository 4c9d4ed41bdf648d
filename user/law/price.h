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

/* More is forgotten at once: a scan must not outweigh what follows it. */
#define PRICE_MEMORY_PAGES 8192

/* Sums that fade; sums of pages and bios in 1/1024. */
struct price_mean {
	uint64_t ns;
	uint64_t pages_q10;
	uint64_t bios_q10;
	uint64_t estimate_q10; /* pages that the sampled ones stand for */
	uint32_t ns_per_page;  /* the last one trusted; 0: none yet */
};

void price_fade(struct price_mean *mean, uint64_t elapsed_ns);

/*
 * The same, but the last 64 pages stay until others take their place: after
 * a pause a disk with a limit on I/Os lets some pass at once, and those alone
 * would be its price.
 */
#define PRICE_KEPT_PAGES 64
void price_fade_but_last(struct price_mean *mean, uint64_t elapsed_ns);

/* What was sampled since the last call: deltas of struct swt_cost_io. */
void price_add(struct price_mean *mean, const struct swt_cost_io *delta);

/*
 * ns of one swap-in with its swap-out.  A page that comes back was written
 * once, so at most one write counts, and less where pages come back more often
 * than they are written.  Writes to a disk wait in a queue for which nobody
 * waits: there a write counts at most as much as a read; not on zram, where
 * whoever reclaims compresses.  A write not known yet is taken to cost as much
 * as the read.  0: unknown.
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
 * Prices of an eviction instead of a read: a page that stays away costs
 * nothing.  Neither becomes 0.  The kernel weighs refaults too (get_scan_count
 * since v5.8), but by 1 : 2 at most, however cold one kind is.
 */
void price_weigh(struct prices *prices);

/*
 * Of `steals` pages evicted, the share that came back; `doubt` pages more are
 * taken to have come back, so that little evidence changes little.  1..1000.
 */
uint32_t price_refault_permille(uint64_t refaults, uint64_t steals,
				uint64_t doubt);

/*
 * The doubt about files.  A file read for the first time looks like a stream,
 * and taking it for one costs as much more as file reads cost more than
 * swap-ins: so much more has to be seen before, up to 256 MiB.
 */
#define PRICE_MAX_DOUBT_PAGES 65536
uint64_t price_file_doubt_pages(const struct prices *prices);

/*
 * Anonymous memory is tried while nothing says that it is hot: who never swaps
 * a page out does not learn that it would have stayed there.  With the doubt of
 * 64 pages a trial of hot memory on a disk of 300 I/O a second costs about 4 %
 * of the time.
 */
#define PRICE_TRIAL_SWAPPINESS 10
#define PRICE_HOT_PERMILLE 500
#define PRICE_DOUBT_PAGES 64
/* The base, not below the trial's value where a trial is due. */
int price_with_trial(const struct prices *prices, int base);

/*
 * From 190 on files are hardly evicted, but the kernel still looks through
 * them; at 200 alone it does not, which gave a fifth to a third more work on
 * zram.  But who never evicts a file page does not learn that they are read
 * once: a tenth of the time the value stays what it was.
 */
#define PRICE_ALL_FROM 190
#define PRICE_ALL_MS 900
#define PRICE_ALL_PERIOD_MS 1000
int price_all_or(int value, struct law_state *state, uint64_t elapsed_ns);

/*
 * The base of the laws that follow the price: params->base until prices are
 * known, the first price's value at once, and from there at most 200 a second
 * and not for a difference below 5.
 */
int price_base(const struct sample *sample, const struct law_params *params,
	       struct law_state *state);

#endif
