/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The controller of `run`: the set of targets, and what each event does to it.
 */
#ifndef SWAPTEND_CONTROL_H
#define SWAPTEND_CONTROL_H

#include "config.h"

struct control;

struct control_options {
	struct config *config; /* borrowed; replaced by on_reload */
	const char *btf_path;  /* NULL: the kernel's */
	const char *run_dir;   /* of the journal and the lock */
	/* Reads all settings anew into *ret; errors are logged.  -errno. */
	int (*reload)(struct config *ret, void *context);
	void *reload_context;
};

/*
 * Takes the lock, restores what a crash left, loads and attaches, opens the
 * targets.  Errors are logged.  Returns enum exit_code.
 */
int control_start(struct control **ret,
		  const struct control_options *options) __must_check;

/* Until SIGTERM or SIGINT, or a fatal error.  Returns enum exit_code. */
int control_run(struct control *control) __must_check;

/* Restores every knob, unpins, unlocks.  Accepts NULL and half-started. */
int control_stop(struct control *control) __must_check;

#endif
