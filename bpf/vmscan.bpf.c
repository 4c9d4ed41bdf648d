/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How hard reclaim works, for the system and per cgroup.  Counts only: what
 * the counts mean is decided in user space.  Arguments are those of
 * mm/vmscan.c; the ones used are the same from v5.10 to v7.3, except where two
 * variants of a program say otherwise and user space picks by BTF.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "lost.bpf.h"
#include "maps.bpf.h"
#include "memcg.bpf.h"
#include "run.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* include/linux/sched.h: this task is a kswapd. */
#define PF_KSWAPD 0x00020000

/* Set by user space, also while running. */
__u64 cfg_interval_ns = 100000000;

/* Told by user space when swap comes and goes. */
bool has_swap = true;

/* When reclaim was last at work, for the programs of cost.bpf.c. */
__u64 last_pass_jiffies;

/* Two CPUs may ring at once: one wake-up too many, nothing worse. */
__u64 last_rung_ns;

static const struct swt_reclaim empty_row;

static __always_inline struct swt_reclaim *group_row(__u64 cgroup_id)
{
	struct swt_reclaim *row = bpf_map_lookup_elem(&reclaim, &cgroup_id);

	if (row)
		return row;
	bpf_map_update_elem(&reclaim, &cgroup_id, &empty_row, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&reclaim, &cgroup_id);
	if (!row)
		count_lost(SWT_LOST_GROUP_MAP_FULL);
	return row;
}

static __always_inline __u64 current_group(void)
{
	__u64 id = memcg_current_id();

	if (!id)
		count_lost(SWT_LOST_NO_CGROUP);
	return id;
}

/* A task whose begin event was not seen: attached in the middle of it. */
static __always_inline void guess_run(struct run *ret)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	ret->source = SWT_DIRECT;
	ret->cgroup_id = 0;
	if (BPF_CORE_READ(task, flags) & PF_KSWAPD)
		ret->source = SWT_KSWAPD;
	else
		ret->cgroup_id = current_group();
}

static __always_inline void current_run(struct run *ret)
{
	struct run *run = run_find();

	if (run && run->is_on)
		*ret = *run;
	else
		guess_run(ret);
}

static __always_inline void count_run(__u64 cgroup_id, __u32 source)
{
	struct swt_reclaim *row = group_row(cgroup_id);

	if (row)
		row->runs[source]++;
}

static __always_inline void begin_run(__u32 source, __u64 cgroup_id)
{
	struct run run = {
		.cgroup_id = cgroup_id,
		.source = source,
		.is_on = 1,
	};

	if (!run_store(&run))
		count_lost(SWT_LOST_RUN_MAP_FULL);
	count_run(SWT_SYSTEM_ID, source);
	if (cgroup_id)
		count_run(cgroup_id, source);
}

/* First pass after quiet at once, then at most one ring an interval. */
static __always_inline void ring_doorbell(__u64 now_ns)
{
	struct swt_ring ring = {.rung_at_ns = now_ns};

	if (now_ns - last_rung_ns < cfg_interval_ns)
		return;
	last_rung_ns = now_ns;
	if (bpf_ringbuf_output(&doorbell, &ring, sizeof(ring),
			       BPF_RB_FORCE_WAKEUP))
		count_lost(SWT_LOST_DOORBELL_FULL);
}

/* What one mm_vmscan_lru_shrink_inactive event says. */
struct pass {
	__u64 scanned;
	__u64 reclaimed;
	struct reclaim_stat *stat;
	__u32 source;
	__u32 priority;
	__u32 lru;
};

static __always_inline void count_pass(struct swt_reclaim *row,
				       const struct pass *pass)
{
	const struct reclaim_stat *stat = pass->stat;
	__u32 lru = pass->lru & 1;

	if (pass->source >= SWT_NR_SOURCES ||
	    pass->priority >= SWT_NR_PRIORITIES)
		return;
	row->passes[pass->source][pass->priority]++;
	row->scanned_pages[lru] += pass->scanned;
	row->reclaimed_pages[lru] += pass->reclaimed;
	row->activated_pages[SWT_ANON] += stat->nr_activate[SWT_ANON];
	row->activated_pages[SWT_FILE] += stat->nr_activate[SWT_FILE];
	row->dirty_pages[lru] += stat->nr_dirty;
	row->writeback_pages[lru] += stat->nr_writeback;
	row->ref_kept_pages[lru] += stat->nr_ref_keep;
}

/* The clock is read, and the doorbell thought of, once a tick. */
static __always_inline void stamp_pass(struct swt_reclaim *row)
{
	__u64 tick = bpf_jiffies64();

	if (row->last_pass_jiffies == tick)
		return;
	row->last_pass_jiffies = tick;
	last_pass_jiffies = tick;
	row->last_pass_ns = bpf_ktime_get_ns();
	ring_doorbell(row->last_pass_ns);
}

