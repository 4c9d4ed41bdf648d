/* SPDX-License-Identifier: GPL-2.0-only */
#include "tlb.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

void tlb_run_done(struct tlb_run *run)
{
	free(run->tlb_cpus);
	free(run->seen.counts.cpus);
	memset(run, 0, sizeof(*run));
}

void tlb_run_miss(struct tlb_run *run, const char *fmt, ...)
{
	va_list args;

	if (run->nr_missing == TLB_RUN_MISSING)
		return;
	va_start(args, fmt);
	vsnprintf(run->missing[run->nr_missing++], TLB_TEXT_LEN, fmt, args);
	va_end(args);
}

static void add_flushes(const struct swt_tlb *cpu, int phase, int reason,
			struct swt_tlb_flushes *sum)
{
	for (int p = 0; p < SWT_NR_TLB_PHASES; p++) {
		if (phase >= 0 && p != phase)
			continue;
		for (int r = 0; r < SWT_NR_TLB_REASONS; r++) {
			const struct swt_tlb_flushes *one = &cpu->flushes[p][r];

			if (reason >= 0 && r != reason)
				continue;
			sum->events += one->events;
			sum->pages += one->pages;
			sum->full_events += one->full_events;
		}
	}
}

struct swt_tlb_flushes tlb_sum_flushes(const struct tlb_counts *counts,
				       int phase, int reason)
{
	struct swt_tlb_flushes sum = {0};

	for (unsigned int cpu = 0; cpu < counts->nr_cpus; cpu++)
		add_flushes(&counts->cpus[cpu], phase, reason, &sum);
	return sum;
}

bool tlb_has_sends(const struct tlb_seen *seen)
{
	return seen->has_flushes && seen->reasons.remote_send >= 0;
}

bool tlb_knows_phase(const struct tlb_run *run, enum swt_tlb_phase phase)
{
	switch (phase) {
	case SWT_TLB_AGE_ANON:
	case SWT_TLB_AGE_FILE:
		return run->seen.has_phases && !run->machine.has_mglru;
	case SWT_TLB_EVICT_ANON:
	case SWT_TLB_EVICT_FILE:
		return run->seen.has_phases && (!run->machine.has_mglru ||
						run->seen.has_mglru_evicting);
	default:
		return run->seen.has_flushes;
	}
}

bool tlb_is_reclaim(enum swt_tlb_phase phase)
{
	return phase != SWT_TLB_OUTSIDE && phase != SWT_TLB_UNKNOWN;
}

uint64_t tlb_phase_sent(const struct tlb_seen *seen, enum swt_tlb_phase phase)
{
	int reason = seen->reasons.remote_send;

	if (reason < 0)
		return 0;
	return tlb_sum_flushes(&seen->counts, phase, reason).events;
}

uint64_t tlb_phase_received(const struct tlb_seen *seen,
			    enum swt_tlb_phase phase)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < seen->counts.nr_cpus; cpu++)
		sum += seen->counts.cpus[cpu].received_for[phase];
	return sum;
}

uint64_t tlb_sum_sent(const struct tlb_seen *seen)
{
	uint64_t sum = 0;

	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		sum += tlb_phase_sent(seen, phase);
	return sum;
}

uint64_t tlb_cpu_sent(const struct tlb_seen *seen, unsigned int cpu)
{
	struct swt_tlb_flushes sum = {0};

	if (seen->reasons.remote_send >= 0 && cpu < seen->counts.nr_cpus)
		add_flushes(&seen->counts.cpus[cpu], -1,
			    seen->reasons.remote_send, &sum);
	return sum.events;
}

uint64_t tlb_sum_received(const struct tlb_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < counts->nr_cpus; cpu++)
		sum += counts->cpus[cpu].received;
	return sum;
}

uint64_t tlb_sum_received_ns(const struct tlb_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < counts->nr_cpus; cpu++)
		sum += counts->cpus[cpu].received_ns;
	return sum;
}

bool tlb_knows_aging(const struct tlb_run *run)
{
	return run->seen.has_aging && !run->machine.has_mglru;
}

uint64_t tlb_sum_aged_no_swap_pages(const struct tlb_counts *counts)
{
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < counts->nr_cpus; cpu++)
		sum += counts->cpus[cpu].aged_anon_no_swap_pages;
	return sum;
}

uint64_t tlb_sum_ticks(const struct tlb_ticks *ticks)
{
	uint64_t sum = 0;

	for (int i = TLB_USER; i <= TLB_STEAL; i++)
		sum += ticks->of[i];
	return sum;
}

const char *tlb_phase_name(enum swt_tlb_phase phase)
{
	static const char *const names[SWT_NR_TLB_PHASES] = {
		[SWT_TLB_OUTSIDE] = "outside_reclaim",
		[SWT_TLB_AGE_ANON] = "aging_anon",
		[SWT_TLB_AGE_FILE] = "aging_file",
		[SWT_TLB_EVICT_ANON] = "evicting_anon",
		[SWT_TLB_EVICT_FILE] = "evicting_file",
		[SWT_TLB_OTHER_RECLAIM] = "other_reclaim",
		[SWT_TLB_UNKNOWN] = "unknown",
	};

	return names[phase];
}

const char *tlb_tick_name(enum tlb_tick tick)
{
	static const char *const names[TLB_NR_TICKS] = {
		[TLB_USER] = "user",	   [TLB_NICE] = "nice",
		[TLB_SYSTEM] = "system",   [TLB_IDLE] = "idle",
		[TLB_IOWAIT] = "iowait",   [TLB_IRQ] = "irq",
		[TLB_SOFTIRQ] = "softirq", [TLB_STEAL] = "steal",
		[TLB_GUEST] = "guest",	   [TLB_GUEST_NICE] = "guest_nice",
	};

	return names[tick];
}

const char *tlb_receive_name(enum tlb_receive receive)
{
	static const char *const names[] = {
		[TLB_RECEIVE_NONE] = "none",
		[TLB_RECEIVE_CALL] = "call",
		[TLB_RECEIVE_FLUSH_FUNC] = "flush-func",
	};

	return names[receive];
}

const char *tlb_known_name(enum tlb_known known)
{
	static const char *const names[] = {
		[TLB_KNOWN] = "known",
		[TLB_NO_CPU] = "no such CPU",
		[TLB_NO_LINE] = "not available",
		[TLB_OFFLINE] = "went offline",
		[TLB_NO_BASELINE] = "came online",
		[TLB_WENT_BACK] = "the count went back",
	};

	return names[known];
}
