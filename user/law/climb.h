/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Swapping more for as long as that costs nothing and files are read again and
 * again.  A price per eviction is an average of the past: where the cold memory
 * is not evicted yet it knows nothing of it, and it takes tens of seconds to
 * forget pages that came back once.  What tasks wait for now says both at once.
 */
#ifndef SWAPTEND_CLIMB_H
#define SWAPTEND_CLIMB_H

#include "model.h"

/* Nothing to gain where refaults of files take less of the time. */
#define CLIMB_WORTH_PERMILLE 50

/*
 * Of what files cost: below 1/16 swap-ins count as free, from 1/4 on the climb
 * was wrong.  On a disk of 300 I/O a second beside a fast one that always
 * works, the latter are 25 pages.
 */
#define CLIMB_FREE_SHARE 16
#define CLIMB_DEAR_SHARE 4

/* From 10 to 160 in a second: what it may cost is bounded by pages, below. */
#define CLIMB_DOUBLING_MS 250
#define CLIMB_START 10

/*
 * So many pages may be swapped out on trust; then the level is not used until
 * those that are hot had time to come back.  If they did not, four times as
 * many.  On a disk of 300 I/O a second the first trial costs a second at most.
 */
#define CLIMB_TRUST_PAGES 256
#define CLIMB_TRUST_MAX_PAGES (1U << 24)
#define CLIMB_PROOF_MS 1000

/* After a climb that was wrong; four times as long after each further one. */
#define CLIMB_WAIT_MS 2000
#define CLIMB_WAIT_MAX_MS 128000

/* A level that is of no use any more fades in this time. */
#define CLIMB_FADE_MS 10000

/*
 * The level reached after `elapsed_ns`, or `value`, what the law says without
 * it, where that is more.  Never above `top`, but for `value`.
 */
int climb_step(struct climb_state *climb, const struct prices *prices,
	       int value, int top, uint64_t elapsed_ns);

#endif
