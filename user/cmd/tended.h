/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One target under control: its knob, its law's state, and the step from a
 * sample to an applied, published and logged decision.
 */
#ifndef SWAPTEND_TENDED_H
#define SWAPTEND_TENDED_H

#include <sys/types.h>

#include "act/journal.h"
#include "act/knob.h"
#include "cmd/pricing.h"
#include "config.h"
#include "law/law.h"
#include "report/log.h"
#include "sense/bpf.h"
#include "sense/proc.h"

#define TENDED_SYSTEM "system"

/* What all targets of a run share; borrowed. */
struct tending {
	struct config *config;
	struct sense_bpf *sense;
	struct journal *journal; /* NULL: observing, nothing is written */
	struct cgroup_host host;
	struct memory_levels levels;	/* of the system, at the last sample */
	struct pricing pricing;		/* likewise */
	struct log_limit refusal_limit; /* knobs that may not be written */
};

struct tended {
	struct tended *next;
	char *path;   /* TENDED_SYSTEM, or the group below the mount */
	uint64_t id;  /* cgroup id; SWT_SYSTEM_ID for the system */
	int group_fd; /* directory; -1 for the system */
	struct knob *knob;
	const struct law *law;
	struct law_params params;
	bool is_base_original; /* base follows the knob's original */
	struct law_state state;
	struct swt_reclaim seen; /* totals at the last sample */
	uint64_t seen_at_ns;
	int held; /* what the knob holds as far as we know */
	uint64_t aside_since_ns;
	struct swt_law shown; /* as published */
	struct log_limit limits[_SWT_REASON_MAX];
	struct log_limit failure_limit;
	bool is_new;	/* not yet seen by the hooks of the walk */
	bool is_marked; /* by the walk that looks for deaths */
};

/*
 * Opens the knob, probes its range (unless observing) and resolves the
 * settings.  pattern: the [target] whose settings count, or NULL.  Errors are
 * logged.  -errno: as knob_classify() sorts them.
 */
int tended_new(struct tended **ret, struct tending *all, const char *path,
	       uint64_t id, const struct target_config *pattern) __must_check;
void tended_free(struct tended *target);

/* The settings may have changed: law, bounds.  The state stays. */
void tended_configure(struct tended *target, const struct tending *all,
		      const struct target_config *pattern);

/*
 * Takes a sample and acts on it; without a pass since the last one nothing
 * happens, unless `always`.  0, or a -errno that knob_classify() sorts.
 */
int tended_step(struct tended *target, struct tending *all,
		bool always) __must_check;

/* Somebody may have written the knob: stands aside if the value differs. */
int tended_check_foreign(struct tended *target, struct tending *all, pid_t pid,
			 const char *comm) __must_check;
/* Takes control back after standing aside. */
int tended_resume(struct tended *target, struct tending *all) __must_check;

/* Puts the original back and says so.  -errno: it could not be. */
int tended_restore(struct tended *target, struct tending *all) __must_check;

/* The system's record when it is no target: who runs, and the version. */
void tended_publish_nobody(struct tending *all);

/* Writes the decision to the pinned maps; a failure is only logged. */
void tended_publish(struct tended *target, struct tending *all);

#endif
