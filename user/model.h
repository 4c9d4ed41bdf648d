/* SPDX-License-Identifier: GPL-2.0-only */
/* Plain data that flows from sense through law to act.  No behaviour. */
#ifndef SWAPTEND_MODEL_H
#define SWAPTEND_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <swaptend/abi.h>

/* Range of swappiness: 0..200 since v5.8 (c843966c556d), 0..100 before. */
#define SWAPPINESS_MAX 200
#define SWAPPINESS_OLD_MAX 100

/* Why a decision was made or a knob touched; one vocabulary for log, JSON, man.
 */
enum swt_reason {
	SWT_REASON_START,	  /* nothing decided yet */
	SWT_REASON_NO_RECLAIM,	  /* no pass since the last sample */
	SWT_REASON_TENDENCY_HIGH, /* the law's state went up */
	SWT_REASON_TENDENCY_LOW,  /* the law's state went down */
	SWT_REASON_STEADY,	  /* passes, but the state did not move */
	SWT_REASON_MEMORY_SHARE,  /* kolivas-2004: application share, free swap
				   */
	SWT_REASON_FIXED,	  /* static:N */
	SWT_REASON_NO_SWAP,	  /* swappiness has no effect without swap */
	SWT_REASON_FOREIGN_WRITE, /* somebody else wrote: standing aside */
	SWT_REASON_RESUMED,	  /* control taken back after standing aside */
	SWT_REASON_RESTORE,	  /* the original value goes back */
	SWT_REASON_PRICE,	  /* what a swap-in and a file read cost */
	SWT_REASON_NO_PRICE,	  /* not yet known: the last value is held */
	SWT_REASON_SWAP_NEARLY_FULL,
	SWT_REASON_SWAP_OUT_BUDGET,
	SWT_REASON_STREAM, /* file pages are read once: no use in keeping them
			    */
	SWT_REASON_TRIAL,  /* more than the price says, while swap-ins cost
			    * nothing beside file reads */
	_SWT_REASON_MAX,
};

/* Where a price comes from, the best first. */
enum price_source {
	PRICE_UNKNOWN,
	PRICE_PRIOR,	/* of devices of its class */
	PRICE_PROBED,	/* a few reads at the start */
	PRICE_MEASURED, /* what reclaim's victims cost */
	_PRICE_SOURCE_MAX,
};

/* What it costs to bring a page back; 0 ns: unknown. */
struct prices {
	uint32_t swap_in_ns;   /* with its swap-out */
	uint32_t file_read_ns; /* of pages evicted before, where that is told */
	enum price_source swap_source, file_source;
	/*
	 * Of the pages evicted lately, those that came back, of either kind:
	 * 1000 until evictions say otherwise; 0: unknown, as 1000.
	 */
	uint32_t anon_refault_permille, file_refault_permille;
	bool is_trial_due; /* too little is known of anonymous memory */
	/*
	 * What waiting for pages that came back took of the last second: 1000
	 * is one task that does nothing else.
	 */
	uint32_t anon_stall_permille, file_stall_permille;
	uint64_t anon_stolen_pages; /* since the last sample */
	bool has_refault_pct;
	uint32_t refault_pct; /* file pages read again, of those evicted */
};

/* What a law sees: counts since the last sample, levels now. */
struct sample {
	uint64_t passes[SWT_NR_PRIORITIES]; /* by priority */
	uint64_t elapsed_ns;
	uint32_t mapped_ratio_pct;	/* 0..100 */
	uint32_t application_share_pct; /* 0..100, of RAM */
	uint32_t swap_free_pct;		/* 0..100; 0 without swap */
	bool has_swap;
	uint64_t swap_out_kib_s; /* of the last seconds */
	struct prices prices;
};

/* What the administrator asked for, resolved for one knob. */
struct law_params {
	int base;			/* swappiness at state 0 */
	int top;			/* swappiness at state 1000 */
	int min;			/* floor */
	int max;			/* ceiling */
	int fixed;			/* static:N; otherwise unused */
	uint64_t swap_out_budget_kib_s; /* 0: without limit */
};

/* See climb.h. */
struct climb_state {
	uint32_t level_q10; /* swappiness in 1/1024; 0: no climb */
	uint32_t wait_ms;   /* before the next one */
	uint32_t last_wait_ms;
	uint32_t trust_pages;  /* may be swapped out before a proof; 0: few */
	uint64_t risked_pages; /* were, since the last one */
	uint32_t proof_ms;     /* until the next one; 0: none is due */
};

/* A law's memory between samples; zeroed at the start. */
struct law_state {
	uint32_t value;	 /* in the law's own units, see `struct law` */
	int base;	 /* of laws that follow the price */
	bool has_base;	 /* base was set by a price */
	bool is_moving;	 /* base has not reached the price's value */
	uint32_t all_ms; /* see price_all_or() */
	struct climb_state climb;
};

struct decision {
	int swappiness; /* min..max */
	enum swt_reason reason;
	uint32_t state_permille;
	uint32_t distress_pct; /* highest of the passes seen */
	uint32_t tendency_pct; /* mapped_ratio / 2 + that distress */
	uint64_t passes;
};

/* Name in logs, JSON and the manual, e.g. "tendency_high"; never NULL. */
const char *reason_name(enum swt_reason reason);
/* "measured" and the like; never NULL. */
const char *price_source_name(enum price_source source);

#endif
