/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/tlb_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "sense/parse_stat.h"
#include "sense/tlb_delta.h"

struct tlb_snapshot *tlb_snapshot_new(const struct sense_root *root,
				      struct tlb_bpf *bpf)
{
	struct tlb_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return NULL;
	snapshot->at_ns = loop_now_ns();
	proc_tlb_look(root, &snapshot->proc);
	if (!bpf)
		return snapshot;
	snapshot->has_counts = !tlb_bpf_read(bpf, &snapshot->counts);
	if (tlb_bpf_senders(bpf, snapshot->senders, SWT_MAX_TLB_SENDERS,
			    &snapshot->nr_senders))
		snapshot->nr_senders = 0;
	return snapshot;
}

void tlb_snapshot_free(struct tlb_snapshot *snapshot)
{
	if (snapshot)
		tlb_counts_done(&snapshot->counts);
	free(snapshot);
}

static int fill_lines(const struct tlb_snapshot *before,
		      const struct tlb_snapshot *now, struct tlb_run *ret)
{
	const struct interrupts *old = &before->proc.interrupts;
	const struct interrupts *new = &now->proc.interrupts;

	ret->nr_cpus =
		old->nr_cpus > new->nr_cpus ? old->nr_cpus : new->nr_cpus;
	ret->tlb_cpus = calloc(ret->nr_cpus + 1, sizeof(*ret->tlb_cpus));
	if (!ret->tlb_cpus)
		return -ENOMEM;
	tlb_delta_line(old, new, INTERRUPTS_TLB, &ret->tlb, ret->tlb_cpus);
	tlb_delta_line(old, new, INTERRUPTS_CAL, &ret->cal, NULL);
	if (now->proc.interrupts_error)
		tlb_run_miss(ret, "/proc/interrupts: %s",
			     strerror(-now->proc.interrupts_error));
	else if (old->is_torn || new->is_torn)
		tlb_run_miss(ret, "/proc/interrupts: its columns are not what "
				  "its header says");
	return 0;
}

static void fill_ticks(const struct tlb_snapshot *before,
		       const struct tlb_snapshot *now, struct tlb_run *ret)
{
	long per_s = sysconf(_SC_CLK_TCK);

	ret->has_ticks = !before->proc.ticks_error && !now->proc.ticks_error;
	ret->ticks_per_s = per_s > 0 ? (uint32_t)per_s : 100;
	if (ret->has_ticks)
		parse_stat_delta(&before->proc.ticks, &now->proc.ticks,
				 &ret->ticks);
	else
		tlb_run_miss(ret, "/proc/stat: no CPU times");
}

static int copy_counts(const struct tlb_counts *counts, struct tlb_counts *ret)
{
	struct swt_tlb *cpus = calloc(counts->nr_cpus, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	memcpy(cpus, counts->cpus, counts->nr_cpus * sizeof(*cpus));
	*ret = *counts;
	ret->cpus = cpus;
	return 0;
}

static int fill_senders(const struct tlb_snapshot *before,
			const struct tlb_snapshot *now, struct tlb_run *ret)
{
	_cleanup_free_ struct tlb_sender *senders =
		malloc(sizeof(now->senders));
	unsigned int count;

	if (!senders)
		return -ENOMEM;
	memcpy(senders, now->senders, sizeof(now->senders));
	count = tlb_delta_senders(before->senders, before->nr_senders, senders,
				  now->nr_senders);
	ret->nr_senders = count < TLB_MAX_SENDERS ? count : TLB_MAX_SENDERS;
	memcpy(ret->senders, senders, ret->nr_senders * sizeof(*senders));
	return 0;
}

static int fill_seen(const struct tlb_snapshot *before,
		     const struct tlb_snapshot *now, const struct tlb_bpf *bpf,
		     struct tlb_run *ret)
{
	struct tlb_seen *seen = &ret->seen;
	int r;

	seen->reasons.remote_send = seen->reasons.task_switch = -1;
	if (!bpf || !before->has_counts || !now->has_counts)
		return 0;
	r = copy_counts(&now->counts, &seen->counts);
	if (r)
		return r;
	tlb_delta_counts(&before->counts, &seen->counts);
	seen->is_on = true;
	seen->has_flushes = tlb_bpf_has_flushes(bpf);
	seen->has_phases = tlb_bpf_has_phases(bpf);
	seen->has_mglru_evicting = tlb_bpf_has_mglru_evicting(bpf);
	seen->has_aging = tlb_bpf_has_aging(bpf);
	seen->receive = tlb_bpf_receive(bpf);
	seen->counting_pid = tlb_bpf_counting_pid(bpf);
	seen->reasons = *tlb_bpf_reasons(bpf);
	return fill_senders(before, now, ret);
}

int tlb_snapshot_delta(const struct tlb_snapshot *before,
		       const struct tlb_snapshot *now,
		       const struct tlb_bpf *bpf, struct tlb_run *ret)
{
	int r = fill_lines(before, now, ret);

	if (r)
		return r;
	ret->duration_ns = now->at_ns - before->at_ns;
	fill_ticks(before, now, ret);
	return fill_seen(before, now, bpf, ret);
}
