/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of `swaptend tlb` as text, and the lines of its live table. */
#ifndef SWAPTEND_TLB_TEXT_H
#define SWAPTEND_TLB_TEXT_H

#include <stdio.h>

#include "tlb.h"

/* max_senders: how many of them are shown. */
void tlb_text_print(FILE *out, const struct tlb_run *run,
		    unsigned int max_senders);

/* One line of an interval; a header above every twentieth. */
void tlb_text_live(FILE *out, const struct tlb_run *interval,
		   uint64_t elapsed_ms, unsigned int line);

/* What a method of timing receptions takes in. */
const char *tlb_receive_includes(enum tlb_receive receive);

#endif
