/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of `swaptend tlb` share. */
#ifndef SWAPTEND_CMD_TLB_PRIVATE_H
#define SWAPTEND_CMD_TLB_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sense/proc.h"
#include "tlb.h"

struct tlb_arguments {
	uint64_t duration_ms; /* 0: until told, or the command ends */
	uint64_t every_ms;    /* 0: no live table */
	const char *save;     /* NULL: do not */
	const char *output;   /* NULL: stdout */
	const char *btf_path; /* NULL: the kernel's */
	unsigned int top;
	enum tlb_receive receive;
	bool json;
	bool with_task_switch;
	bool without_bpf;
	bool is_compare;
	char **words; /* the command, or the sides to compare */
	int nr_words;
	struct sense_root root;
};

/* Each yields enum exit_code, or the status of the command. */
int tlb_measure(const struct tlb_arguments *arguments);
int tlb_compare_files(const struct tlb_arguments *arguments);

#endif
