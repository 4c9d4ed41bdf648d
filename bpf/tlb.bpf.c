/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLB flushes: how many, why, for whom, and what receiving them costs.  An
 * object of its own: tlb_flush fires very often, and only `swaptend tlb` and
 * who asks for it pays.  Counts only.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <swaptend/abi.h>

#include "phase.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* arch/x86/include/asm/tlbflush.h: pages of a flush of everything. */
#define TLB_FLUSH_ALL (-1UL)

/*
 * Set by user space, from the kernel's enum tlb_flush_reason: the reason that
 * is not to be counted, the one of a sender (-1: none), and a bit for each that
 * is told by the CPU that receives.
 */
const volatile __s32 cfg_skipped_reason = -1;
const volatile __s32 cfg_send_reason = -1;
const volatile __u32 cfg_receiver_reasons = 0;

/* Told by user space when swap comes and goes. */
bool has_swap = true;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct swt_tlb);
} tlb SEC(".maps");

/* What it has lost is the difference from the events sent in `tlb`. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, SWT_MAX_TLB_SENDERS);
	__type(key, struct swt_tlb_sender_key);
	__type(value, struct swt_tlb_sender);
} tlb_senders SEC(".maps");

/* Written by user space, for who finds the maps pinned. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct swt_tlb_about);
} tlb_about SEC(".maps");

/*
 * By CPU: the phase of what was last sent from there, for who receives it.  A
 * sender waits with preemption off for all receivers (up to v7.2; later another
 * task of the CPU may send meanwhile).  User space makes it one row a CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} sending SEC(".maps");

/* Flushes for others run with interrupts off, so they do not nest. */
struct receiving {
	__u64 start_ns; /* 0: not receiving */
	__u32 phase;	/* of the sender */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct receiving);
} receiving SEC(".maps");

static const struct swt_tlb_sender empty_sender;

static __always_inline struct swt_tlb *row_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tlb, &zero);
}

static __always_inline struct receiving *receiving_of_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&receiving, &zero);
}

/* The interrupted task has nothing to do with what is flushed for another. */
static __always_inline __u32 phase_of_flush(__u32 reason)
{
	struct receiving *now;

	if (!(cfg_receiver_reasons >> reason & 1))
		return phase_current();
	now = receiving_of_cpu();
	return now && now->start_ns ? now->phase : SWT_TLB_UNKNOWN;
}

static __always_inline void count_flush(__u32 phase, __u32 reason,
					unsigned long pages)
{
	struct swt_tlb *row = row_of_cpu();
	struct swt_tlb_flushes *flushes;

	/* Else the compiler checks a copy, which the verifier does not see. */
	barrier_var(reason);
	barrier_var(phase);
	if (!row || phase >= SWT_NR_TLB_PHASES || reason >= SWT_NR_TLB_REASONS)
		return;
	flushes = &row->flushes[phase][reason];
	flushes->events++;
	if (pages == TLB_FLUSH_ALL)
		flushes->full_events++;
	else
		flushes->pages += pages;
}

static __always_inline struct swt_tlb_sender *
sender_row(const struct swt_tlb_sender_key *key)
{
	struct swt_tlb_sender *row = bpf_map_lookup_elem(&tlb_senders, key);

	if (row)
		return row;
	bpf_map_update_elem(&tlb_senders, key, &empty_sender, BPF_NOEXIST);
	return bpf_map_lookup_elem(&tlb_senders, key);
}

/* The process, by the name of its first thread: others may have their own. */
static __always_inline void count_sender(__u32 phase)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct swt_tlb_sender_key key = {
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
	struct swt_tlb_sender *row;

	BPF_CORE_READ_STR_INTO(&key.command, task, group_leader, comm);
	row = sender_row(&key);
	if (!row)
		return;
	__sync_fetch_and_add(&row->shootdowns, 1);
	if (phase != SWT_TLB_OUTSIDE)
		__sync_fetch_and_add(&row->reclaim_shootdowns, 1);
}

static __always_inline void tell_receivers(__u32 phase)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u32 *told = bpf_map_lookup_elem(&sending, &cpu);

	if (told)
		*told = phase;
}

/*
 * A send is one event however many CPUs get it, and the kernel leaves out lazy
 * ones only afterwards: under reclaim most sends may reach nobody.
 */
SEC("tp_btf/tlb_flush")
int BPF_PROG(on_tlb_flush, int why, unsigned long pages)
{
	/* A reason that is newer than we are: in the last column. */
	__u32 reason = (__u32)why < SWT_NR_TLB_REASONS ? (__u32)why
						       : SWT_NR_TLB_REASONS - 1;
	__u32 phase;

	if (why == cfg_skipped_reason)
		return 0;
	phase = phase_of_flush(reason);
	count_flush(phase, reason, pages);
	if (why == cfg_send_reason) {
		tell_receivers(phase);
		count_sender(phase);
	}
	return 0;
}

