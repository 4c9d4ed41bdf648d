/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_json.h"

#include <string.h>

#include "report/tlb_text.h"
#include "report/tlb_verdict.h"

static void set_count(struct report *object, const char *key, bool is_known,
		      uint64_t count)
{
	if (is_known)
		report_set_int(object, key, (int64_t)count);
	else
		report_set_null(object, key);
}

static struct report *report_machine(const struct tlb_machine *machine)
{
	struct report *report = report_new_object();

	report_set_string(report, "node", machine->node);
	report_set_string(report, "release", machine->release);
	report_set_string(report, "arch", machine->arch);
	report_set_int(report, "online_cpus", machine->nr_online);
	report_set_bool(report, "is_hyperv", machine->is_hyperv);
	report_set_bool(report, "is_guest", machine->is_guest);
	report_set_bool(report, "has_mglru", machine->has_mglru);
	report_set_bool(report, "has_broadcast", machine->has_broadcast);
	return report;
}

static struct report *report_cpu(const struct tlb_run *run, unsigned int cpu)
{
	const struct tlb_cpu_count *count = &run->tlb_cpus[cpu];
	const struct tlb_counts *counts = &run->seen.counts;
	bool has_row = cpu < counts->nr_cpus;
	struct report *report = report_new_object();

	report_set_int(report, "cpu", cpu);
	set_count(report, "tlb", count->known == TLB_KNOWN, count->count);
	if (count->known != TLB_KNOWN)
		report_set_string(report, "why_unknown",
				  tlb_known_name(count->known));
	set_count(report, "sent", tlb_has_sends(&run->seen) && has_row,
		  tlb_cpu_sent(&run->seen, cpu));
	set_count(report, "received",
		  run->seen.receive != TLB_RECEIVE_NONE && has_row,
		  has_row ? counts->cpus[cpu].received : 0);
	set_count(report, "received_ns",
		  run->seen.receive != TLB_RECEIVE_NONE && has_row,
		  has_row ? counts->cpus[cpu].received_ns : 0);
	return report;
}

static struct report *report_cpus(const struct tlb_run *run)
{
	struct report *list = report_new_array();

	for (unsigned int cpu = 0; cpu < run->nr_cpus; cpu++)
		if (run->tlb_cpus[cpu].known != TLB_NO_CPU)
			report_append(list, report_cpu(run, cpu));
	return list;
}

static struct report *report_flushes(const struct swt_tlb_flushes *flushes)
{
	struct report *report = report_new_object();

	report_set_int(report, "events", (int64_t)flushes->events);
	report_set_int(report, "pages", (int64_t)flushes->pages);
	report_set_int(report, "full_events", (int64_t)flushes->full_events);
	return report;
}

static struct report *report_phase(const struct tlb_run *run, int phase)
{
	const struct tlb_seen *seen = &run->seen;
	struct report *report = report_new_object();
	struct report *reasons = report_new_object();

	for (int reason = 0; reason < SWT_NR_TLB_REASONS; reason++) {
		struct swt_tlb_flushes sum =
			tlb_sum_flushes(&seen->counts, phase, reason);
		const char *name = seen->reasons.name[reason];
		char number[16];

		snprintf(number, sizeof(number), "%d", reason);
		if (*name || sum.events)
			report_set(reasons, *name ? name : number,
				   report_flushes(&sum));
	}
	set_count(report, "sent", tlb_has_sends(seen),
		  tlb_phase_sent(seen, phase));
	set_count(report, "received", seen->receive == TLB_RECEIVE_FLUSH_FUNC,
		  tlb_phase_received(seen, phase));
	report_set(report, "reasons", reasons);
	return report;
}

static void set_phases(struct report *report, const struct tlb_run *run)
{
	struct report *phases;

	if (!run->seen.has_flushes) {
		report_set_null(report, "phases");
		return;
	}
	phases = report_new_object();
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		if (tlb_knows_phase(run, phase))
			report_set(phases, tlb_phase_name(phase),
				   report_phase(run, phase));
		else
			report_set_null(phases, tlb_phase_name(phase));
	report_set(report, "phases", phases);
}

static void set_senders(struct report *report, const struct tlb_run *run)
{
	struct report *list;

	if (!tlb_has_sends(&run->seen)) {
		report_set_null(report, "senders");
		return;
	}
	list = report_new_array();
	for (unsigned int i = 0; i < run->nr_senders; i++) {
		const struct tlb_sender *sender = &run->senders[i];
		struct report *one = report_new_object();
		char name[sizeof(sender->key.command) + 1] = "";

		memcpy(name, sender->key.command, sizeof(sender->key.command));
		report_set_int(one, "pid", sender->key.tgid);
		report_set_string(one, "command", name);
		report_set_int(one, "shootdowns",
			       (int64_t)sender->sent.shootdowns);
		report_set_int(one, "reclaim_shootdowns",
			       (int64_t)sender->sent.reclaim_shootdowns);
		report_append(list, one);
	}
	report_set(report, "senders", list);
}

