/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control laws: pure, integer, no I/O, clock, heap or log.  One const table;
 * a law is its step function and the text that --help and the manual show.
 */
#ifndef SWAPTEND_LAW_H
#define SWAPTEND_LAW_H

#include "model.h"

/* A change of distress or mapped_ratio counts from a tendency above this. */
#define LAW_TENDENCY_THRESHOLD_PCT 50

struct law {
	const char *name;
	const char *summary;  /* one line, for --help */
	const char *rule;     /* a paragraph, for explain and the manual */
	const char *caveat;   /* when it does harm; NULL: never seen */
	const char *source;   /* mail or document the rule comes from */
	bool is_priced;	      /* the base is the price's, not params->base */
	bool weighs_refaults; /* the price of an eviction, see price_weigh() */
	uint32_t state_max;   /* law_state.value at full push; 0: stateless */
	/* Moves *state by the sample; returns the reason. */
	enum swt_reason (*step)(const struct sample *sample,
				struct law_state *state);
};

extern const struct law law_table[];
extern const unsigned int law_count;

/*
 * Finds a law by what --law takes: a name, or "static:N" with N in 0..200
 * (stored in *ret_fixed; -1 for the other laws).  NULL: no such law.
 */
const struct law *law_find(const char *spec, int *ret_fixed);

/* distress = 100 >> priority, 0 for a priority outside 0..12 (2002-10). */
uint32_t law_distress_pct(unsigned int priority);

/*
 * One decision.  swappiness = base + (top - base) * state / 1000, clamped to
 * min..max; static:N is N clamped.  Where the base is the price's, the state
 * can at most double it.  Never fails; *state keeps 0..state_max.
 */
void law_decide(const struct law *law, const struct law_params *params,
		const struct sample *sample, struct law_state *state,
		struct decision *ret);

#endif
