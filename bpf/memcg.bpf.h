/* SPDX-License-Identifier: GPL-2.0-only */
/* Which memory cgroup the current task is in. */
#ifndef SWAPTEND_MEMCG_BPF_H
#define SWAPTEND_MEMCG_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "compat.bpf.h"

static __always_inline __u64 memcg_id_by_loads(int index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct css_set *set = task->cgroups;
	struct cgroup_subsys_state **subsys, *css;

	if (!set)
		return 0;
	subsys = __builtin_preserve_access_index(&set->subsys[0]);
	css = subsys[index];
	return css && css->cgroup && css->cgroup->kn ? css->cgroup->kn->id : 0;
}

static __always_inline __u64 memcg_id_by_reads(int index)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state **subsys, *css = NULL;

	if (!set)
		return 0;
	subsys = __builtin_preserve_access_index(&set->subsys[0]);
	if (bpf_probe_read_kernel(&css, sizeof(css), subsys + index) || !css)
		return 0;
	return BPF_CORE_READ(css, cgroup, kn, id);
}

/*
 * The id (inode number of the directory) of the cgroup that the memory
 * controller has the current task in; right on v1, v2 and hybrid hosts, where
 * bpf_get_current_cgroup_id() only knows the v2 hierarchy.  0: unknown.
 */
static __always_inline __u64 memcg_current_id(void)
{
	int index = bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);

	return has_task_btf() ? memcg_id_by_loads(index)
			      : memcg_id_by_reads(index);
}

#endif
