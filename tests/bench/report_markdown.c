/* SPDX-License-Identifier: GPL-2.0-only */
/* The page for people: what is bad comes first. */
#include "report_stats.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void put_cell_name(const struct cell *cell, FILE *out)
{
	markdown_put(out, cell->load);
	fputs(" on ", out);
	markdown_put(out, cell->corner);
}

/* --- where it was measured --- */

/* "a 1, b 2" of an object, "a, b" of an array, else the value. */
static void put_value(FILE *out, json_t *value)
{
	const char *key, *separator = "";
	json_t *child;
	size_t i;

	json_object_foreach(value, key, child)
	{
		fputs(separator, out);
		markdown_put(out, key);
		fputc(' ', out);
		put_value(out, child);
		separator = ", ";
	}
	json_array_foreach(value, i, child)
	{
		fputs(i ? ", " : "", out);
		put_value(out, child);
	}
	if (json_is_string(value))
		markdown_put(out, json_string_value(value));
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT,
			json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", out);
	else if (json_is_null(value))
		fputs("unknown", out);
}

static void put_provenance(const struct summary *s, FILE *out)
{
	json_t *header = s->runs->header, *value;
	const char *key;

	fputs("Commit ", out);
	value = json_object_get(header, "commit");
	put_value(out, value ? value : json_null());
	if (json_is_true(json_object_get(header, "is_dirty")))
		fputs(" **with changes that are not committed**", out);
	value = json_object_get(header, "date");
	if (value) {
		fputs(", measured ", out);
		put_value(out, value);
	}
	fprintf(out,
		".  %zu runs in %zu cells (a load on a pair of devices) under "
		"%zu policies.\n\n| | |\n|---|---|\n",
		s->runs->run_count, s->cell_count, s->policy_count);
	json_object_foreach(header, key, value)
	{
		if (!strcmp(key, "commit") || !strcmp(key, "is_dirty") ||
		    !strcmp(key, "date"))
			continue;
		fputs("| ", out);
		markdown_put(out, key);
		fputs(" | ", out);
		put_value(out, value);
		fputs(" |\n", out);
	}
	fputc('\n', out);
}

static void put_reading_help(const struct summary *s, FILE *out)
{
	size_t fewest = 0, most = 0;

	for (size_t i = 0; i < s->cell_count * s->policy_count; i++) {
		size_t n = s->results[i].count;

		if (n && (!fewest || n < fewest))
			fewest = n;
		most = n > most ? n : most;
	}
	fprintf(out,
		"Devices, named swap-file: `zram` is compressed memory, `ssd` "
		"a loop device held to 15,000 reads and 15,000 writes a "
		"second, `hdd` one held to 300 and 300.\n\n"
		"Times are medians, of at least %zu and at most %zu runs, "
		"the policies in turns. "
		"±x %% is half of the way from the fastest to the slowest "
		"run; a single run shows none. **~** means that the range of "
		"runs meets that of `" DEFAULT_POLICY
		"`, the default: no difference was seen. **≥** stands at what "
		"was given up at a deadline.\n\n"
		"The **regret** of a policy is its time over the time of the "
		"fixed value that was best on that load and those devices, "
		"known only afterwards.\n\n",
		fewest, most);
}

/* --- losses --- */

static void put_ratio(FILE *out, const char *bound, double ratio)
{
	if (isnan(ratio))
		fputs("–", out);
	else if (ratio < 10)
		fprintf(out, "%s%.2f", bound, ratio);
	else
		fprintf(out, "%s%s", bound, number_format(ratio).text);
}

static void put_range(FILE *out, const struct result *result)
{
	fprintf(out, "%s%s s", result->is_cut ? "≥ " : "",
		number_format(result->median_s).text);
	if (result->count > 1)
		fprintf(out, " (%s–%s)", number_format(result->min_s).text,
			number_format(result->max_s).text);
}

static void put_loss(const struct summary *s, const struct loss *loss,
		     FILE *out)
{
	const struct cell *cell = &s->cells[loss->cell];
	size_t reference = summary_policy(s, DEFAULT_POLICY);

	fputs("| ", out);
	put_cell_name(cell, out);
	fprintf(out, " | %s | ", s->policies[loss->policy].name);
	put_range(out, summary_result(s, loss->cell, loss->policy));
	fputs(" | ", out);
	if (cell->best != NONE) {
		fprintf(out, "%s: ", s->policies[cell->best].name);
		put_range(out, summary_result(s, loss->cell, cell->best));
	}
	fputs(" | ", out);
	put_ratio(out, summary_bound(s, loss->cell, loss->policy, cell->best),
		  loss->regret);
	fputs(" | ", out);
	put_ratio(out, summary_bound(s, loss->cell, loss->policy, reference),
		  loss->slowdown);
	if (summary_is_like_default(s, loss->cell, loss->policy))
		fputs(" ~", out);
	fputs(" |\n", out);
}

