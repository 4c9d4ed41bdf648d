/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that ask for what a kernel lacks, with and without the guard: what
 * test_core.c must find, and what it must let pass.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

struct task_struct___wrong {
	int swt_no_such_member;
} __attribute__((preserve_access_index));

/* Until v5.12 (309dca309fc3). */
struct bio___v510 {
	void *bi_disk;
} __attribute__((preserve_access_index));

const volatile bool cfg_wanted = false;

int seen;

SEC("tp_btf/mm_vmscan_kswapd_wake")
int no_member(void *ctx)
{
	struct task_struct___wrong *task = (void *)bpf_get_current_task();

	seen = BPF_CORE_READ(task, swt_no_such_member);
	return 0;
}

SEC("tp_btf/mm_vmscan_kswapd_wake")
int no_member_ok(void *ctx)
{
	struct task_struct___wrong *task = (void *)bpf_get_current_task();

	if (bpf_core_field_exists(task->swt_no_such_member))
		seen = BPF_CORE_READ(task, swt_no_such_member);
	return 0;
}

/* A guard by a constant of user space's. */
SEC("tp_btf/mm_vmscan_kswapd_wake")
int not_wanted_ok(void *ctx)
{
	struct task_struct___wrong *task = (void *)bpf_get_current_task();

	if (cfg_wanted)
		seen = BPF_CORE_READ(task, swt_no_such_member);
	return 0;
}

/* The guard is there, but the wrong way round. */
SEC("tp_btf/mm_vmscan_kswapd_wake")
int wrong_guard(void *ctx)
{
	struct task_struct___wrong *task = (void *)bpf_get_current_task();

	if (!bpf_core_field_exists(task->swt_no_such_member))
		seen = BPF_CORE_READ(task, swt_no_such_member);
	return 0;
}

/* In a function that is called. */
__noinline int read_deep(void)
{
	struct task_struct___wrong *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, swt_no_such_member);
}

SEC("tp_btf/mm_vmscan_kswapd_wake")
int no_member_deep(void *ctx)
{
	seen = read_deep();
	return 0;
}

/* A member became a structure in v6.18 (53fbef56e07d). */
SEC("tp_btf/block_rq_complete")
int page_flags(void *ctx)
{
	struct page *page = (void *)bpf_get_current_task();

	seen = BPF_CORE_READ(page, flags);
	return 0;
}

/* Renamed in v7.1. */
SEC("tp_btf/block_rq_complete")
int compound_head(void *ctx)
{
	struct page *page = (void *)bpf_get_current_task();

	seen = BPF_CORE_READ(page, compound_head);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int flush_cpu(void *ctx)
{
	struct flush_tlb_info *info = (void *)bpf_get_current_task();

	seen = BPF_CORE_READ(info, initiating_cpu);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int bio_disk(void *ctx)
{
	struct bio___v510 *bio = (void *)bpf_get_current_task();

	seen = (long)BPF_CORE_READ(bio, bi_disk);
	return 0;
}

/* A helper of v5.11. */
SEC("tp_btf/mm_vmscan_kswapd_wake")
int task_btf(void *ctx)
{
	seen = bpf_get_current_task_btf() != NULL;
	return 0;
}
