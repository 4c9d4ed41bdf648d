/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend status`: the pinned maps, and the knob, as they are now. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "act/journal.h"
#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/prices.h"
#include "loop.h"
#include "report/json.h"
#include "sense/bpf.h"
#include "sense/proc.h"

/* Raise it when a key changes its meaning or goes away. */
#define STATUS_SCHEMA 1

struct status_arguments {
	bool json;
	const char *run_dir;
};

static const char *const lost_names[SWT_NR_LOST] = {
	[SWT_LOST_GROUP_MAP_FULL] = "group_map_full",
	[SWT_LOST_RUN_MAP_FULL] = "run_map_full",
	[SWT_LOST_DOORBELL_FULL] = "doorbell_full",
	[SWT_LOST_NO_CGROUP] = "no_cgroup",
	[SWT_LOST_BAD_PRIORITY] = "bad_priority",
	[SWT_LOST_COST_MAP_FULL] = "cost_map_full",
	[SWT_LOST_IO_SLOT] = "io_slot",
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct status_arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case 'd':
		arguments->run_dir = value;
		return 0;
	case ARGP_KEY_ARG:
		return cmd_usage_error(state, "'%s' is no option", value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint64_t age_ms(uint64_t at_ns)
{
	uint64_t now_ns = loop_now_ns();

	return at_ns && now_ns > at_ns ? (now_ns - at_ns) / 1000000 : 0;
}

static uint64_t sum_passes(const struct swt_reclaim *row, int source)
{
	uint64_t sum = 0;

	for (int priority = 0; priority < SWT_NR_PRIORITIES; priority++)
		sum += row->passes[source][priority];
	return sum;
}

static struct report *report_passes(const struct swt_reclaim *row)
{
	static const char *const names[SWT_NR_SOURCES] = {"kswapd", "direct",
							  "memcg"};
	struct report *report = report_new_object();

	for (int source = 0; source < SWT_NR_SOURCES; source++) {
		struct report *by_priority = report_new_object();

		for (int priority = 0; priority < SWT_NR_PRIORITIES;
		     priority++) {
			char key[12];

			snprintf(key, sizeof(key), "%d", priority);
			report_set_int(by_priority, key,
				       (int64_t)row->passes[source][priority]);
		}
		report_set(report, names[source], by_priority);
	}
	return report;
}

static struct report *report_pair(const __u64 pages[SWT_NR_LRUS])
{
	struct report *report = report_new_object();

	report_set_int(report, "anon", (int64_t)pages[SWT_ANON]);
	report_set_int(report, "file", (int64_t)pages[SWT_FILE]);
	return report;
}

static struct report *report_reclaim(const struct swt_reclaim *row)
{
	struct report *report = report_new_object();

	report_set(report, "passes", report_passes(row));
	report_set(report, "scanned_pages", report_pair(row->scanned_pages));
	report_set(report, "reclaimed_pages",
		   report_pair(row->reclaimed_pages));
	report_set(report, "activated_pages",
		   report_pair(row->activated_pages));
	report_set(report, "aged_pages", report_pair(row->aged_pages));
	report_set_int(report, "aged_anon_no_swap_pages",
		       (int64_t)row->aged_anon_no_swap_pages);
	report_set_int(report, "last_pass_age_ms",
		       (int64_t)age_ms(row->last_pass_ns));
	return report;
}

static void report_foreign(struct report *report, const struct swt_law *law)
{
	report_set_bool(report, "is_standing_aside", law->is_standing_aside);
	if (law->foreign_value < 0) {
		report_set_null(report, "foreign_write");
		return;
	}
	{
		struct report *write = report_new_object();

		report_set_int(write, "swappiness", law->foreign_value);
		report_set_int(write, "pid", law->foreign_pid);
		report_set(report, "foreign_write", write);
	}
}

static struct report *report_target(uint64_t id, const struct swt_law *law,
				    const struct swt_reclaim *row)
{
	struct report *report = report_new_object();

	report_set_string(report, "path", law->path);
	report_set_int(report, "cgroup_id", (int64_t)id);
	report_set_string(report, "law", law->law);
	report_set_int(report, "swappiness", law->swappiness);
	report_set_int(report, "original", law->original);
	report_set_int(report, "base", law->base);
	report_set_int(report, "top", law->top);
	report_set_int(report, "min", law->min);
	report_set_int(report, "max", law->max);
	report_set_string(report, "reason", law->reason);
	report_set_int(report, "passes", (int64_t)law->passes);
	report_set_int(report, "state_permille", law->state_permille);
	report_set_int(report, "distress_pct", law->distress_pct);
	report_set_int(report, "mapped_ratio_pct", law->mapped_ratio_pct);
	report_set_int(report, "tendency_pct", law->tendency_pct);
	report_set_int(report, "decisions", (int64_t)law->decisions);
	report_set_int(report, "writes", (int64_t)law->writes);
	report_set_int(report, "decided_age_ms",
		       (int64_t)age_ms(law->decided_at_ns));
	report_set_bool(report, "is_observing", law->is_observing);
	report_foreign(report, law);
	report_set(report, "prices", prices_report(law));
	report_set(report, "reclaim", report_reclaim(row));
	return report;
}

static void print_target(const struct swt_law *law,
			 const struct swt_reclaim *row)
{
	printf("%s: swappiness %d (original %d, %d..%d), law %s, reason %s%s\n",
	       law->path, law->swappiness, law->original, law->min, law->max,
	       law->law, law->reason,
	       law->is_observing ? ", observing only" : "");
	printf("  state %u/1000, distress %u %%, mapped ratio %u %%, tendency "
	       "%u %%; %" PRIu64 " decisions, %" PRIu64 " writes\n",
	       law->state_permille, law->distress_pct, law->mapped_ratio_pct,
	       law->tendency_pct, (uint64_t)law->decisions,
	       (uint64_t)law->writes);
	printf("  passes: kswapd %" PRIu64 ", direct %" PRIu64
	       ", cgroup limit %" PRIu64 "\n",
	       sum_passes(row, SWT_KSWAPD), sum_passes(row, SWT_DIRECT),
	       sum_passes(row, SWT_MEMCG));
	prices_print(stdout, law);
	if (law->is_standing_aside)
		printf("  standing aside: pid %d wrote %d; SIGHUP or a restart "
		       "resumes\n",
		       law->foreign_pid, law->foreign_value);
}

/* Visits the system's row, if it is a target, then the groups'. */
static void each_target(struct pins *pins, struct report *list, bool json)
{
	struct swt_law law;
	struct swt_reclaim row;
	uint64_t id = 0;
	bool has_row = !pins_read_law(pins, &law) && law.law[0];

	while (has_row || pins_next_target(pins, &id, &law) > 0) {
		uint64_t row_id = has_row ? SWT_SYSTEM_ID : id;

		memset(&row, 0, sizeof(row));
		/* -ENOENT: no reclaim there yet, all zeros. */
		IGNORE_RESULT(pins_read_group(pins, row_id, &row));
		if (json)
			report_append(list, report_target(row_id, &law, &row));
		else
			print_target(&law, &row);
		has_row = false;
	}
}

/* The knob as it is; -1: it cannot be read. */
static int read_swappiness(void)
{
	const struct sense_root root = {""};
	_cleanup_free_ char *text = NULL;
	int value;

	if (proc_read_file(&root, "/proc/sys/vm/swappiness", &text) ||
	    parse_int(text, 0, SWAPPINESS_MAX, &value))
		return -1;
	return value;
}

/* Whoever holds the lock runs; 0: nobody. */
static int running_pid(const char *run_dir)
{
	int pid = 0;

	return journal_peek_lock(run_dir, &pid) == -EBUSY ? pid : 0;
}

static void report_lost(struct report *report, struct pins *pins)
{
	uint64_t lost[SWT_NR_LOST] = {0};
	struct report *object = report_new_object();

	if (!pins_read_lost(pins, lost))
		for (int reason = 0; reason < SWT_NR_LOST; reason++)
			report_set_int(object, lost_names[reason],
				       (int64_t)lost[reason]);
	report_set(report, "lost", object);
}

static int print_json(struct pins *pins, int pid)
{
	struct report *report = report_new_object();
	struct report *targets = report_new_array();
	int r;

	report_set_int(report, "schema", STATUS_SCHEMA);
	report_set_bool(report, "is_running", pid != 0);
	report_set_int(report, "pid", pid);
	report_set_bool(report, "has_maps", pins != NULL);
	report_set_int(report, "vm_swappiness", read_swappiness());
	if (pins) {
		each_target(pins, targets, true);
		report_set(report, "devices", prices_report_devices(pins));
		report_lost(report, pins);
	}
	report_set(report, "targets", targets);
	r = report_write(report, stdout);
	report_free(report);
	return r ? cmd_fail(EXIT_RUNTIME, "cannot write: %s", strerror(-r))
		 : EXIT_OK;
}

static void print_lost(struct pins *pins)
{
	uint64_t lost[SWT_NR_LOST];

	if (pins_read_lost(pins, lost))
		return;
	for (int reason = 0; reason < SWT_NR_LOST; reason++)
		if (lost[reason])
			printf("lost: %" PRIu64 " (%s); the counts are lower "
			       "bounds\n",
			       lost[reason], lost_names[reason]);
}

static int print_text(struct pins *pins, int pid)
{
	if (pid)
		printf("running: pid %d\n", pid);
	else
		printf("not running%s\n",
		       pins ? "; the maps are what a crashed run left" : "");
	if (pid && !pins)
		printf("nothing is pinned (--no-pin, or no bpf file system): "
		       "no details\n");
	printf("vm.swappiness %d\n", read_swappiness());
	if (pins) {
		each_target(pins, NULL, false);
		prices_print_devices(stdout, pins);
		print_lost(pins);
	}
	return EXIT_OK;
}

int cmd_status(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0, "JSON instead of text", 0},
		{"run-dir", 'd', "DIR", OPTION_HIDDEN, "Where the lock is", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.doc = "Shows what is measured, decided and applied, from the "
		       "maps pinned in " BPF_PIN_DIR ".",
	};
	struct status_arguments arguments = {.run_dir = JOURNAL_DIR};
	struct pins *pins = NULL;
	int pid, r = cmd_parse(&argp, argc, argv, &arguments);

	if (r)
		return r;
	r = pins_open(&pins, BPF_PIN_DIR);
	if (r == -EPROTO)
		return cmd_fail(EXIT_RUNTIME,
				"%s was pinned by another version of swaptend; "
				"use that one, or restart the instance",
				BPF_PIN_DIR);
	if (r == -EPERM || r == -EACCES)
		return cmd_fail(EXIT_RUNTIME,
				"%s may not be read: root, or CAP_BPF and "
				"CAP_DAC_OVERRIDE, is needed",
				BPF_PIN_DIR);
	pid = running_pid(arguments.run_dir);
	r = arguments.json ? print_json(pins, pid) : print_text(pins, pid);
	pins_close(pins);
	return r;
}
