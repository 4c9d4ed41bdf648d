/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting the controller, and undoing all of it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/control_private.h"
#include "sense/caps.h"

/* Kernel memory for rows of `reclaim`, over all CPUs. */
#define ROWS_BUDGET_BYTES (16u << 20)
#define MIN_GROUPS 128
#define MAX_GROUPS 4096

static uint32_t group_rows(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t rows = ROWS_BUDGET_BYTES / sizeof(struct swt_reclaim) /
			(uint64_t)(cpus > 0 ? cpus : 1);

	if (rows < MIN_GROUPS)
		return MIN_GROUPS;
	return rows > MAX_GROUPS ? MAX_GROUPS : (uint32_t)rows;
}

static int lock_and_recover(struct control *control)
{
	const char *dir = control->options.run_dir;
	int pid, r = journal_lock(dir, &control->lock_fd, &pid);

	if (r == -EBUSY)
		return log_err_r(r,
				 "another instance runs already, pid %d; stop "
				 "it first, or look with 'swaptend status'",
				 pid);
	if (r == -EPERM)
		return log_err_r(r,
				 "%s must be a directory of this user that "
				 "nobody else can write; remove it or chmod it",
				 dir);
	if (r)
		return log_err_r(r, "%s/lock: %s", dir, strerror(-r));
	if (control->all.config->observe)
		return 0;
	r = journal_open(&control->all.journal, dir);
	if (r)
		return log_err_r(r, "%s/journal: %s; nothing was written", dir,
				 strerror(-r));
	tended_set_recover(control->all.journal);
	return 0;
}

static int open_sense(struct control *control)
{
	const struct config *config = control->all.config;
	const struct bpf_options options = {
		.btf_path = control->options.btf_path,
		.pin_dir = config->pin ? BPF_PIN_DIR : NULL,
		.interval_ms = (uint32_t)config->interval_ms,
		.max_groups = group_rows(),
	};
	const struct bpf_signal *signals;
	char error[512];
	int r = sense_open(&control->all.sense, &options, error, sizeof(error));

	/* No BTF, BTF not understood, or no essential signal. */
	control->is_unsupported = r == -ENOENT || r == -EPROTO || r == -ENOTSUP;
	if (r)
		return log_err_r(r, "%s", error);
	for (unsigned int i = sense_signals(control->all.sense, &signals); i--;)
		if (!signals[i].is_on)
			log_info("off: %s (%s): %s", signals[i].program,
				 signals[i].gives, signals[i].why);
	if (config->pin && *sense_pin_error(control->all.sense))
		log_warn("not pinned: %s; 'swaptend status' and bpftool see "
			 "nothing, ignoring",
			 sense_pin_error(control->all.sense));
	return 0;
}

/* Control does not depend on it. */
static void open_tlb(struct control *control)
{
	const struct config *config = control->all.config;
	const struct tlb_bpf_options options = {
		.btf_path = control->options.btf_path,
		.pin_dir = config->pin ? BPF_PIN_DIR : NULL,
		.receive_wanted = TLB_RECEIVE_FLUSH_FUNC,
	};
	const char *missing;
	char error[512];

	if (!config->tlb)
		return;
	if (tlb_bpf_open(&control->tlb, &options, error, sizeof(error))) {
		log_warn("TLB flushes are not counted: %s, ignoring", error);
		return;
	}
	for (unsigned int i = 0; (missing = tlb_bpf_missing(control->tlb, i));
	     i++)
		log_info("off: %s", missing);
}

static int open_rivals(struct control *control)
{
	int r;

	if (!control->all.journal)
		return 0;
	r = rivals_new(&control->rivals);
	if (r) {
		log_info("no notice of foreign writes (%s): they are seen at "
			 "the next sample",
			 strerror(-r));
		return 0;
	}
	return loop_add_fd(control->loop, rivals_fd(control->rivals),
			   LOOP_READABLE, control_on_rival, control);
}

/* Without the notice /proc/swaps is still read every 5 s while reclaim works.
 */
static void watch_swaps(struct control *control)
{
	int r;

	control->swaps_fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	if (control->swaps_fd < 0)
		r = -errno;
	else
		r = loop_add_fd(control->loop, control->swaps_fd, LOOP_PRIORITY,
				control_on_swaps, control);
	/* This kernel has no swap, which is said elsewhere. */
	if (!r || r == -ENOENT)
		return;
	log_warn("/proc/swaps cannot be watched: %s; swapon and swapoff are "
		 "noticed within 5 s of reclaim, ignoring",
		 strerror(-r));
	util_close_fd(&control->swaps_fd);
	control->swaps_fd = -1;
}

