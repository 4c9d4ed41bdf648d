/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel that accepts everything, so that libbpf relocates programs against
 * any BTF and hands them over, to be judged here.  Needs no rights, and neither
 * BPF nor BTF of the running kernel.
 */
#ifndef SWAPTEND_TESTS_FAKE_KERNEL_H
#define SWAPTEND_TESTS_FAKE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

#define FAKE_MAX_PROGRAMS 64

struct fake_kernel {
	int nr_helpers; /* numbers of its helpers end before */
	bool has_task_storage;
};

struct fake_program {
	char name[32];
	char section[96]; /* "tp_btf/mm_vmscan_kswapd_wake" */
	char fault[96];	  /* of reach_judge() */
};

/* In the order of loading; as often as they were loaded. */
extern struct fake_program fake_programs[FAKE_MAX_PROGRAMS];
extern size_t fake_program_count;

/* Once, before anything is opened. */
int fake_start(void) __must_check;
/* Another kernel: forgets all programs. */
void fake_reset(const struct fake_kernel *as);

#endif
