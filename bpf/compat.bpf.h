/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What some supported kernels lack, each with its commit and first release.
 * All of it goes when v5.10 is no longer supported.
 */
#ifndef SWAPTEND_COMPAT_BPF_H
#define SWAPTEND_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/*
 * bpf_get_current_task_btf(), v5.11 (3ca1032ab7ab): plain loads that the
 * verifier follows, several times cheaper than reading through helpers.
 */
enum bpf_func_id___v511 {
	BPF_FUNC_get_current_task_btf___v511 = 158,
};

static __always_inline bool has_task_btf(void)
{
	return bpf_core_enum_value_exists(enum bpf_func_id___v511,
					  BPF_FUNC_get_current_task_btf___v511);
}

#endif
