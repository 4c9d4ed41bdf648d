/* SPDX-License-Identifier: GPL-2.0-only */
/* All targets of a run: births, deaths, and what is done to each in turn. */
#ifndef SWAPTEND_TENDED_SET_H
#define SWAPTEND_TENDED_SET_H

#include "cmd/tended.h"
#include "target.h"

struct tended_set {
	struct tended *first;
	struct target_walker *walker; /* NULL: only the system is meant */
	const char **patterns;	      /* what the walker borrows */
	const struct target_config **pattern_configs; /* beside it */
	size_t pattern_count;
	unsigned int refused; /* knobs that may not be written */
};

/* Errors are logged.  -ENOTSUP: groups are meant and cgroup v1 is not there. */
int tended_set_open_walker(struct tended_set *set,
			   const struct tending *all) __must_check;
int tended_set_fd(const struct tended_set *set);
bool tended_set_changed(struct tended_set *set);
void tended_set_done(struct tended_set *set);

/* Takes in what matches now, drops what is gone; the hooks see both. */
int tended_set_walk(struct tended_set *set, struct tending *all,
		    int (*on_birth)(struct tended *target, void *context),
		    void (*on_death)(struct tended *target, void *context),
		    void *context) __must_check;

struct tended *tended_set_find(const struct tended_set *set, uint64_t id);
/* Every knob there is was refused: control is impossible. */
bool tended_set_is_hopeless(const struct tended_set *set);
/* "system, 3 cgroups" for the log. */
void tended_set_describe(const struct tended_set *set, char *ret, size_t size);

int tended_set_step(struct tended_set *set, struct tending *all,
		    bool always) __must_check;
/* file_id 0: any knob may have been written. */
int tended_set_check_foreign(struct tended_set *set, struct tending *all,
			     uint64_t file_id, pid_t pid,
			     const char *comm) __must_check;
/* Resumes those that stand aside since before that time. */
int tended_set_resume(struct tended_set *set, struct tending *all,
		      uint64_t before_ns) __must_check;
/* The earliest time that one stands aside since; false: none does. */
bool tended_set_aside_since(const struct tended_set *set, uint64_t *ret_ns);

/*
 * Takes over `fresh` (moved into *all->config) with a walker of its own, or
 * leaves all as it was.
 */
int tended_set_reconfigure(struct tended_set *set, struct tending *all,
			   struct config *fresh) __must_check;

/* Restores all; the first error, after having tried each. */
int tended_set_restore(struct tended_set *set, struct tending *all);

/* Undoes what a crashed run left in the journal.  Errors are logged. */
void tended_set_recover(struct journal *journal);

#endif
