/* SPDX-License-Identifier: GPL-2.0-only */
/* Pure: what a run's counts mean, in one sentence. */
#ifndef SWAPTEND_TLB_VERDICT_H
#define SWAPTEND_TLB_VERDICT_H

#include "tlb.h"

enum tlb_verdict_kind {
	TLB_VERDICT_AGED_NO_SWAP, /* the regression of 2010 */
	TLB_VERDICT_RECLAIM,	  /* reclaim caused most of them */
	TLB_VERDICT_PARTLY,
	TLB_VERDICT_NOT_RECLAIM,
	TLB_VERDICT_NONE, /* there were none */
	TLB_VERDICT_ONE_CPU,
	TLB_VERDICT_UNATTRIBUTED, /* counted, but not by whom */
	/* The count lies or is not there: no share is given. */
	TLB_VERDICT_HYPERCALL,
	TLB_VERDICT_BROADCAST,
	TLB_VERDICT_UNCOUNTED,
	TLB_VERDICT_NO_LINE,
	TLB_VERDICT_UNKNOWN, /* nothing could be counted */
	_TLB_VERDICT_MAX,
};

/*
 * Reclaim's share: below the one swappiness does not matter, from the other on
 * it does.  Chosen: a tenth is within the noise of two runs, a half is most.
 */
#define TLB_SHARE_SMALL_PERMILLE 100
#define TLB_SHARE_LARGE_PERMILLE 500

/*
 * What the share is of.  A send is told before idle CPUs are left out, so many
 * may reach nobody: what was received is better, where its sender is known.
 */
enum tlb_share {
	TLB_SHARE_NONE, /* no share is given */
	TLB_SHARE_RECEIVED,
	TLB_SHARE_SENT,
};

struct tlb_verdict {
	enum tlb_verdict_kind kind;
	bool is_trusted; /* the TLB line counts what there is */
	enum tlb_share share;
	uint32_t reclaim_permille; /* rounded down */
	char sentence[768];
};

void tlb_verdict_make(const struct tlb_run *run, struct tlb_verdict *ret);
const char *tlb_verdict_name(enum tlb_verdict_kind kind);

#endif
