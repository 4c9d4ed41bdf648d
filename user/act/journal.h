/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The crash-safe memory of what was changed: each knob's original value and
 * the values we are about to write, on disk before the first write.
 *
 * Append-only text, one checksummed record a line; a cut or damaged tail is
 * dropped and everything before it still counts.  A journal of another boot
 * is void.  Compacted by write-to-temp, fsync, rename.
 */
#ifndef SWAPTEND_JOURNAL_H
#define SWAPTEND_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

#define JOURNAL_DIR "/run/swaptend"

struct journal;

/* What the journal knows of one knob. */
struct journal_entry {
	char *path;	  /* absolute path of the knob's file */
	uint64_t file_id; /* inode: a re-created cgroup is another knob */
	int original;
	int last;     /* last value we said we would write */
	int previous; /* the one before it (a crash may lie between) */
};

/*
 * Opens or makes DIR/journal (directory 0700, file 0600, O_NOFOLLOW, root's).
 * What an earlier run left of this boot is loaded.  -errno.
 */
int journal_open(struct journal **ret, const char *dir) __must_check;
void journal_close(struct journal *journal);

/* Entries left to restore, in the order they were made. */
unsigned int journal_count(const struct journal *journal);
const struct journal_entry *journal_entry(const struct journal *journal,
					  unsigned int index);
/* NULL: this knob is not in the journal. */
const struct journal_entry *journal_find(const struct journal *journal,
					 const char *path, uint64_t file_id);

/* Records the original (fsynced).  Must precede the first write of a knob. */
int journal_add(struct journal *journal, const char *path, uint64_t file_id,
		int original) __must_check;
/* Records what is about to be written (fsynced).  -ENOENT: never added. */
int journal_intend(struct journal *journal, const char *path, uint64_t file_id,
		   int value) __must_check;
/* The knob is restored, gone, or somebody else's now. */
int journal_forget(struct journal *journal, const char *path,
		   uint64_t file_id) __must_check;

/* Removes the file if no entry is left; keeps it otherwise. */
int journal_finish(struct journal *journal) __must_check;

/*
 * Takes the lock of this kernel's only instance: an open-file-description
 * lock on DIR/lock, which status can ask for without taking it.
 * *ret_fd holds it; -EBUSY: *ret_pid runs already (0: unknown).
 */
int journal_lock(const char *dir, int *ret_fd, int *ret_pid) __must_check;

/* Who holds the lock, without taking it: -EBUSY with *ret_pid, or 0. */
int journal_peek_lock(const char *dir, int *ret_pid) __must_check;

#endif
