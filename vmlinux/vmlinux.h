/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that the BPF programs touch, by hand: only members that are
 * read, relocated by CO-RE against the running kernel's BTF, so offsets and
 * order here mean nothing.  `vmlinux/refresh` tells which of them a kernel
 * lacks.
 */
#ifndef SWAPTEND_VMLINUX_H
#define SWAPTEND_VMLINUX_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

enum { false, true };
typedef _Bool bool;

/* include/uapi/linux/bpf.h, the few values that the programs pass. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_RB_FORCE_WAKEUP = 2 };

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

/* Its order depends on the kernel's configuration: ask BTF for the value. */
enum cgroup_subsys_id {
	memory_cgrp_id = 3,
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
};

struct task_struct {
	unsigned int flags;
	struct css_set *cgroups;
	struct task_struct *group_leader;
	char comm[16];
};

/* initiating_cpu: v5.13 (4c1ba3923e6c). */
struct flush_tlb_info {
	unsigned int initiating_cpu;
};

struct block_device {
	__u32 bd_dev;
};

struct bvec_iter {
	unsigned int bi_size;
};

struct address_space;

struct page {
	unsigned long flags;
	struct address_space *mapping;
	unsigned long compound_head;
};

/* _flags_1: since v6.6 (ebc1baf5c9b4) its low 8 bits are the order. */
struct folio {
	unsigned long _flags_1;
};

struct bio_vec {
	struct page *bv_page;
};

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	unsigned short bi_flags;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
};

struct request_queue;

struct request {
	struct bio *bio;
};

enum lru_list {
	LRU_INACTIVE_ANON = 0,
	LRU_ACTIVE_ANON = 1,
	LRU_INACTIVE_FILE = 2,
	LRU_ACTIVE_FILE = 3,
};

/* The numbers differ between kernels: ask BTF. */
enum pageflags {
	PG_active = 5,
	PG_workingset = 6,
	PG_head = 6,
	PG_swapcache = 10,
	PG_swapbacked = 17,
};

struct reclaim_stat {
	unsigned int nr_dirty;
	unsigned int nr_writeback;
	unsigned int nr_activate[2]; /* anon, file */
	unsigned int nr_ref_keep;
};

#pragma clang attribute pop

#endif
