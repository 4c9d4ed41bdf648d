/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/tended.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "law/guard.h"
#include "loop.h"

#define SYSCTL_SWAPPINESS "/proc/sys/vm/swappiness"

/* One line per target and reason in this time; the rest is counted. */
#define LOG_PERIOD_NS UINT64_C(5000000000)

static int inherit(int own, int global)
{
	return own == CONFIG_INHERIT ? global : own;
}

static int at_most(int value, int limit)
{
	return value > limit ? limit : value;
}

void tended_configure(struct tended *target, const struct tending *all,
		      const struct target_config *pattern)
{
	static const struct target_config nothing = {
		.base = CONFIG_INHERIT,
		.top = CONFIG_INHERIT,
		.min = CONFIG_INHERIT,
		.max = CONFIG_INHERIT,
	};
	const struct target_config *own = pattern ? pattern : &nothing;
	const struct config *config = all->config;
	int range = knob_range_max(target->knob);
	int base = inherit(own->base, config->base);
	int top = inherit(own->top, config->top);
	int max = inherit(own->max, config->max);
	struct law_params *params = &target->params;

	/* Names were checked when they were read. */
	target->law =
		law_find(own->law ? own->law : config->law, &params->fixed);
	target->is_base_original = base == CONFIG_FROM_ORIGINAL;
	params->base = target->is_base_original ? knob_original(target->knob)
						: at_most(base, range);
	params->top = top == CONFIG_RANGE_MAX ? range : at_most(top, range);
	params->max = max == CONFIG_RANGE_MAX ? range : at_most(max, range);
	params->min = at_most(inherit(own->min, config->min), params->max);
	params->swap_out_budget_kib_s = (uint64_t)config->swap_out_budget_kib_s;
}

static void show_params(struct tended *target, const struct tending *all)
{
	struct swt_law *shown = &target->shown;

	shown->abi_version = SWT_ABI_VERSION;
	shown->pid = (uint32_t)getpid();
	shown->original = knob_original(target->knob);
	shown->base = target->params.base;
	shown->top = target->params.top;
	shown->min = target->params.min;
	shown->max = target->params.max;
	shown->is_observing = !all->journal;
	snprintf(shown->law, sizeof(shown->law), "%s", target->law->name);
	if (target->params.fixed >= 0)
		snprintf(shown->law, sizeof(shown->law), "%s:%d",
			 target->law->name, target->params.fixed);
}

static void show_path(struct tended *target)
{
	size_t length = strlen(target->path);
	size_t room = sizeof(target->shown.path) - 1;

	snprintf(target->shown.path, sizeof(target->shown.path), "%s",
		 target->path + (length > room ? length - room : 0));
}

static void explain_refusal(const char *path, int r, uint64_t suppressed)
{
	char quoted[256];

	log_quote(path, quoted, sizeof(quoted));
	if (r == -EROFS)
		log_err("%s is read-only here: under systemd look at "
			"ProtectKernelTunables= and ProtectControlGroups=; in "
			"a container the knob belongs to the host; --observe "
			"works without writing suppressed=%" PRIu64,
			quoted, suppressed);
	else if (r == -EACCES || r == -EPERM)
		log_err("%s may not be written: root, or CAP_DAC_OVERRIDE, is "
			"needed, and in a container the knob belongs to the "
			"host; --observe works without writing "
			"suppressed=%" PRIu64,
			quoted, suppressed);
	else
		log_err("%s: %s suppressed=%" PRIu64, quoted, strerror(-r),
			suppressed);
}

static int open_knob(struct tended *target, struct tending *all)
{
	_cleanup_free_ char *path = NULL;
	uint64_t suppressed;
	int r;

	if (target->id == SWT_SYSTEM_ID)
		path = strdup(SYSCTL_SWAPPINESS);
	else if (asprintf(&path, "%s%s/memory.swappiness", all->host.mount,
			  target->path) < 0)
		path = NULL;
	if (!path)
		return -ENOMEM;
	r = knob_open(&target->knob, path);
	if (!r && all->journal)
		r = knob_probe_range(target->knob, all->journal);
	/* Each walk tries again: one line in a while, not one a group. */
	if (r && knob_classify(r) != KNOB_GONE &&
	    log_limit_pass(&all->refusal_limit, loop_now_ns(), LOG_PERIOD_NS,
			   &suppressed))
		explain_refusal(path, r, suppressed);
	return r;
}

