/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/tlb_table.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000
#define MS_PER_S 1000

/* Runs that last as long as each other within a twentieth are alike. */
#define DURATION_SLACK 20

/* A run's number, or false where it is not known. */
typedef bool quantity_of(const struct tlb_saved *run, uint64_t *ret);

static bool hsum_of(const struct tlb_saved *run, uint64_t *ret)
{
	*ret = run->hsum;
	return run->has_hsum && run->is_trusted && !run->is_partial;
}

static bool sent_of(const struct tlb_saved *run, uint64_t *ret)
{
	*ret = run->sent;
	return run->has_sent;
}

static bool received_us_of(const struct tlb_saved *run, uint64_t *ret)
{
	*ret = run->received_ns / NS_PER_US;
	return run->has_received;
}

static bool system_permyriad_of(const struct tlb_saved *run, uint64_t *ret)
{
	uint64_t scaled;

	if (!run->has_ticks || !run->total_ticks ||
	    __builtin_mul_overflow(run->system_ticks, 10000, &scaled))
		return false;
	*ret = scaled / run->total_ticks;
	return true;
}

static const struct quantity {
	const char *key;
	const char *label;
	quantity_of *of;
} quantities[] = {
	{"hsum", "TLB HSUM", hsum_of},
	{"sent", "sent", sent_of},
	{"received_us", "us receiving", received_us_of},
	{"system_permyriad", "system, 1/100 %", system_permyriad_of},
};

static int compare_counts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

struct tlb_range tlb_range_of(uint64_t *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare_counts);
	return (struct tlb_range){
		.is_known = true,
		.min = values[0],
		.median = values[(nr - 1) / 2],
		.max = values[nr - 1],
	};
}

static struct tlb_range range_of(const struct tlb_side *side, quantity_of *of)
{
	_cleanup_free_ uint64_t *values =
		calloc(side->nr_runs, sizeof(*values));

	if (!values)
		return (struct tlb_range){.is_known = false};
	for (unsigned int i = 0; i < side->nr_runs; i++)
		if (!of(&side->runs[i], &values[i]))
			return (struct tlb_range){.is_known = false};
	return tlb_range_of(values, side->nr_runs);
}

enum tlb_claim tlb_claim_of(const struct tlb_range *before,
			    unsigned int nr_before,
			    const struct tlb_range *after,
			    unsigned int nr_after)
{
	if (!before->is_known || !after->is_known)
		return TLB_CLAIM_UNKNOWN;
	if (nr_before < 2 || nr_after < 2)
		return TLB_CLAIM_ONE_RUN;
	if (after->max < before->min)
		return TLB_CLAIM_LESS;
	if (after->min > before->max)
		return TLB_CLAIM_MORE;
	return TLB_CLAIM_OVERLAP;
}

static enum tlb_claim claim_of(const struct tlb_side *before,
			       const struct tlb_side *after, quantity_of *of)
{
	struct tlb_range was = range_of(before, of);
	struct tlb_range is = range_of(after, of);

	return tlb_claim_of(&was, before->nr_runs, &is, after->nr_runs);
}

static const char *claim_text(enum tlb_claim claim)
{
	static const char *const texts[] = {
		[TLB_CLAIM_UNKNOWN] = "no claim: not known of all runs",
		[TLB_CLAIM_ONE_RUN] = "no claim: one run has no spread",
		[TLB_CLAIM_OVERLAP] = "no claim: the ranges overlap",
		[TLB_CLAIM_LESS] = "less: the ranges do not overlap",
		[TLB_CLAIM_MORE] = "more: the ranges do not overlap",
	};

	return texts[claim];
}

/* The run whose sum is the median: its columns add up to it. */
static const struct tlb_saved *median_run(const struct tlb_side *side)
{
	struct tlb_range range = range_of(side, hsum_of);

	for (unsigned int i = 0; range.is_known && i < side->nr_runs; i++)
		if (side->runs[i].hsum == range.median)
			return &side->runs[i];
	return NULL;
}

struct medians {
	const struct tlb_saved *before;
	const struct tlb_saved *after;
};

static bool cpu_count(const struct tlb_saved *run, unsigned int cpu,
		      uint64_t *ret)
{
	if (cpu == TLB_TABLE_SUM) {
		*ret = run->hsum;
		return true;
	}
	if (cpu >= run->nr_cpus || run->cpus[cpu].known != TLB_KNOWN)
		return false;
	*ret = run->cpus[cpu].count;
	return true;
}