static __always_inline int begin_receiving(__u32 phase)
{
	struct receiving *now = receiving_of_cpu();

	if (!now)
		return 0;
	now->phase = phase;
	now->start_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int end_receiving(void)
{
	struct receiving *now = receiving_of_cpu();
	struct swt_tlb *row = row_of_cpu();

	/* Attached in the middle, or a flush of this CPU for itself. */
	if (!now || !row || !now->start_ns)
		return 0;
	row->received++;
	if (now->phase < SWT_NR_TLB_PHASES)
		row->received_for[now->phase]++;
	row->received_ns += bpf_ktime_get_ns() - now->start_ns;
	now->start_ns = 0;
	return 0;
}

/*
 * v5.13 and later (4c1ba3923e6c): the CPU that starts a flush calls the same
 * function for itself.  What is left is what the TLB line of /proc/interrupts
 * counts, also from the idle loop without an interrupt.
 */
SEC("fentry/flush_tlb_func")
int BPF_PROG(on_flush_in, struct flush_tlb_info *info)
{
	__u32 cpu = BPF_CORE_READ(info, initiating_cpu);
	__u32 *told;

	if (cpu == bpf_get_smp_processor_id())
		return 0;
	told = bpf_map_lookup_elem(&sending, &cpu);
	return begin_receiving(told ? *told : SWT_TLB_UNKNOWN);
}

SEC("fexit/flush_tlb_func")
int on_flush_out(void *ctx)
{
	return end_receiving();
}

/*
 * Up to v5.12: who it is for is not told.  The sender's own CPU calls it too,
 * where page tables stay (on_each_cpu_cond_mask), and counts it in its TLB
 * line.
 */
SEC("fentry/flush_tlb_func_remote")
int on_remote_in(void *ctx)
{
	return begin_receiving(SWT_TLB_UNKNOWN);
}

SEC("fexit/flush_tlb_func_remote")
int on_remote_out(void *ctx)
{
	return end_receiving();
}

/*
 * Where functions cannot be traced: every function-call interrupt, whatever it
 * is for, with all that runs in it.
 */
SEC("tp_btf/call_function_entry")
int on_call_in(void *ctx)
{
	return begin_receiving(SWT_TLB_UNKNOWN);
}

SEC("tp_btf/call_function_exit")
int on_call_out(void *ctx)
{
	return end_receiving();
}

SEC("tp_btf/call_function_single_entry")
int on_single_in(void *ctx)
{
	return begin_receiving(SWT_TLB_UNKNOWN);
}

SEC("tp_btf/call_function_single_exit")
int on_single_out(void *ctx)
{
	return end_receiving();
}

/*
 * mm/vmscan.c, v5.10 to v7.3: shrink_active_list() isolates from an active
 * list, shrink_inactive_list() and, under MGLRU from v6.12 on, evict_folios()
 * from an inactive one.  MGLRU's aging has no event, nor has any of it on v6.1:
 * other reclaim.  So is the second try of evict_folios(), after its event.
 */
static __always_inline __u32 phase_of_list(int lru)
{
	if (lru == (int)bpf_core_enum_value(enum lru_list, LRU_ACTIVE_ANON))
		return SWT_TLB_AGE_ANON;
	if (lru == (int)bpf_core_enum_value(enum lru_list, LRU_ACTIVE_FILE))
		return SWT_TLB_AGE_FILE;
	if (lru == (int)bpf_core_enum_value(enum lru_list, LRU_INACTIVE_ANON))
		return SWT_TLB_EVICT_ANON;
	if (lru == (int)bpf_core_enum_value(enum lru_list, LRU_INACTIVE_FILE))
		return SWT_TLB_EVICT_FILE;
	return SWT_TLB_OTHER_RECLAIM;
}

/* Nothing taken: nothing is done with it, and its end may not be told. */
static __always_inline int on_isolate(unsigned long nr_taken, int lru)
{
	if (nr_taken)
		phase_set(phase_of_list(lru));
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

SEC("tp_btf/mm_vmscan_lru_shrink_inactive")
int on_shrink_inact(void *ctx)
{
	phase_leave_list();
	return 0;
}

/* Pages taken, not only those moved: all of them had their marks looked at. */
SEC("tp_btf/mm_vmscan_lru_shrink_active")
int BPF_PROG(on_shrink_act, int nid, unsigned long nr_taken,
	     unsigned long nr_active, unsigned long nr_deactivated,
	     unsigned long nr_referenced, int priority, int file)
{
	struct swt_tlb *row;

	phase_leave_list();
	if (file || has_swap)
		return 0;
	row = row_of_cpu();
	if (row)
		row->aged_anon_no_swap_pages += nr_taken;
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int on_direct_begin(void *ctx)
{
	phase_set(SWT_TLB_OTHER_RECLAIM);
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int on_direct_end(void *ctx)
{
	phase_end();
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int on_memcg_begin(void *ctx)
{
	phase_set(SWT_TLB_OTHER_RECLAIM);
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int on_memcg_end(void *ctx)
{
	phase_end();
	return 0;
}

SEC("tp_btf/mm_vmscan_node_reclaim_begin")
int on_node_begin(void *ctx)
{
	phase_set(SWT_TLB_OTHER_RECLAIM);
	return 0;
}

SEC("tp_btf/mm_vmscan_node_reclaim_end")
int on_node_end(void *ctx)
{
	phase_end();
	return 0;
}
