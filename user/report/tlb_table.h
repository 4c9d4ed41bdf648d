/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table with a column for each CPU and a sum, HSUM, behind the last: the
 * layout of the reports of 2010.  Eight CPUs side by side, the rest below.
 */
#ifndef SWAPTEND_TLB_TABLE_H
#define SWAPTEND_TLB_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "util.h"

#define TLB_CELL_LEN 24
#define TLB_TABLE_SUM UINT32_MAX /* in the place of a CPU */

/* Text of a row's cell, "" leaves it empty. */
typedef void tlb_table_cell(const void *context, unsigned int row,
			    unsigned int cpu, char ret[TLB_CELL_LEN]);

struct tlb_table {
	const char *const *labels; /* of the rows */
	unsigned int nr_rows;
	const unsigned int *cpus; /* that have a column */
	unsigned int nr_cpus;
	tlb_table_cell *cell;
	const void *context;
};

void tlb_table_print(FILE *out, const struct tlb_table *table);

/* "-97.9" for 1,500,200 and 31,200; "-" where there is nothing to compare. */
void tlb_diff_pct(uint64_t before, uint64_t after, char ret[TLB_CELL_LEN]);

#endif
