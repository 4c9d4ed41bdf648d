/* SPDX-License-Identifier: GPL-2.0-only */
/* What each event does to the targets. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cmd/control_private.h"

static bool is_target_row(uint64_t id, void *context)
{
	return tended_set_find(context, id);
}

/* Rows of groups that nobody asked for make way when the map is full. */
static void check_losses(struct control *control)
{
	uint64_t lost[SWT_NR_LOST];

	if (sense_read_lost(control->all.sense, lost) ||
	    lost[SWT_LOST_GROUP_MAP_FULL] == control->group_rows_lost)
		return;
	if (!control->group_rows_lost)
		log_warn("more cgroups reclaim than the map has rows for; "
			 "counts per group are lower bounds, ignoring");
	control->group_rows_lost = lost[SWT_LOST_GROUP_MAP_FULL];
	sense_drop_groups(control->all.sense, is_target_row, &control->targets);
}

/* Says it once per change: without swap there is nothing to balance. */
static void note_swap(struct control *control)
{
	bool has_swap = control->all.levels.swap_total_kib > 0;

	sense_set_swap(control->all.sense, has_swap);
	if (control->tlb)
		tlb_bpf_set_swap(control->tlb, has_swap);
	if (has_swap == control->had_swap)
		return;
	control->had_swap = has_swap;
	if (has_swap)
		log_info("swap is on: controlling");
	else
		log_warn("swappiness has no effect without swap; waiting for "
			 "swapon");
}

int control_read_levels(struct control *control)
{
	const struct sense_root root = {""};
	int r = proc_read_levels(&root, &control->all.levels);

	if (r)
		return log_err_r(r, "/proc/meminfo: %s",
				 r == -EPROTO ? "MemTotal is missing"
					      : strerror(-r));
	note_swap(control);
	return 0;
}

void control_price_swaps(struct control *control)
{
	const struct config *config = control->all.config;
	int r;

	control->all.pricing.zram_weight_pct =
		(uint32_t)config->zram_cpu_weight_pct;
	r = pricing_set_swaps(&control->all.pricing, control->all.sense,
			      config->probe);
	if (r)
		log_warn("/proc/swaps: %s; swap has no price, ignoring",
			 strerror(-r));
	pricing_update(&control->all.pricing, control->all.sense,
		       loop_now_ns());
}

static int watch_knob(struct tended *target, void *context)
{
	struct control *control = context;
	int r = 0;

	if (control->rivals && control->all.journal)
		r = rivals_watch(control->rivals, knob_path(target->knob));
	if (r)
		log_debug("%s: cannot watch for foreign writes: %s",
			  knob_path(target->knob), strerror(-r));
	return 0;
}

static void unwatch_knob(struct tended *target, void *context)
{
	struct control *control = context;

	if (control->rivals)
		rivals_unwatch(control->rivals, knob_path(target->knob));
}

int control_walk(struct control *control)
{
	control->is_walk_due = false;
	return tended_set_walk(&control->targets, &control->all, watch_knob,
			       unwatch_knob, control);
}

static int arm_resume(struct control *control)
{
	uint64_t after_s = (uint64_t)control->all.config->resume_after_s;
	uint64_t now_ns = loop_now_ns(), since_ns, passed_ms;

	if (!after_s || !tended_set_aside_since(&control->targets, &since_ns))
		return 0;
	passed_ms = (now_ns - since_ns) / 1000000;
	return loop_timer_arm_ms(
		&control->resume,
		passed_ms < after_s * 1000 ? after_s * 1000 - passed_ms : 1);
}

int control_on_rival(void *context)
{
	struct control *control = context;
	struct rival_event event;
	int r;

	while ((r = rivals_next(control->rivals, &event)) > 0) {
		r = tended_set_check_foreign(&control->targets, &control->all,
					     event.file_id, event.pid,
					     event.comm);
		if (r)
			return r;
	}
	if (r)
		log_debug("watching for foreign writes: %s", strerror(-r));
	return arm_resume(control);
}

