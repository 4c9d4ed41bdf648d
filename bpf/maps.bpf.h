/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of swaptend/abi.h; user space sets the sizes that depend on it.
 * Weak: every object has them, and the linker makes one of each.
 */
#ifndef SWAPTEND_MAPS_BPF_H
#define SWAPTEND_MAPS_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <swaptend/abi.h>

/* Tasks that reclaim at the same moment; a task more is guessed and counted. */
#define MAX_RUNS 4096

/* What a task is doing between a begin and an end event. */
struct run {
	__u64 cgroup_id; /* 0: the system */
	__u32 source;	 /* enum swt_source */
	__u32 is_on;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct swt_reclaim);
} reclaim __weak SEC(".maps");

/* v5.12 (a10787e6d58c): nothing to look up, leak or bound. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct run);
} task_runs __weak SEC(".maps");

/*
 * Before v5.12, by thread id.  LRU, so that an end event that never came
 * cannot fill it for good.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_RUNS);
	__type(key, __u32);
	__type(value, struct run);
} thread_runs __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SWT_NR_LOST);
	__type(key, __u32);
	__type(value, __u64);
} lost __weak SEC(".maps");

/* By device, as the kernel's dev_t: major << 20 | minor. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, struct swt_cost);
} cost __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} doorbell __weak SEC(".maps");

/* Written by user space only, for bpftool and `swaptend status`. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct swt_law);
} law __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct swt_law);
} targets __weak SEC(".maps");

#endif
