/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/pricing_private.h"

#include <string.h>

#include "report/log.h"

#define PCT 100
#define PAGE_KIB 4
#define Q10 1024

#define PERMILLE 1000
#define NS_PER_MS UINT64_C(1000000)
#define SECOND_NS (1000 * NS_PER_MS)

/* A quarter of the map is left for new devices. */
#define CROWDED_ROWS (SENSE_MAX_COSTS * 3 / 4)

/* 4 MiB of file pages evicted: less is no stream. */
#define MIN_STEAL_PAGES 1024

static struct pricing_device *find_device(struct pricing *pricing, uint32_t dev)
{
	struct pricing_device *unused = NULL;

	for (size_t i = 0; i < SWT_ARRAY_SIZE(pricing->devices); i++) {
		struct pricing_device *device = &pricing->devices[i];

		if (device->is_used && device->dev == dev)
			return device;
		if (!device->is_used && !unused)
			unused = device;
	}
	if (unused)
		*unused = (struct pricing_device){.dev = dev, .is_used = true};
	return unused;
}

/* now - seen; a row that was dropped starts again from 0. */
static void take_delta(struct swt_cost_io *seen, const struct swt_cost_io *now,
		       struct swt_cost_io *ret)
{
	bool is_fresh = now->sampled_bios < seen->sampled_bios;

	*ret = *now;
	if (!is_fresh) {
		ret->bios_estimate -= seen->bios_estimate;
		ret->sampled_bios -= seen->sampled_bios;
		ret->sampled_pages -= seen->sampled_pages;
		ret->sampled_ns -= seen->sampled_ns;
	}
	*seen = *now;
}

static void add_row(struct pricing *pricing, const struct sense_cost *row,
		    uint64_t elapsed_ns)
{
	struct pricing_device *device = find_device(pricing, row->dev);
	struct swt_cost_io delta;

	if (!device)
		return;
	for (int io = 0; io < SWT_NR_IOS; io++) {
		take_delta(&device->seen.io[io], &row->cost.io[io], &delta);
		/* Held against pages of /proc/vmstat. */
		delta.bios_estimate =
			page_counts_fit(delta.bios_estimate, elapsed_ns);
		price_add(&device->means[io], &delta);
		if (io == SWT_IO_FILE_READ || io == SWT_IO_FILE_REFAULT) {
			price_add(&pricing->files, &delta);
			price_add(&pricing->files_now, &delta);
		}
		if (io == SWT_IO_FILE_REFAULT)
			price_add(&pricing->refaults, &delta);
	}
}

void pricing_take_costs(struct pricing *pricing, struct sense_bpf *sense,
			uint64_t elapsed_ns)
{
	pricing->row_count = 0;
	if (sense_read_costs(sense, pricing->rows, &pricing->row_count))
		log_debug("the prices cannot be read, keeping the old ones");
	for (unsigned int i = 0; i < pricing->row_count; i++)
		add_row(pricing, &pricing->rows[i], elapsed_ns);
}

static void forget_device(struct pricing *pricing, uint32_t dev)
{
	for (size_t i = 0; i < SWT_ARRAY_SIZE(pricing->devices); i++)
		if (pricing->devices[i].dev == dev)
			pricing->devices[i].is_used = false;
}

void pricing_make_room(struct pricing *pricing, struct sense_bpf *sense)
{
	if (pricing->row_count <= CROWDED_ROWS)
		return;
	for (unsigned int i = 0; i < pricing->row_count; i++) {
		uint32_t dev = pricing->rows[i].dev;

		/* What has no number cannot be looked up, nor zswap's. */
		if (!dev || dev == SWT_DEV_ZSWAP ||
		    !swaps_is_device_gone(&pricing->root, dev))
			continue;
		sense_forget_cost(sense, dev);
		forget_device(pricing, dev);
	}
}

void pricing_forget_swap(struct pricing *pricing, uint32_t dev)
{
	for (size_t i = 0; dev && i < SWT_ARRAY_SIZE(pricing->devices); i++) {
		struct pricing_device *device = &pricing->devices[i];

		if (device->dev != dev)
			continue;
		device->means[SWT_IO_SWAP_IN] = (struct price_mean){0};
		device->means[SWT_IO_SWAP_OUT] = (struct price_mean){0};
	}
}

static void fade_all(struct pricing *pricing, uint64_t elapsed_ns)
{
	for (size_t i = 0; i < SWT_ARRAY_SIZE(pricing->devices); i++)
		for (int io = 0; io < SWT_NR_IOS; io++)
			price_fade_but_last(&pricing->devices[i].means[io],
					    elapsed_ns);
	price_fade_but_last(&pricing->files, elapsed_ns);
	price_fade(&pricing->refaults, elapsed_ns);
	/* Whatever is older than a second is forgotten. */
	if (elapsed_ns > SECOND_NS)
		elapsed_ns = SECOND_NS;
	price_fade(&pricing->files_now, elapsed_ns * PRICE_MEMORY_MS / 1000);
}

