/* SPDX-License-Identifier: GPL-2.0-only */
#include "act/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "act/journal_file.h"
#include "act/journal_text.h"

#define FILE_NAME "journal"
#define TEMP_NAME "journal.new"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* Below this a rewrite is not worth its fsyncs. */
#define COMPACT_MIN_BYTES 65536
/* And with many live entries only once most of the file is history. */
#define COMPACT_GROWTH 4

struct journal {
	int dir_fd;
	int fd; /* -1: the file is to be made anew */
	char *boot_id;
	size_t size_bytes;	/* all of it good: the next line goes here */
	size_t rewritten_bytes; /* its size after the last rewrite */
	/* Pointers, so that an entry stays in place while others come and go */
	struct journal_entry **entries;
	unsigned int count;
};

static struct journal_entry **find(const struct journal *journal,
				   const char *path, uint64_t file_id)
{
	for (unsigned int i = 0; i < journal->count; i++) {
		struct journal_entry *entry = journal->entries[i];

		if (entry->file_id == file_id && !strcmp(entry->path, path))
			return &journal->entries[i];
	}
	return NULL;
}

static void free_entry(struct journal_entry *entry)
{
	free(entry->path);
	free(entry);
}

/* Takes the entry into memory, in place of the one it replaces. */
static int keep(struct journal *journal, const struct journal_entry *wanted)
{
	struct journal_entry **at =
		find(journal, wanted->path, wanted->file_id);
	_cleanup_free_ struct journal_entry *entry = NULL;
	char *path = at ? (*at)->path : NULL;

	if (!at) {
		at = reallocarray(journal->entries, journal->count + 1,
				  sizeof(*at));
		if (!at)
			return -ENOMEM;
		journal->entries = at;
		entry = malloc(sizeof(*entry));
		path = strdup(wanted->path);
		if (!entry || !path) {
			free(path);
			return -ENOMEM;
		}
		at += journal->count++;
		*at = TAKE_PTR(entry);
	}
	**at = *wanted;
	(*at)->path = path;
	return 0;
}

static void drop(struct journal *journal, struct journal_entry **at)
{
	size_t behind = (size_t)(journal->entries + journal->count - at - 1);

	free_entry(*at);
	memmove(at, at + 1, behind * sizeof(*at));
	journal->count--;
}

/* -EPROTO: no record that we know. */
static int load_record(struct journal *journal, char *line)
{
	struct journal_entry entry, **at;
	bool is_forget;
	int r = journal_text_parse(line, &entry, &is_forget);

	if (r)
		return r;
	if (!is_forget)
		return keep(journal, &entry);
	at = find(journal, entry.path, entry.file_id);
	if (at)
		drop(journal, at);
	return 0;
}

/* Up to the first line that is not whole; size_bytes says how far. */
static int load_text(struct journal *journal, char *text, size_t size)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', size - (size_t)(line - text)))) {
		int r = 0;

		if (!journal_text_unseal(line, (size_t)(end - line)))
			break;
		if (line != text)
			r = load_record(journal, line);
		else if (!journal_text_is_header(line, journal->boot_id))
			break;
		if (r == -EPROTO)
			break;
		if (r)
			return r;
		line = end + 1;
		journal->size_bytes = (size_t)(line - text);
	}
	return 0;
}

static int load_file(struct journal *journal)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct stat status;
	size_t size = 0;
	int r;

	/* O_NONBLOCK: not to hang on something that is not a file. */
	fd = openat(journal->dir_fd, FILE_NAME,
		    O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EPERM;
	r = journal_file_check_owner(&status);
	if (r)
		return r;
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return -ENOMEM;
	r = journal_file_read(fd, text, (size_t)status.st_size, &size);
	if (!r)
		r = load_text(journal, text, size);
	/* No header of ours: another boot's, or damaged from the start. */
	if (r || !journal->size_bytes)
		return r;
	if (journal->size_bytes < size &&
	    (ftruncate(fd, (off_t)journal->size_bytes) < 0 || fsync(fd) < 0))
		return -errno;
	journal->rewritten_bytes = journal->size_bytes;
	journal->fd = TAKE_FD(fd);
	return 0;
}

static int print_line(FILE *out, char *line)
{
	int r = line && fputs(line, out) != EOF ? 0 : -ENOMEM;

	free(line);
	return r;
}

static int print_all(const struct journal *journal, FILE *out)
{
	int r = print_line(out, journal_text_header(journal->boot_id));

	for (unsigned int i = 0; !r && i < journal->count; i++)
		r = print_line(out, journal_text_knob(journal->entries[i]));
	return r;
}

static int put_in_place(struct journal *journal, const char *text, size_t size)
{
	_cleanup_close_ int fd = -1;
	int r;

	/* What a crash left there.  O_EXCL settles the rest. */
	unlinkat(journal->dir_fd, TEMP_NAME, 0);
	fd = openat(journal->dir_fd, TEMP_NAME,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = journal_file_write(fd, text, size, 0);
	if (!r && fsync(fd) < 0)
		r = -errno;
	if (!r && renameat(journal->dir_fd, TEMP_NAME, journal->dir_fd,
			   FILE_NAME) < 0)
		r = -errno;
	if (r) {
		unlinkat(journal->dir_fd, TEMP_NAME, 0);
		return r;
	}
	/* From here on this is the journal, whatever fsync says below. */
	util_close_fd(&journal->fd);
	journal->fd = TAKE_FD(fd);
	journal->size_bytes = size;
	journal->rewritten_bytes = size;
	return fsync(journal->dir_fd) < 0 ? -errno : 0;
}

static int rewrite(struct journal *journal)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int r;

	if (!out)
		return -errno;
	r = print_all(journal, out);
	if (fclose(out) == EOF && !r)
		r = -errno;
	return r ? r : put_in_place(journal, text, size);
}

