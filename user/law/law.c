/* SPDX-License-Identifier: GPL-2.0-only */
#include "law/laws.h"

#include <string.h>

#include "law/climb.h"
#include "law/passes.h"
#include "law/price.h"

#define STATIC_NAME "static"
#define PERMILLE 1000

/* 100 >> priority, as the kernel did from 8f7a1404 (2002-10) to 2.6.28. */
#define DISTRESS_AT_PRIORITY_0_PCT 100

/* Tried on Linux 6.18: 27,000 reads/s against 120,000. */
static const char base_0_caveat[] =
	"With base 0, reclaim that finds file pages easily stays at priority "
	"12, the state falls to 0, and cold anonymous memory is never "
	"swapped: measured 4.4 times slower than 60 on a database-like load. "
	"The default base is the value the knob had.";

const struct law law_table[] = {
	{
		.name = "kolivas",
		.summary = "up 1 % on each hard reclaim pass, down 0.1 % on "
			   "each easy one",
		.rule = "On each reclaim pass: tendency = mapped_ratio / 2 + "
			"distress, with distress = 100 >> priority. Above 50, "
			"the state (0..1000) rises by 10 unless it is above "
			"990; otherwise it falls by 1 until it is 0.",
		.caveat = base_0_caveat,
		.source = "Con Kolivas, lkml, 2002-10-08",
		.state_max = KOLIVAS_STATE_MAX,
		.step = kolivas_step,
	},
	{
		.name = "kolivas-proportional",
		.summary = "steps in proportion to how far the tendency is "
			   "from 50",
		.rule = "On each reclaim pass: tendency = mapped_ratio / 2 + "
			"distress, with distress = 100 >> priority. The state "
			"(0..100) moves by (tendency - 50) / 10, fractions "
			"dropped.",
		.caveat = base_0_caveat,
		.source = "Con Kolivas, lkml, 2002-10-11",
		.state_max = PROPORTIONAL_STATE_MAX,
		.step = proportional_step,
	},
	{
		.name = "kolivas-2004",
		.summary = "follows the applications' share of RAM and the "
			   "free swap",
		.rule = "On each sample: the smaller of the applications' "
			"share of RAM and the free share of swap, in percent, "
			"squared and divided by 100, is the state (0..100).",
		.caveat = "With base 0 it stays near 0 until applications hold "
			  "most of RAM (half of it gives 25). The default base "
			  "is the value the knob had.",
		.source = "Con Kolivas, lkml, 2004-07, \"Autoregulate "
			  "swappiness\"",
		.state_max = KOLIVAS_2004_STATE_MAX,
		.step = kolivas_2004_step,
	},
	{
		.name = "cost",
		.summary = "from the measured price of a swap-in against a "
			   "file read",
		.rule = "r = price of reading a file page back / price of a "
			"swap-in, each in ns per page, measured between "
			"block_bio_queue and its completion; the swap-out is "
			"part of the swap-in's price. Swappiness is 200 r / "
			"(1 + r), moved by at most 200 a second and not for a "
			"difference below 5. Until both prices are known the "
			"base is kept.",
		.source = "the kernel's own weights: c843966c556d (v5.8), "
			  "Documentation/admin-guide/sysctl/vm.rst",
		.is_priced = true,
		.state_max = KOLIVAS_STATE_MAX,
		.step = cost_step,
	},
	{
		.name = "auto",
		.summary = "the price of an eviction as the base, pushed by "
			   "distress",
		.rule = "As cost, but each price is multiplied by the share of "
			"the pages evicted in the last seconds that came back: "
			"cold memory costs little to swap out however slow the "
			"swap, and a stream of files read once is no reason to "
			"swap. Not below 10 while nothing says that anonymous "
			"memory is hot, or nobody would find out that it is "
			"not. On top of that base the state of the law "
			"kolivas as the push, forgotten within a second; it at "
			"most doubles the base: where swap is dear, distress "
			"is no reason to swap much. A trial raises the value "
			"further while waiting for files read again takes 5 % "
			"of the time or more and waiting for swap-ins less "
			"than 1/16 of that: doubled every 250 ms, paused for a "
			"second after each 256, 1024, 4096... pages swapped "
			"out, given up once swap-ins take a quarter of what "
			"files take, and then not repeated for 2, 8, 32, 128 "
			"s. From 190 on it is 200 for nine tenths of the time: "
			"below 200 the kernel still looks through the files, "
			"at 200 nobody learns that they are read once.",
		.source = "cost and kolivas; what OSDB showed in 2002, that "
			  "cold memory belongs in swap",
		.is_priced = true,
		.weighs_refaults = true,
		.state_max = KOLIVAS_STATE_MAX,
		.step = auto_step,
	},
	{
		.name = STATIC_NAME,
		.summary = "the fixed value N of static:N",
		.rule = "The value N, whatever happens: the control of every "
			"comparison.",
		.source = "vm.swappiness as a constant: Andrew Morton, "
			  "8f7a1404, 2002-10",
		.state_max = 0,
		.step = fixed_step,
	},
};

