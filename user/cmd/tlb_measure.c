/* SPDX-License-Identifier: GPL-2.0-only */
/* From the first look to the report. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/tlb_child.h"
#include "cmd/tlb_look.h"
#include "cmd/tlb_private.h"
#include "loop.h"
#include "report/tlb_json.h"
#include "report/tlb_saved.h"
#include "report/tlb_text.h"
#include "sense/bpf.h"

#define NS_PER_MS 1000000

struct measure {
	const struct tlb_arguments *arguments;
	struct loop *loop;
	struct loop_timer end_timer;
	struct loop_timer every_timer;
	struct tlb_bpf *bpf; /* NULL: none */
	char bpf_error[TLB_TEXT_LEN];
	struct tlb_child child;
	int exit_status; /* of the command */
	int swaps_fd;
	bool has_swap;
	bool has_swap_changed;
	FILE *out;  /* of the report */
	FILE *live; /* of the table of intervals */
	unsigned int nr_lines;
	struct tlb_save save;
	struct tlb_snapshot *first;
	struct tlb_snapshot *last; /* of the live table */
};

static int on_signal(int signal_number, void *context)
{
	struct measure *measure = context;

	/* The command's end is the end. */
	if (measure->child.pid)
		tlb_child_signal(&measure->child, signal_number);
	else
		loop_stop(measure->loop);
	return 0;
}

static int on_child_end(void *context)
{
	struct measure *measure = context;

	loop_remove_fd(measure->loop, measure->child.pid_fd);
	measure->exit_status = tlb_child_wait(&measure->child);
	loop_stop(measure->loop);
	return 0;
}

static int on_end(void *context)
{
	struct measure *measure = context;

	loop_stop(measure->loop);
	return 0;
}

static int on_swaps(void *context)
{
	struct measure *measure = context;
	bool has_swap = proc_tlb_has_swap(&measure->arguments->root);
	char byte;

	/* Polling tells of changes since the last read. */
	(void)!pread(measure->swaps_fd, &byte, 1, 0);
	measure->has_swap_changed |= has_swap != measure->has_swap;
	measure->has_swap = has_swap;
	if (measure->bpf)
		tlb_bpf_set_swap(measure->bpf, has_swap);
	return 0;
}

static int print_interval(struct measure *measure,
			  const struct tlb_snapshot *now)
{
	struct tlb_run interval = {.has_swap = measure->has_swap};
	uint64_t elapsed_ms = (now->at_ns - measure->first->at_ns) / NS_PER_MS;
	int r = tlb_snapshot_delta(measure->last, now, measure->bpf, &interval);

	if (!r)
		tlb_text_live(measure->live, &interval, elapsed_ms,
			      measure->nr_lines++);
	tlb_run_done(&interval);
	return r;
}

static int on_every(void *context)
{
	struct measure *measure = context;
	struct tlb_snapshot *now =
		tlb_snapshot_new(&measure->arguments->root, measure->bpf);
	int r = now ? print_interval(measure, now) : -ENOMEM;

	if (measure->last != measure->first)
		tlb_snapshot_free(measure->last);
	measure->last = now ? now : measure->first;
	return r ? r
		 : loop_timer_arm_ms(&measure->every_timer,
				     measure->arguments->every_ms);
}

static int start_timers(struct measure *measure)
{
	const struct tlb_arguments *arguments = measure->arguments;
	int r = 0;

	if (arguments->duration_ms) {
		r = loop_timer_init(measure->loop, &measure->end_timer, on_end,
				    measure);
		if (!r)
			r = loop_timer_arm_ms(&measure->end_timer,
					      arguments->duration_ms);
	}
	if (!r && arguments->every_ms) {
		r = loop_timer_init(measure->loop, &measure->every_timer,
				    on_every, measure);
		if (!r)
			r = loop_timer_arm_ms(&measure->every_timer,
					      arguments->every_ms);
	}
	return r;
}

