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
	bool has_run_times; /* the kernel tells the first two of these three */
};

struct tlb_sender {
	struct swt_tlb_sender_key key;
	struct swt_tlb_sender sent;
};

/* /proc/stat's order; guest is in user already, guest_nice in nice. */
enum tlb_tick {
	TLB_USER,
	TLB_NICE,
	TLB_SYSTEM,
	TLB_IDLE,
	TLB_IOWAIT,
	TLB_IRQ,
	TLB_SOFTIRQ,
	TLB_STEAL,
	TLB_GUEST,
	TLB_GUEST_NICE,
	TLB_NR_TICKS,
};

struct tlb_ticks {
	uint64_t of[TLB_NR_TICKS]; /* of 1/USER_HZ s */
};

/* What is known of a CPU's count between two looks; never 0 for unknown. */
enum tlb_known {
	TLB_KNOWN,
	TLB_NO_CPU,	 /* in neither look */
	TLB_NO_LINE,	 /* online, but the kernel shows no such line */
	TLB_OFFLINE,	 /* had no column at the end */
	TLB_NO_BASELINE, /* had no column at the start */
	TLB_WENT_BACK,	 /* less than before, and no wrap of 32 bits */
};

struct tlb_cpu_count {
	enum tlb_known known;
	uint64_t count; /* 0 unless known */
};

/* A line of /proc/interrupts between two looks. */
struct tlb_line {
	bool is_available;   /* false: the kernel shows no such line */
	bool is_partial;     /* the sum lacks some CPUs */
	uint64_t sum;	     /* over the CPUs that are known */
	uint64_t since_boot; /* of the CPUs online at the end */
};

/* Where it was measured: runs of different ones are not compared blindly. */
struct tlb_machine {
	char node[65]; /* as uname(2) says, each */
	char release[65];
	char arch[65];
	unsigned int nr_online;
	bool is_hyperv;	    /* Hyper-V's lines are in /proc/interrupts */
	bool is_guest;	    /* under any hypervisor */
	bool has_mglru;	    /* whose aging no event tells */
	bool has_broadcast; /* AMD's INVLPGB: flushes without interrupts */
};

/* What the BPF programs saw between the two looks. */
struct tlb_seen {
	bool is_on; /* false: nothing below */
	bool has_flushes;
	bool has_phases;
	bool has_mglru_evicting; /* MGLRU tells when it evicts, too */
	bool has_aging;		 /* anon aged without swap is counted */
	enum tlb_receive receive;
	uint32_t
		counting_pid; /* of a running controller; 0: our own programs */
	struct tlb_reasons reasons;
	struct tlb_counts counts;
};

#define TLB_MAX_SENDERS 64
#define TLB_RUN_MISSING 16
#define TLB_TEXT_LEN 256

/* Everything of one run of `swaptend tlb`. */
struct tlb_run {
	struct tlb_machine machine;
	char command[TLB_TEXT_LEN]; /* "": none, just a time */
	int exit_status;	    /* of the command, as shells give it */
	uint64_t duration_ns;
	bool has_swap; /* at the end */
	/* [nr_cpus], by CPU number, of the lines below. */
	unsigned int nr_cpus;
	struct tlb_cpu_count *tlb_cpus;
	struct tlb_line tlb;
	struct tlb_line cal;
	bool has_ticks;
	uint32_t ticks_per_s;
	struct tlb_ticks ticks;
	struct tlb_seen seen;
	unsigned int nr_senders;
	struct tlb_sender senders[TLB_MAX_SENDERS]; /* in falling order */
	unsigned int nr_missing;
	char missing[TLB_RUN_MISSING][TLB_TEXT_LEN]; /* a sentence each */
};

void tlb_run_done(struct tlb_run *run);

/* Adds a sentence of what is missing; beyond the most it is left out. */
void tlb_run_miss(struct tlb_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Over all CPUs; reason < 0 or phase < 0: all of them. */
struct swt_tlb_flushes tlb_sum_flushes(const struct tlb_counts *counts,
				       int phase, int reason);
/* Without these the counts below are 0 and mean nothing. */
bool tlb_has_sends(const struct tlb_seen *seen);
bool tlb_knows_phase(const struct tlb_run *run, enum swt_tlb_phase phase);
/* Shootdowns sent to other CPUs, one however many they are; and received. */
uint64_t tlb_sum_sent(const struct tlb_seen *seen);
uint64_t tlb_phase_sent(const struct tlb_seen *seen, enum swt_tlb_phase phase);
uint64_t tlb_phase_received(const struct tlb_seen *seen,
			    enum swt_tlb_phase phase);
bool tlb_is_reclaim(enum swt_tlb_phase phase);
uint64_t tlb_cpu_sent(const struct tlb_seen *seen, unsigned int cpu);
uint64_t tlb_sum_received(const struct tlb_counts *counts);
uint64_t tlb_sum_received_ns(const struct tlb_counts *counts);
/* Would pages aged without swap have been seen? */
bool tlb_knows_aging(const struct tlb_run *run);
uint64_t tlb_sum_aged_no_swap_pages(const struct tlb_counts *counts);

/* Without the guests' ticks, which user and nice hold already. */
uint64_t tlb_sum_ticks(const struct tlb_ticks *ticks);

/* Keys of JSON and words of the text. */
const char *tlb_phase_name(enum swt_tlb_phase phase);
const char *tlb_tick_name(enum tlb_tick tick);
const char *tlb_receive_name(enum tlb_receive receive);
const char *tlb_known_name(enum tlb_known known);

#endif
