/* SPDX-License-Identifier: GPL-2.0-only */
/* Pure: what happened between two looks at the TLB's counters. */
#ifndef SWAPTEND_TLB_DELTA_H
#define SWAPTEND_TLB_DELTA_H

#include "sense/parse_interrupts.h"
#include "tlb.h"

/*
 * One line between two looks, and each CPU's part in ret_cpus (NULL: not
 * wanted), which has room for the higher nr_cpus of the two.
 */
void tlb_delta_line(const struct interrupts *before,
		    const struct interrupts *now, enum interrupts_kind kind,
		    struct tlb_line *ret, struct tlb_cpu_count *ret_cpus);

/*
 * now - before, each counter, into `now`; one that went back is 0.  CPUs that
 * only `now` has keep their counts.
 */
void tlb_delta_counts(const struct tlb_counts *before, struct tlb_counts *now);

/*
 * Takes what each of `now` had sent before off it, drops those that sent
 * nothing since, sorts in falling order.  Yields how many are left.
 */
unsigned int tlb_delta_senders(const struct tlb_sender *before,
			       unsigned int nr_before, struct tlb_sender *now,
			       unsigned int nr_now);

#endif