/* After the fork: the command's signals are as the user has them. */
static int set_up_loop(struct measure *measure)
{
	int r = loop_new(&measure->loop);

	if (!r)
		r = loop_catch_signals(measure->loop, on_signal, measure);
	if (!r && measure->child.pid)
		r = loop_add_fd(measure->loop, measure->child.pid_fd,
				LOOP_READABLE, on_child_end, measure);
	measure->swaps_fd = open("/proc/swaps", O_RDONLY | O_CLOEXEC);
	if (!r && measure->swaps_fd >= 0)
		r = loop_add_fd(measure->loop, measure->swaps_fd, LOOP_PRIORITY,
				on_swaps, measure);
	return r;
}

static void open_bpf(struct measure *measure)
{
	const struct tlb_arguments *arguments = measure->arguments;
	const struct tlb_bpf_options bpf_options = {
		.btf_path = arguments->btf_path,
		.shared_dir = BPF_PIN_DIR,
		.with_task_switch = arguments->with_task_switch,
		.has_swap = measure->has_swap,
		.receive_wanted = arguments->receive,
	};

	if (arguments->without_bpf)
		snprintf(measure->bpf_error, sizeof(measure->bpf_error),
			 "--no-bpf: only what /proc tells");
	else if (tlb_bpf_open(&measure->bpf, &bpf_options, measure->bpf_error,
			      sizeof(measure->bpf_error)))
		measure->bpf = NULL;
}

static int open_files(struct measure *measure)
{
	const struct tlb_arguments *arguments = measure->arguments;
	int r;

	measure->out = stdout;
	if (arguments->output)
		measure->out = fopen(arguments->output, "we");
	if (!measure->out)
		return cmd_fail(EXIT_RUNTIME, "'%s': %s", arguments->output,
				strerror(errno));
	measure->live = arguments->json ? stderr : measure->out;
	if (!arguments->save)
		return EXIT_OK;
	r = tlb_save_begin(&measure->save, arguments->save);
	return r ? cmd_fail(EXIT_RUNTIME, "'%s': %s", arguments->save,
			    r == -EINVAL ? "not a plain file" : strerror(-r))
		 : EXIT_OK;
}

