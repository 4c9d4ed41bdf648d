/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of tlb.bpf.c have counted, and what became of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "report/log.h"
#include "sense/bpf_tlb_private.h"

const char *tlb_bpf_missing(const struct tlb_bpf *tlb, unsigned int i)
{
	return i < tlb->missing_count ? tlb->missing[i] : NULL;
}

enum tlb_receive tlb_bpf_receive(const struct tlb_bpf *tlb)
{
	return tlb->receive;
}

bool tlb_bpf_has_flushes(const struct tlb_bpf *tlb)
{
	return tlb_has(tlb, "on_tlb_flush", "on_tlb_flush");
}

bool tlb_bpf_has_phases(const struct tlb_bpf *tlb)
{
	return tlb_has(tlb, "on_isolate_7", "on_shrink_inact") ||
	       tlb_has(tlb, "on_isolate_8", "on_shrink_inact");
}

uint32_t tlb_bpf_counting_pid(const struct tlb_bpf *tlb)
{
	return tlb->skeleton ? 0 : tlb->about.pid;
}

bool tlb_bpf_has_mglru_evicting(const struct tlb_bpf *tlb)
{
	return tlb_has(tlb, "on_isolate_7", "on_shrink_inact");
}

bool tlb_bpf_has_aging(const struct tlb_bpf *tlb)
{
	return tlb_has(tlb, "on_shrink_act", "on_shrink_act");
}

const struct tlb_reasons *tlb_bpf_reasons(const struct tlb_bpf *tlb)
{
	return &tlb->reasons;
}

void tlb_bpf_set_swap(struct tlb_bpf *tlb, bool has_swap)
{
	if (tlb->skeleton)
		tlb->skeleton->data->has_swap = has_swap;
}

/* Only who reads pays: two clock reads a run, of every program there is. */
static void want_stats(struct tlb_bpf *tlb)
{
	if (tlb->stats_fd >= 0)
		return;
	tlb->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (tlb->stats_fd < 0)
		log_debug("no run time of the programs: %m, ignoring");
}

static void add_program(int fd, struct tlb_counts *counts)
{
	struct bpf_prog_info info = {0};
	__u32 size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	counts->programs_ns += info.run_time_ns;
	counts->programs_runs += info.run_cnt;
	counts->missed_runs += info.recursion_misses;
}

static void add_programs(struct tlb_bpf *tlb, struct tlb_counts *counts)
{
	struct bpf_program *program;

	if (tlb->skeleton) {
		bpf_object__for_each_program(program, tlb->skeleton->obj)
			add_program(bpf_program__fd(program), counts);
		return;
	}
	/* Open no longer than this: it would hold them past their process. */
	for (__u32 i = 0; i < tlb->about.nr_programs; i++) {
		_cleanup_close_ int fd =
			bpf_prog_get_fd_by_id(tlb->about.program_ids[i]);

		add_program(fd, counts);
		if (fd >= 0 || tlb->is_over)
			continue;
		tlb->is_over = true;
		tlb_note_missing(tlb,
				 "process %u, whose programs counted, ended "
				 "meanwhile: what came after is not counted",
				 tlb->about.pid);
	}
}

int tlb_bpf_read(struct tlb_bpf *tlb, struct tlb_counts *ret)
{
	struct tlb_counts counts = {.nr_cpus = (unsigned int)tlb->cpu_count};
	uint32_t zero = 0;
	int r;

	want_stats(tlb);
	counts.cpus = calloc(counts.nr_cpus, sizeof(*counts.cpus));
	if (!counts.cpus)
		return -ENOMEM;
	r = bpf_map_lookup_elem(tlb->counts_fd, &zero, counts.cpus);
	if (r) {
		tlb_counts_done(&counts);
		return r;
	}
	add_programs(tlb, &counts);
	counts.has_run_times = tlb->stats_fd >= 0;
	*ret = counts;
	return 0;
}

void tlb_counts_done(struct tlb_counts *counts)
{
	free(counts->cpus);
	counts->cpus = NULL;
}

static int by_shootdowns(const void *a, const void *b)
{
	const struct tlb_sender *left = a, *right = b;

	if (left->sent.shootdowns != right->sent.shootdowns)
		return left->sent.shootdowns < right->sent.shootdowns ? 1 : -1;
	return memcmp(&left->key, &right->key, sizeof(left->key));
}

/*
 * All rows at once: one by one, rows that make way for others in between would
 * lead back to the first.
 */
static int read_senders(int fd, uint32_t *count,
			struct swt_tlb_sender_key *keys,
			struct swt_tlb_sender *sent)
{
	uint32_t next;
	int r = bpf_map_lookup_batch(fd, NULL, &next, keys, sent, count, NULL);

	/* -ENOENT: that was the last row. */
	return r == -ENOENT ? 0 : r;
}

int tlb_bpf_senders(struct tlb_bpf *tlb, struct tlb_sender *ret,
		    unsigned int max, unsigned int *ret_count)
{
	uint32_t count = SWT_MAX_TLB_SENDERS;
	_cleanup_free_ struct swt_tlb_sender_key *keys =
		calloc(count, sizeof(*keys));
	_cleanup_free_ struct swt_tlb_sender *sent =
		calloc(count, sizeof(*sent));
	_cleanup_free_ struct tlb_sender *all = calloc(count, sizeof(*all));
	int r;

	if (!keys || !sent || !all)
		return -ENOMEM;
	r = read_senders(tlb->senders_fd, &count, keys, sent);
	if (r)
		return r;
	for (uint32_t i = 0; i < count; i++)
		all[i] = (struct tlb_sender){keys[i], sent[i]};
	qsort(all, count, sizeof(*all), by_shootdowns);
	*ret_count = count < max ? count : max;
	memcpy(ret, all, *ret_count * sizeof(*ret));
	return 0;
}