const unsigned int law_count = sizeof(law_table) / sizeof(law_table[0]);

/* Digits only and at most three: no sign, blank or base to argue about. */
static bool parse_fixed(const char *text, int *ret)
{
	size_t len = strlen(text);
	int value = 0;

	if (len < 1 || len > 3)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (*text - '0');
	}
	if (value > SWAPPINESS_MAX)
		return false;
	*ret = value;
	return true;
}

static bool match(const struct law *law, const char *spec, int *ret_fixed)
{
	size_t len = strlen(law->name);

	if (law->step == fixed_step)
		return strncmp(spec, law->name, len) == 0 && spec[len] == ':' &&
		       parse_fixed(spec + len + 1, ret_fixed);
	if (strcmp(spec, law->name) != 0)
		return false;
	*ret_fixed = -1;
	return true;
}

const struct law *law_find(const char *spec, int *ret_fixed)
{
	for (unsigned int i = 0; i < law_count; i++)
		if (match(&law_table[i], spec, ret_fixed))
			return &law_table[i];
	return NULL;
}

uint32_t law_distress_pct(unsigned int priority)
{
	if (priority >= SWT_NR_PRIORITIES)
		return 0;
	return DISTRESS_AT_PRIORITY_0_PCT >> priority;
}

uint32_t law_tendency_pct(const struct sample *sample, unsigned int priority)
{
	return sample->mapped_ratio_pct / 2 + law_distress_pct(priority);
}

enum swt_reason law_compare(uint32_t before, uint32_t after)
{
	if (after > before)
		return SWT_REASON_TENDENCY_HIGH;
	return after < before ? SWT_REASON_TENDENCY_LOW : SWT_REASON_STEADY;
}

/* Without a pass: SWT_NR_PRIORITIES, which has no distress. */
static unsigned int hardest_priority(const struct sample *sample)
{
	unsigned int i = 0;

	while (i < SWT_NR_PRIORITIES && !sample->passes[i])
		i++;
	return i;
}

static int clamp(int value, int min, int max)
{
	if (value > max)
		value = max;
	return value < min ? min : value;
}

/* Twice the price is the most that distress may make of it. */
static int priced_reach(int base, int top)
{
	int reach = top > base ? top - base : 0;

	return reach < base ? reach : base;
}

static int target(const struct law *law, const struct law_params *params,
		  const struct sample *sample, struct law_state *state,
		  uint32_t state_permille)
{
	int base = params->base, reach = params->top - params->base;
	struct sample seen = *sample;

	if (!law->state_max)
		return params->fixed;
	/* A push without effect would only surprise whoever adds swap. */
	if (!sample->has_swap)
		return params->base;
	if (law->weighs_refaults)
		price_weigh(&seen.prices);
	if (law->is_priced) {
		base = price_base(&seen, params, state);
		if (law->weighs_refaults) {
			base = price_with_trial(&seen.prices, base);
			base = price_all_or(base, state, sample->elapsed_ns);
		}
		reach = priced_reach(base, params->top);
	}
	return base + reach * (int)state_permille / PERMILLE;
}

static int climb(const struct law_params *params, const struct sample *sample,
		 struct law_state *state, int value, enum swt_reason *reason)
{
	int level = climb_step(&state->climb, &sample->prices, value,
			       params->top, sample->elapsed_ns);

	if (level > value)
		*reason = SWT_REASON_TRIAL;
	return level;
}

void law_decide(const struct law *law, const struct law_params *params,
		const struct sample *sample, struct law_state *state,
		struct decision *ret)
{
	unsigned int hardest = hardest_priority(sample);
	enum swt_reason reason = SWT_REASON_NO_SWAP;
	uint32_t permille = 0;
	int swappiness;

	/* A state left over from another law may be out of this one's range. */
	if (state->value > law->state_max)
		state->value = law->state_max;
	if (sample->has_swap)
		reason = law->step(sample, state);
	if (law->state_max)
		permille = state->value * PERMILLE / law->state_max;
	swappiness = target(law, params, sample, state, permille);
	if (law->weighs_refaults && sample->has_swap)
		swappiness = climb(params, sample, state, swappiness, &reason);

	*ret = (struct decision){
		.swappiness = clamp(swappiness, params->min, params->max),
		.reason = reason,
		.state_permille = permille,
		.distress_pct = law_distress_pct(hardest),
		.tendency_pct = law_tendency_pct(sample, hardest),
		.passes = passes_sum(sample->passes, SWT_NR_PRIORITIES),
	};
}