static void name_command(const struct tlb_arguments *arguments,
			 char ret[TLB_TEXT_LEN])
{
	size_t len = 0;

	for (int i = 0; i < arguments->nr_words && len < TLB_TEXT_LEN; i++)
		len += (size_t)snprintf(ret + len, TLB_TEXT_LEN - len, "%s%s",
					i ? " " : "", arguments->words[i]);
	/* Whatever the words hold, no line of the report is theirs. */
	for (char *s = ret; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

static void tell_missing(const struct measure *measure, struct tlb_run *run)
{
	const char *missing;

	if (!measure->bpf)
		tlb_run_miss(run,
			     "no BPF programs, so no reasons, phases, "
			     "senders or cost: %.160s",
			     measure->bpf_error);
	for (unsigned int i = 0;
	     measure->bpf && (missing = tlb_bpf_missing(measure->bpf, i)); i++)
		tlb_run_miss(run, "%s", missing);
	if (measure->has_swap_changed)
		tlb_run_miss(run, "swap came or went meanwhile: what was aged "
				  "in that moment may count as without swap");
}

static int build_run(struct measure *measure, struct tlb_run *ret)
{
	const struct tlb_arguments *arguments = measure->arguments;
	struct tlb_snapshot *now =
		tlb_snapshot_new(&arguments->root, measure->bpf);
	int r = now ? tlb_snapshot_delta(measure->first, now, measure->bpf, ret)
		    : -ENOMEM;

	if (!r) {
		proc_tlb_machine(&arguments->root, &now->proc, &ret->machine);
		name_command(arguments, ret->command);
		ret->exit_status = measure->exit_status;
		ret->has_swap = measure->has_swap;
		tell_missing(measure, ret);
	}
	tlb_snapshot_free(now);
	return r;
}

static int write_run(struct measure *measure, const struct tlb_run *run)
{
	struct report *report = tlb_json_new(run);
	int r = 0;

	if (measure->arguments->json)
		r = report_write(report, measure->out);
	else
		tlb_text_print(measure->out, run, measure->arguments->top);
	if (!r && (fflush(measure->out) || ferror(measure->out)))
		r = -EIO;
	if (r)
		r = cmd_fail(EXIT_RUNTIME, "cannot write the report: %s",
			     strerror(-r));
	if (measure->arguments->save) {
		int saved = tlb_save_commit(&measure->save, report);

		if (saved)
			r = cmd_fail(EXIT_RUNTIME, "'%s': %s",
				     measure->arguments->save,
				     strerror(-saved));
	}
	report_free(report);
	return r;
}

static int report_run(struct measure *measure)
{
	struct tlb_run run = {.nr_cpus = 0};
	int r = build_run(measure, &run);

	r = r ? cmd_fail(EXIT_RUNTIME, "cannot measure: %s", strerror(-r))
	      : write_run(measure, &run);
	tlb_run_done(&run);
	return r ? r : measure->exit_status;
}

/* A line to know before it is over, and whether there is anything at all. */
static int check_sources(const struct measure *measure)
{
	int error = measure->first->proc.interrupts_error;

	if (!measure->bpf && error)
		return cmd_fail(EXIT_UNSUPPORTED,
				"nothing can be counted: /proc/interrupts: %s; "
				"BPF: %s",
				strerror(-error), measure->bpf_error);
	if (!measure->bpf && !measure->arguments->without_bpf)
		fprintf(stderr, "swaptend: only what /proc tells: %s\n",
			measure->bpf_error);
	return EXIT_OK;
}

static int start_command(struct measure *measure)
{
	const char *name = measure->arguments->nr_words
				   ? measure->arguments->words[0]
				   : NULL;
	int r = name ? tlb_child_start(&measure->child) : 0;

	return r ? cmd_fail(tlb_child_exec_status(r), "cannot run '%s': %s",
			    name, strerror(-r))
		 : EXIT_OK;
}

static int measure_all(struct measure *measure)
{
	const struct tlb_arguments *arguments = measure->arguments;
	int r = open_files(measure);

	if (r)
		return r;
	if (arguments->nr_words)
		r = tlb_child_fork(&measure->child, arguments->words);
	if (!r)
		r = set_up_loop(measure);
	if (r)
		return cmd_fail(EXIT_RUNTIME, "cannot start: %s", strerror(-r));
	measure->has_swap = proc_tlb_has_swap(&arguments->root);
	open_bpf(measure);
	measure->first = tlb_snapshot_new(&arguments->root, measure->bpf);
	measure->last = measure->first;
	if (!measure->first)
		return cmd_fail(EXIT_RUNTIME, "no memory");
	r = check_sources(measure);
	if (!r)
		r = start_command(measure);
	if (r)
		return r;
	r = start_timers(measure);
	if (!r)
		r = loop_run(measure->loop);
	if (r)
		return cmd_fail(EXIT_RUNTIME, "cannot go on: %s", strerror(-r));
	return report_run(measure);
}

int tlb_measure(const struct tlb_arguments *arguments)
{
	struct measure measure = {
		.arguments = arguments,
		.swaps_fd = -1,
		.child = TLB_CHILD_NONE,
	};
	int r = measure_all(&measure);

	if (measure.loop) {
		loop_timer_done(measure.loop, &measure.end_timer);
		loop_timer_done(measure.loop, &measure.every_timer);
	}
	tlb_child_done(&measure.child);
	loop_free(measure.loop);
	util_close_fd(&measure.swaps_fd);
	tlb_bpf_close(measure.bpf);
	if (measure.last != measure.first)
		tlb_snapshot_free(measure.last);
	tlb_snapshot_free(measure.first);
	tlb_save_done(&measure.save);
	if (measure.out && measure.out != stdout)
		fclose(measure.out);
	return r;
}
