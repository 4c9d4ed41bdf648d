/* SPDX-License-Identifier: GPL-2.0-only */
/* What this process may do, read from its own effective set. */
#ifndef SWAPTEND_CAPS_H
#define SWAPTEND_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

/* From the "CapEff:" line of /proc/self/status. */
int caps_read_effective(uint64_t *ret_mask) __must_check;
bool caps_has(uint64_t mask, int capability);

/*
 * Names those that loading and attaching needs and that are missing, e.g.
 * "CAP_BPF CAP_PERFMON"; CAP_SYS_ADMIN stands for both.  False: none is.
 */
bool caps_name_missing_for_bpf(uint64_t mask, char *ret, size_t size);

#endif
