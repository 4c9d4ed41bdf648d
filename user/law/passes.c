/* SPDX-License-Identifier: GPL-2.0-only */
#include "law/passes.h"

#include <stdbool.h>

static uint64_t halved(uint64_t count, unsigned int halvings)
{
	uint64_t left = count >> halvings;

	/* One pass at priority 0 says more than a million at 12: keep it. */
	return count && !left ? 1 : left;
}

static uint64_t sum_halved(const uint64_t *counts, unsigned int classes,
			   unsigned int halvings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < classes; i++) {
		uint64_t count = counts[i] >> halvings;

		sum = count > UINT64_MAX - sum ? UINT64_MAX : sum + count;
	}
	return sum;
}

uint64_t passes_sum(const uint64_t *counts, unsigned int classes)
{
	return sum_halved(counts, classes, 0);
}

void passes_init(struct passes *ret, const uint64_t *counts,
		 unsigned int classes)
{
	unsigned int halvings = 0;

	/* Ends: 13 counts of 64 bits fit after 51 halvings. */
	while (sum_halved(counts, classes, halvings) > PASSES_CAP)
		halvings++;

	*ret = (struct passes){0};
	for (unsigned int i = 0; i < classes; i++) {
		if (!counts[i])
			continue;
		ret->class_of[ret->classes] = i;
		ret->count[ret->classes] = halved(counts[i], halvings);
		ret->total += ret->count[ret->classes];
		ret->classes++;
	}
}

/* Would one more pass of this class run ahead of its share by one or more? */
static bool is_due(const struct passes *passes, unsigned int i)
{
	return passes->seen[i] * passes->total <
	       (passes->position + 1) * passes->count[i];
}

/* Must the next pass of class a come before that of b? */
static bool is_earlier(const struct passes *passes, unsigned int a,
		       unsigned int b)
{
	return (passes->seen[a] + 1) * passes->count[b] <
	       (passes->seen[b] + 1) * passes->count[a];
}

/*
 * Earliest deadline first among the due.  The n-th pass of a class with share
 * count/total is due from (n - 1) * total/count and late after n * total/count.
 * Such windows can always all be met (Tijdeman, "The chairman assignment
 * problem", 1980; Baruah et al., "Proportionate progress", 1996), and the
 * earliest deadline meets them; largest remainder alone does not.  Products
 * stay below 2^36 by the cap.  Ties go to the lower index.
 */
int passes_next(struct passes *passes)
{
	unsigned int best = passes->classes;

	for (unsigned int i = 0; i < passes->classes; i++) {
		if (passes->seen[i] == passes->count[i] || !is_due(passes, i))
			continue;
		if (best == passes->classes || is_earlier(passes, i, best))
			best = i;
	}
	/* Some class is always due until all are used up. */
	if (best == passes->classes)
		return -1;
	passes->seen[best]++;
	passes->position++;
	return (int)passes->class_of[best];
}