static void read_counters(struct pricing *pricing, uint64_t elapsed_ns)
{
	_cleanup_free_ char *text = NULL;

	if (proc_read_file(&pricing->root, "/proc/vmstat", &text))
		return;
	page_counts_take(&pricing->pages, text, elapsed_ns);
	/* Of a steady rate R, R * memory are remembered. */
	pricing->swap_out_kib_s =
		page_counts_recent(&pricing->pages, PAGES_SWAPPED_OUT) *
		PAGE_KIB * 1000 / PRICE_MEMORY_MS;
}

uint32_t pricing_weigh(uint32_t ns, uint32_t weight_pct)
{
	uint64_t weighed = (uint64_t)ns * weight_pct / PCT;

	return weighed < UINT32_MAX ? (weighed ? (uint32_t)weighed : 1)
				    : UINT32_MAX;
}

/*
 * What zswap had, as its functions took, each store within the time of whoever
 * reclaims; or the figure that stands for it where they cannot be timed.
 */
static uint32_t price_zswap(struct pricing *pricing, enum price_source *source)
{
	const struct pricing_device *zswap =
		find_device(pricing, SWT_DEV_ZSWAP);
	uint32_t ns = 0;

	if (zswap)
		ns = price_swap_ns(&zswap->means[SWT_IO_SWAP_IN],
				   &zswap->means[SWT_IO_SWAP_OUT], true);
	*source = ns ? PRICE_MEASURED : PRICE_PRIOR;
	return ns ? ns : swaps_zswap_prior_ns();
}

/*
 * Hits and what went on to the device, by how often there was either.  Before
 * v5.19 (f6498b776d28) nobody counts the hits: taken to be all, which is what
 * zswap is there for.  The price is from the less certain of its parts.
 */
static void mix_zswap(struct pricing *pricing,
		      const struct pricing_device *device,
		      struct prices *prices)
{
	uint64_t hits = page_counts_recent(&pricing->pages, PAGES_FROM_ZSWAP);
	uint64_t misses =
		device ? device->means[SWT_IO_SWAP_IN].estimate_q10 / Q10 : 0;
	enum price_source source;
	uint64_t zswap_ns = price_zswap(pricing, &source);

	if (!pricing->pages.of[PAGES_FROM_ZSWAP].is_known ||
	    hits + misses < PRICE_KEPT_PAGES + PRICE_MIN_BIOS)
		misses = 0;
	if (!misses || source < prices->swap_source)
		prices->swap_source = source;
	prices->swap_in_ns = misses ? (uint32_t)((hits * zswap_ns +
						  misses * prices->swap_in_ns) /
						 (hits + misses))
				    : (uint32_t)zswap_ns;
}

void pricing_seed_swap(struct pricing *pricing, uint32_t dev,
		       uint32_t ns_per_page)
{
	const struct swt_cost_io probed = {
		.bios_estimate = SWAPS_PROBE_READS,
		.sampled_bios = SWAPS_PROBE_READS,
		.sampled_pages = SWAPS_PROBE_READS,
		.sampled_ns = (uint64_t)SWAPS_PROBE_READS * ns_per_page,
	};
	struct pricing_device *device = dev ? find_device(pricing, dev) : NULL;

	if (device)
		price_add(&device->means[SWT_IO_SWAP_IN], &probed);
}

/* Up to v5.11 the programs see the disk where the swap is a partition. */
static struct pricing_device *find_measured(struct pricing *pricing,
					    const struct swap_info *swap)
{
	struct pricing_device *device = NULL;

	if (swap->dev)
		device = find_device(pricing, swap->dev);
	if (swap->disk_dev &&
	    (!device || !device->means[SWT_IO_SWAP_IN].ns_per_page))
		device = find_device(pricing, swap->disk_dev);
	return device;
}

static void price_swap(struct pricing *pricing, struct prices *ret)
{
	const struct swap_info *next =
		swaps_next(pricing->swaps, pricing->swap_count);
	struct pricing_device *device;

	ret->swap_in_ns = 0;
	ret->swap_source = PRICE_UNKNOWN;
	if (!next)
		return;
	device = find_measured(pricing, next);
	if (device) {
		ret->swap_in_ns = price_swap_ns(&device->means[SWT_IO_SWAP_IN],
						&device->means[SWT_IO_SWAP_OUT],
						next->class == SWAP_ZRAM);
		ret->swap_source = device->seen.io[SWT_IO_SWAP_IN].sampled_bios
					   ? PRICE_MEASURED
					   : PRICE_PROBED;
	}
	if (!ret->swap_in_ns && next->probed_ns) {
		/* The write is taken to cost as much as the read. */
		ret->swap_in_ns = pricing_weigh(next->probed_ns, 2 * PCT);
		ret->swap_source = PRICE_PROBED;
	}
	if (!ret->swap_in_ns) {
		ret->swap_in_ns = swaps_prior_ns(next->class);
		ret->swap_source = PRICE_PRIOR;
	}
	if (pricing->has_zswap)
		mix_zswap(pricing, device, ret);
	if (next->class == SWAP_ZRAM)
		ret->swap_in_ns = pricing_weigh(ret->swap_in_ns,
						pricing->zram_weight_pct);
}

