/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sides of saved runs, before and after.  Nothing is claimed unless every
 * run of one side is beyond every run of the other.
 */
#ifndef SWAPTEND_TLB_COMPARE_H
#define SWAPTEND_TLB_COMPARE_H

#include "report/json.h"
#include "report/tlb_saved.h"

struct tlb_side {
	const struct tlb_saved *runs;
	unsigned int nr_runs; /* at least 1 */
};

struct tlb_range {
	bool is_known; /* of all runs */
	uint64_t min;
	uint64_t median; /* of an even number of runs the lower middle one */
	uint64_t max;
};

enum tlb_claim {
	TLB_CLAIM_UNKNOWN, /* not counted, or the count lies */
	TLB_CLAIM_ONE_RUN, /* a side of one run has no spread */
	TLB_CLAIM_OVERLAP,
	TLB_CLAIM_LESS, /* after is below before */
	TLB_CLAIM_MORE,
};

/* values[nr] is sorted. */
struct tlb_range tlb_range_of(uint64_t *values, unsigned int nr);
enum tlb_claim tlb_claim_of(const struct tlb_range *before,
			    unsigned int nr_before,
			    const struct tlb_range *after,
			    unsigned int nr_after);

void tlb_compare_print(FILE *out, const struct tlb_side *before,
		       const struct tlb_side *after);
struct report *tlb_compare_json(const struct tlb_side *before,
				const struct tlb_side *after);

#endif
