/* SPDX-License-Identifier: GPL-2.0-only */
/* Putting the original back, of a live knob or from the journal alone. */
#include <errno.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "act/knob_private.h"

/* The path leads nowhere, or to another file. */
static bool is_gone(const char *path, uint64_t file_id)
{
	struct stat status;
	struct statfs fs;

	if (lstat(path, &status) < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ENODEV;
	if (status.st_ino == file_id)
		return false;
	/* On procfs another inode is the same knob; see struct knob. */
	return statfs(path, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC;
}

/* Somebody's write between the read and ours is lost: no file locks here. */
static int put_back(struct knob *knob, const struct journal *journal,
		    enum knob_restored *ret)
{
	int now, r = knob_read(knob, &now);

	if (r)
		return r;
	if (now == knob->original) {
		*ret = KNOB_WAS_ORIGINAL;
		return 0;
	}
	if (!knob_is_ours(knob, journal, now)) {
		*ret = KNOB_IS_FOREIGN;
		return 0;
	}
	r = knob_make_writable(knob);
	if (!r)
		r = knob_write_value(knob, knob->original);
	if (!r)
		*ret = KNOB_RESTORED;
	return r;
}

int knob_restore(struct knob *knob, struct journal *journal,
		 enum knob_restored *ret)
{
	const struct journal_entry *entry = knob_find_entry(knob, journal);
	enum knob_restored outcome = KNOB_VANISHED;
	int r = 0;

	if (entry)
		knob->original = entry->original;
	if (!is_gone(knob->path, knob->file_id))
		r = put_back(knob, journal, &outcome);
	if (knob_classify(r) == KNOB_GONE) {
		outcome = KNOB_VANISHED;
		r = 0;
	}
	if (r)
		return r;
	*ret = outcome; /* also if the journal then cannot be written */
	return knob_forget(knob, journal);
}

static int forget_vanished(struct journal *journal,
			   const struct journal_entry *entry,
			   enum knob_restored *ret)
{
	int r = journal_forget(journal, entry->path, entry->file_id);

	if (!r)
		*ret = KNOB_VANISHED;
	return r;
}

int knob_restore_entry(struct journal *journal,
		       const struct journal_entry *entry,
		       enum knob_restored *ret)
{
	struct knob *knob;
	int r;

	if (is_gone(entry->path, entry->file_id))
		return forget_vanished(journal, entry, ret);
	r = knob_open(&knob, entry->path);
	if (knob_classify(r) == KNOB_GONE)
		return forget_vanished(journal, entry, ret);
	if (r)
		return r;
	/* The entry is found by it; knob_make_writable() does not need it
	 * there. */
	if (knob->is_sysctl)
		knob->file_id = entry->file_id;
	r = knob_restore(knob, journal, ret);
	knob_free(knob);
	return r;
}
