/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which instructions of a relocated program can run.  libbpf does not refuse a
 * relocation that finds nothing: it puts a call of an impossible function there
 * and leaves it to the verifier, which never looks at code behind a condition
 * that is constant, such as bpf_core_field_exists().  This looks as the
 * verifier does, but without a kernel and its opinion on the rest.
 */
#ifndef SWAPTEND_TESTS_REACH_H
#define SWAPTEND_TESTS_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/bpf.h>

/* What `size` bytes at an offset in a map are, if they cannot change. */
typedef bool reach_constant_fn(int map_fd, uint64_t offset, size_t size,
			       uint64_t *ret);

/*
 * fault: empty, or what the first instruction is that can run and must not: a
 * poisoned one, or a call of a helper from number nr_helpers on.
 */
void reach_judge(const struct bpf_insn *insns, size_t count, int nr_helpers,
		 reach_constant_fn *constant, char *fault, size_t fault_size);

#endif