static bool is_fresh(const struct price_mean *mean)
{
	return mean->bios_q10 >= PRICE_MIN_BIOS * Q10;
}

/* Refaults alone where enough of them are told apart just now. */
static void price_files(const struct pricing *pricing, struct prices *ret)
{
	const struct price_mean *all = &pricing->files;
	const struct price_mean *source =
		is_fresh(&pricing->refaults) ? &pricing->refaults : all;
	const struct page_counts *pages = &pricing->pages;
	uint64_t refaults = page_counts_recent(pages, PAGES_FILE_REFAULTED);
	uint64_t steals = page_counts_late(pages, PAGES_FILE_STOLEN);

	ret->file_read_ns = source->ns_per_page;
	ret->file_source = ret->file_read_ns ? PRICE_MEASURED : PRICE_UNKNOWN;
	if (!ret->file_read_ns && pricing->disks_read_ns) {
		ret->file_read_ns = pricing->disks_read_ns;
		ret->file_source = PRICE_PRIOR;
	}
	ret->has_refault_pct = pages->of[PAGES_FILE_REFAULTED].is_known &&
			       steals >= MIN_STEAL_PAGES &&
			       steals >= price_file_doubt_pages(ret);
	ret->refault_pct = 0;
	if (ret->has_refault_pct)
		ret->refault_pct = refaults < steals
					   ? (uint32_t)(refaults * PCT / steals)
					   : PCT;
}

/* What nobody counts is taken to come back, as anonymous ones before v5.9. */
static void weigh_refaults(const struct page_counts *pages, struct prices *ret)
{
	bool is_known = pages->of[PAGES_ANON_REFAULTED].is_known;

	ret->anon_refault_permille = PERMILLE;
	ret->file_refault_permille = PERMILLE;
	if (is_known)
		ret->anon_refault_permille = price_refault_permille(
			page_counts_recent(pages, PAGES_ANON_REFAULTED),
			page_counts_late(pages, PAGES_ANON_STOLEN),
			PRICE_DOUBT_PAGES);
	if (pages->of[PAGES_FILE_REFAULTED].is_known)
		ret->file_refault_permille = price_refault_permille(
			page_counts_recent(pages, PAGES_FILE_REFAULTED),
			page_counts_late(pages, PAGES_FILE_STOLEN),
			price_file_doubt_pages(ret));
	ret->is_trial_due =
		is_known && (page_counts_recent(pages, PAGES_ANON_STOLEN) <
				     PRICE_DOUBT_PAGES ||
			     ret->anon_refault_permille < PRICE_HOT_PERMILLE);
}

/* pages a second * ns a page, of the 10^9 ns of that second. */
static uint32_t stall_permille(const struct pricing *pricing,
			       enum page_count which, uint32_t ns)
{
	uint64_t permille =
		page_counts_per_s(&pricing->pages, which) * ns / NS_PER_MS;

	return permille < UINT32_MAX ? (uint32_t)permille : UINT32_MAX;
}

/* Both 0 where one of them is not known: swap-ins must not look free then. */
static void weigh_stalls(const struct pricing *pricing, struct prices *ret)
{
	/* Reads in sequence cost little: not what random ones take just now. */
	uint32_t file_ns = pricing->files_now.ns_per_page;
	bool is_known = pricing->pages.of[PAGES_ANON_REFAULTED].is_known &&
			ret->swap_in_ns;

	if (!file_ns)
		file_ns = ret->file_read_ns;
	ret->anon_stolen_pages = pricing->pages.of[PAGES_ANON_STOLEN].pages;
	ret->anon_stall_permille = 0;
	ret->file_stall_permille = 0;
	if (!is_known)
		return;
	ret->anon_stall_permille =
		stall_permille(pricing, PAGES_ANON_REFAULTED, ret->swap_in_ns);
	ret->file_stall_permille =
		stall_permille(pricing, PAGES_FILE_REFAULTED, file_ns);
}

void pricing_update(struct pricing *pricing, struct sense_bpf *sense,
		    uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - pricing->updated_at_ns;

	/* Fading goes by the millisecond: the rest counts the next time. */
	elapsed_ns -= elapsed_ns % NS_PER_MS;
	pricing->updated_at_ns += elapsed_ns;
	fade_all(pricing, elapsed_ns);
	pricing_take_costs(pricing, sense, elapsed_ns);
	read_counters(pricing, elapsed_ns);
	pricing_refresh_room(pricing, sense, now_ns);
	price_swap(pricing, &pricing->prices);
	price_files(pricing, &pricing->prices);
	weigh_refaults(&pricing->pages, &pricing->prices);
	weigh_stalls(pricing, &pricing->prices);
}
