/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the current task does for reclaim, kept with the task: several reclaim
 * at the same moment, and one may sleep in the middle of it.
 */
#ifndef SWAPTEND_PHASE_BPF_H
#define SWAPTEND_PHASE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <swaptend/abi.h>

#include "compat.bpf.h"

/* include/linux/sched.h, the same since v2.6. */
#define PF_MEMALLOC 0x00000800
#define PF_KSWAPD 0x00020000

/* Tasks that reclaim at the same moment, before v5.12. */
#define MAX_PHASES 4096

/* Set by user space, which knows whether `task_phases` can be made. */
const volatile bool cfg_has_task_storage = true;

/* v5.12 (a10787e6d58c): goes with the task. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32); /* enum swt_tlb_phase */
} task_phases SEC(".maps");

/*
 * Before v5.12, by thread id.  An end event removes its row; LRU, so that one
 * that never came cannot fill the map.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_PHASES);
	__type(key, __u32);
	__type(value, __u32);
} thread_phases SEC(".maps");

static __always_inline __u32 *phase_find(void)
{
	__u32 tid;

	if (cfg_has_task_storage)
		return bpf_task_storage_get(
			&task_phases, bpf_get_current_task_btf(), NULL, 0);
	tid = (__u32)bpf_get_current_pid_tgid();
	return bpf_map_lookup_elem(&thread_phases, &tid);
}

/* What cannot be stored is counted as if the event had not been seen. */
static __always_inline void phase_set(__u32 phase)
{
	__u32 *stored, tid;

	if (cfg_has_task_storage) {
		stored = bpf_task_storage_get(&task_phases,
					      bpf_get_current_task_btf(), NULL,
					      BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (stored)
			*stored = phase;
		return;
	}
	tid = (__u32)bpf_get_current_pid_tgid();
	bpf_map_update_elem(&thread_phases, &tid, &phase, BPF_ANY);
}

/* One list is done; reclaim goes on. */
static __always_inline void phase_leave_list(void)
{
	__u32 *phase = phase_find();

	if (phase && *phase != SWT_TLB_OUTSIDE)
		*phase = SWT_TLB_OTHER_RECLAIM;
}

static __always_inline void phase_end(void)
{
	__u32 *phase, tid;

	if (!cfg_has_task_storage) {
		tid = (__u32)bpf_get_current_pid_tgid();
		bpf_map_delete_elem(&thread_phases, &tid);
		return;
	}
	phase = phase_find();
	if (phase)
		*phase = SWT_TLB_OUTSIDE;
}

static __always_inline unsigned int current_flags(void)
{
	struct task_struct *task;

	if (has_task_btf())
		return bpf_get_current_task_btf()->flags;
	task = (void *)bpf_get_current_task();
	return BPF_CORE_READ(task, flags);
}

/*
 * Reclaim runs under PF_MEMALLOC, so that it cannot recurse.  Without the flag
 * nothing is looked up: cheap for the many, and no stale mark can speak.
 */
static __always_inline __u32 phase_current(void)
{
	unsigned int flags = current_flags();
	__u32 *phase;

	if (!(flags & PF_MEMALLOC))
		return SWT_TLB_OUTSIDE;
	phase = phase_find();
	if (phase && *phase != SWT_TLB_OUTSIDE)
		return *phase;
	return flags & PF_KSWAPD ? SWT_TLB_OTHER_RECLAIM : SWT_TLB_OUTSIDE;
}

#endif
