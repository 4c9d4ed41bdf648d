/* SPDX-License-Identifier: GPL-2.0-only */
/* All counters at one moment, and what happened between two. */
#ifndef SWAPTEND_CMD_TLB_LOOK_H
#define SWAPTEND_CMD_TLB_LOOK_H

#include "sense/bpf_tlb.h"
#include "sense/proc_tlb.h"

struct tlb_snapshot {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	struct tlb_look proc;
	bool has_counts;
	struct tlb_counts counts;
	unsigned int nr_senders;
	/* All, to subtract what they sent before. */
	struct tlb_sender senders[SWT_MAX_TLB_SENDERS];
};

/* bpf NULL: none.  NULL: no memory.  tlb_snapshot_free(). */
struct tlb_snapshot *tlb_snapshot_new(const struct sense_root *root,
				      struct tlb_bpf *bpf);
void tlb_snapshot_free(struct tlb_snapshot *snapshot);

/* Fills the counts of ret, which is zeroed; tlb_run_done() also if it fails. */
int tlb_snapshot_delta(const struct tlb_snapshot *before,
		       const struct tlb_snapshot *now,
		       const struct tlb_bpf *bpf,
		       struct tlb_run *ret) __must_check;

#endif
