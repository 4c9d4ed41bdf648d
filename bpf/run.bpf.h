/* SPDX-License-Identifier: GPL-2.0-only */
/* Remembers, per task, that it reclaims and for whom. */
#ifndef SWAPTEND_RUN_BPF_H
#define SWAPTEND_RUN_BPF_H

#include "maps.bpf.h"

/* Set by user space, which knows whether `task_runs` can be made. */
const volatile bool cfg_has_task_storage = true;

static __always_inline __u32 thread_id(void)
{
	return (__u32)bpf_get_current_pid_tgid();
}

static __always_inline struct run *run_find(void)
{
	__u32 tid;

	if (cfg_has_task_storage)
		return bpf_task_storage_get(
			&task_runs, bpf_get_current_task_btf(), NULL, 0);
	tid = thread_id();
	return bpf_map_lookup_elem(&thread_runs, &tid);
}

/* Whether it was stored. */
static __always_inline bool run_store(const struct run *run)
{
	struct run *stored;
	__u32 tid;

	if (cfg_has_task_storage) {
		stored = bpf_task_storage_get(&task_runs,
					      bpf_get_current_task_btf(), NULL,
					      BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (stored)
			*stored = *run;
		return stored;
	}
	tid = thread_id();
	return !bpf_map_update_elem(&thread_runs, &tid, run, BPF_ANY);
}

static __always_inline void run_end(void)
{
	struct run *run = run_find();

	if (run)
		run->is_on = 0;
}

#endif
