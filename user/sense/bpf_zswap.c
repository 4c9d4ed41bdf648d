/* SPDX-License-Identifier: GPL-2.0-only */
/* zswap's functions: timed while it is on, where the kernel lets them be. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "sense/bpf_private.h"

bool sense_has_functions(const struct sense_bpf *sense)
{
	for (unsigned int i = 0; i < sense->signal_count; i++)
		if (sense->signals[i].is_function && sense->signals[i].is_on)
			return true;
	return false;
}

/* Of the functions that are there, if any. */
static int explain(const struct bpf_signal *signals, unsigned int count,
		   char *why, size_t why_size)
{
	snprintf(why, why_size, "this kernel has no function to time");
	for (unsigned int i = 0; i < count; i++)
		if (signals[i].is_function && signals[i].found_args >= 0 &&
		    *signals[i].why) {
			snprintf(why, why_size, "%s: %s", signals[i].tracepoint,
				 signals[i].why);
			break;
		}
	return -ENOTSUP;
}

/* What begins before what ends it, so that no end is missed for long. */
static void detach(struct sense_bpf *sense)
{
	for (unsigned int i = sense->signal_count; i--;) {
		if (!sense->signals[i].is_function)
			continue;
		bpf_link__destroy(sense->links[i]);
		sense->links[i] = NULL;
	}
}

/* All or none: a price of loads without stores would look like another. */
static int attach(struct sense_bpf *sense)
{
	for (unsigned int i = 0; i < sense->signal_count; i++) {
		const struct bpf_signal *signal = &sense->signals[i];

		if (!signal->is_function || !signal->is_on || sense->links[i])
			continue;
		sense->links[i] =
			bpf_program__attach(bpf_object__find_program_by_name(
				sense->skeleton->obj, signal->program));
		if (!sense->links[i])
			return -errno;
	}
	return 0;
}

static void switch_off(struct sense_bpf *sense, int r)
{
	for (unsigned int i = 0; i < sense->signal_count; i++) {
		struct bpf_signal *signal = &sense->signals[i];

		if (!signal->is_function || !signal->is_on)
			continue;
		signal->is_on = false;
		snprintf(signal->why, sizeof(signal->why),
			 "the kernel refused to attach it: %s", strerror(-r));
	}
}

int sense_set_zswap(struct sense_bpf *sense, bool is_on, char *why,
		    size_t why_size)
{
	int r;

	if (!is_on) {
		detach(sense);
		return 0;
	}
	r = attach(sense);
	if (r) {
		detach(sense);
		switch_off(sense, r);
	}
	if (sense_has_functions(sense))
		return 0;
	return explain(sense->signals, sense->signal_count, why, why_size);
}

/* A program that does nothing: whether one can be there at all. */
static int try_function(const char *function)
{
	static const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options,
		    .expected_attach_type = BPF_TRACE_FENTRY);
	_cleanup_close_ int fd = -1, link_fd = -1;
	int id = libbpf_find_vmlinux_btf_id(function, BPF_TRACE_FENTRY);

	if (id < 0)
		return id;
	options.attach_btf_id = (__u32)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "swt_try", "GPL", nothing,
			   SWT_ARRAY_SIZE(nothing), &options);
	if (fd < 0)
		return -errno;
	link_fd = bpf_raw_tracepoint_open(NULL, fd);
	return link_fd < 0 ? -errno : 0;
}

int sense_try_zswap(const struct bpf_signal *signals, unsigned int count,
		    char *why, size_t why_size)
{
	for (unsigned int i = 0; i < count; i++) {
		int r;

		if (!signals[i].is_function || !signals[i].is_on)
			continue;
		r = try_function(signals[i].tracepoint);
		if (r)
			snprintf(why, why_size, "%s: %s", signals[i].tracepoint,
				 strerror(-r));
		return r;
	}
	return explain(signals, count, why, why_size);
}