static __always_inline void count_group_pass(__u64 cgroup_id,
					     const struct pass *pass,
					     const struct swt_reclaim *all)
{
	struct swt_reclaim *row = group_row(cgroup_id);

	if (!row)
		return;
	count_pass(row, pass);
	row->last_pass_jiffies = all->last_pass_jiffies;
	row->last_pass_ns = all->last_pass_ns;
}

SEC("tp_btf/mm_vmscan_lru_shrink_inactive")
int BPF_PROG(on_shrink_inact, int nid, unsigned long nr_scanned,
	     unsigned long nr_reclaimed, struct reclaim_stat *stat,
	     int priority, int file)
{
	struct swt_reclaim *all = group_row(SWT_SYSTEM_ID);
	struct run run;
	/* file is 0/1 on the classic LRU and 0/2 under MGLRU. */
	struct pass pass = {
		.scanned = nr_scanned,
		.reclaimed = nr_reclaimed,
		.stat = stat,
		.priority = priority,
		.lru = file ? SWT_FILE : SWT_ANON,
	};

	if (pass.priority >= SWT_NR_PRIORITIES)
		count_lost(SWT_LOST_BAD_PRIORITY);
	current_run(&run);
	pass.source = run.source;
	if (!all)
		return 0;
	count_pass(all, &pass);
	stamp_pass(all);
	if (run.cgroup_id)
		count_group_pass(run.cgroup_id, &pass, all);
	return 0;
}

static __always_inline void count_aged(__u64 cgroup_id, __u32 lru, __u64 pages)
{
	struct swt_reclaim *row = group_row(cgroup_id);

	if (!row)
		return;
	row->aged_pages[lru & 1] += pages;
	if (lru == SWT_ANON && !has_swap)
		row->aged_anon_no_swap_pages += pages;
}

SEC("tp_btf/mm_vmscan_lru_shrink_active")
int BPF_PROG(on_shrink_act, int nid, unsigned long nr_taken,
	     unsigned long nr_active, unsigned long nr_deactivated,
	     unsigned long nr_referenced, int priority, int file)
{
	__u32 lru = file ? SWT_FILE : SWT_ANON;
	struct run run;

	current_run(&run);
	count_aged(SWT_SYSTEM_ID, lru, nr_deactivated);
	if (run.cgroup_id)
		count_aged(run.cgroup_id, lru, nr_deactivated);
	return 0;
}

static __always_inline void count_isolated(__u64 cgroup_id, __u32 lru,
					   __u64 pages)
{
	struct swt_reclaim *row = group_row(cgroup_id);

	if (row)
		row->isolated_pages[lru & 1] += pages;
}

/* enum lru_list: 0 and 1 are the anon lists, 2 and 3 the file lists. */
static __always_inline int on_isolate(unsigned long nr_taken, int lru_list)
{
	__u32 lru = lru_list >= 2 ? SWT_FILE : SWT_ANON;
	struct run run;

	current_run(&run);
	count_isolated(SWT_SYSTEM_ID, lru, nr_taken);
	if (run.cgroup_id)
		count_isolated(run.cgroup_id, lru, nr_taken);
	return 0;
}

/* Up to v6.1: an isolate_mode stands before the list. */
SEC("tp_btf/mm_vmscan_lru_isolate")
int BPF_PROG(on_isolate_8, int zone, int order, unsigned long nr_requested,
	     unsigned long nr_scanned, unsigned long nr_skipped,
	     unsigned long nr_taken, unsigned int isolate_mode, int lru)
{
	return on_isolate(nr_taken, lru);
}

SEC("tp_btf/mm_vmscan_lru_isolate")
int BPF_PROG(on_isolate_7, int zone, int order, unsigned long nr_requested,
	     unsigned long nr_scanned, unsigned long nr_skipped,
	     unsigned long nr_taken, int lru)
{
	return on_isolate(nr_taken, lru);
}

/*
 * Begin and end events are used without their arguments, which v7.1 changed
 * (874a0a566ede) and whose mem_cgroup may be NULL there.
 */
SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int on_direct_begin(void *ctx)
{
	begin_run(SWT_DIRECT, current_group());
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int on_direct_end(void *ctx)
{
	run_end();
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int on_memcg_begin(void *ctx)
{
	begin_run(SWT_MEMCG, current_group());
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int on_memcg_end(void *ctx)
{
	run_end();
	return 0;
}

SEC("tp_btf/mm_vmscan_kswapd_wake")
int on_kswapd_wake(void *ctx)
{
	begin_run(SWT_KSWAPD, SWT_SYSTEM_ID);
	return 0;
}

SEC("tp_btf/mm_vmscan_kswapd_sleep")
int on_kswapd_sleep(void *ctx)
{
	run_end();
	return 0;
}
