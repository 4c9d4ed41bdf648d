/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Medians, regrets and targets.  Numbers that do not exist, because a policy
 * was not measured there, are NaN.
 */
#ifndef SWAPTEND_BENCH_REPORT_STATS_H
#define SWAPTEND_BENCH_REPORT_STATS_H

#include "report.h"

#define NONE ((size_t)-1)

/* A policy in a cell; count 0: not measured there. */
struct result {
	size_t count;
	double median_s, min_s, max_s;
	bool is_cut;		  /* the median is a lower bound */
	const struct run *middle; /* the run that stands for it */
};

struct cell {
	const char *load, *corner;
	size_t best; /* the fixed value's policy, or NONE */
};

struct policy {
	const char *name;
	int fixed; /* the value, or -1: a law */
	size_t cell_count;
	double mean_regret, worst_regret; /* over those cells */
	size_t worst_cell;
};

struct summary {
	const struct runs *runs;
	struct cell *cells;
	size_t cell_count;
	struct policy *policies; /* fixed values first */
	size_t policy_count;
	struct result *results; /* by cell, then by policy */
};

int summary_init(struct summary *ret_summary,
		 const struct runs *runs) __must_check;
void summary_done(struct summary *summary);

/* Sorts the values; NaN without any. */
double stats_median(double *values, size_t count);
/* NaN without any. */
double stats_geometric_mean(const double *values, size_t count);
/* Of static:N, N of 0..200; -1: not a fixed value. */
int policy_fixed(const char *name);

size_t summary_policy(const struct summary *summary, const char *name);
size_t summary_cell(const struct summary *summary, const char *load,
		    const char *corner);
/* Cells are sorted by corner. */
bool summary_starts_corner(const struct summary *summary, size_t cell);
/* NULL: not measured; either index may be NONE. */
const struct result *summary_result(const struct summary *summary, size_t cell,
				    size_t policy);
/* Median time over the best fixed value's. */
double summary_regret(const struct summary *summary, size_t cell,
		      size_t policy);
/* Median time over the default's. */
double summary_slowdown(const struct summary *summary, size_t cell,
			size_t policy);
/* Its range and the default's have a time in common: no difference seen. */
bool summary_is_like_default(const struct summary *summary, size_t cell,
			     size_t policy);
/* "at least", "at most" or "": what a time over another one is. */
const char *summary_bound(const struct summary *summary, size_t cell,
			  size_t policy, size_t reference);

enum target_kind {
	TARGET_MEAN_REGRET,
	TARGET_WORST_REGRET,
	TARGET_SPEEDUP,
	TARGET_SLOWDOWN,
	_TARGET_MAX,
};

struct target {
	enum target_kind kind;
	double limit;
	const char *load, *corner; /* NULL: all cells */
};

extern const struct target targets[];
extern const size_t target_count;
/* The laws that are held to them. */
#define JUDGED_COUNT 2
extern const char *const judged_laws[JUDGED_COUNT];

/* NaN: not measured. */
double target_measure(const struct target *target,
		      const struct summary *summary, const char *law);
/* "met", "not met", "not measured" */
const char *target_verdict(const struct target *target, double measured);

/* A judged law that loses somewhere. */
struct loss {
	size_t cell, policy;
	double regret, slowdown;
};
#define LOSS_REGRET 1.10
#define LOSS_SLOWDOWN 1.03

/* Worst first.  -ENOMEM; free(*ret_losses). */
int summary_losses(const struct summary *summary, struct loss **ret_losses,
		   size_t *ret_count) __must_check;

#endif
