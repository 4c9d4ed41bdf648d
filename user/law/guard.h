/* SPDX-License-Identifier: GPL-2.0-only */
/* What no law may do, whichever it is.  static:N is exempt: it is a wish. */
#ifndef SWAPTEND_GUARD_H
#define SWAPTEND_GUARD_H

#include "model.h"

/* Below this much free swap the value falls with it, to 0 (or min) at 0. */
#define GUARD_SWAP_FREE_PCT 10

/* Of the file pages evicted, so many must be read again. */
#define GUARD_REFAULT_PCT 10

/*
 * Lowers decision->swappiness (not below params->min), and says why:
 *  - swap nearly full;
 *  - more swapped out than the budget allows (flash wears);
 *  - a stream: what is read was not there before, so keeping file pages at the
 *    expense of anonymous memory gains nothing; not above the base then.
 */
void guard_apply(const struct law_params *params, const struct sample *sample,
		 struct decision *decision);

#endif
