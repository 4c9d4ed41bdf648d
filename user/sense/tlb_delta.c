/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/tlb_delta.h"

#include <stdlib.h>
#include <string.h>

/* irq_cpustat_t counts in unsigned int, and every kernel prints it so. */
#define COUNTER_BITS 32

/*
 * Less than before is a wrap if that makes it a growth of less than half the
 * range; a counter that started anew (a machine resumed from an older image)
 * makes it more, unless it had been in the upper half.
 */
static struct tlb_cpu_count delta_count(uint64_t before, uint64_t now)
{
	const uint64_t range = 1ULL << COUNTER_BITS;
	struct tlb_cpu_count went_back = {.known = TLB_WENT_BACK};
	uint64_t grown;

	if (now >= before)
		return (struct tlb_cpu_count){TLB_KNOWN, now - before};
	if (before >= range)
		return went_back;
	grown = now + range - before;
	return grown < range / 2 ? (struct tlb_cpu_count){TLB_KNOWN, grown}
				 : went_back;
}

static bool is_online(const struct interrupts *look, unsigned int cpu)
{
	return cpu < look->nr_cpus && look->is_online[cpu];
}

static struct tlb_cpu_count delta_cpu(const struct interrupts *before,
				      const struct interrupts *now,
				      enum interrupts_kind kind,
				      unsigned int cpu)
{
	bool was = is_online(before, cpu), is = is_online(now, cpu);

	if (!was && !is)
		return (struct tlb_cpu_count){.known = TLB_NO_CPU};
	if (!before->has_line[kind] || !now->has_line[kind])
		return (struct tlb_cpu_count){.known = TLB_NO_LINE};
	if (!is)
		return (struct tlb_cpu_count){.known = TLB_OFFLINE};
	if (!was)
		return (struct tlb_cpu_count){.known = TLB_NO_BASELINE};
	return delta_count(before->counts[kind][cpu], now->counts[kind][cpu]);
}

void tlb_delta_line(const struct interrupts *before,
		    const struct interrupts *now, enum interrupts_kind kind,
		    struct tlb_line *ret, struct tlb_cpu_count *ret_cpus)
{
	unsigned int nr_cpus =
		before->nr_cpus > now->nr_cpus ? before->nr_cpus : now->nr_cpus;

	*ret = (struct tlb_line){
		.is_available = before->has_line[kind] && now->has_line[kind],
	};
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		struct tlb_cpu_count one = delta_cpu(before, now, kind, cpu);

		ret->sum += one.count;
		if (one.known != TLB_KNOWN && one.known != TLB_NO_CPU)
			ret->is_partial = ret->is_available;
		if (ret->is_available && is_online(now, cpu))
			ret->since_boot += now->counts[kind][cpu];
		if (ret_cpus)
			ret_cpus[cpu] = one;
	}
}

static void subtract(__u64 *now, __u64 before)
{
	*now = *now > before ? *now - before : 0;
}

static void subtract_u64(uint64_t *now, uint64_t before)
{
	*now = *now > before ? *now - before : 0;
}

static void delta_bpf_cpu(const struct swt_tlb *before, struct swt_tlb *now)
{
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++) {
		for (int reason = 0; reason < SWT_NR_TLB_REASONS; reason++) {
			const struct swt_tlb_flushes *old =
				&before->flushes[phase][reason];
			struct swt_tlb_flushes *new =
				&now->flushes[phase][reason];

			subtract(&new->events, old->events);
			subtract(&new->pages, old->pages);
			subtract(&new->full_events, old->full_events);
		}
	}
	subtract(&now->received, before->received);
	subtract(&now->received_ns, before->received_ns);
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		subtract(&now->received_for[phase],
			 before->received_for[phase]);
	subtract(&now->aged_anon_no_swap_pages,
		 before->aged_anon_no_swap_pages);
}

void tlb_delta_counts(const struct tlb_counts *before, struct tlb_counts *now)
{
	unsigned int common =
		before->nr_cpus < now->nr_cpus ? before->nr_cpus : now->nr_cpus;

	for (unsigned int cpu = 0; cpu < common; cpu++)
		delta_bpf_cpu(&before->cpus[cpu], &now->cpus[cpu]);
	subtract_u64(&now->programs_ns, before->programs_ns);
	subtract_u64(&now->programs_runs, before->programs_runs);
	subtract_u64(&now->missed_runs, before->missed_runs);
}

static const struct swt_tlb_sender *
find_sender(const struct tlb_sender *senders, unsigned int count,
	    const struct swt_tlb_sender_key *key)
{
	for (unsigned int i = 0; i < count; i++)
		if (senders[i].key.tgid == key->tgid &&
		    !memcmp(senders[i].key.command, key->command,
			    sizeof(key->command)))
			return &senders[i].sent;
	return NULL;
}

static int compare_senders(const void *a, const void *b)
{
	const struct tlb_sender *x = a, *y = b;

	if (x->sent.shootdowns != y->sent.shootdowns)
		return x->sent.shootdowns < y->sent.shootdowns ? 1 : -1;
	return x->key.tgid < y->key.tgid ? -1 : x->key.tgid > y->key.tgid;
}

unsigned int tlb_delta_senders(const struct tlb_sender *before,
			       unsigned int nr_before, struct tlb_sender *now,
			       unsigned int nr_now)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < nr_now; i++) {
		struct tlb_sender one = now[i];
		const struct swt_tlb_sender *old =
			find_sender(before, nr_before, &one.key);

		/* More before than now: the map dropped it and began anew. */
		if (old && old->shootdowns <= one.sent.shootdowns) {
			one.sent.shootdowns -= old->shootdowns;
			subtract(&one.sent.reclaim_shootdowns,
				 old->reclaim_shootdowns);
		}
		if (one.sent.shootdowns)
			now[kept++] = one;
	}
	if (kept)
		qsort(now, kept, sizeof(*now), compare_senders);
	return kept;
}