static int step_all(struct control *control, bool always)
{
	/* First, so that a foreign write is laid at its writer's door. */
	int r = control->rivals ? control_on_rival(control) : 0;

	if (!r)
		r = control_read_levels(control);
	if (!r && control->is_walk_due)
		r = control_walk(control);
	if (!r) {
		pricing_update(&control->all.pricing, control->all.sense,
			       loop_now_ns());
		r = tended_set_step(&control->targets, &control->all, always);
	}
	if (!r)
		check_losses(control);
	return r ? r : arm_resume(control);
}

/* A ring: sample now, and once more when the rings have stopped. */
int control_on_doorbell(void *context)
{
	struct control *control = context;
	int r = sense_read_ring(control->all.sense);

	if (r)
		return log_err_r(r, "the doorbell: %s", strerror(-r));
	r = step_all(control, false);
	if (r)
		return r;
	return loop_timer_arm_ms(
		&control->tail, 2 * (uint64_t)control->all.config->interval_ms);
}

int control_on_tail(void *context)
{
	return step_all(context, false);
}

int control_on_swaps(void *context)
{
	struct control *control = context;
	char byte;

	/* Reading, then polling again, is what takes the notice off. */
	(void)!pread(control->swaps_fd, &byte, 1, 0);
	control_price_swaps(control);
	return step_all(control, true);
}

/* Born groups are taken in within one interval, however many there are. */
int control_on_births(void *context)
{
	struct control *control = context;

	if (!tended_set_changed(&control->targets) || control->is_walk_due)
		return 0;
	control->is_walk_due = true;
	return loop_timer_arm_ms(&control->tail,
				 (uint64_t)control->all.config->interval_ms);
}

int control_on_resume(void *context)
{
	struct control *control = context;
	uint64_t after_ns =
		(uint64_t)control->all.config->resume_after_s * 1000000000;
	uint64_t now_ns = loop_now_ns();
	int r = tended_set_resume(&control->targets, &control->all,
				  now_ns > after_ns ? now_ns - after_ns : 0);

	if (!r)
		r = step_all(control, true);
	return r ? r : arm_resume(control);
}

static int take_settings(struct control *control, struct config *fresh)
{
	int old_fd = tended_set_fd(&control->targets), fd;
	int r = tended_set_reconfigure(&control->targets, &control->all, fresh);

	if (r) {
		config_done(fresh);
		return r;
	}
	loop_remove_fd(control->loop, old_fd);
	sense_set_interval(control->all.sense,
			   (uint32_t)control->all.config->interval_ms);
	control_price_swaps(control);
	log_set_level(control->all.config->verbose ? LOG_DEBUG : LOG_NOTICE);
	fd = tended_set_fd(&control->targets);
	if (fd >= 0 && loop_add_fd(control->loop, fd, LOOP_READABLE,
				   control_on_births, control))
		log_warn("births of cgroups go unnoticed until a restart");
	return 0;
}

static int reload(struct control *control)
{
	struct config fresh;
	int r = control->options.reload(&fresh,
					control->options.reload_context);

	if (!r)
		r = take_settings(control, &fresh);
	if (r) {
		log_warn("the new settings are bad, keeping the old ones");
		return 0;
	}
	return control_walk(control);
}

int control_on_signal(int signal_number, void *context)
{
	struct control *control = context;
	int r;

	if (signal_number != SIGHUP) {
		loop_stop(control->loop);
		return 0;
	}
	r = reload(control);
	if (!r)
		r = tended_set_resume(&control->targets, &control->all,
				      UINT64_MAX);
	return r ? r : step_all(control, true);
}

int control_run(struct control *control)
{
	int r = loop_run(control->loop);

	if (r)
		log_err("stopping: %s", strerror(-r));
	return r ? EXIT_RUNTIME : EXIT_OK;
}
