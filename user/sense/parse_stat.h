/* SPDX-License-Identifier: GPL-2.0-only */
/* Pure: the CPU times of /proc/stat, and a flag of /proc/cpuinfo. */
#ifndef SWAPTEND_PARSE_STAT_H
#define SWAPTEND_PARSE_STAT_H

#include "sense/parse.h"
#include "tlb.h"

/*
 * The line `name`: "cpu" for all CPUs, or "cpu3".
 * -ENOENT: no such line; -EPROTO: not ten numbers (the kernel has shown that
 * many since v2.6.33).
 */
int parse_stat_cpu(const char *text, const char *name,
		   struct tlb_ticks *ret) __must_check;

/* now - before, each; one that went back, as iowait does, is 0. */
void parse_stat_delta(const struct tlb_ticks *before,
		      const struct tlb_ticks *now, struct tlb_ticks *ret);

/* Is `flag` among the first CPU's "flags" of /proc/cpuinfo? */
bool parse_cpuinfo_flag(const char *text, const char *flag);

#endif
