/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the three files that see libbpf: bpf.c, bpf_probe.c, bpf_maps.c. */
#ifndef SWAPTEND_BPF_PRIVATE_H
#define SWAPTEND_BPF_PRIVATE_H

#include "sense/bpf.h"
#include "swaptend.skel.h"

struct sense_bpf {
	struct swaptend_bpf *skeleton;
	struct ring_buffer *ring;
	struct bpf_link *links[BPF_MAX_SIGNALS];
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	unsigned int signal_count;
	struct swt_reclaim *row_by_cpu; /* one per possible CPU */
	int cpu_count;
	char *pin_dir; /* NULL: nothing pinned */
	char pin_error[192];
	int (*on_ring)(void *context);
	void *ring_context;
};

/* libbpf's own messages, and the verifier's log, show at debug level only. */
void sense_hush_libbpf(void);

struct bpf_signal *sense_find_signal(struct bpf_signal *signals,
				     const char *program);

/* The system's row is there from the start, so that it can never be lost. */
int sense_make_system_row(struct sense_bpf *sense) __must_check;

#endif
