/* SPDX-License-Identifier: GPL-2.0-only */
/* What the price laws are held to, and where they fall behind. */
#include "report_stats.h"

#include <errno.h>
#include <math.h>

const char *const judged_laws[JUDGED_COUNT] = {"cost", "auto"};

/* Never much slower than the default where there is nothing to be won. */
#define HARMLESS(load)                                              \
	{TARGET_SLOWDOWN, LOSS_SLOWDOWN, load, "zram-ssd"},         \
		{TARGET_SLOWDOWN, LOSS_SLOWDOWN, load, "zram-hdd"}, \
		{TARGET_SLOWDOWN, LOSS_SLOWDOWN, load, "hdd-ssd"},  \
	{                                                           \
		TARGET_SLOWDOWN, LOSS_SLOWDOWN, load, "hdd-hdd"     \
	}

const struct target targets[] = {
	{TARGET_MEAN_REGRET, 1.10, NULL, NULL},
	{TARGET_WORST_REGRET, 1.25, NULL, NULL},
	{TARGET_SPEEDUP, 2, "database", "zram-ssd"},
	{TARGET_SPEEDUP, 8, "slowswap", "hdd-ssd"},
	{TARGET_SPEEDUP, 2, "coldanon", "zram-ssd"},
	HARMLESS("contest_noload"),
	HARMLESS("contest_io_load"),
	HARMLESS("contest_read_load"),
	HARMLESS("copy"),
};
const size_t target_count = SWT_ARRAY_SIZE(targets);

double target_measure(const struct target *target, const struct summary *s,
		      const char *law)
{
	size_t policy = summary_policy(s, law), cell;

	if (policy == NONE)
		return NAN;
	if (target->kind == TARGET_MEAN_REGRET)
		return s->policies[policy].mean_regret;
	if (target->kind == TARGET_WORST_REGRET)
		return s->policies[policy].worst_regret;
	cell = summary_cell(s, target->load, target->corner);
	if (target->kind == TARGET_SPEEDUP)
		return 1 / summary_slowdown(s, cell, policy);
	return summary_slowdown(s, cell, policy);
}

const char *target_verdict(const struct target *target, double measured)
{
	bool is_met = target->kind == TARGET_SPEEDUP
			      ? measured >= target->limit
			      : measured <= target->limit;

	return isnan(measured) ? "not measured" : is_met ? "met" : "not met";
}

/* --- losses --- */

static int compare_losses(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;
	/* Without the default the regret stands alone, and so the other way. */
	double worst_x = fmax(x->regret, x->slowdown);
	double worst_y = fmax(y->regret, y->slowdown);

	if (worst_x != worst_y)
		return worst_x > worst_y ? -1 : 1;
	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->policy < y->policy ? -1 : 1;
}

int summary_losses(const struct summary *s, struct loss **ret_losses,
		   size_t *ret_count)
{
	struct loss *losses =
		calloc(s->cell_count * JUDGED_COUNT + 1, sizeof(*losses));
	size_t n = 0;

	if (!losses)
		return -ENOMEM;
	for (size_t i = 0; i < s->cell_count * JUDGED_COUNT; i++) {
		size_t cell = i / JUDGED_COUNT;
		size_t policy =
			summary_policy(s, judged_laws[i % JUDGED_COUNT]);
		double regret = summary_regret(s, cell, policy);
		double slowdown = summary_slowdown(s, cell, policy);

		/* Comparisons with NaN are false. */
		if (regret > LOSS_REGRET || slowdown > LOSS_SLOWDOWN)
			losses[n++] =
				(struct loss){cell, policy, regret, slowdown};
	}
	qsort(losses, n, sizeof(*losses), compare_losses);
	*ret_losses = losses;
	*ret_count = n;
	return 0;
}