static int open_group(struct tended *target, const struct tending *all)
{
	_cleanup_free_ char *full = NULL;

	if (target->id == SWT_SYSTEM_ID)
		return 0;
	if (asprintf(&full, "%s%s", all->host.mount, target->path) < 0)
		return -ENOMEM;
	target->group_fd = open(full, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return target->group_fd < 0 ? -errno : 0;
}

int tended_new(struct tended **ret, struct tending *all, const char *path,
	       uint64_t id, const struct target_config *pattern)
{
	struct tended *target = calloc(1, sizeof(*target));
	int r = -ENOMEM;

	if (!target)
		return r;
	target->group_fd = -1;
	target->id = id;
	target->path = strdup(path);
	if (target->path)
		r = open_group(target, all);
	if (!r)
		r = open_knob(target, all);
	if (!r)
		r = knob_read(target->knob, &target->held);
	if (r) {
		tended_free(target);
		return r;
	}
	tended_configure(target, all, pattern);
	show_params(target, all);
	show_path(target);
	target->shown.foreign_value = -1;
	target->shown.swappiness = target->held;
	snprintf(target->shown.reason, sizeof(target->shown.reason), "%s",
		 reason_name(SWT_REASON_START));
	/* What happened before is not ours to react to. */
	IGNORE_RESULT(sense_read_group(all->sense, id, &target->seen));
	target->seen_at_ns = loop_now_ns();
	*ret = target;
	return 0;
}

void tended_free(struct tended *target)
{
	if (!target)
		return;
	knob_free(target->knob);
	util_close_fd(&target->group_fd);
	free(target->path);
	free(target);
}

void tended_publish_nobody(struct tending *all)
{
	const struct swt_law nobody = {
		.abi_version = SWT_ABI_VERSION,
		.pid = (uint32_t)getpid(),
		.swappiness = -1,
		.foreign_value = -1,
	};

	if (sense_publish(all->sense, SWT_SYSTEM_ID, &nobody))
		log_debug("cannot publish who runs");
}

void tended_publish(struct tended *target, struct tending *all)
{
	int r;

	show_params(target, all);
	r = sense_publish(all->sense, target->id, &target->shown);
	if (r)
		log_debug("cannot publish the decision for %s: %s",
			  target->path, strerror(-r));
}

/*
 * Passes of cgroup limits move the system's knob only where it rules them:
 * on cgroup v2.  A group's own row holds what its tasks had to do.
 */
static bool counts_for(const struct tended *target, const struct tending *all,
		       enum swt_source source)
{
	if (target->id != SWT_SYSTEM_ID)
		return source != SWT_KSWAPD;
	return source != SWT_MEMCG || all->host.mode == CGROUP_V2;
}

static uint64_t take_passes(struct tended *target, const struct tending *all,
			    const struct swt_reclaim *now, struct sample *ret)
{
	uint64_t total = 0;

	for (int source = 0; source < SWT_NR_SOURCES; source++) {
		if (!counts_for(target, all, source))
			continue;
		for (int priority = 0; priority < SWT_NR_PRIORITIES;
		     priority++) {
			uint64_t before = target->seen.passes[source][priority];
			uint64_t passes = now->passes[source][priority];

			/* A row that was dropped starts again from 0. */
			passes -= passes >= before ? before : 0;
			ret->passes[priority] += passes;
			total += passes;
		}
	}
	target->seen = *now;
	return total;
}

static int fill_levels(struct tended *target, const struct tending *all,
		       struct sample *ret)
{
	struct memory_levels levels = all->levels;
	int r = 0;

	if (target->id != SWT_SYSTEM_ID)
		r = proc_read_group_levels(target->group_fd, false,
					   &all->levels, &levels);
	if (!r)
		proc_fill_sample(&levels, ret);
	return r;
}

static void log_change(struct tended *target, int from,
		       const struct decision *decision, bool is_dry_run)
{
	uint64_t suppressed = 0;
	char quoted[256];

	if (!log_limit_pass(&target->limits[decision->reason], loop_now_ns(),
			    LOG_PERIOD_NS, &suppressed))
		return;
	log_quote(target->path, quoted, sizeof(quoted));
	log_notice("target=%s swappiness %d→%d reason=%s "
		   "evidence='passes=%" PRIu64 " distress_pct=%u "
		   "mapped_ratio_pct=%u tendency_pct=%u state_permille=%u "
		   "swap_in_ns=%u file_read_ns=%u anon_refault_permille=%u "
		   "file_refault_permille=%u' "
		   "dry_run=%d suppressed=%" PRIu64,
		   quoted, from, decision->swappiness,
		   reason_name(decision->reason), decision->passes,
		   decision->distress_pct, target->shown.mapped_ratio_pct,
		   decision->tendency_pct, decision->state_permille,
		   target->shown.swap_in_ns, target->shown.file_read_ns,
		   target->shown.anon_refault_permille,
		   target->shown.file_refault_permille, is_dry_run, suppressed);
}

/* A failing write is tried again at each sample, but told now and then. */
static void log_failure(struct tended *target, int value, int r)
{
	uint64_t suppressed;

	if (log_limit_pass(&target->failure_limit, loop_now_ns(), LOG_PERIOD_NS,
			   &suppressed))
		log_warn("%s: cannot write %d: %s, keeping old value "
			 "suppressed=%" PRIu64,
			 knob_path(target->knob), value, strerror(-r),
			 suppressed);
}

static int apply(struct tended *target, struct tending *all,
		 const struct decision *decision)
{
	int from = target->held, found = -1, r = 0;
	bool did_write = false;

	if (!all->journal) {
		did_write = decision->swappiness != from;
	} else {
		r = knob_apply(target->knob, all->journal, decision->swappiness,
			       &did_write, &found);
		if (r == -ESTALE)
			return tended_check_foreign(target, all, 0, "");
		if (r && knob_classify(r) != KNOB_GONE)
			log_failure(target, decision->swappiness, r);
	}
	if (r)
		return r;
	target->held = decision->swappiness;
	if (!did_write)
		return 0;
	target->shown.writes += all->journal ? 1 : 0;
	log_change(target, from, decision, !all->journal);
	return 0;
}

static void show_prices(struct tended *target, const struct sample *sample)
{
	struct swt_law *shown = &target->shown;
	const struct prices *prices = &sample->prices;

	shown->swap_in_ns = prices->swap_in_ns;
	shown->file_read_ns = prices->file_read_ns;
	shown->swap_source = prices->swap_source;
	shown->file_source = prices->file_source;
	shown->anon_refault_permille = prices->anon_refault_permille;
	shown->file_refault_permille = prices->file_refault_permille;
	shown->refault_pct =
		prices->has_refault_pct ? (int)prices->refault_pct : -1;
	shown->swap_out_kib_s = (uint32_t)sample->swap_out_kib_s;
}

static void show_decision(struct tended *target, const struct sample *sample,
			  const struct decision *decision)
{
	struct swt_law *shown = &target->shown;

	shown->decided_at_ns = loop_now_ns();
	shown->decisions++;
	shown->passes += decision->passes;
	shown->state_permille = decision->state_permille;
	shown->distress_pct = decision->distress_pct;
	shown->tendency_pct = decision->tendency_pct;
	shown->mapped_ratio_pct = sample->mapped_ratio_pct;
	show_prices(target, sample);
	/* Then the value and the reason are those of the foreign write. */
	if (shown->is_standing_aside)
		return;
	snprintf(shown->reason, sizeof(shown->reason), "%s",
		 reason_name(decision->reason));
}

int tended_step(struct tended *target, struct tending *all, bool always)
{
	struct sample sample = {0};
	struct decision decision;
	struct swt_reclaim now;
	uint64_t now_ns = loop_now_ns();
	int r = sense_read_group(all->sense, target->id, &now);

	if (r && r != -ENOENT)
		return r;
	if (!take_passes(target, all, &now, &sample) && !always)
		return 0;
	r = fill_levels(target, all, &sample);
	if (r)
		return r;
	sample.elapsed_ns = now_ns - target->seen_at_ns;
	target->seen_at_ns = now_ns;
	sample.prices = all->pricing.prices;
	sample.swap_out_kib_s = all->pricing.swap_out_kib_s;
	law_decide(target->law, &target->params, &sample, &target->state,
		   &decision);
	if (target->law->state_max && all->config->guards)
		guard_apply(&target->params, &sample, &decision);
	show_decision(target, &sample, &decision);
	r = 0;
	/* Without swap the value has no effect: leave what is there. */
	if (sample.has_swap && !target->shown.is_standing_aside)
		r = apply(target, all, &decision);
	target->shown.swappiness = target->held;
	tended_publish(target, all);
	return r;
}
