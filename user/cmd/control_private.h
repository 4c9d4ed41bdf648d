/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by control.c (what events do) and control_setup.c (start and stop). */
#ifndef SWAPTEND_CONTROL_PRIVATE_H
#define SWAPTEND_CONTROL_PRIVATE_H

#include "act/rivals.h"
#include "cmd/control.h"
#include "cmd/tended_set.h"
#include "loop.h"
#include "sense/bpf_tlb.h"

struct control {
	struct control_options options;
	struct tending all;
	struct tended_set targets;
	struct loop *loop;
	struct loop_timer tail; /* catches passes after the last ring */
	struct loop_timer resume;
	struct rivals *rivals;
	struct tlb_bpf *tlb; /* NULL: not asked for, or cannot be had */
	int lock_fd;
	int swaps_fd;
	bool had_swap;
	bool is_walk_due;
	bool is_unsupported; /* why starting failed: this kernel cannot */
	uint64_t group_rows_lost;
};

/* Levels of the system now; what they say of swap is passed on and logged. */
int control_read_levels(struct control *control) __must_check;
/* Swap devices came or went, or the settings changed. */
void control_price_swaps(struct control *control);
/* Takes in and drops targets. */
int control_walk(struct control *control) __must_check;

/* Callbacks of the loop; context is the struct control. */
int control_on_doorbell(void *context);
int control_on_tail(void *context);
int control_on_resume(void *context);
int control_on_rival(void *context);
int control_on_swaps(void *context);
int control_on_births(void *context);
int control_on_signal(int signal_number, void *context);

#endif