static void cell_of(const void *context, unsigned int row, unsigned int cpu,
		    char ret[TLB_CELL_LEN])
{
	const struct medians *medians = context;
	uint64_t before = 0, after = 0;
	bool has_before = cpu_count(medians->before, cpu, &before);
	bool has_after = cpu_count(medians->after, cpu, &after);

	snprintf(ret, TLB_CELL_LEN, "-");
	if (row == 0 && has_before)
		snprintf(ret, TLB_CELL_LEN, "%" PRIu64, before);
	else if (row == 1 && has_after)
		snprintf(ret, TLB_CELL_LEN, "%" PRIu64, after);
	else if (row == 2 && has_before && has_after)
		tlb_diff_pct(before, after, ret);
}

static bool has_cpu(const struct tlb_saved *run, unsigned int cpu)
{
	return cpu < run->nr_cpus && run->cpus[cpu].known != TLB_NO_CPU;
}

static unsigned int larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* Where nothing is claimed no percentage looks like a claim. */
static bool has_diff(enum tlb_claim claim)
{
	return claim != TLB_CLAIM_UNKNOWN && claim != TLB_CLAIM_OVERLAP;
}

static void print_cpus(FILE *out, const struct medians *medians,
		       enum tlb_claim claim)
{
	static const char *const labels[] = {"before", "after", "diff %"};
	unsigned int end =
		larger(medians->before->nr_cpus, medians->after->nr_cpus);
	_cleanup_free_ unsigned int *cpus = calloc(end + 1, sizeof(*cpus));
	struct tlb_table table = {
		.labels = labels,
		.nr_rows = SWT_ARRAY_SIZE(labels) - !has_diff(claim),
		.cpus = cpus,
		.cell = cell_of,
		.context = medians,
	};

	if (!cpus)
		return;
	for (unsigned int cpu = 0; cpu < end; cpu++)
		if (has_cpu(medians->before, cpu) ||
		    has_cpu(medians->after, cpu))
			cpus[table.nr_cpus++] = cpu;
	tlb_table_print(out, &table);
}

/* How a run differs from the first of all; "" if it does not. */
static void describe_difference(const struct tlb_saved *first,
				const struct tlb_saved *run, char *ret,
				size_t size)
{
	const struct tlb_machine *a = &first->machine, *b = &run->machine;
	uint64_t apart = first->duration_ns > run->duration_ns
				 ? first->duration_ns - run->duration_ns
				 : run->duration_ns - first->duration_ns;
	int len = 0;

	*ret = '\0';
	if (strcmp(a->node, b->node))
		len += snprintf(ret + len, size - (size_t)len, ", machine %s",
				b->node);
	if (strcmp(a->release, b->release))
		len += snprintf(ret + len, size - (size_t)len, ", Linux %s",
				b->release);
	if (strcmp(a->arch, b->arch))
		len += snprintf(ret + len, size - (size_t)len, ", %s", b->arch);
	if (a->nr_online != b->nr_online)
		len += snprintf(ret + len, size - (size_t)len, ", %u CPUs",
				b->nr_online);
	if (apart > first->duration_ns / DURATION_SLACK)
		snprintf(ret + len, size - (size_t)len,
			 ", %" PRIu64 ".%03" PRIu64 " s",
			 run->duration_ns / NS_PER_MS / MS_PER_S,
			 run->duration_ns / NS_PER_MS % MS_PER_S);
}

/* Node, release and arch of 64, and the rest. */
#define DIFFERENCE_LEN 320

typedef void note_visitor(void *context, const char *note);

static void visit_run(const struct tlb_saved *first,
		      const struct tlb_saved *run, note_visitor *visit,
		      void *context)
{
	char difference[DIFFERENCE_LEN], note[DIFFERENCE_LEN + 512];

	describe_difference(first, run, difference, sizeof(difference));
	if (*difference) {
		snprintf(note, sizeof(note), "'%.400s' differs from '%.64s'%s",
			 run->path, first->path, difference);
		visit(context, note);
	}
	if (!run->is_trusted) {
		snprintf(note, sizeof(note),
			 "'%.400s': the TLB line does not count what there is "
			 "(%s)",
			 run->path, run->verdict);
		visit(context, note);
	} else if (run->is_partial) {
		snprintf(note, sizeof(note), "'%.400s': HSUM is partial",
			 run->path);
		visit(context, note);
	}
}

static void visit_notes(const struct tlb_side *before,
			const struct tlb_side *after, note_visitor *visit,
			void *context)
{
	for (unsigned int i = 0; i < before->nr_runs; i++)
		visit_run(before->runs, &before->runs[i], visit, context);
	for (unsigned int i = 0; i < after->nr_runs; i++)
		visit_run(before->runs, &after->runs[i], visit, context);
}

static void print_note(void *context, const char *note)
{
	fprintf(context, "note: %s\n", note);
}

