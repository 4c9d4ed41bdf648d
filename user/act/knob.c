/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose value is it?  Ours if it is the original, the last value that the
 * journal says we would write, or the one before (we may have died between
 * saying and writing).  Somebody who writes exactly one of these three cannot
 * be told from us by the value.
 */
#include "act/knob_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "model.h"

/* An int and a newline; more is not a swappiness. */
#define VALUE_BYTES 16

/* Against somebody who writes all the time. */
#define PROBE_TRIES 5

static int identify(struct knob *knob)
{
	struct stat status;
	struct statfs fs;

	if (fstat(knob->fd, &status) < 0 || fstatfs(knob->fd, &fs) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	knob->file_id = status.st_ino;
	knob->device = status.st_dev;
	knob->is_plain = status.st_size > 0;
	knob->is_sysctl = fs.f_type == PROC_SUPER_MAGIC;
	return 0;
}

int knob_open(struct knob **ret, const char *path)
{
	struct knob *knob;
	int r;

	if (*path != '/')
		return -EINVAL;
	knob = calloc(1, sizeof(*knob));
	if (!knob)
		return -ENOMEM;
	knob->range_max = SWAPPINESS_MAX;
	/* O_NONBLOCK: not to hang on something that is not a file. */
	knob->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	r = knob->fd < 0 ? -errno : identify(knob);
	if (!r)
		r = knob_read(knob, &knob->original);
	if (!r) {
		knob->path = strdup(path);
		r = knob->path ? 0 : -ENOMEM;
	}
	if (r)
		knob_free(knob);
	else
		*ret = knob;
	return r;
}

void knob_free(struct knob *knob)
{
	if (!knob)
		return;
	util_close_fd(&knob->fd);
	free(knob->path);
	free(knob);
}

const char *knob_path(const struct knob *knob)
{
	return knob->path;
}

uint64_t knob_file_id(const struct knob *knob)
{
	return knob->file_id;
}

int knob_original(const struct knob *knob)
{
	return knob->original;
}

int knob_range_max(const struct knob *knob)
{
	return knob->range_max;
}

/* Blanks may follow: see knob_write_value(). */
static int parse_value(const char *text, int *ret)
{
	size_t digits = strspn(text, "0123456789");
	char *end;
	long value;

	if (!digits || text[digits + strspn(text + digits, " \n")])
		return -EPROTO;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || value > INT_MAX)
		return -EPROTO;
	*ret = (int)value;
	return 0;
}

int knob_read(struct knob *knob, int *ret_value)
{
	char text[VALUE_BYTES + 1];
	ssize_t n = pread(knob->fd, text, sizeof(text), 0);

	if (n < 0)
		return -errno;
	if (n > VALUE_BYTES || memchr(text, '\0', (size_t)n))
		return -EPROTO;
	text[n] = '\0';
	return parse_value(text, ret_value);
}

/* -ENODEV: the path leads to another file now. */
int knob_make_writable(struct knob *knob)
{
	struct knob fresh = *knob;
	int r;

	if (knob->is_writable)
		return 0;
	fresh.fd =
		open(knob->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fresh.fd < 0)
		return -errno;
	r = identify(&fresh);
	if (!r && !knob->is_sysctl &&
	    (fresh.file_id != knob->file_id || fresh.device != knob->device))
		r = -ENODEV;
	if (r) {
		close(fresh.fd);
		return r;
	}
	close(knob->fd);
	knob->fd = fresh.fd;
	knob->is_writable = true;
	return 0;
}

/*
 * A plain file (of a test, of a copied tree) is written in a fixed width, so
 * that a kill never leaves the end of a longer number in it.  The kernel takes
 * no blanks.  -ESTALE: it was taken, but somebody else's value is there now.
 */
int knob_write_value(struct knob *knob, int value)
{
	char text[VALUE_BYTES];
	int width = knob->is_plain ? 3 : 0, found, r;
	int length = snprintf(text, sizeof(text), "%-*d\n", width, value);
	ssize_t n = pwrite(knob->fd, text, (size_t)length, 0);

	if (n < 0)
		return -errno;
	if (n != length)
		return -EIO;
	r = knob_read(knob, &found);
	if (r)
		return r;
	return found == value ? 0 : -ESTALE;
}

const struct journal_entry *knob_find_entry(const struct knob *knob,
					    const struct journal *journal)
{
	return journal_find(journal, knob->path, knob->file_id);
}

static bool is_in_entry(const struct journal_entry *entry, int value)
{
	return value == entry->original || value == entry->last ||
	       value == entry->previous;
}

/*
 * To be called before a write while the file holds `now`.  Makes sure that
 * there is an entry; one that an earlier run could not restore keeps its
 * original, not the value which that run left.
 */
