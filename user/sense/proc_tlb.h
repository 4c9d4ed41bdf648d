/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc tells of TLB shootdowns, and of the machine they are counted on.
 */
#ifndef SWAPTEND_PROC_TLB_H
#define SWAPTEND_PROC_TLB_H

#include "sense/parse_interrupts.h"
#include "sense/proc.h"
#include "tlb.h"

/* Large: on the heap. */
struct tlb_look {
	int interrupts_error; /* 0, or why `interrupts` is empty */
	struct interrupts interrupts;
	int ticks_error;
	struct tlb_ticks ticks;
};

/* Each part that cannot be had has its -errno. */
void proc_tlb_look(const struct sense_root *root, struct tlb_look *ret);

/* Names from uname(2), the rest from /proc and the look. */
void proc_tlb_machine(const struct sense_root *root,
		      const struct tlb_look *look, struct tlb_machine *ret);

/* Is any swap on?  Without /proc/swaps: no. */
bool proc_tlb_has_swap(const struct sense_root *root);

#endif
