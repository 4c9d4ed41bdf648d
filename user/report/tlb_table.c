/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define CPUS_ABREAST 8

/* As in the mails; more where numbers are longer, so that blanks part them. */
#define LABEL_WIDTH 8
#define CPU_WIDTH 10
#define SUM_WIDTH 12

struct widths {
	int label;
	int cpu;
	int sum;
};

static void widen(int *width, size_t len)
{
	if ((int)len >= *width)
		*width = (int)len + 1;
}

static struct widths measure(const struct tlb_table *table)
{
	struct widths widths = {LABEL_WIDTH, CPU_WIDTH, SUM_WIDTH};
	char cell[TLB_CELL_LEN];

	for (unsigned int row = 0; row < table->nr_rows; row++) {
		/* What stands behind it brings its own blank. */
		if ((int)strlen(table->labels[row]) > widths.label)
			widths.label = (int)strlen(table->labels[row]);
		for (unsigned int i = 0; i < table->nr_cpus; i++) {
			table->cell(table->context, row, table->cpus[i], cell);
			widen(&widths.cpu, strlen(cell));
		}
		table->cell(table->context, row, TLB_TABLE_SUM, cell);
		widen(&widths.sum, strlen(cell));
	}
	return widths;
}

static void print_header(FILE *out, const struct tlb_table *table,
			 const struct widths *widths, unsigned int first,
			 unsigned int end)
{
	char name[TLB_CELL_LEN];

	fprintf(out, "%-*s", widths->label, "");
	for (unsigned int i = first; i < end; i++) {
		snprintf(name, sizeof(name), "CPU%u", table->cpus[i]);
		fprintf(out, "%*s", widths->cpu, name);
	}
	if (end == table->nr_cpus)
		fprintf(out, "%*s", widths->sum, "HSUM");
	fputc('\n', out);
}

static void print_block(FILE *out, const struct tlb_table *table,
			const struct widths *widths, unsigned int first,
			unsigned int end)
{
	char cell[TLB_CELL_LEN];

	print_header(out, table, widths, first, end);
	for (unsigned int row = 0; row < table->nr_rows; row++) {
		fprintf(out, "%-*s", widths->label, table->labels[row]);
		for (unsigned int i = first; i < end; i++) {
			table->cell(table->context, row, table->cpus[i], cell);
			fprintf(out, "%*s", widths->cpu, cell);
		}
		if (end == table->nr_cpus) {
			table->cell(table->context, row, TLB_TABLE_SUM, cell);
			fprintf(out, "%*s", widths->sum, cell);
		}
		fputc('\n', out);
	}
}

void tlb_table_print(FILE *out, const struct tlb_table *table)
{
	struct widths widths = measure(table);
	unsigned int first = 0, end;

	do {
		end = first + CPUS_ABREAST;
		if (end > table->nr_cpus)
			end = table->nr_cpus;
		if (first)
			fputc('\n', out);
		print_block(out, table, &widths, first, end);
		first = end;
	} while (first < table->nr_cpus);
}

void tlb_diff_pct(uint64_t before, uint64_t after, char ret[TLB_CELL_LEN])
{
	bool is_less = after < before;
	uint64_t apart = is_less ? before - after : after - before;
	uint64_t permille;

	if (!before || __builtin_mul_overflow(apart, 1000, &permille)) {
		snprintf(ret, TLB_CELL_LEN, before || after ? "-" : "0.0");
		return;
	}
	permille = permille / before +
		   (permille % before >= before / 2 + before % 2);
	snprintf(ret, TLB_CELL_LEN, "%s%" PRIu64 ".%" PRIu64,
		 permille && is_less ? "-"
		 : permille	     ? "+"
				     : "",
		 permille / 10, permille % 10);
}
