/* SPDX-License-Identifier: GPL-2.0-only */
/* All times: a table for each pair of devices, and contest as it was shown. */
#include "report_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What "static, high" and "static 50" of the thread are nearest to. */
#define HIGH_SWAPPINESS 200
#define MIDDLE_SWAPPINESS 50

#define CONTEST "contest_"
#define CONTEST_LENGTH (sizeof(CONTEST) - 1)
#define CONTEST_REFERENCE "contest_noload"

static void put_time(const struct summary *s, size_t c, size_t p, FILE *out)
{
	const struct result *result = summary_result(s, c, p);
	bool is_best = s->cells[c].best == p;
	double half_pct;

	if (!result) {
		fputs(" – |", out);
		return;
	}
	fprintf(out, " %s%s%s%s", is_best ? "**" : "",
		result->is_cut ? "≥ " : "",
		number_format(result->median_s).text, is_best ? "**" : "");
	half_pct = (result->max_s - result->min_s) / 2 / result->median_s * 100;
	if (result->count > 1)
		fprintf(out, half_pct < 1 ? " ±%.1f %%" : " ±%.0f %%",
			half_pct);
	fputs(summary_is_like_default(s, c, p) ? " ~ |" : " |", out);
}

static void put_corner(const struct summary *s, size_t first, FILE *out)
{
	const char *corner = s->cells[first].corner;

	fputs("### ", out);
	markdown_put(out, corner);
	fputs("\n\n| load |", out);
	for (size_t p = 0; p < s->policy_count; p++) {
		fputc(' ', out);
		markdown_put(out, s->policies[p].name);
		fputs(" |", out);
	}
	fputs("\n|---|", out);
	for (size_t p = 0; p < s->policy_count; p++)
		fputs("--:|", out);
	fputc('\n', out);
	for (size_t c = first; c < s->cell_count; c++) {
		if (strcmp(s->cells[c].corner, corner))
			break;
		fputs("| ", out);
		markdown_put(out, s->cells[c].load);
		fputs(" |", out);
		for (size_t p = 0; p < s->policy_count; p++)
			put_time(s, c, p, out);
		fputc('\n', out);
	}
	fputc('\n', out);
}

void report_times(const struct summary *s, FILE *out)
{
	fputs("## Seconds by swap and file device\n\nThe best fixed value in "
	      "bold.\n\n",
	      out);
	for (size_t c = 0; c < s->cell_count; c++) {
		if (summary_starts_corner(s, c))
			put_corner(s, c, out);
	}
}

/* --- contest --- */

static bool is_contest(const struct cell *cell)
{
	return !strncmp(cell->load, CONTEST, CONTEST_LENGTH);
}

/* Of a detail over the runs of a policy; NaN: no run has it. */
static double detail_median(const struct summary *s, size_t c, size_t p,
			    const char *key, double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < s->runs->run_count; i++) {
		const struct run *run = &s->runs->runs[i];
		json_t *value = json_object_get(
			json_object_get(run->json, "detail"), key);

		if (json_is_number(value) &&
		    summary_cell(s, run->load, run->corner) == c &&
		    summary_policy(s, run->policy) == p)
			values[n++] = json_number_value(value);
	}
	return stats_median(values, n);
}

static void put_column(FILE *out, int width, double value)
{
	if (isnan(value))
		fprintf(out, " %*s", width, "-");
	else
		fprintf(out, " %*.1f", width, value);
}

/* Rows of plain text: four spaces keep them as they are. */
static void put_contest_row(const struct summary *s, size_t c, size_t p,
			    double reference_s, double *values, FILE *out)
{
	const struct result *result = summary_result(s, c, p);
	int length;

	if (!result)
		return;
	length = fprintf(out, "    %s [%zu]", s->policies[p].name,
			 result->count);
	fprintf(out, "%*s %8.1f", length < 29 ? 29 - length : 0, "",
		result->median_s);
	put_column(out, 7, detail_median(s, c, p, "cpu_pct", values));
	put_column(out, 7, detail_median(s, c, p, "loads", values));
	put_column(out, 7, detail_median(s, c, p, "lcpu_pct", values));
	if (isnan(reference_s))
		fprintf(out, " %7s", "-");
	else
		fprintf(out, " %7.2f", result->median_s / reference_s);
	fputs(result->is_cut ? "  cut at the deadline\n" : "\n", out);
}

