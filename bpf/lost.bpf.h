/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts what could not be counted. */
#ifndef SWAPTEND_LOST_BPF_H
#define SWAPTEND_LOST_BPF_H

#include "maps.bpf.h"

static __always_inline void count_lost(__u32 reason)
{
	__u64 *count = bpf_map_lookup_elem(&lost, &reason);

	if (count)
		(*count)++;
}

#endif
