/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that waits until everything is ready to measure it. */
#ifndef SWAPTEND_CMD_TLB_CHILD_H
#define SWAPTEND_CMD_TLB_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "util.h"

struct tlb_child {
	pid_t pid;    /* 0: none */
	int start_fd; /* closed without a byte: the command is not run */
	int error_fd; /* tells errno of exec, or ends */
	int pid_fd;   /* readable when it has ended */
};

#define TLB_CHILD_NONE        \
	{                     \
		0, -1, -1, -1 \
	}

/* argv ends in NULL. */
int tlb_child_fork(struct tlb_child *child, char **argv) __must_check;
/* -errno of the exec; the command is then gone. */
int tlb_child_start(struct tlb_child *child) __must_check;
/* Waits.  The status as shells give it: 128 + the signal that ended it. */
int tlb_child_wait(struct tlb_child *child);
/* Not to a command that has the signal from the terminal already. */
void tlb_child_signal(const struct tlb_child *child, int signal_number);
/* One that was not started ends without having run. */
void tlb_child_done(struct tlb_child *child);

/* As shells give it for a command that cannot be run: 127 or 126. */
int tlb_child_exec_status(int exec_error);

#endif
