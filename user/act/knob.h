/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One swappiness file: vm.swappiness or a v1 group's memory.swappiness.
 * Every write is clamped to the probed range, journalled and read back.
 */
#ifndef SWAPTEND_KNOB_H
#define SWAPTEND_KNOB_H

#include <stdbool.h>
#include <stdint.h>

#include "act/journal.h"
#include "util.h"

enum knob_failure {
	KNOB_OK,
	KNOB_GONE,	/* ENOENT, ENODEV: the group vanished */
	KNOB_REFUSED,	/* EROFS, EACCES, EPERM, or it does not stay */
	KNOB_TRANSIENT, /* EINTR, EAGAIN, EBUSY; no memory, fds, room */
	KNOB_FATAL,
};
/* Sorts a -errno once for all rooms. */
enum knob_failure knob_classify(int r);

struct knob;

/* What became of a knob that was asked to go back to its original value. */
enum knob_restored {
	KNOB_RESTORED,
	KNOB_WAS_ORIGINAL, /* nothing to do */
	KNOB_IS_FOREIGN,   /* somebody else's value stays */
	KNOB_VANISHED,
};

/* Opens the file at `path` (absolute) for reading; write rights are tested
 * when first needed.  -errno. */
int knob_open(struct knob **ret, const char *path) __must_check;
void knob_free(struct knob *knob);

const char *knob_path(const struct knob *knob);
uint64_t knob_file_id(const struct knob *knob);
int knob_original(const struct knob *knob);
int knob_range_max(const struct knob *knob); /* 200 until probed */

/* The value now.  -errno; -EPROTO: not a number. */
int knob_read(struct knob *knob, int *ret_value) __must_check;

/*
 * Finds the largest value the file takes, 200 or 100, by writing 200 and
 * putting the old value back; journalled before.  Sets knob_range_max().
 * -errno of the write, e.g. -EROFS, -EACCES; -EAGAIN: somebody else writes
 * all the time.
 */
int knob_probe_range(struct knob *knob, struct journal *journal) __must_check;

/*
 * Writes value (clamped to 0..range) if it differs from what the file holds.
 * -ESTALE: the file holds neither the original nor what we wrote last:
 * somebody else's value, *ret_found; nothing is written.  -errno else.
 * *ret_did_write tells whether there was a write.
 */
int knob_apply(struct knob *knob, struct journal *journal, int value,
	       bool *ret_did_write, int *ret_found) __must_check;

/*
 * Takes whatever the file holds as ours again, after standing aside: the
 * value found becomes the new original.
 */
int knob_adopt(struct knob *knob, struct journal *journal) __must_check;

/* Puts the original back unless the value now is somebody else's. */
int knob_restore(struct knob *knob, struct journal *journal,
		 enum knob_restored *ret) __must_check;

/*
 * The same from the journal alone, after a crash or by `swaptend restore`.
 * The entry is forgotten unless this fails.
 */
int knob_restore_entry(struct journal *journal,
		       const struct journal_entry *entry,
		       enum knob_restored *ret) __must_check;

#endif
