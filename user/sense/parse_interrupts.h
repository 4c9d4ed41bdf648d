/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pure: the two lines of /proc/interrupts that tell of other CPUs' requests,
 * by CPU number.  The columns are named by the header: a CPU that is offline
 * has none.
 */
#ifndef SWAPTEND_PARSE_INTERRUPTS_H
#define SWAPTEND_PARSE_INTERRUPTS_H

#include "sense/parse.h"

/* CONFIG_NR_CPUS of x86 goes up to 8192 (with MAXSMP). */
#define INTERRUPTS_MAX_CPUS 8192

enum interrupts_kind {
	INTERRUPTS_TLB, /* TLB shootdowns received */
	/*
	 * Function-call interrupts.  Most shootdowns come by one, but a CPU in
	 * the idle loop polls, and one interrupt may bring several.
	 */
	INTERRUPTS_CAL,
	INTERRUPTS_KINDS,
};

/* Large: on the heap. */
struct interrupts {
	unsigned int nr_cpus; /* highest CPU number of the header + 1 */
	unsigned int nr_online;
	bool is_online[INTERRUPTS_MAX_CPUS];
	bool has_line[INTERRUPTS_KINDS]; /* false: not available, not 0 */
	uint64_t counts[INTERRUPTS_KINDS][INTERRUPTS_MAX_CPUS];
	/*
	 * A line has other columns than the header says, as when a CPU comes or
	 * goes while the file is read: which is whose is not known, so such a
	 * line is left out.
	 */
	bool is_torn;
	bool is_hyperv; /* Hyper-V's own lines are there */
};

/* -ENODATA: no header that names CPUs; -E2BIG: a CPU beyond the most. */
int parse_interrupts(const char *text, struct interrupts *ret) __must_check;

#endif
