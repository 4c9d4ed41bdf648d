/* SPDX-License-Identifier: GPL-2.0-only */
#include "report_stats.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MAX_SWAPPINESS 200

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), compare_doubles);
	if (count % 2)
		return values[count / 2];
	return values[count / 2 - 1] / 2 + values[count / 2] / 2;
}

double stats_geometric_mean(const double *values, size_t count)
{
	double sum = 0;

	if (!count)
		return NAN;
	for (size_t i = 0; i < count; i++)
		sum += log(values[i]);
	return exp(sum / (double)count);
}

int policy_fixed(const char *name)
{
	static const char prefix[] = "static:";
	const char *digits = name + sizeof(prefix) - 1;
	long value;
	char *end;

	if (strncmp(name, prefix, sizeof(prefix) - 1) || *digits < '0' ||
	    *digits > '9')
		return -1;
	errno = 0;
	value = strtol(digits, &end, 10);
	return errno || *end || value > MAX_SWAPPINESS ? -1 : (int)value;
}

/* --- which cells, which policies, in which order --- */

/* As they are spoken of; what is not among them comes last. */
static size_t rank_of(const char *name, const char *const names[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(name, names[i]))
			return i;
	}
	return count;
}

static int compare_policies(const void *a, const void *b)
{
	static const char *const laws[] = {"kolivas", "kolivas-proportional",
					   "kolivas-2004", "cost", "auto"};
	const struct policy *x = a, *y = b;
	size_t rank_x = rank_of(x->name, laws, SWT_ARRAY_SIZE(laws));
	size_t rank_y = rank_of(y->name, laws, SWT_ARRAY_SIZE(laws));

	if ((x->fixed < 0) != (y->fixed < 0))
		return x->fixed < 0 ? 1 : -1;
	if (x->fixed != y->fixed)
		return x->fixed < y->fixed ? -1 : 1;
	if (rank_x != rank_y)
		return rank_x < rank_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

static size_t corner_rank(const char *corner)
{
	static const char *const corners[] = {"zram-ssd", "zram-hdd",
					      "ssd-ssd",  "ssd-hdd",
					      "hdd-ssd",  "hdd-hdd"};

	return rank_of(corner, corners, SWT_ARRAY_SIZE(corners));
}

static int compare_corners(const char *a, const char *b)
{
	size_t rank_a = corner_rank(a), rank_b = corner_rank(b);

	if (rank_a != rank_b)
		return rank_a < rank_b ? -1 : 1;
	return strcmp(a, b);
}

/* Within a corner the loads keep the order in which they were measured. */
static void sort_cells(struct summary *s)
{
	for (size_t i = 1; i < s->cell_count; i++) {
		struct cell cell = s->cells[i];
		size_t j = i;

		while (j && compare_corners(s->cells[j - 1].corner,
					    cell.corner) > 0) {
			s->cells[j] = s->cells[j - 1];
			j--;
		}
		s->cells[j] = cell;
	}
}

size_t summary_policy(const struct summary *s, const char *name)
{
	for (size_t i = 0; i < s->policy_count; i++) {
		if (!strcmp(s->policies[i].name, name))
			return i;
	}
	return NONE;
}

size_t summary_cell(const struct summary *s, const char *load,
		    const char *corner)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		if (!strcmp(s->cells[i].load, load) &&
		    !strcmp(s->cells[i].corner, corner))
			return i;
	}
	return NONE;
}

bool summary_starts_corner(const struct summary *s, size_t cell)
{
	return !cell ||
	       strcmp(s->cells[cell - 1].corner, s->cells[cell].corner) != 0;
}

static void name_cells_and_policies(struct summary *s)
{
	for (size_t i = 0; i < s->runs->run_count; i++) {
		const struct run *run = &s->runs->runs[i];

		if (summary_cell(s, run->load, run->corner) == NONE)
			s->cells[s->cell_count++] =
				(struct cell){run->load, run->corner, NONE};
		if (summary_policy(s, run->policy) == NONE)
			s->policies[s->policy_count++] = (struct policy){
				.name = run->policy,
				.fixed = policy_fixed(run->policy),
			};
	}
	sort_cells(s);
	qsort(s->policies, s->policy_count, sizeof(*s->policies),
	      compare_policies);
}

/* --- results --- */

static int compare_runs(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a;
	const struct run *y = *(const struct run *const *)b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return (x->round > y->round) - (x->round < y->round);
}

/* `found` and `times_s` have room for all runs. */
static void fill_result(struct summary *s, size_t cell, size_t policy,
			const struct run **found, double *times_s)
{
	struct result *result = &s->results[cell * s->policy_count + policy];
	size_t n = 0;

	for (size_t i = 0; i < s->runs->run_count; i++) {
		const struct run *run = &s->runs->runs[i];

		if (!strcmp(run->policy, s->policies[policy].name) &&
		    !strcmp(run->load, s->cells[cell].load) &&
		    !strcmp(run->corner, s->cells[cell].corner))
			found[n++] = run;
	}
	result->count = n;
	if (!n)
		return;
	qsort(found, n, sizeof(*found), compare_runs);
	for (size_t i = 0; i < n; i++)
		times_s[i] = found[i]->time_s;
	result->median_s = stats_median(times_s, n);
	result->min_s = times_s[0];
	result->max_s = times_s[n - 1];
	result->middle = found[(n - 1) / 2];
	result->is_cut = result->middle->is_cut || found[n / 2]->is_cut;
}

