/* SPDX-License-Identifier: GPL-2.0-only */
#include "law/guard.h"

static void lower(const struct law_params *params, struct decision *decision,
		  uint64_t cap, enum swt_reason reason)
{
	int value = (int)cap;

	if (value < params->min)
		value = params->min;
	if (value >= decision->swappiness)
		return;
	decision->swappiness = value;
	decision->reason = reason;
}

static bool is_stream(const struct prices *prices)
{
	return prices->has_refault_pct &&
	       prices->refault_pct < GUARD_REFAULT_PCT;
}

void guard_apply(const struct law_params *params, const struct sample *sample,
		 struct decision *decision)
{
	uint64_t value = (uint64_t)decision->swappiness;

	if (!sample->has_swap)
		return;
	if (is_stream(&sample->prices))
		lower(params, decision, (uint64_t)params->base,
		      SWT_REASON_STREAM);
	if (params->swap_out_budget_kib_s &&
	    sample->swap_out_kib_s > params->swap_out_budget_kib_s)
		lower(params, decision,
		      value * params->swap_out_budget_kib_s /
			      sample->swap_out_kib_s,
		      SWT_REASON_SWAP_OUT_BUDGET);
	if (sample->swap_free_pct < GUARD_SWAP_FREE_PCT)
		lower(params, decision,
		      value * sample->swap_free_pct / GUARD_SWAP_FREE_PCT,
		      SWT_REASON_SWAP_NEARLY_FULL);
}
