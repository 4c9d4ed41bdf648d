/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `swaptend tlb` measures: the difference between two looks at the
 * machine, as plain data.  Filled by cmd/tlb*, printed, saved and compared by
 * report/tlb*.
 */
#ifndef SWAPTEND_TLB_H
#define SWAPTEND_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include <swaptend/abi.h>

/* How the time of receiving a shootdown is taken. */
enum tlb_receive {
	TLB_RECEIVE_NONE,	/* not measured */
	TLB_RECEIVE_CALL,	/* call_function*_entry/exit: any IPI's work */
	TLB_RECEIVE_FLUSH_FUNC, /* flush_tlb_func only: exact */
};

/* Names of the kernel's reasons, from BTF; "" where it has none. */
struct tlb_reasons {
	char name[SWT_NR_TLB_REASONS][40];
	int remote_send; /* index of "sent to other CPUs"; -1: none */
	int task_switch; /* index; -1: none */
};

/* What the BPF programs counted, per possible CPU, and what they lack. */
struct tlb_counts {
	unsigned int nr_cpus;
	struct swt_tlb *cpus; /* [nr_cpus], by CPU number */
	uint64_t programs_ns; /* run time of the programs (BPF stats) */
	uint64_t programs_runs;
	uint64_t missed_runs; /* not run inside themselves: events uncounted */
};

struct tlb_sender {
	struct swt_tlb_sender_key key;
	struct swt_tlb_sender sent;
};

#endif