static void set_ticks(struct report *report, const struct tlb_run *run)
{
	struct report *ticks;

	if (!run->has_ticks) {
		report_set_null(report, "cpu_ticks");
		return;
	}
	ticks = report_new_object();
	for (int i = 0; i < TLB_NR_TICKS; i++)
		report_set_int(ticks, tlb_tick_name(i),
			       (int64_t)run->ticks.of[i]);
	report_set_int(ticks, "total", (int64_t)tlb_sum_ticks(&run->ticks));
	report_set_int(ticks, "ticks_per_s", run->ticks_per_s);
	report_set(report, "cpu_ticks", ticks);
}

static struct report *report_cost(const struct tlb_seen *seen)
{
	struct report *report = report_new_object();
	uint64_t received = tlb_sum_received(&seen->counts);
	uint64_t ns = tlb_sum_received_ns(&seen->counts);
	bool is_known = seen->receive != TLB_RECEIVE_NONE;

	report_set_string(report, "method", tlb_receive_name(seen->receive));
	report_set_string(report, "includes",
			  tlb_receive_includes(seen->receive));
	set_count(report, "received", is_known, received);
	set_count(report, "total", is_known, ns);
	set_count(report, "per_shootdown", is_known && received,
		  received ? ns / received : 0);
	return report;
}

static void set_overhead(struct report *report, const struct tlb_seen *seen)
{
	const struct tlb_counts *counts = &seen->counts;
	struct report *own;

	if (!seen->is_on) {
		report_set_null(report, "overhead");
		return;
	}
	own = report_new_object();
	set_count(own, "controller_pid", seen->counting_pid,
		  seen->counting_pid);
	set_count(own, "events", counts->has_run_times, counts->programs_runs);
	set_count(own, "total_ns", counts->has_run_times, counts->programs_ns);
	report_set_int(own, "missed_events", (int64_t)counts->missed_runs);
	report_set(report, "overhead", own);
}

static struct report *report_verdict(const struct tlb_run *run)
{
	static const char *const shares[] = {
		[TLB_SHARE_NONE] = NULL,
		[TLB_SHARE_RECEIVED] = "received",
		[TLB_SHARE_SENT] = "sent",
	};
	struct report *report = report_new_object();
	struct tlb_verdict verdict;

	tlb_verdict_make(run, &verdict);
	report_set_string(report, "kind", tlb_verdict_name(verdict.kind));
	report_set_bool(report, "is_count_trusted", verdict.is_trusted);
	report_set_string(report, "share_of", shares[verdict.share]);
	set_count(report, "reclaim_permille", verdict.share != TLB_SHARE_NONE,
		  verdict.reclaim_permille);
	report_set_string(report, "sentence", verdict.sentence);
	return report;
}

static void set_head(struct report *report, const struct tlb_run *run)
{
	report_set_string(report, "format", TLB_JSON_FORMAT);
	report_set_int(report, "version", TLB_JSON_VERSION);
	report_set(report, "machine", report_machine(&run->machine));
	report_set_string(report, "command",
			  *run->command ? run->command : NULL);
	set_count(report, "exit_status", *run->command,
		  (uint64_t)run->exit_status);
	report_set_int(report, "duration_ns", (int64_t)run->duration_ns);
	report_set_bool(report, "has_swap", run->has_swap);
}

static void set_lines(struct report *report, const struct tlb_run *run)
{
	report_set(report, "per_cpu", report_cpus(run));
	set_count(report, "hsum", run->tlb.is_available, run->tlb.sum);
	report_set_bool(report, "hsum_is_partial", run->tlb.is_partial);
	set_count(report, "hsum_since_boot", run->tlb.is_available,
		  run->tlb.since_boot);
	set_count(report, "cal", run->cal.is_available, run->cal.sum);
	set_count(report, "sent", tlb_has_sends(&run->seen),
		  tlb_sum_sent(&run->seen));
}

struct report *tlb_json_new(const struct tlb_run *run)
{
	struct report *report = report_new_object();
	struct report *missing = report_new_array();

	set_head(report, run);
	set_lines(report, run);
	set_phases(report, run);
	report_set_bool(report, "has_phases", run->seen.has_phases);
	set_senders(report, run);
	set_ticks(report, run);
	report_set(report, "cost_ns", report_cost(&run->seen));
	set_count(report, "anon_aged_without_swap_pages", tlb_knows_aging(run),
		  tlb_sum_aged_no_swap_pages(&run->seen.counts));
	set_overhead(report, &run->seen);
	for (unsigned int i = 0; i < run->nr_missing; i++)
		report_append_string(missing, run->missing[i]);
	report_set(report, "missing", missing);
	report_set(report, "verdict", report_verdict(run));
	return report;
}