static int open_loop(struct control *control)
{
	struct loop *loop;
	int fd, r = loop_new(&control->loop);

	if (r)
		return log_err_r(r, "cannot set up the event loop: %s",
				 strerror(-r));
	loop = control->loop;
	r = loop_catch_signals(loop, control_on_signal, control);
	if (!r)
		r = loop_timer_init(loop, &control->tail, control_on_tail,
				    control);
	if (!r)
		r = loop_timer_init(loop, &control->resume, control_on_resume,
				    control);
	if (!r)
		r = loop_add_fd(loop, sense_ring_fd(control->all.sense),
				LOOP_READABLE, control_on_doorbell, control);
	if (!r)
		r = open_rivals(control);
	if (!r)
		watch_swaps(control);
	fd = tended_set_fd(&control->targets);
	if (!r && fd >= 0)
		r = loop_add_fd(loop, fd, LOOP_READABLE, control_on_births,
				control);
	return r ? log_err_r(r, "cannot set up the event loop: %s",
			     strerror(-r))
		 : 0;
}

/* Named first, before something less telling fails for want of them. */
static int check_rights(void)
{
	uint64_t mask;
	char missing[64];

	if (caps_read_effective(&mask) ||
	    !caps_name_missing_for_bpf(mask, missing, sizeof(missing)))
		return 0;
	return log_err_r(-EPERM,
			 "missing: %s (loading the BPF programs; CAP_SYS_ADMIN "
			 "before v5.8); run as root, or grant them; "
			 "'swaptend check' tells all",
			 missing);
}

/* Three file descriptors a group; what is refused shows when they run out. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		log_debug("cannot raise RLIMIT_NOFILE: %m, ignoring");
}

static int start(struct control *control)
{
	const struct sense_root root = {""};
	int r = check_rights();

	if (r)
		return r;
	r = proc_cgroup_host(&root, &control->all.host);
	if (r && r != -ENOENT)
		return log_err_r(r, "/proc/self/mountinfo: %s", strerror(-r));
	raise_file_limit();
	r = tended_set_open_walker(&control->targets, &control->all);
	control->is_unsupported = r == -ENOTSUP;
	if (!r)
		r = lock_and_recover(control);
	if (!r)
		r = open_sense(control);
	if (!r)
		r = open_loop(control);
	if (r)
		return r;
	open_tlb(control);
	tended_publish_nobody(&control->all);
	control->had_swap = true;
	r = control_read_levels(control);
	control_price_swaps(control);
	if (!r)
		r = control_walk(control);
	if (!r && tended_set_is_hopeless(&control->targets))
		return -EACCES; /* each refusal was logged */
	return r;
}

static void say_ready(const struct control *control)
{
	const struct config *config = control->all.config;
	char names[256];

	tended_set_describe(&control->targets, names, sizeof(names));
	log_notice("ready: law %s, %s%s", config->law, names,
		   config->observe ? ", observing only" : "");
}

int control_start(struct control **ret, const struct control_options *options)
{
	struct control *control = calloc(1, sizeof(*control));
	int r;

	if (!control)
		return EXIT_RUNTIME;
	control->options = *options;
	control->all.config = options->config;
	control->all.pricing.root = (struct sense_root){""};
	control->lock_fd = -1;
	control->swaps_fd = -1;
	r = start(control);
	*ret = control;
	if (!r)
		say_ready(control);
	if (!r)
		return EXIT_OK;
	return control->is_unsupported ? EXIT_UNSUPPORTED : EXIT_RUNTIME;
}

int control_stop(struct control *control)
{
	int r = 0;

	if (!control)
		return 0;
	r = tended_set_restore(&control->targets, &control->all);
	if (control->all.journal && journal_finish(control->all.journal) && !r)
		r = -EIO;
	tended_set_done(&control->targets);
	loop_timer_done(control->loop, &control->tail);
	loop_timer_done(control->loop, &control->resume);
	rivals_free(control->rivals);
	util_close_fd(&control->swaps_fd);
	loop_free(control->loop);
	tlb_bpf_close(control->tlb);
	sense_close(control->all.sense);
	journal_close(control->all.journal);
	util_close_fd(&control->lock_fd);
	free(control);
	return r;
}