static bool is_judged(const char *law)
{
	for (size_t i = 0; i < JUDGED_COUNT; i++) {
		if (!strcmp(law, judged_laws[i]))
			return true;
	}
	return false;
}

/* What never ended has no time, and is no better for it. */
static void put_fatal_losses(const struct summary *s, FILE *out)
{
	for (size_t i = 0; i < s->runs->note_count; i++) {
		const struct note *note = &s->runs->notes[i];

		if (!note->is_failure || !is_judged(note->policy))
			continue;
		fprintf(out, "%s failed: ", note->policy);
		markdown_put(out, note->load);
		fputs(" on ", out);
		markdown_put(out, note->corner);
		fprintf(out, ", round %" JSON_INTEGER_FORMAT ": ", note->round);
		markdown_put(out, note->reason);
		fputs("\n\n", out);
	}
}

static int put_losses(const struct summary *s, FILE *out)
{
	_cleanup_free_ struct loss *losses = NULL;
	size_t count;
	int r = summary_losses(s, &losses, &count);

	if (r)
		return r;
	fprintf(out,
		"## Where a law loses\n\nCells where cost or auto have a "
		"regret above %.2f or take more than %.2f times as long "
		"as `" DEFAULT_POLICY "`, the worst first.\n\n",
		LOSS_REGRET, LOSS_SLOWDOWN);
	put_fatal_losses(s, out);
	if (!count) {
		fputs(summary_policy(s, "cost") == NONE &&
				      summary_policy(s, "auto") == NONE
			      ? "Neither was measured.\n\n"
			      : "None of those that were measured.\n\n",
		      out);
		return 0;
	}
	fputs("| load and devices | law | its time | best fixed value | regret "
	      "| × " DEFAULT_POLICY " |\n|---|---|--:|--:|--:|--:|\n",
	      out);
	for (size_t i = 0; i < count; i++)
		put_loss(s, &losses[i], out);
	fputc('\n', out);
	return 0;
}

/* --- policies --- */

/* Whose mean is smaller; those without one last. */
static bool is_before(const struct policy *policy, const struct policy *other)
{
	return policy->mean_regret < other->mean_regret ||
	       (isnan(other->mean_regret) && !isnan(policy->mean_regret));
}