static void put_contest_load(const struct summary *s, size_t c, double *values,
			     FILE *out)
{
	const struct cell *cell = &s->cells[c];
	const struct result *reference = summary_result(
		s, summary_cell(s, CONTEST_REFERENCE, cell->corner),
		summary_policy(s, DEFAULT_POLICY));
	double reference_s = reference ? reference->median_s : NAN;

	fprintf(out, "    %s:\n    %-25s %8s %7s %7s %7s %7s\n",
		cell->load + CONTEST_LENGTH, "Policy [runs]", "Time", "CPU%",
		"Loads", "LCPU%", "Ratio");
	for (size_t p = 0; p < s->policy_count; p++)
		put_contest_row(s, c, p, reference_s, values, out);
	fputs("\n", out);
}

static void put_contest_corners(const struct summary *s, double *values,
				FILE *out)
{
	const char *corner = "";

	for (size_t c = 0; c < s->cell_count; c++) {
		if (!is_contest(&s->cells[c]))
			continue;
		if (strcmp(corner, s->cells[c].corner) != 0) {
			corner = s->cells[c].corner;
			fputs("### contest on ", out);
			markdown_put(out, corner);
			fputs("\n\n", out);
		}
		put_contest_load(s, c, values, out);
	}
}

/* --- the table of 2002 --- */

static const struct {
	const char *load, *label;
	double high_s, middle_s, auto_s;
} thread_times[] = {
	{"contest_mem_load", "mem_load", 107.7, 165.1, 118.1},
	{"contest_io_load", "io_load", 326.2, 208.0, 254.0},
};

/* The measured fixed value that is nearest. */
static size_t nearest_fixed(const struct summary *s, size_t c, int wanted)
{
	size_t nearest = NONE;

	for (size_t p = 0; p < s->policy_count; p++) {
		int fixed = s->policies[p].fixed;

		if (fixed < 0 || !summary_result(s, c, p))
			continue;
		if (nearest == NONE ||
		    abs(fixed - wanted) <
			    abs(s->policies[nearest].fixed - wanted))
			nearest = p;
	}
	return nearest;
}

static void put_ours(const struct summary *s, size_t c, size_t p, FILE *out)
{
	const struct result *result = summary_result(s, c, p);

	if (!result) {
		fputs(" – |", out);
		return;
	}
	fprintf(out, " %s%.1f (", result->is_cut ? "≥ " : "", result->median_s);
	markdown_put(out, s->policies[p].name);
	fputs(") |", out);
}

static void put_thread_load(const struct summary *s, size_t i, FILE *out)
{
	size_t law = summary_policy(s, "kolivas");

	fprintf(out, "| %s | the thread, 2002 | %.1f | %.1f | %.1f |\n",
		thread_times[i].label, thread_times[i].high_s,
		thread_times[i].middle_s, thread_times[i].auto_s);
	for (size_t c = 0; c < s->cell_count; c++) {
		if (strcmp(s->cells[c].load, thread_times[i].load) != 0)
			continue;
		fprintf(out, "| %s | ", thread_times[i].label);
		markdown_put(out, s->cells[c].corner);
		fputs(" |", out);
		put_ours(s, c, nearest_fixed(s, c, HIGH_SWAPPINESS), out);
		put_ours(s, c, nearest_fixed(s, c, MIDDLE_SWAPPINESS), out);
		put_ours(s, c, law, out);
		fputc('\n', out);
	}
}

int report_contest(const struct summary *s, FILE *out)
{
	_cleanup_free_ double *values =
		calloc(s->runs->run_count + 1, sizeof(*values));
	bool has_any = false;

	if (!values)
		return -ENOMEM;
	for (size_t c = 0; c < s->cell_count; c++)
		has_any |= is_contest(&s->cells[c]);
	fputs("## contest\n\n", out);
	if (!has_any) {
		fputs("Not measured.\n\n", out);
		return 0;
	}
	fputs("A compile beside a load.  Time in seconds, CPU% of the compile, "
	      "Loads done meanwhile, LCPU% of the load, Ratio to the time of "
	      "noload under `" DEFAULT_POLICY "` on the same devices.\n\n",
	      out);
	put_contest_corners(s, values, out);
	fputs("### Beside the thread of 2002\n\nSeconds on the hardware of "
	      "then and of now: only the order within a row compares.\n\n"
	      "| load | where | static, high | static, near 50 | regulated "
	      "|\n|---|---|--:|--:|--:|\n",
	      out);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(thread_times); i++)
		put_thread_load(s, i, out);
	fputc('\n', out);
	return 0;
}