static bool should_compact(const struct journal *journal)
{
	return journal->size_bytes > COMPACT_MIN_BYTES &&
	       journal->size_bytes / COMPACT_GROWTH > journal->rewritten_bytes;
}

/* Frees the line.  0: it is on disk. */
static int append(struct journal *journal, char *own_line)
{
	_cleanup_free_ char *line = own_line;
	size_t length;
	int r;

	if (!line)
		return -ENOMEM;
	if (journal->fd < 0 || should_compact(journal)) {
		r = rewrite(journal);
		/* Too full to compact: the old file may still take a line. */
		if (journal->fd < 0)
			return r;
	}
	length = strlen(line);
	r = journal_file_write(journal->fd, line, length, journal->size_bytes);
	if (!r && fsync(journal->fd) < 0)
		r = -errno;
	if (r) {
		/* Even if the torn line stays, the next one overwrites it. */
		int ignored =
			ftruncate(journal->fd, (off_t)journal->size_bytes);

		(void)ignored;
		return r;
	}
	journal->size_bytes += length;
	return 0;
}

static int read_boot_id(char **ret)
{
	_cleanup_fclose_ FILE *file = fopen(BOOT_ID, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	if (!file)
		return -errno;
	if (getline(&line, &size, file) < 0)
		return -EIO;
	line[strcspn(line, "\n")] = '\0';
	*ret = TAKE_PTR(line);
	return 0;
}

static int open_all(struct journal *journal, const char *dir)
{
	int r = journal_file_open_dir(dir, &journal->dir_fd);

	if (!r)
		r = read_boot_id(&journal->boot_id);
	if (!r)
		r = load_file(journal);
	if (!r && journal->fd < 0)
		r = rewrite(journal);
	return r;
}

int journal_open(struct journal **ret, const char *dir)
{
	struct journal *journal = calloc(1, sizeof(*journal));
	int r;

	if (!journal)
		return -ENOMEM;
	journal->dir_fd = -1;
	journal->fd = -1;
	r = open_all(journal, dir);
	if (r)
		journal_close(journal);
	else
		*ret = journal;
	return r;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	for (unsigned int i = 0; i < journal->count; i++)
		free_entry(journal->entries[i]);
	free(journal->entries);
	free(journal->boot_id);
	util_close_fd(&journal->fd);
	util_close_fd(&journal->dir_fd);
	free(journal);
}

unsigned int journal_count(const struct journal *journal)
{
	return journal->count;
}

const struct journal_entry *journal_entry(const struct journal *journal,
					  unsigned int index)
{
	return index < journal->count ? journal->entries[index] : NULL;
}

const struct journal_entry *journal_find(const struct journal *journal,
					 const char *path, uint64_t file_id)
{
	struct journal_entry **at = find(journal, path, file_id);

	return at ? *at : NULL;
}

int journal_add(struct journal *journal, const char *path, uint64_t file_id,
		int original)
{
	struct journal_entry entry = {
		.path = (char *)path, /* keep() copies it */
		.file_id = file_id,
		.original = original,
		.last = original,
		.previous = original,
	};
	int r;

	if (*path != '/' || original < 0)
		return -EINVAL;
	/*
	 * Disk first: without memory for it the caller does not write the
	 * knob, and an entry too many says only what is true anyway.
	 */
	r = append(journal, journal_text_knob(&entry));
	return r ? r : keep(journal, &entry);
}

int journal_intend(struct journal *journal, const char *path, uint64_t file_id,
		   int value)
{
	struct journal_entry **at = find(journal, path, file_id), entry;
	int r;

	if (!at)
		return -ENOENT;
	if (value < 0)
		return -EINVAL;
	/*
	 * Said already, and perhaps never written: `previous` may still be
	 * what the file holds and must not be pushed out.
	 */
	if (value == (*at)->last)
		return 0;
	entry = **at;
	entry.previous = entry.last;
	entry.last = value;
	r = append(journal, journal_text_knob(&entry));
	if (!r)
		**at = entry;
	return r;
}

int journal_forget(struct journal *journal, const char *path, uint64_t file_id)
{
	struct journal_entry **at = find(journal, path, file_id);
	int r;

	if (!at)
		return -ENOENT;
	r = append(journal, journal_text_forget(*at));
	if (!r)
		drop(journal, at);
	return r;
}

int journal_finish(struct journal *journal)
{
	if (journal->count || journal->fd < 0)
		return 0;
	if (unlinkat(journal->dir_fd, FILE_NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	util_close_fd(&journal->fd);
	journal->fd = -1;
	return fsync(journal->dir_fd) < 0 ? -errno : 0;
}
