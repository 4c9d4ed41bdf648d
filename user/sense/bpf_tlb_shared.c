/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps that one process pins and another reads: each flush is counted once. */
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "sense/bpf_tlb_private.h"

int tlb_describe(struct tlb_bpf *tlb, const struct tlb_bpf_options *options)
{
	struct swt_tlb_about about = {
		.abi_version = SWT_ABI_VERSION,
		.pid = (uint32_t)getpid(),
		.counts_task_switches = options->with_task_switch,
	};
	uint32_t zero = 0;

	_Static_assert(BPF_MAX_SIGNALS <= SWT_MAX_TLB_PROGRAMS, "programs");
	for (unsigned int i = 0; i < tlb->signal_count; i++) {
		struct bpf_prog_info info = {0};
		__u32 size = sizeof(info);
		int fd = bpf_program__fd(bpf_object__find_program_by_name(
			tlb->skeleton->obj, tlb->signals[i].program));

		if (!tlb->links[i])
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		about.program_ids[about.nr_programs++] = info.id;
	}
	return bpf_map_update_elem(bpf_map__fd(tlb->skeleton->maps.tlb_about),
				   &zero, &about, BPF_ANY);
}

static int open_maps(struct tlb_bpf *tlb, const char *dir)
{
	_cleanup_close_ int about_fd = -1;
	uint32_t zero = 0;
	/* Pinned last: the others are there. */
	int r = sense_open_pin(dir, "tlb_about", sizeof(tlb->about), &about_fd);

	if (!r)
		r = sense_open_pin(dir, "tlb", sizeof(struct swt_tlb),
				   &tlb->counts_fd);
	if (!r)
		r = sense_open_pin(dir, "tlb_senders",
				   sizeof(struct swt_tlb_sender),
				   &tlb->senders_fd);
	if (!r)
		r = bpf_map_lookup_elem(about_fd, &zero, &tlb->about);
	if (!r && (tlb->about.abi_version != SWT_ABI_VERSION ||
		   tlb->about.nr_programs > SWT_MAX_TLB_PROGRAMS))
		r = -EPROTO;
	return r;
}

/* What is attached there is on here; -ENOENT: a program has gone. */
static int find_programs(const struct tlb_bpf *tlb,
			 bool is_attached[BPF_MAX_SIGNALS])
{
	for (__u32 i = 0; i < tlb->about.nr_programs; i++) {
		_cleanup_close_ int fd =
			bpf_prog_get_fd_by_id(tlb->about.program_ids[i]);
		struct bpf_prog_info info = {0};
		__u32 size = sizeof(info);

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		for (unsigned int j = 0; j < tlb->signal_count; j++)
			is_attached[j] |=
				!strncmp(tlb->signals[j].program, info.name,
					 sizeof(info.name));
	}
	return 0;
}

static int take_programs(struct tlb_bpf *tlb)
{
	bool is_attached[BPF_MAX_SIGNALS] = {false};
	int r = find_programs(tlb, is_attached);
	char why[64];

	snprintf(why, sizeof(why), "process %u, which counts, has it not",
		 tlb->about.pid);
	for (unsigned int i = 0; !r && i < tlb->signal_count; i++)
		if (!is_attached[i])
			tlb_switch_off(tlb, tlb->signals[i].program, why);
	tlb->receive = tlb_receive_by(tlb);
	return r;
}

/* More than is wanted is no harm, but for one way to time in place of another.
 */
static int check_wanted(struct tlb_bpf *tlb,
			const struct tlb_bpf_options *options)
{
	enum tlb_receive wanted = options->receive_wanted;

	if (options->with_task_switch != !!tlb->about.counts_task_switches)
		return -EOPNOTSUPP;
	if (wanted == TLB_RECEIVE_NONE)
		tlb->receive = TLB_RECEIVE_NONE;
	return tlb->receive > wanted ? -EOPNOTSUPP : 0;
}

int tlb_open_shared(struct tlb_bpf *tlb, const struct tlb_bpf_options *options)
{
	int r = open_maps(tlb, options->shared_dir);

	if (!r)
		r = tlb_probe(tlb, options->btf_path);
	if (!r)
		r = take_programs(tlb);
	if (!r)
		r = check_wanted(tlb, options);
	if (r) {
		tlb_close_shared(tlb);
		tlb->receive = TLB_RECEIVE_NONE;
		return r;
	}
	tlb_explain_missing(tlb, options->receive_wanted);
	return 0;
}

void tlb_close_shared(struct tlb_bpf *tlb)
{
	if (tlb->skeleton)
		return;
	util_close_fd(&tlb->counts_fd);
	util_close_fd(&tlb->senders_fd);
	tlb->counts_fd = tlb->senders_fd = -1;
}
