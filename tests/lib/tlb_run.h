/* SPDX-License-Identifier: GPL-2.0-only */
/* A run of `swaptend tlb` with known numbers: four CPUs, both ends seen. */
#ifndef SWAPTEND_TESTS_TLB_RUN_H
#define SWAPTEND_TESTS_TLB_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tlb.h"

/* As v6.18 numbers them. */
#define REASON_RECEIVED 1
#define REASON_SENT 4

/* HSUM 2676: the counts of tests/fixtures/interrupts/x86-4cpu.*.txt. */
static inline struct tlb_run *tlb_run_plant(void)
{
	static const uint64_t counts[4] = {900, 1000, 0, 776};
	struct tlb_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	*run = (struct tlb_run){
		.machine = {"node", "6.18.0", "x86_64", 4, false, false, false,
			    false},
		.command = "fio x",
		.duration_ns = 300000000000,
		.nr_cpus = 4,
		.tlb_cpus = calloc(4, sizeof(*run->tlb_cpus)),
		.tlb = {true, false, 2676, 362842},
		.cal = {true, false, 8800, 228902},
		.has_ticks = true,
		.ticks_per_s = 100,
		.ticks = {{60, 0, 20, 700, 0, 0, 2, 2, 40, 0}},
		.seen.is_on = true,
		.seen.has_flushes = true,
		.seen.has_phases = true,
		.seen.has_mglru_evicting = true,
		.seen.has_aging = true,
		.seen.counts.has_run_times = true,
		.seen.receive = TLB_RECEIVE_FLUSH_FUNC,
		.seen.reasons.remote_send = REASON_SENT,
		.seen.reasons.task_switch = 0,
		.seen.counts.nr_cpus = 4,
		.seen.counts.cpus = calloc(4, sizeof(struct swt_tlb)),
	};
	strcpy(run->seen.reasons.name[REASON_SENT], "TLB_REMOTE_SEND_IPI");
	for (int cpu = 0; cpu < 4; cpu++)
		run->tlb_cpus[cpu].count = counts[cpu];
	return run;
}

static inline void tlb_run_fell(struct tlb_run *run)
{
	tlb_run_done(run);
	free(run);
}

/* Sent by CPU 0, received by CPU 1, in this phase; 100 ns each. */
static inline void tlb_run_send(struct tlb_run *run, enum swt_tlb_phase phase,
				uint64_t sent, uint64_t received)
{
	struct swt_tlb *cpus = run->seen.counts.cpus;

	cpus[0].flushes[phase][REASON_SENT].events += sent;
	cpus[1].received += received;
	cpus[1].received_for[phase] += received;
	cpus[1].received_ns += received * 100;
}

#endif
