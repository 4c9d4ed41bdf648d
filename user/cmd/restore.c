/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts back what a run that could not end properly has left. */
#include "cmd/cmd.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "act/journal.h"
#include "act/knob.h"
#include "cmd/common.h"
#include "report/log.h"

/* Beyond any character: no short option. */
#define KEY_DIR 256

/* What is said of a knob; its journal entry is gone by then. */
struct story {
	char *path; /* quoted */
	int from;   /* -1: could not be read */
	int original;
};

static char *quote(const char *path)
{
	/* Every byte may become \xNN. */
	size_t size = 4 * strlen(path) + 1;
	char *quoted = malloc(size);

	if (quoted)
		log_quote(path, quoted, (unsigned int)size);
	return quoted;
}

static int read_value(const char *path)
{
	struct knob *knob;
	int value = -1;

	if (knob_open(&knob, path))
		return -1;
	value = knob_original(knob);
	knob_free(knob);
	return value;
}

static void tell(const struct story *story, enum knob_restored outcome)
{
	switch (outcome) {
	case KNOB_RESTORED:
		printf("%s: %d -> %d\n", story->path, story->from,
		       story->original);
		break;
	case KNOB_WAS_ORIGINAL:
		printf("%s: left alone, already at its original %d\n",
		       story->path, story->original);
		break;
	case KNOB_IS_FOREIGN:
		printf("%s: left alone at %d, somebody else wrote that; the "
		       "original was %d\n",
		       story->path, story->from, story->original);
		break;
	case KNOB_VANISHED:
		printf("%s: left alone, it is gone\n", story->path);
		break;
	}
}

static void tell_failure(const struct story *story, int r)
{
	const char *remedy = "";

	if (r == -EROFS)
		remedy = "; read-only here: look at ProtectKernelTunables= and "
			 "ProtectControlGroups=, or run it on the host";
	else if (knob_classify(r) == KNOB_REFUSED)
		remedy = "; root is needed";
	cmd_fail(EXIT_RUNTIME,
		 "restore: %s: cannot put %d back: %s%s; it stays in the "
		 "journal",
		 story->path, story->original, strerror(-r), remedy);
}

static int restore_entry(struct journal *journal,
			 const struct journal_entry *entry)
{
	_cleanup_free_ char *path = quote(entry->path);
	enum knob_restored outcome;
	struct story story = {
		.path = path,
		.from = read_value(entry->path),
		.original = entry->original,
	};
	int r;

	if (!path)
		return -ENOMEM;
	r = knob_restore_entry(journal, entry, &outcome);
	if (r)
		tell_failure(&story, r);
	else
		tell(&story, outcome);
	return r;
}

static int restore_all(struct journal *journal)
{
	unsigned int kept = 0;
	int r;

	/* A restored entry leaves the journal, a failed one stays in front. */
	while (kept < journal_count(journal))
		if (restore_entry(journal, journal_entry(journal, kept)))
			kept++;
	r = journal_finish(journal);
	if (fflush(stdout) == EOF && !r)
		r = -errno;
	if (r)
		return cmd_fail(EXIT_RUNTIME, "restore: %s", strerror(-r));
	return kept ? EXIT_RUNTIME : EXIT_OK;
}

static int fail_to_open(const char *dir, int r)
{
	const char *remedy = "";

	if (r == -EPERM)
		remedy = "; it must be owned by the caller and writable by "
			 "nobody else";
	else if (r == -EACCES)
		remedy = "; root is needed";
	return cmd_fail(EXIT_RUNTIME, "restore: '%s': %s%s", dir, strerror(-r),
			remedy);
}

static int restore_locked(const char *dir)
{
	struct journal *journal;
	int code, r = journal_open(&journal, dir);

	if (r)
		return fail_to_open(dir, r);
	if (journal_count(journal)) {
		code = restore_all(journal);
	} else {
		code = cmd_fail(EXIT_NOTHING, "restore: nothing to restore");
		/* An empty journal in the way of nobody. */
		r = journal_finish(journal);
		if (r)
			code = fail_to_open(dir, r);
	}
	journal_close(journal);
	return code;
}

static int restore(const char *dir)
{
	_cleanup_close_ int lock_fd = -1;
	int pid = 0, r;

	/* Nobody ran here; do not make the directory just to say so. */
	if (access(dir, F_OK) < 0 && errno == ENOENT)
		return cmd_fail(EXIT_NOTHING, "restore: nothing to restore");
	r = journal_lock(dir, &lock_fd, &pid);
	if (r == -EBUSY && pid)
		return cmd_fail(EXIT_RUNTIME,
				"restore: swaptend is running (pid %d): stop "
				"it, it restores what it changed",
				pid);
	if (r == -EBUSY)
		return cmd_fail(EXIT_RUNTIME,
				"restore: swaptend is running: stop it, it "
				"restores what it changed");
	return r ? fail_to_open(dir, r) : restore_locked(dir);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	const char **dir = state->input;

	switch (key) {
	case KEY_DIR:
		*dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		return cmd_usage_error(state, "'%s' is no option", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"run-dir", KEY_DIR, "DIR", OPTION_HIDDEN, "Where the journal is", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.doc = "Puts back every swappiness that an earlier run changed and "
	       "could not restore, as after SIGKILL. A value that somebody "
	       "else wrote meanwhile is left alone.\v"
	       "Exit status: 0 all is restored, 1 something could not be, 4 "
	       "there was nothing to restore.",
};

int cmd_restore(int argc, char **argv)
{
	const char *dir = JOURNAL_DIR;
	int code = cmd_parse(&argp, argc, argv, &dir);

	return code == EXIT_OK ? restore(dir) : code;
}
