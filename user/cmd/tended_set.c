/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/tended_set.h"

#include <errno.h>
#include <string.h>

#include "loop.h"

static bool is_system(const struct target_config *target)
{
	return !strcmp(target->pattern, TENDED_SYSTEM);
}

static size_t count_groups(const struct config *config)
{
	size_t count = 0;

	for (size_t i = 0; i < config->target_count; i++)
		count += !is_system(&config->targets[i]);
	return count;
}

static int refuse_groups(const struct tending *all)
{
	if (all->host.mode == CGROUP_V2)
		log_err("cgroup v2 has no swappiness per group, and this "
			"version cannot stand in for it; use --target system");
	else
		log_err("no cgroup v1 memory hierarchy is mounted; use "
			"--target system, or mount it");
	return -ENOTSUP;
}

static int collect_patterns(struct tended_set *set, const struct tending *all,
			    size_t count)
{
	const struct config *config = all->config;

	set->patterns = calloc(count, sizeof(*set->patterns));
	set->pattern_configs = calloc(count, sizeof(*set->pattern_configs));
	if (!set->patterns || !set->pattern_configs)
		return -ENOMEM;
	for (size_t i = 0; i < config->target_count; i++) {
		const struct target_config *target = &config->targets[i];

		if (is_system(target))
			continue;
		set->patterns[set->pattern_count] =
			target_strip_mount(target->pattern, all->host.mount);
		set->pattern_configs[set->pattern_count++] = target;
	}
	return 0;
}

static void close_walker(struct tended_set *set)
{
	target_walker_free(set->walker);
	set->walker = NULL;
	free(set->patterns);
	free(set->pattern_configs);
	set->patterns = NULL;
	set->pattern_configs = NULL;
	set->pattern_count = 0;
}

int tended_set_open_walker(struct tended_set *set, const struct tending *all)
{
	size_t count = count_groups(all->config);
	int r;

	close_walker(set);
	if (!count)
		return 0;
	if (all->host.mode != CGROUP_V1)
		return refuse_groups(all);
	r = collect_patterns(set, all, count);
	if (!r)
		r = target_walker_new(&set->walker, all->host.mount,
				      set->patterns, set->pattern_count, true);
	if (r)
		log_err("cannot watch %s: %s", all->host.mount, strerror(-r));
	return r;
}

int tended_set_fd(const struct tended_set *set)
{
	return set->walker ? target_walker_fd(set->walker) : -1;
}

bool tended_set_changed(struct tended_set *set)
{
	return set->walker && target_walker_changed(set->walker);
}

void tended_set_done(struct tended_set *set)
{
	while (set->first) {
		struct tended *target = set->first;

		set->first = target->next;
		tended_free(target);
	}
	close_walker(set);
}

struct tended *tended_set_find(const struct tended_set *set, uint64_t id)
{
	for (struct tended *target = set->first; target; target = target->next)
		if (target->id == id)
			return target;
	return NULL;
}

static const struct target_config *system_config(const struct tending *all)
{
	for (size_t i = 0; i < all->config->target_count; i++)
		if (is_system(&all->config->targets[i]))
			return &all->config->targets[i];
	return NULL;
}

static bool wants_system(const struct tending *all)
{
	return !all->config->target_count || system_config(all);
}

struct walk {
	struct tended_set *set;
	struct tending *all;
};

/* One group that cannot be had must not end the control of all others. */
static int leave_out(struct tended_set *set, uint64_t id, int r)
{
	if (knob_classify(r) == KNOB_REFUSED)
		set->refused++;
	else if (id == SWT_SYSTEM_ID)
		return r;
	return 0;
}

static int take_in(const struct walk *walk, const char *path, uint64_t id,
		   const struct target_config *config)
{
	struct tended *target = tended_set_find(walk->set, id);
	int r;

	if (target) {
		tended_configure(target, walk->all, config);
		target->is_marked = true;
		return 0;
	}
	r = tended_new(&target, walk->all, path, id, config);
	if (r)
		return leave_out(walk->set, id, r);
	target->is_marked = true;
	target->is_new = true;
	target->next = walk->set->first;
	walk->set->first = target;
	return 0;
}

static int visit_group(const char *path, uint64_t id, size_t pattern_index,
		       void *context)
{
	const struct walk *walk = context;

	return take_in(walk, path, id,
		       walk->set->pattern_configs[pattern_index]);
}

static void forget(struct tended *target, struct tending *all)
{
	if (target->id == SWT_SYSTEM_ID) {
		/* Its row stays: every pass is counted there. */
		tended_publish_nobody(all);
		return;
	}
	sense_unpublish(all->sense, target->id);
	sense_forget_group(all->sense, target->id);
}

/* Not seen by the walk: vanished, or no longer asked for. */
static void drop_unmarked(struct tended_set *set, struct tending *all,
			  void (*on_death)(struct tended *target,
					   void *context),
			  void *context)
{
	struct tended **link = &set->first;

	while (*link) {
		struct tended *target = *link;

		if (target->is_marked) {
			link = &target->next;
			continue;
		}
		IGNORE_RESULT(tended_restore(target, all)); /* it logs */
		on_death(target, context);
		forget(target, all);
		*link = target->next;
		log_debug("dropped the target %s", target->path);
		tended_free(target);
	}
}

/*
 * After the deaths: a group born under a dead one's path must not lose what
 * is undone by path.
 */
