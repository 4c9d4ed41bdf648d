/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The laws behind law_table, one file each, and how far the replay of counts
 * can be from what the patch would have computed on the true order of passes.
 */
#ifndef SWAPTEND_LAWS_H
#define SWAPTEND_LAWS_H

#include "law/law.h"

#define KOLIVAS_STATE_MAX 1000 /* tenths of the classic 0..100 */
#define PROPORTIONAL_STATE_MAX 100
#define KOLIVAS_2004_STATE_MAX 100

enum swt_reason kolivas_step(const struct sample *sample,
			     struct law_state *state);
enum swt_reason proportional_step(const struct sample *sample,
				  struct law_state *state);
enum swt_reason kolivas_2004_step(const struct sample *sample,
				  struct law_state *state);
/* Both stand on price_base(); see price.h. */
enum swt_reason cost_step(const struct sample *sample, struct law_state *state);
enum swt_reason auto_step(const struct sample *sample, struct law_state *state);
enum swt_reason fixed_step(const struct sample *sample,
			   struct law_state *state);

/*
 * No two orders of `ups` raising and `downs` lowering passes, begun at
 * `state`, end further apart than this many tenths.
 */
uint32_t kolivas_order_bound(uint32_t state, uint64_t ups, uint64_t downs);

/*
 * The same for kolivas-proportional: `rise` is the sum of all steps up, `fall`
 * that of all steps down.
 */
uint32_t proportional_order_bound(uint32_t state, uint64_t rise, uint64_t fall);

/* mapped_ratio / 2 + distress: swap_tendency less vm_swappiness (2002-10). */
uint32_t law_tendency_pct(const struct sample *sample, unsigned int priority);

/* What a law with a memory reports after its passes. */
enum swt_reason law_compare(uint32_t before, uint32_t after);

#endif
