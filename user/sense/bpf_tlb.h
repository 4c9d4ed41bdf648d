/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads, attaches and reads bpf/tlb.bpf.c, an object of its own: `swaptend tlb`
 * needs nothing else, `run` pins its maps beside the others.
 */
#ifndef SWAPTEND_BPF_TLB_H
#define SWAPTEND_BPF_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tlb.h"
#include "util.h"

struct tlb_bpf_options {
	const char *btf_path; /* NULL: the kernel's */
	const char *pin_dir;  /* NULL: do not pin */
	/*
	 * NULL, or where a running controller may have pinned its maps: if they
	 * have what is wanted they are read, and nothing is counted twice.
	 */
	const char *shared_dir;
	bool with_task_switch; /* count flushes of a task switch too */
	bool has_swap;	       /* is any swap on now */
	enum tlb_receive receive_wanted; /* the best allowed up to this one */
};

struct tlb_bpf;

/*
 * Opens, loads and attaches what this kernel offers.  A part that cannot be had
 * is left out, see tlb_bpf_missing(); an error only if nothing at all can be
 * had.  error: one line, what is missing and what to do.
 */
int tlb_bpf_open(struct tlb_bpf **ret, const struct tlb_bpf_options *options,
		 char *error, size_t error_size) __must_check;
void tlb_bpf_close(struct tlb_bpf *tlb);

/* The i-th part that is off, in one sentence, or NULL after the last. */
const char *tlb_bpf_missing(const struct tlb_bpf *tlb, unsigned int i);
enum tlb_receive tlb_bpf_receive(const struct tlb_bpf *tlb);
bool tlb_bpf_has_flushes(const struct tlb_bpf *tlb); /* tlb_flush is on */
bool tlb_bpf_has_phases(const struct tlb_bpf *tlb);
/* Up to v6.6 no event tells what MGLRU evicts. */
bool tlb_bpf_has_mglru_evicting(const struct tlb_bpf *tlb);
bool tlb_bpf_has_aging(const struct tlb_bpf *tlb); /* anon, without swap */
/* The process whose programs count; 0: our own. */
uint32_t tlb_bpf_counting_pid(const struct tlb_bpf *tlb);
const struct tlb_reasons *tlb_bpf_reasons(const struct tlb_bpf *tlb);
/* Whoever counts tells its programs itself: of no effect on those of others. */
void tlb_bpf_set_swap(struct tlb_bpf *tlb, bool has_swap);

/* Totals so far; free with tlb_counts_done(). */
int tlb_bpf_read(struct tlb_bpf *tlb, struct tlb_counts *ret) __must_check;
void tlb_counts_done(struct tlb_counts *counts);

/* The most active senders, in falling order; at most max; count stored. */
int tlb_bpf_senders(struct tlb_bpf *tlb, struct tlb_sender *ret,
		    unsigned int max, unsigned int *ret_count) __must_check;

#endif
