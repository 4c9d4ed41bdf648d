/* SPDX-License-Identifier: GPL-2.0-only */
/* Standing aside for somebody else's value, and putting the original back. */
#include <errno.h>
#include <string.h>

#include "cmd/tended.h"
#include "loop.h"

static void stand_aside(struct tended *target, int value, pid_t pid,
			const char *comm, const struct tending *all)
{
	char quoted[256], who[64];

	log_quote(target->path, quoted, sizeof(quoted));
	log_quote(comm, who, sizeof(who));
	log_warn("target=%s swappiness %d→%d reason=%s writer_pid=%d "
		 "writer=%s: standing aside%s",
		 quoted, target->held, value,
		 reason_name(SWT_REASON_FOREIGN_WRITE), (int)pid, who,
		 all->config->resume_after_s ? " for resume-after-s"
					     : "; SIGHUP or a restart resumes");
	target->held = value;
	target->aside_since_ns = loop_now_ns();
	target->shown.is_standing_aside = 1;
	target->shown.foreign_value = value;
	target->shown.foreign_pid = pid;
	target->shown.swappiness = value;
	snprintf(target->shown.reason, sizeof(target->shown.reason), "%s",
		 reason_name(SWT_REASON_FOREIGN_WRITE));
}

int tended_check_foreign(struct tended *target, struct tending *all, pid_t pid,
			 const char *comm)
{
	int value, r = knob_read(target->knob, &value);

	if (r || !all->journal)
		return r;
	if (value == target->held)
		return 0;
	if (target->shown.is_standing_aside) {
		target->held = value;
		target->shown.foreign_value = value;
		target->shown.foreign_pid = pid;
	} else {
		stand_aside(target, value, pid, comm, all);
		/* Theirs stays, also after we end. */
		r = journal_forget(all->journal, knob_path(target->knob),
				   knob_file_id(target->knob));
	}
	tended_publish(target, all);
	return r == -ENOENT ? 0 : r;
}

int tended_resume(struct tended *target, struct tending *all)
{
	char quoted[256];
	int r;

	if (!target->shown.is_standing_aside)
		return 0;
	r = knob_adopt(target->knob, all->journal);
	if (!r)
		r = knob_read(target->knob, &target->held);
	if (r)
		return r;
	target->shown.is_standing_aside = 0;
	if (target->is_base_original)
		target->params.base = knob_original(target->knob);
	log_quote(target->path, quoted, sizeof(quoted));
	log_notice("target=%s reason=%s original=%d", quoted,
		   reason_name(SWT_REASON_RESUMED),
		   knob_original(target->knob));
	return 0;
}

int tended_restore(struct tended *target, struct tending *all)
{
	enum knob_restored outcome = KNOB_WAS_ORIGINAL;
	char quoted[256];
	int r;

	if (!all->journal || target->shown.is_standing_aside)
		return 0;
	r = knob_restore(target->knob, all->journal, &outcome);
	log_quote(target->path, quoted, sizeof(quoted));
	if (r)
		log_err("target=%s: cannot put swappiness %d back: %s; "
			"'swaptend restore' tries again",
			quoted, knob_original(target->knob), strerror(-r));
	else if (outcome == KNOB_RESTORED)
		log_notice("target=%s swappiness %d→%d reason=%s dry_run=0",
			   quoted, target->held, knob_original(target->knob),
			   reason_name(SWT_REASON_RESTORE));
	else if (outcome == KNOB_IS_FOREIGN)
		log_warn("target=%s: somebody else wrote swappiness meanwhile, "
			 "leaving it",
			 quoted);
	return r;
}
