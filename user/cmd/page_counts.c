/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/page_counts.h"

#include "sense/parse.h"

#define Q10 1024
#define NS_PER_MS UINT64_C(1000000)
#define MATURITY_NS (4000 * NS_PER_MS)
#define SECOND_MS 1000

static const char *const keys[_PAGES_MAX] = {
	[PAGES_SWAPPED_OUT] = "pswpout",
	[PAGES_FROM_ZSWAP] = "zswpin",
	[PAGES_FILE_REFAULTED] = "workingset_refault_file",
	[PAGES_FILE_STOLEN] = "pgsteal_file",
	[PAGES_ANON_REFAULTED] = "workingset_refault_anon",
	[PAGES_ANON_STOLEN] = "pgsteal_anon",
};

/*
 * Nobody samples while nothing is reclaimed: what an hour brought is not of the
 * last seconds.
 */
static uint64_t fit(uint64_t count, uint64_t elapsed_ms, uint64_t memory_ms)
{
	if (elapsed_ms <= memory_ms)
		return count;
	return count / elapsed_ms * memory_ms +
	       count % elapsed_ms * memory_ms / elapsed_ms;
}

uint64_t page_counts_fit(uint64_t count, uint64_t elapsed_ns)
{
	return fit(count, elapsed_ns / NS_PER_MS, PRICE_MEMORY_MS);
}

/* Before v5.9 (170b04b7ae49) refaults were files' alone. */
static struct count read_count(const char *vmstat, enum page_count which)
{
	struct count count = parse_stat_field(vmstat, keys[which]);

	if (!count.is_known && which == PAGES_FILE_REFAULTED)
		count = parse_stat_field(vmstat, "workingset_refault");
	return count;
}

static void take_second(struct page_sum *sum, uint64_t pages,
			uint64_t elapsed_ms)
{
	uint64_t forgotten_ms = elapsed_ms < SECOND_MS ? elapsed_ms : SECOND_MS;

	sum->second_q10 -= sum->second_q10 * forgotten_ms / SECOND_MS;
	sum->second_q10 += fit(pages, elapsed_ms, SECOND_MS) * Q10;
}

static void take_sum(struct page_sum *sum, struct count now,
		     uint64_t elapsed_ns)
{
	uint64_t pages = now.value > sum->seen ? now.value - sum->seen : 0;

	/* The first time all since boot. */
	if (!sum->is_known || !now.is_known)
		pages = 0;
	sum->recent.pages_q10 += page_counts_fit(pages, elapsed_ns) * Q10;
	sum->pages = pages;
	take_second(sum, pages, elapsed_ns / NS_PER_MS);
	sum->is_known = now.is_known;
	sum->seen = now.value;
}

/*
 * A page evicted just now had no time to come back: while memory is filled for
 * the first time all of it looks cold.  So evictions count late.
 */
static void mature(struct page_sum *sum, uint64_t elapsed_ns)
{
	uint64_t pages_q10 = sum->recent.pages_q10, *late = &sum->late_q10;

	if (elapsed_ns > MATURITY_NS)
		elapsed_ns = MATURITY_NS;
	if (pages_q10 > *late)
		*late += (pages_q10 - *late) * (elapsed_ns / NS_PER_MS) /
			 (MATURITY_NS / NS_PER_MS);
	else
		*late = pages_q10;
}

void page_counts_take(struct page_counts *counts, const char *vmstat,
		      uint64_t elapsed_ns)
{
	for (int i = 0; i < _PAGES_MAX; i++) {
		price_fade(&counts->of[i].recent, elapsed_ns);
		take_sum(&counts->of[i], read_count(vmstat, i), elapsed_ns);
		mature(&counts->of[i], elapsed_ns);
	}
}

uint64_t page_counts_recent(const struct page_counts *counts,
			    enum page_count which)
{
	return counts->of[which].recent.pages_q10 / Q10;
}

uint64_t page_counts_late(const struct page_counts *counts,
			  enum page_count which)
{
	return counts->of[which].late_q10 / Q10;
}

uint64_t page_counts_per_s(const struct page_counts *counts,
			   enum page_count which)
{
	return counts->of[which].second_q10 / Q10;
}