static void find_best(struct summary *s, size_t cell)
{
	size_t *best = &s->cells[cell].best;

	for (size_t p = 0; p < s->policy_count; p++) {
		const struct result *result = summary_result(s, cell, p);

		if (s->policies[p].fixed < 0 || !result)
			continue;
		if (*best == NONE ||
		    result->median_s < summary_result(s, cell, *best)->median_s)
			*best = p;
	}
}

/* `regrets` has room for all cells. */
static void judge_policy(struct summary *s, size_t p, double *regrets)
{
	struct policy *policy = &s->policies[p];

	policy->worst_regret = NAN;
	policy->worst_cell = NONE;
	for (size_t c = 0; c < s->cell_count; c++) {
		double regret = summary_regret(s, c, p);

		if (isnan(regret))
			continue;
		regrets[policy->cell_count++] = regret;
		if (policy->worst_cell == NONE ||
		    regret > policy->worst_regret) {
			policy->worst_regret = regret;
			policy->worst_cell = c;
		}
	}
	policy->mean_regret = stats_geometric_mean(regrets, policy->cell_count);
}

static int fill_summary(struct summary *s)
{
	size_t room = s->runs->run_count + 1;
	_cleanup_free_ const struct run **found = calloc(room, sizeof(*found));
	_cleanup_free_ double *values = calloc(room, sizeof(*values));

	if (!found || !values)
		return -ENOMEM;
	for (size_t c = 0; c < s->cell_count; c++) {
		for (size_t p = 0; p < s->policy_count; p++)
			fill_result(s, c, p, found, values);
		find_best(s, c);
	}
	/* There are no more cells than runs. */
	for (size_t p = 0; p < s->policy_count; p++)
		judge_policy(s, p, values);
	return 0;
}

int summary_init(struct summary *ret_summary, const struct runs *runs)
{
	struct summary s = {.runs = runs};
	int r = -ENOMEM;

	/* One more: there may be none, and calloc(0) may be NULL. */
	s.cells = calloc(runs->run_count + 1, sizeof(*s.cells));
	s.policies = calloc(runs->run_count + 1, sizeof(*s.policies));
	if (s.cells && s.policies) {
		name_cells_and_policies(&s);
		s.results = calloc(s.cell_count * s.policy_count + 1,
				   sizeof(*s.results));
		if (s.results)
			r = fill_summary(&s);
	}
	if (r)
		summary_done(&s);
	else
		*ret_summary = s;
	return r;
}

void summary_done(struct summary *s)
{
	free(s->cells);
	free(s->policies);
	free(s->results);
	memset(s, 0, sizeof(*s));
}

const struct result *summary_result(const struct summary *s, size_t cell,
				    size_t policy)
{
	const struct result *result;

	if (cell == NONE || policy == NONE)
		return NULL;
	result = &s->results[cell * s->policy_count + policy];
	return result->count ? result : NULL;
}

/* --- one time over another --- */

static double time_over(const struct summary *s, size_t cell, size_t policy,
			size_t reference)
{
	const struct result *result = summary_result(s, cell, policy);
	const struct result *other = summary_result(s, cell, reference);

	if (!result || !other)
		return NAN;
	if (policy == reference)
		return 1;
	/* Two deadlines tell nothing about each other. */
	if (result->is_cut && other->is_cut)
		return NAN;
	return result->median_s / other->median_s;
}

double summary_regret(const struct summary *s, size_t cell, size_t policy)
{
	return cell == NONE ? NAN
			    : time_over(s, cell, policy, s->cells[cell].best);
}

double summary_slowdown(const struct summary *s, size_t cell, size_t policy)
{
	return time_over(s, cell, policy, summary_policy(s, DEFAULT_POLICY));
}

bool summary_is_like_default(const struct summary *s, size_t cell,
			     size_t policy)
{
	size_t reference = summary_policy(s, DEFAULT_POLICY);
	const struct result *result = summary_result(s, cell, policy);
	const struct result *other = summary_result(s, cell, reference);

	return result && other && policy != reference &&
	       result->min_s <= other->max_s && other->min_s <= result->max_s;
}

const char *summary_bound(const struct summary *s, size_t cell, size_t policy,
			  size_t reference)
{
	const struct result *result = summary_result(s, cell, policy);
	const struct result *other = summary_result(s, cell, reference);

	if (!result || !other || policy == reference)
		return "";
	return result->is_cut ? "at least " : other->is_cut ? "at most " : "";
}
