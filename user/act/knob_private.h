/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by knob.c (reading, probing, applying) and knob_restore.c. */
#ifndef SWAPTEND_KNOB_PRIVATE_H
#define SWAPTEND_KNOB_PRIVATE_H

#include "act/knob.h"

struct knob {
	char *path;
	int fd;
	bool is_writable; /* the fd */
	/*
	 * procfs makes up an inode number whenever it caches the file anew, so
	 * it says nothing about identity across a crash.
	 */
	bool is_sysctl;
	bool is_plain; /* no file of the kernel: those have no size */
	uint64_t file_id;
	uint64_t device;
	int original;
	int range_max;
};

const struct journal_entry *knob_find_entry(const struct knob *knob,
					    const struct journal *journal);
/* Also true before the first write, when there is no entry. */
bool knob_is_ours(const struct knob *knob, const struct journal *journal,
		  int now);
/* Reopens it for writing; -ENODEV: another file is there now. */
int knob_make_writable(struct knob *knob) __must_check;
/* -ESTALE: it was taken, but somebody else's value is there now. */
int knob_write_value(struct knob *knob, int value) __must_check;
/* Takes the entry, if any, off the journal. */
int knob_forget(struct knob *knob, struct journal *journal) __must_check;

#endif