static void sort_by_mean(const struct summary *s, size_t *order)
{
	for (size_t i = 0; i < s->policy_count; i++) {
		size_t at = i;

		while (at && is_before(&s->policies[i],
				       &s->policies[order[at - 1]])) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
}

static void put_policy(const struct summary *s, size_t p, FILE *out)
{
	const struct policy *policy = &s->policies[p];

	fputs("| ", out);
	markdown_put(out, policy->name);
	fputs(" | ", out);
	put_ratio(out, "", policy->mean_regret);
	fputs(" | ", out);
	put_ratio(out, "", policy->worst_regret);
	fputs(" | ", out);
	if (policy->worst_cell != NONE)
		put_cell_name(&s->cells[policy->worst_cell], out);
	fprintf(out, " | %zu |\n", policy->cell_count);
}

static int put_policies(const struct summary *s, FILE *out)
{
	_cleanup_free_ size_t *order =
		calloc(s->policy_count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	sort_by_mean(s, order);
	fputs("## Policies\n\nOnly policies of the same number of cells "
	      "compare.\n\n| policy | regret, geometric mean | worst | where "
	      "| cells |\n|---|--:|--:|---|--:|\n",
	      out);
	for (size_t i = 0; i < s->policy_count; i++)
		put_policy(s, order[i], out);
	fputc('\n', out);
	return 0;
}

/* --- targets --- */

static void put_target_name(const struct target *target, FILE *out)
{
	static const char *const kinds[_TARGET_MAX] = {
		[TARGET_MEAN_REGRET] = "regret, geometric mean, at most",
		[TARGET_WORST_REGRET] = "regret, worst, at most",
		[TARGET_SPEEDUP] = "throughput over the default's, at least",
		[TARGET_SLOWDOWN] = "time over the default's, at most",
	};

	if (target->load) {
		markdown_put(out, target->load);
		fprintf(out, " on %s: ", target->corner);
	}
	fprintf(out, "%s | %.2f", kinds[target->kind], target->limit);
}

static void put_measured(const struct summary *s, const struct target *target,
			 const char *law, FILE *out)
{
	double measured = target_measure(target, s, law);
	const char *verdict = target_verdict(target, measured);
	size_t policy = summary_policy(s, law), cell;

	if (isnan(measured)) {
		fputs(verdict, out);
		return;
	}
	/* A digit more than elsewhere, so that 1.103 is not "1.10, not met". */
	fprintf(out, "%.3f", measured);
	if (target->load) {
		cell = summary_cell(s, target->load, target->corner);
		if (summary_is_like_default(s, cell, policy))
			fputs(" ~", out);
	} else {
		fprintf(out, " (%zu cells)", s->policies[policy].cell_count);
	}
	fprintf(out, !strcmp(verdict, "met") ? " %s" : " **%s**", verdict);
}

static void put_targets(const struct summary *s, FILE *out)
{
	fputs("## Targets\n\n| target | limit |", out);
	for (size_t i = 0; i < JUDGED_COUNT; i++)
		fprintf(out, " %s |", judged_laws[i]);
	fputs("\n|---|--:|--:|--:|\n", out);
	for (size_t t = 0; t < target_count; t++) {
		fputs("| ", out);
		put_target_name(&targets[t], out);
		for (size_t i = 0; i < JUDGED_COUNT; i++) {
			fputs(" | ", out);
			put_measured(s, &targets[t], judged_laws[i], out);
		}
		fputs(" |\n", out);
	}
	fputc('\n', out);
}

/* --- the rest --- */

static void put_notes(const struct summary *s, FILE *out)
{
	fputs("## Skipped and failed\n\n", out);
	if (!s->runs->note_count)
		fputs("Nothing.\n", out);
	for (size_t i = 0; i < s->runs->note_count; i++) {
		const struct note *note = &s->runs->notes[i];

		fputs("- ", out);
		markdown_put(out, note->load);
		fputs(" on ", out);
		markdown_put(out, note->corner);
		if (*note->policy) {
			fputs(", ", out);
			markdown_put(out, note->policy);
		}
		if (note->is_failure)
			fprintf(out, ", round %" JSON_INTEGER_FORMAT,
				note->round);
		fputs(note->is_failure ? ": failed" : ": skipped", out);
		if (note->is_failure && note->times > 1)
			fprintf(out, " %zu times", note->times);
		fputs(": ", out);
		markdown_put(out, note->reason);
		fputc('\n', out);
	}
	fputc('\n', out);
}

static void put_picture(const struct summary *s, size_t c, const char *name,
			FILE *out)
{
	const struct cell *cell = &s->cells[c];
	_cleanup_free_ char *bars =
		report_file_name(name, cell->load, cell->corner, ".svg");
	_cleanup_free_ char *time =
		report_file_name(name, cell->load, cell->corner, "-time.svg");

	fputs("![", out);
	put_cell_name(cell, out);
	fprintf(out, ": time for each policy](%s)\n", bars ? bars : "");
	if (report_has_time(s, c))
		fprintf(out, "[over time](%s)\n", time ? time : "");
	fputc('\n', out);
}

static void put_pictures(const struct summary *s, const char *name, FILE *out)
{
	fputs("## Pictures\n\n", out);
	for (size_t c = 0; c < s->cell_count; c++) {
		if (summary_starts_corner(s, c)) {
			fputs(c ? "</details>\n\n" : "", out);
			fputs("<details><summary>", out);
			xml_put(out, s->cells[c].corner);
			fputs("</summary>\n\n", out);
		}
		put_picture(s, c, name, out);
	}
	fputs(s->cell_count ? "</details>\n" : "Nothing was measured.\n", out);
}

int report_markdown(const struct summary *s, const char *name, FILE *out)
{
	int r;

	fputs("<!-- SPDX-License-Identifier: GPL-2.0-only -->\n# Benchmark ",
	      out);
	markdown_put(out, name);
	fputs("\n\n", out);
	put_provenance(s, out);
	put_reading_help(s, out);
	r = put_losses(s, out);
	if (!r)
		r = put_policies(s, out);
	if (r)
		return r;
	put_targets(s, out);
	report_times(s, out);
	r = report_contest(s, out);
	put_notes(s, out);
	put_pictures(s, name, out);
	return r;
}