static int greet_new(struct tended_set *set, struct tending *all,
		     int (*on_birth)(struct tended *target, void *context),
		     void *context)
{
	for (struct tended *target = set->first; target;
	     target = target->next) {
		int r;

		if (!target->is_new)
			continue;
		target->is_new = false;
		r = on_birth(target, context);
		/* What the law says before any pass holds from the start. */
		if (!r)
			r = tended_step(target, all, true);
		if (knob_classify(r) == KNOB_FATAL)
			return r;
	}
	return 0;
}

int tended_set_walk(struct tended_set *set, struct tending *all,
		    int (*on_birth)(struct tended *target, void *context),
		    void (*on_death)(struct tended *target, void *context),
		    void *context)
{
	struct walk walk = {set, all};
	int r = 0;

	set->refused = 0;
	for (struct tended *target = set->first; target; target = target->next)
		target->is_marked = false;
	if (wants_system(all))
		r = take_in(&walk, TENDED_SYSTEM, SWT_SYSTEM_ID,
			    system_config(all));
	if (!r && set->walker)
		r = target_walk(set->walker, visit_group, &walk);
	/* A walk that was cut short knows nothing of deaths. */
	if (!r)
		drop_unmarked(set, all, on_death, context);
	else if (knob_classify(r) == KNOB_FATAL)
		return r;
	else
		log_warn("not all cgroups could be looked at: %s, ignoring",
			 strerror(-r));
	return greet_new(set, all, on_birth, context);
}

bool tended_set_is_hopeless(const struct tended_set *set)
{
	return !set->first && set->refused;
}

void tended_set_describe(const struct tended_set *set, char *ret, size_t size)
{
	bool has_system = tended_set_find(set, SWT_SYSTEM_ID);
	unsigned int groups = 0;

	for (struct tended *target = set->first; target; target = target->next)
		groups += target->id != SWT_SYSTEM_ID;
	if (!set->walker)
		snprintf(ret, size, "target system");
	else
		snprintf(ret, size, "%s%u cgroup%s match%s now",
			 has_system ? "targets system and " : "", groups,
			 groups == 1 ? "" : "s", groups == 1 ? "es" : "");
}

int tended_set_step(struct tended_set *set, struct tending *all, bool always)
{
	for (struct tended *target = set->first; target;
	     target = target->next) {
		int r = tended_step(target, all, always);

		/* Gone: the next walk drops it.  Refused: it was logged. */
		if (knob_classify(r) == KNOB_FATAL)
			return r;
	}
	return 0;
}

int tended_set_check_foreign(struct tended_set *set, struct tending *all,
			     uint64_t file_id, pid_t pid, const char *comm)
{
	for (struct tended *target = set->first; target;
	     target = target->next) {
		int r;

		if (file_id && knob_file_id(target->knob) != file_id)
			continue;
		r = tended_check_foreign(target, all, pid, comm);
		if (knob_classify(r) == KNOB_FATAL)
			return r;
	}
	return 0;
}

int tended_set_resume(struct tended_set *set, struct tending *all,
		      uint64_t before_ns)
{
	for (struct tended *target = set->first; target;
	     target = target->next) {
		int r;

		if (target->aside_since_ns > before_ns)
			continue;
		r = tended_resume(target, all);
		if (knob_classify(r) == KNOB_FATAL)
			return r;
		if (r) /* not before the same time has passed again */
			target->aside_since_ns = loop_now_ns();
	}
	return 0;
}

bool tended_set_aside_since(const struct tended_set *set, uint64_t *ret_ns)
{
	bool is_any = false;

	for (struct tended *target = set->first; target;
	     target = target->next) {
		if (!target->shown.is_standing_aside ||
		    (is_any && target->aside_since_ns >= *ret_ns))
			continue;
		is_any = true;
		*ret_ns = target->aside_since_ns;
	}
	return is_any;
}

int tended_set_reconfigure(struct tended_set *set, struct tending *all,
			   struct config *fresh)
{
	struct tending next = *all;
	struct tended_set trial = {0};
	int r;

	if (fresh->observe != all->config->observe ||
	    fresh->pin != all->config->pin)
		log_warn("observe and pin change with a restart only, keeping "
			 "the old settings of both");
	fresh->observe = all->config->observe;
	fresh->pin = all->config->pin;
	next.config = fresh;
	r = tended_set_open_walker(&trial, &next);
	if (r)
		return r;
	close_walker(set);
	set->walker = trial.walker;
	set->patterns = trial.patterns;
	set->pattern_configs = trial.pattern_configs;
	set->pattern_count = trial.pattern_count;
	config_done(all->config);
	*all->config = *fresh;
	return 0;
}

int tended_set_restore(struct tended_set *set, struct tending *all)
{
	int first = 0;

	for (struct tended *target = set->first; target;
	     target = target->next) {
		int r = tended_restore(target, all);

		if (r && !first)
			first = r;
	}
	return first;
}

/* The entry at index; whether it is off the journal now. */
static bool recover_entry(struct journal *journal, unsigned int index)
{
	const struct journal_entry *entry = journal_entry(journal, index);
	enum knob_restored outcome = KNOB_WAS_ORIGINAL;
	int original = entry->original, r;
	char quoted[512];

	log_quote(entry->path, quoted, sizeof(quoted));
	r = knob_restore_entry(journal, entry, &outcome);
	if (r)
		log_warn("%s: cannot undo what an earlier run left: %s; "
			 "keeping it in the journal",
			 quoted, strerror(-r));
	else if (outcome == KNOB_RESTORED)
		log_notice("%s: put back to %d, which an earlier run had left "
			   "changed",
			   quoted, original);
	return !r;
}

void tended_set_recover(struct journal *journal)
{
	unsigned int kept = 0;

	while (journal_count(journal) > kept)
		kept += !recover_entry(journal, kept);
}
