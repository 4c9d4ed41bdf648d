/* SPDX-License-Identifier: GPL-2.0-only */
/* Which swap there is, and what is forgotten of that which was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pricing_private.h"
#include "report/log.h"
#include "sense/parse_diskstats.h"

#define ROOM_PERIOD_NS UINT64_C(5000000000)

/* What was on before. */
struct swaps {
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count;
};

static void tell_programs(struct pricing *pricing, struct sense_bpf *sense)
{
	uint32_t devs[SWAPS_MAX];
	unsigned int count = 0;

	/* On the device of a swap file are other files too. */
	for (unsigned int i = 0; i < pricing->swap_count; i++)
		if (!pricing->swaps[i].is_file && pricing->swaps[i].dev)
			devs[count++] = pricing->swaps[i].dev;
	sense_set_swap_devices(sense, devs, count);
}

static void probe(struct pricing *pricing, struct swap_info *next)
{
	char quoted[300];
	int r;

	/* An empty zram answers with zeros without decompressing anything. */
	if (next->class == SWAP_ZRAM || pricing->has_zswap || next->probed_ns)
		return;
	r = swaps_probe_ns(next, &next->probed_ns);
	log_quote(next->device.path, quoted, sizeof(quoted));
	if (r) {
		log_info("%s: cannot time reads of it: %s; taking it for "
			 "an average one of its class, %s",
			 quoted, strerror(-r), swaps_class_name(next->class));
		return;
	}
	pricing_seed_swap(pricing, next->dev, next->probed_ns);
	log_info("%s: a 4 KiB read takes %u ns", quoted, next->probed_ns);
}

/* Files on a network have none, and are known for it. */
static void note_unseen(const struct swap_info *next)
{
	char quoted[300];

	if (!next->dev && next->class != SWAP_NETWORK)
		log_info("%s: the block device it is on cannot be told, so "
			 "what it takes is not measured",
			 log_quote(next->device.path, quoted, sizeof(quoted)));
}

static bool is_on(const struct pricing *pricing, const struct swap_info *swap)
{
	for (unsigned int i = 0; i < pricing->swap_count; i++)
		if (swaps_is_same(&pricing->swaps[i], swap))
			return true;
	return false;
}

static bool is_under_old_swap(const struct pricing *pricing,
			      const struct swaps *old, uint32_t dev)
{
	for (unsigned int i = 0; i < old->count; i++)
		if ((old->swaps[i].dev == dev ||
		     old->swaps[i].disk_dev == dev) &&
		    is_on(pricing, &old->swaps[i]))
			return true;
	return false;
}

/* True if any was gone. */
static bool forget_gone(struct pricing *pricing, struct sense_bpf *sense,
			const struct swaps *old)
{
	bool is_any_gone = false;

	for (unsigned int i = 0; i < old->count; i++) {
		const struct swap_info *swap = &old->swaps[i];

		if (is_on(pricing, swap))
			continue;
		/* What was not read yet is the old device's. */
		if (!is_any_gone)
			pricing_take_costs(pricing, sense, 0);
		is_any_gone = true;
		if (!is_under_old_swap(pricing, old, swap->dev))
			pricing_forget_swap(pricing, swap->dev);
		if (!is_under_old_swap(pricing, old, swap->disk_dev))
			pricing_forget_swap(pricing, swap->disk_dev);
	}
	return is_any_gone;
}

/* Another compressor may be behind it when it is on again. */
static void forget_zswap(struct pricing *pricing, struct sense_bpf *sense)
{
	pricing_take_costs(pricing, sense, 0);
	pricing_forget_swap(pricing, SWT_DEV_ZSWAP);
}

/* 1: something changed, 0: nothing. */
static int read_swaps(struct pricing *pricing, struct sense_bpf *sense)
{
	_cleanup_free_ struct swaps *old = malloc(sizeof(*old));
	bool had_zswap = pricing->has_zswap;
	int r;

	if (!old)
		return -ENOMEM;
	old->count = pricing->swap_count;
	memcpy(old->swaps, pricing->swaps, sizeof(old->swaps));
	r = swaps_refresh(&pricing->root, pricing->swaps, &pricing->swap_count);
	if (r)
		return r;
	pricing->has_zswap = swaps_zswap_is_on(&pricing->root);
	if (had_zswap && !pricing->has_zswap)
		forget_zswap(pricing, sense);
	/* None gone and as many as before: the same. */
	return forget_gone(pricing, sense, old) ||
	       old->count != pricing->swap_count ||
	       had_zswap != pricing->has_zswap;
}

uint32_t pricing_disks_read_ns(const struct sense_root *root,
			       const struct swap_info *swaps,
			       unsigned int swap_count)
{
	_cleanup_free_ char *text = NULL;
	uint32_t devs[SWAPS_MAX];

	for (unsigned int i = 0; i < swap_count; i++)
		devs[i] = swaps[i].is_file ? 0 : swaps[i].dev;
	if (proc_read_file(root, "/proc/diskstats", &text))
		return 0;
	return diskstats_read_ns(text, devs, swap_count);
}

static void time_zswap(struct pricing *pricing, struct sense_bpf *sense)
{
	bool is_on = pricing->has_zswap;
	char why[256];
	int r = sense_set_zswap(sense, is_on, why, sizeof(why));

	if (is_on && !pricing->is_zswap_told) {
		if (r)
			log_info("zswap is on: what it has is priced by "
				 "default, at %u ns a page (%s)",
				 swaps_zswap_prior_ns(), why);
		else
			log_info("zswap is on: its loads and stores are timed");
	}
	if (!is_on && pricing->is_zswap_told)
		log_info("zswap is off: its loads and stores are not timed");
	pricing->is_zswap_told = is_on;
}

static void use_swaps(struct pricing *pricing, struct sense_bpf *sense)
{
	const struct swap_info *next =
		swaps_next(pricing->swaps, pricing->swap_count);

	tell_programs(pricing, sense);
	time_zswap(pricing, sense);
	pricing->disks_read_ns = pricing_disks_read_ns(
		&pricing->root, pricing->swaps, pricing->swap_count);
	if (next)
		note_unseen(next);
	if (next && pricing->may_probe)
		probe(pricing, &pricing->swaps[next - pricing->swaps]);
}

int pricing_set_swaps(struct pricing *pricing, struct sense_bpf *sense,
		      bool may_probe)
{
	int r = read_swaps(pricing, sense);

	if (r < 0)
		return r;
	pricing->may_probe = may_probe;
	use_swaps(pricing, sense);
	return 0;
}

/* Which device is full, and so which is next, and zswap change unnoticed. */
void pricing_refresh_room(struct pricing *pricing, struct sense_bpf *sense,
			  uint64_t now_ns)
{
	int r;

	if (now_ns - pricing->swaps_read_at_ns < ROOM_PERIOD_NS)
		return;
	pricing->swaps_read_at_ns = now_ns;
	r = read_swaps(pricing, sense);
	if (r < 0)
		log_debug("/proc/swaps cannot be read, keeping what it said");
	/* The notice of it comes later, or never. */
	if (r > 0)
		use_swaps(pricing, sense);
	pricing_make_room(pricing, sense);
}