static int settle_entry(struct knob *knob, struct journal *journal, int now)
{
	const struct journal_entry *entry = knob_find_entry(knob, journal);

	if (entry && is_in_entry(entry, now)) {
		knob->original = entry->original;
		return 0;
	}
	if (now != knob->original)
		return -ESTALE;
	return journal_add(journal, knob->path, knob->file_id, knob->original);
}

/*
 * Says that `value` will be written over `now`, so that both are known as
 * ours.  After failed writes `now` may be the entry's `previous`, which the
 * next value would push out: it is said again first.
 */
static int intend(struct knob *knob, struct journal *journal, int now,
		  int value)
{
	const struct journal_entry *entry = knob_find_entry(knob, journal);
	int r = 0;

	if (now != entry->last && now != entry->original)
		r = journal_intend(journal, knob->path, knob->file_id, now);
	return r ? r
		 : journal_intend(journal, knob->path, knob->file_id, value);
}

int knob_forget(struct knob *knob, struct journal *journal)
{
	int r = journal_forget(journal, knob->path, knob->file_id);

	return r == -ENOENT ? 0 : r;
}

/* Writes 200 and puts `now` back, unless somebody else writes meanwhile. */
static int try_modern(struct knob *knob, int now, int *ret_range)
{
	int r = knob_write_value(knob, SWAPPINESS_MAX);

	if (r == -EINVAL) {
		*ret_range = SWAPPINESS_OLD_MAX;
		return 0;
	}
	if (!r)
		r = knob_write_value(knob, now);
	if (!r)
		*ret_range = SWAPPINESS_MAX;
	return r;
}

static int try_probe(struct knob *knob, struct journal *journal)
{
	int now, range = SWAPPINESS_MAX;
	int r = knob_read(knob, &now);

	if (r)
		return r;
	/* Nothing was written yet: the latest value is the one to keep. */
	knob->original = now;
	r = settle_entry(knob, journal, now);
	if (!r && now <= SWAPPINESS_OLD_MAX) {
		r = intend(knob, journal, now, SWAPPINESS_MAX);
		if (!r)
			r = try_modern(knob, now, &range);
	}
	if (r)
		return r;
	knob->range_max = range;
	/* As found: 200 need not count as ours from now on. */
	return now == knob->original ? knob_forget(knob, journal) : 0;
}

int knob_probe_range(struct knob *knob, struct journal *journal)
{
	int r = knob_make_writable(knob);

	if (r)
		return r;
	r = -ESTALE;
	/* Each time somebody else wins, the value is theirs: begin anew. */
	for (int tries = 0; r == -ESTALE && tries < PROBE_TRIES; tries++) {
		r = try_probe(knob, journal);
		if (r == -ESTALE && knob_forget(knob, journal))
			return -EIO;
	}
	return r == -ESTALE ? -EAGAIN : r;
}

/* Also true before the first write, when there is no entry. */
bool knob_is_ours(const struct knob *knob, const struct journal *journal,
		  int now)
{
	const struct journal_entry *entry = knob_find_entry(knob, journal);

	return now == knob->original || (entry && is_in_entry(entry, now));
}

/* Ours did not stay: did the kernel ignore it, or somebody write theirs? */
static int judge_found(struct knob *knob, int before, int *ret_found)
{
	int found, r = knob_read(knob, &found);

	if (r)
		return r;
	if (found == before)
		return -EIO;
	*ret_found = found;
	return -ESTALE;
}

int knob_apply(struct knob *knob, struct journal *journal, int value,
	       bool *ret_did_write, int *ret_found)
{
	int now, r = knob_read(knob, &now);

	if (r)
		return r;
	if (value < 0)
		value = 0;
	if (value > knob->range_max)
		value = knob->range_max;
	if (!knob_is_ours(knob, journal, now)) {
		*ret_found = now;
		return -ESTALE;
	}
	if (now == value) {
		*ret_did_write = false;
		return 0;
	}
	/* First, so that a knob which we may not write leaves no entry. */
	r = knob_make_writable(knob);
	if (!r)
		r = settle_entry(knob, journal, now);
	if (!r)
		r = intend(knob, journal, now, value);
	if (!r)
		r = knob_write_value(knob, value);
	if (!r)
		*ret_did_write = true;
	return r == -ESTALE ? judge_found(knob, now, ret_found) : r;
}

int knob_adopt(struct knob *knob, struct journal *journal)
{
	int now, r = knob_read(knob, &now);

	if (!r)
		r = journal_add(journal, knob->path, knob->file_id, now);
	if (!r)
		knob->original = now;
	return r;
}
