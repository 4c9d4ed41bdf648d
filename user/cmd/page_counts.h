/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the last seconds, by the counters of /proc/vmstat. */
#ifndef SWAPTEND_PAGE_COUNTS_H
#define SWAPTEND_PAGE_COUNTS_H

#include "law/price.h"

enum page_count {
	PAGES_SWAPPED_OUT,
	PAGES_FROM_ZSWAP,
	PAGES_FILE_REFAULTED,
	PAGES_FILE_STOLEN,
	PAGES_ANON_REFAULTED,
	PAGES_ANON_STOLEN,
	_PAGES_MAX,
};

struct page_counts {
	struct page_sum {
		uint64_t seen;		  /* since boot */
		bool is_known;		  /* this kernel counts them */
		struct price_mean recent; /* pages only */
		uint64_t late_q10;	  /* see page_counts_late() */
		uint64_t second_q10;	  /* see page_counts_per_s() */
		uint64_t pages;		  /* of the last call */
	} of[_PAGES_MAX];
};

/*
 * Takes what was counted in elapsed_ns, the time since the last call.  The
 * first call only looks.
 */
void page_counts_take(struct page_counts *counts, const char *vmstat,
		      uint64_t elapsed_ns);

/* Of a steady rate, what PRICE_MEMORY_MS bring; older ones count less. */
uint64_t page_counts_recent(const struct page_counts *counts,
			    enum page_count which);

/* As of some 4 s ago: pages stolen then had time to come back. */
uint64_t page_counts_late(const struct page_counts *counts,
			  enum page_count which);

/* As of the last second. */
uint64_t page_counts_per_s(const struct page_counts *counts,
			   enum page_count which);

/* The part of a count of elapsed_ns that is not forgotten yet. */
uint64_t page_counts_fit(uint64_t count, uint64_t elapsed_ns);

#endif
