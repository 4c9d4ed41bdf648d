/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by pricing.c (what it costs) and pricing_swaps.c (where it goes). */
#ifndef SWAPTEND_PRICING_PRIVATE_H
#define SWAPTEND_PRICING_PRIVATE_H

#include "cmd/pricing.h"

/* What the programs measured since the last call goes to the means. */
void pricing_take_costs(struct pricing *pricing, struct sense_bpf *sense,
			uint64_t elapsed_ns);
/*
 * The probe is the first evidence: a disk with a limit on I/Os, which lets the
 * first ones after a pause pass, must not look fast for them.
 */
void pricing_seed_swap(struct pricing *pricing, uint32_t dev,
		       uint32_t ns_per_page);
/* Its number may be another device's by now.  0: none; SWT_DEV_ZSWAP too. */
void pricing_forget_swap(struct pricing *pricing, uint32_t dev);
/* Rows of devices that are gone make way where few are left. */
void pricing_make_room(struct pricing *pricing, struct sense_bpf *sense);
/* Reads /proc/swaps now and then: how full they are changes without notice. */
void pricing_refresh_room(struct pricing *pricing, struct sense_bpf *sense,
			  uint64_t now_ns);

#endif
