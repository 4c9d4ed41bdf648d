/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes come as counts by class; a law needs them one after the other.  The
 * order here is fixed and evenly spread: after any t passes each class has been
 * seen t * count / total times, to within less than one.
 */
#ifndef SWAPTEND_PASSES_H
#define SWAPTEND_PASSES_H

#include <stdint.h>

#include <swaptend/abi.h>

#define PASSES_MAX_CLASSES SWT_NR_PRIORITIES

/*
 * At most so many passes (and one more a class) are replayed in one step, which
 * bounds its time to about a millisecond.  A sample holds a few thousand; only
 * a daemon that was stopped finds more.  Larger counts are all halved until
 * they fit, and no class that was seen is lost.
 */
#define PASSES_CAP (UINT64_C(1) << 17)

struct passes {
	uint64_t count[PASSES_MAX_CLASSES]; /* halved where above the cap */
	uint64_t seen[PASSES_MAX_CLASSES];
	unsigned int class_of[PASSES_MAX_CLASSES]; /* the caller's index */
	unsigned int classes;			   /* with a count above 0 */
	uint64_t total;
	uint64_t position;
};

/* `counts` has `classes` members, at most PASSES_MAX_CLASSES. */
void passes_init(struct passes *ret, const uint64_t *counts,
		 unsigned int classes);

/* The class of the next pass, by its index in `counts`; -1 at the end. */
int passes_next(struct passes *passes);

/* Sum that stops at UINT64_MAX instead of wrapping. */
uint64_t passes_sum(const uint64_t *counts, unsigned int classes);

#endif
