/* SPDX-License-Identifier: GPL-2.0-only */
/* The swap devices that are on: where they are, what kind, how fast. */
#ifndef SWAPTEND_SWAPS_H
#define SWAPTEND_SWAPS_H

#include "sense/proc.h"

enum swap_class {
	SWAP_ZRAM,
	SWAP_SSD,
	SWAP_ROTATIONAL,
	SWAP_NETWORK,
	_SWAP_CLASS_MAX,
};

struct swap_info {
	struct swap_device device;
	/* Of the device, or the file's: major << 20 | minor; 0: unknown. */
	uint32_t dev;
	uint32_t disk_dev; /* of the disk that a partition is on; 0: none */
	bool is_file;	   /* other files are on that device as well */
	enum swap_class class;
	uint32_t probed_ns; /* the owner's: of one read; 0: not timed */
};

#define SWAPS_MAX 16

/*
 * Those of /proc/swaps, in the kernel's order.  *ret_count of at most
 * SWAPS_MAX; more are left out.
 */
int swaps_read(const struct sense_root *root, struct swap_info ret[SWAPS_MAX],
	       unsigned int *ret_count) __must_check;

/*
 * The same anew, where swaps[*count] is what they were.  Of those that stayed
 * on only what /proc/swaps says is read, and the rest is kept: to look at a
 * file on a network may take for ever.  On failure all is as before.
 */
int swaps_refresh(const struct sense_root *root,
		  struct swap_info swaps[SWAPS_MAX],
		  unsigned int *count) __must_check;

/* By name, type and size: what was learnt of one holds for the other. */
bool swaps_is_same(const struct swap_info *a, const struct swap_info *b);

/* Of the highest priority among those with room: the next page goes there. */
const struct swap_info *swaps_next(const struct swap_info *swaps,
				   unsigned int count);

/* Does sysfs, which lists all, not list it?  False: there, or no sysfs. */
bool swaps_is_device_gone(const struct sense_root *root, uint32_t dev);

bool swaps_zswap_is_on(const struct sense_root *root);

/*
 * ns per page of a swap-in, where nothing was measured: figures of the class,
 * and of what zswap has, whatever is behind it.
 */
uint32_t swaps_prior_ns(enum swap_class class);
uint32_t swaps_zswap_prior_ns(void);
const char *swaps_class_name(enum swap_class class);

/* A disk with a limit on I/Os lets the first ones pass: go beyond those. */
#define SWAPS_PROBE_READS 64
/*
 * Times so many 4 KiB direct reads, spread over the device; writes nothing,
 * takes 200 ms at most beyond the read that is under way then.  -errno of open
 * or read.
 */
int swaps_probe_ns(const struct swap_info *swap,
		   uint32_t *ret_ns_per_page) __must_check;

#endif
