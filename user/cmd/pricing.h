/* SPDX-License-Identifier: GPL-2.0-only */
/* From measured I/O times to the two prices that the laws see. */
#ifndef SWAPTEND_PRICING_H
#define SWAPTEND_PRICING_H

#include "cmd/page_counts.h"
#include "law/price.h"
#include "sense/bpf.h"
#include "sense/swaps.h"

struct pricing_device {
	uint32_t dev; /* 0: one without a number, a path of NVMe multipath */
	bool is_used;
	struct swt_cost seen;
	struct price_mean means[SWT_NR_IOS];
};

struct pricing {
	struct sense_root root; /* set by the owner */
	struct pricing_device devices[SENSE_MAX_COSTS];
	struct swap_info swaps[SWAPS_MAX];
	unsigned int swap_count;
	bool has_zswap, may_probe;
	bool is_zswap_told; /* that it is on; why it has no price of its own */
	struct price_mean files, refaults; /* of all devices */
	struct price_mean files_now;	   /* of the last second */
	struct page_counts pages;
	struct sense_cost rows[SENSE_MAX_COSTS]; /* too large for a stack */
	unsigned int row_count;
	uint32_t disks_read_ns; /* a page, since boot; 0: not known */
	uint64_t updated_at_ns, swaps_read_at_ns; /* in whole ms */
	uint32_t zram_weight_pct; /* of the CPU time that compressing takes */
	struct prices prices;	  /* as of the last update */
	uint64_t swap_out_kib_s;
};

/*
 * swapon, swapoff: which devices, and, where may_probe, what a read takes on
 * the next one.  What was measured of those that are gone is forgotten.  Logs
 * what it finds.  -errno: /proc/swaps cannot be read.
 */
int pricing_set_swaps(struct pricing *pricing, struct sense_bpf *sense,
		      bool may_probe) __must_check;

/* Takes what was measured since the last call into pricing->prices. */
void pricing_update(struct pricing *pricing, struct sense_bpf *sense,
		    uint64_t now_ns);

/* At least 1, at most what fits. */
uint32_t pricing_weigh(uint32_t ns, uint32_t weight_pct);

/*
 * The price of files until reads of them are timed: what a page took to read
 * since boot, of all disks but those swaps.  0: not known.
 */
uint32_t pricing_disks_read_ns(const struct sense_root *root,
			       const struct swap_info *swaps,
			       unsigned int swap_count);

#endif