static void print_range(FILE *out, const struct tlb_range *range)
{
	char text[72] = "-";

	if (range->is_known)
		snprintf(text, sizeof(text),
			 "%" PRIu64 " (%" PRIu64 "..%" PRIu64 ")",
			 range->median, range->min, range->max);
	fprintf(out, " %32s", text);
}

static void print_quantity(FILE *out, const struct quantity *quantity,
			   const struct tlb_side *before,
			   const struct tlb_side *after)
{
	struct tlb_range was = range_of(before, quantity->of);
	struct tlb_range is = range_of(after, quantity->of);
	enum tlb_claim claim =
		tlb_claim_of(&was, before->nr_runs, &is, after->nr_runs);
	char diff[TLB_CELL_LEN] = "-";

	if (!was.is_known && !is.is_known)
		return;
	if (has_diff(claim))
		tlb_diff_pct(was.median, is.median, diff);
	fprintf(out, "%-16s", quantity->label);
	print_range(out, &was);
	print_range(out, &is);
	fprintf(out, " %8s  %s\n", diff, claim_text(claim));
}

void tlb_compare_print(FILE *out, const struct tlb_side *before,
		       const struct tlb_side *after)
{
	struct medians medians = {median_run(before), median_run(after)};

	fprintf(out,
		"TLB shootdowns, %u runs before and %u after, the median run "
		"of each\n",
		before->nr_runs, after->nr_runs);
	if (medians.before && medians.after)
		print_cpus(out, &medians, claim_of(before, after, hsum_of));
	else
		fputs("not available of all runs\n", out);
	fprintf(out, "\n%-16s %32s %32s %8s\n", "median (range)", "before",
		"after", "diff %");
	for (size_t i = 0; i < SWT_ARRAY_SIZE(quantities); i++)
		print_quantity(out, &quantities[i], before, after);
	visit_notes(before, after, print_note, out);
}

static struct report *report_range(const struct tlb_range *range)
{
	struct report *report = report_new_object();

	if (range->is_known) {
		report_set_int(report, "min", (int64_t)range->min);
		report_set_int(report, "median", (int64_t)range->median);
		report_set_int(report, "max", (int64_t)range->max);
	}
	return report;
}

static struct report *report_quantity(const struct quantity *quantity,
				      const struct tlb_side *before,
				      const struct tlb_side *after)
{
	struct tlb_range was = range_of(before, quantity->of);
	struct tlb_range is = range_of(after, quantity->of);
	enum tlb_claim claim =
		tlb_claim_of(&was, before->nr_runs, &is, after->nr_runs);
	struct report *report = report_new_object();

	report_set(report, "before", report_range(&was));
	report_set(report, "after", report_range(&is));
	report_set_bool(report, "is_claimed",
			claim == TLB_CLAIM_LESS || claim == TLB_CLAIM_MORE);
	report_set_string(report, "claim", claim_text(claim));
	return report;
}

static void set_cpu_count(struct report *object, const char *key,
			  const struct tlb_saved *run, unsigned int cpu)
{
	uint64_t count = 0;

	if (cpu_count(run, cpu, &count))
		report_set_int(object, key, (int64_t)count);
	else
		report_set_null(object, key);
}

/* Of the median runs; none if they are not known. */
static struct report *report_cpus(const struct tlb_side *before,
				  const struct tlb_side *after)
{
	const struct tlb_saved *was = median_run(before);
	const struct tlb_saved *is = median_run(after);
	struct report *list = report_new_array();

	for (unsigned int cpu = 0;
	     was && is && cpu < larger(was->nr_cpus, is->nr_cpus); cpu++) {
		struct report *one;

		if (!has_cpu(was, cpu) && !has_cpu(is, cpu))
			continue;
		one = report_new_object();
		report_set_int(one, "cpu", cpu);
		set_cpu_count(one, "before", was, cpu);
		set_cpu_count(one, "after", is, cpu);
		report_append(list, one);
	}
	return list;
}

static void append_note(void *context, const char *note)
{
	report_append_string(context, note);
}

struct report *tlb_compare_json(const struct tlb_side *before,
				const struct tlb_side *after)
{
	struct report *report = report_new_object();
	struct report *notes = report_new_array();

	report_set_int(report, "schema", 1);
	report_set_int(report, "runs_before", before->nr_runs);
	report_set_int(report, "runs_after", after->nr_runs);
	report_set(report, "per_cpu", report_cpus(before, after));
	for (size_t i = 0; i < SWT_ARRAY_SIZE(quantities); i++)
		report_set(report, quantities[i].key,
			   report_quantity(&quantities[i], before, after));
	visit_notes(before, after, append_note, notes);
	report_set(report, "notes", notes);
	return report;
}
