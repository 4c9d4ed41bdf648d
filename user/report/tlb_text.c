/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/tlb_table.h"
#include "report/tlb_verdict.h"
#include "util.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000
#define US_PER_MS 1000
#define MS_PER_S 1000

/* Above so many CPUs those that have only zeros are left out. */
#define MANY_CPUS 64

enum row { ROW_TLB, ROW_SENT, ROW_RECEIVED };

static const struct swt_tlb *bpf_cpu(const struct tlb_run *run,
				     unsigned int cpu)
{
	return cpu < run->seen.counts.nr_cpus ? &run->seen.counts.cpus[cpu]
					      : NULL;
}

static void put_count(char ret[TLB_CELL_LEN], uint64_t count)
{
	snprintf(ret, TLB_CELL_LEN, "%" PRIu64, count);
}

static void cell_tlb(const struct tlb_run *run, unsigned int cpu,
		     char ret[TLB_CELL_LEN])
{
	snprintf(ret, TLB_CELL_LEN, "-");
	if (cpu != TLB_TABLE_SUM) {
		if (cpu < run->nr_cpus && run->tlb_cpus[cpu].known == TLB_KNOWN)
			put_count(ret, run->tlb_cpus[cpu].count);
	} else if (run->tlb.is_available) {
		snprintf(ret, TLB_CELL_LEN, "%s%" PRIu64,
			 run->tlb.is_partial ? ">=" : "", run->tlb.sum);
	}
}

static void cell_of(const void *context, unsigned int row, unsigned int cpu,
		    char ret[TLB_CELL_LEN])
{
	const struct tlb_run *run = context;
	const struct swt_tlb *one;

	if (row == ROW_TLB) {
		cell_tlb(run, cpu, ret);
	} else if (row == ROW_SENT && !tlb_has_sends(&run->seen)) {
		snprintf(ret, TLB_CELL_LEN, "-");
	} else if (row == ROW_SENT) {
		put_count(ret, cpu == TLB_TABLE_SUM
				       ? tlb_sum_sent(&run->seen)
				       : tlb_cpu_sent(&run->seen, cpu));
	} else {
		one = bpf_cpu(run, cpu);
		put_count(ret, cpu == TLB_TABLE_SUM
				       ? tlb_sum_received(&run->seen.counts)
			       : one ? one->received
				     : 0);
	}
}

static bool is_all_zeros(const struct tlb_run *run, unsigned int cpu)
{
	const struct swt_tlb *one = bpf_cpu(run, cpu);

	return run->tlb_cpus[cpu].known == TLB_KNOWN &&
	       !run->tlb_cpus[cpu].count && !tlb_cpu_sent(&run->seen, cpu) &&
	       !(one && one->received);
}

/* The CPUs that get a column; *left_out: those with zeros that do not. */
static unsigned int choose_cpus(const struct tlb_run *run, unsigned int *ret,
				unsigned int *left_out)
{
	bool is_many = run->machine.nr_online > MANY_CPUS;
	unsigned int count = 0;

	*left_out = 0;
	for (unsigned int cpu = 0; cpu < run->nr_cpus; cpu++) {
		if (run->tlb_cpus[cpu].known == TLB_NO_CPU)
			continue;
		if (is_many && is_all_zeros(run, cpu))
			++*left_out;
		else
			ret[count++] = cpu;
	}
	return count;
}

static void print_unknown_cpus(FILE *out, const struct tlb_run *run)
{
	if (!run->tlb.is_available) {
		fputs("TLB: not available: no such line\n", out);
		return;
	}
	for (unsigned int cpu = 0; cpu < run->nr_cpus; cpu++) {
		enum tlb_known known = run->tlb_cpus[cpu].known;

		if (known != TLB_KNOWN && known != TLB_NO_CPU)
			fprintf(out, "CPU%u: unknown: %s; HSUM is partial\n",
				cpu, tlb_known_name(known));
	}
}

static void print_cpus(FILE *out, const struct tlb_run *run)
{
	static const char *const labels[] = {"TLB", "sent", "received"};
	_cleanup_free_ unsigned int *cpus =
		calloc(run->nr_cpus + 1, sizeof(*cpus));
	struct tlb_table table = {
		.labels = labels,
		.nr_rows = tlb_has_sends(&run->seen) ? 2 : 1,
		.cpus = cpus,
		.cell = cell_of,
		.context = run,
	};
	unsigned int left_out;

	if (!cpus)
		return;
	/* Function calls of any kind are no column beside shootdowns. */
	if (run->seen.receive == TLB_RECEIVE_FLUSH_FUNC)
		table.nr_rows = SWT_ARRAY_SIZE(labels);
	table.nr_cpus = choose_cpus(run, cpus, &left_out);
	tlb_table_print(out, &table);
	if (left_out)
		fprintf(out, "%u CPUs with 0 are left out\n", left_out);
	print_unknown_cpus(out, run);
	if (run->cal.is_available)
		fprintf(out, "function-call interrupts (CAL): %s%" PRIu64 "\n",
			run->cal.is_partial ? ">=" : "", run->cal.sum);
	if (tlb_has_sends(&run->seen))
		fputs("sent: once, however many CPUs it is for, even if all "
		      "turn out to be idle\n",
		      out);
}

/* A row of the matrix: a count by phase, and their sum. */
static void print_phases(FILE *out, const struct tlb_run *run,
			 const char *label,
			 const uint64_t counts[SWT_NR_TLB_PHASES])
{
	uint64_t sum = 0;

	fprintf(out, "%-26s", label);
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++) {
		if (tlb_knows_phase(run, phase))
			fprintf(out, " %11" PRIu64, counts[phase]);
		else
			fprintf(out, " %11s", "-");
		sum += counts[phase];
	}
	fprintf(out, " %12" PRIu64 "\n", sum);
}

static void print_reason(FILE *out, const struct tlb_run *run, int reason)
{
	uint64_t events[SWT_NR_TLB_PHASES], pages[SWT_NR_TLB_PHASES];
	uint64_t full[SWT_NR_TLB_PHASES];
	const char *name = run->seen.reasons.name[reason];
	char label[64];

	if (!tlb_sum_flushes(&run->seen.counts, -1, reason).events)
		return;
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++) {
		struct swt_tlb_flushes sum =
			tlb_sum_flushes(&run->seen.counts, phase, reason);

		events[phase] = sum.events;
		pages[phase] = sum.pages;
		full[phase] = sum.full_events;
	}
	if (*name)
		snprintf(label, sizeof(label), "%s", name);
	else
		snprintf(label, sizeof(label), "reason %d", reason);
	print_phases(out, run, label, events);
	print_phases(out, run, "  pages", pages);
	print_phases(out, run, "  of everything", full);
}

static void print_matrix(FILE *out, const struct tlb_run *run)
{
	static const char *const phases[SWT_NR_TLB_PHASES] = {
		[SWT_TLB_OUTSIDE] = "no reclaim",
		[SWT_TLB_AGE_ANON] = "aging anon",
		[SWT_TLB_AGE_FILE] = "aging file",
		[SWT_TLB_EVICT_ANON] = "evict anon",
		[SWT_TLB_EVICT_FILE] = "evict file",
		[SWT_TLB_OTHER_RECLAIM] = "other recl.",
		[SWT_TLB_UNKNOWN] = "not known",
	};
	uint64_t received[SWT_NR_TLB_PHASES];

	if (!run->seen.has_flushes)
		return;
	fprintf(out, "\nflushes, by reason and by what the task did%s\n%-26s",
		run->seen.has_phases ? "" : " (reclaim is not followed)", "");
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		fprintf(out, " %11s", phases[phase]);
	fprintf(out, " %12s\n", "sum");
	for (int reason = 0; reason < SWT_NR_TLB_REASONS; reason++)
		print_reason(out, run, reason);
	if (run->seen.receive != TLB_RECEIVE_FLUSH_FUNC)
		return;
	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		received[phase] = tlb_phase_received(&run->seen, phase);
	print_phases(out, run, "received, of the sender's", received);
}

/* Others choose this name: nothing that moves a cursor. */
static void print_name(FILE *out, const char name[16])
{
	for (int i = 0; i < 16 && name[i]; i++)
		fputc(name[i] >= ' ' && name[i] <= '~' ? name[i] : '?', out);
}

static void print_senders(FILE *out, const struct tlb_run *run,
			  unsigned int max)
{
	if (!run->nr_senders || !max)
		return;
	fprintf(out, "\n%12s %12s %8s  %s\n", "sent", "in reclaim", "pid",
		"command");
	for (unsigned int i = 0; i < run->nr_senders && i < max; i++) {
		const struct tlb_sender *sender = &run->senders[i];

		fprintf(out, "%12" PRIu64 " %12" PRIu64 " %8u  ",
			(uint64_t)sender->sent.shootdowns,
			(uint64_t)sender->sent.reclaim_shootdowns,
			sender->key.tgid);
		print_name(out, sender->key.command);
		fputc('\n', out);
	}
}

static void print_ticks(FILE *out, const struct tlb_run *run)
{
	uint64_t total = tlb_sum_ticks(&run->ticks);

	if (!run->has_ticks)
		return;
	fprintf(out, "\nCPU time, all CPUs: ticks of 1/%u s, and seconds\n",
		run->ticks_per_s);
	for (int i = 0; i < TLB_NR_TICKS; i++)
		fprintf(out, "%11s", tlb_tick_name(i));
	fprintf(out, "%11s\n", "total");
	for (int i = 0; i < TLB_NR_TICKS; i++)
		fprintf(out, "%11" PRIu64, run->ticks.of[i]);
	fprintf(out, "%11" PRIu64 "\n", total);
	for (int i = 0; i <= TLB_NR_TICKS; i++) {
		uint64_t ms = (i < TLB_NR_TICKS ? run->ticks.of[i] : total) *
			      MS_PER_S / run->ticks_per_s;

		fprintf(out, "%7" PRIu64 ".%03" PRIu64, ms / MS_PER_S,
			ms % MS_PER_S);
	}
	fputs("\nguest is part of user, guest_nice of nice; the total counts "
	      "them once\n",
	      out);
}

const char *tlb_receive_includes(enum tlb_receive receive)
{
	switch (receive) {
	case TLB_RECEIVE_CALL:
		return "every function-call interrupt, whatever it is for, "
		       "with all that runs in it";
	case TLB_RECEIVE_FLUSH_FUNC:
		return "flush_tlb_func for others (before v5.13 also the "
		       "sender's own), without entry and exit of the "
		       "interrupt";
	default:
		return "not measured";
	}
}

static void print_cost(FILE *out, const struct tlb_run *run)
{
	const struct tlb_counts *counts = &run->seen.counts;
	uint64_t received = tlb_sum_received(counts);
	uint64_t ns = tlb_sum_received_ns(counts);

	if (!run->seen.is_on)
		return;
	fprintf(out, "\nreceiving (%s: %s)",
		tlb_receive_name(run->seen.receive),
		tlb_receive_includes(run->seen.receive));
	if (run->seen.receive != TLB_RECEIVE_NONE)
		fprintf(out,
			": %" PRIu64 ".%03" PRIu64 " CPU ms, %" PRIu64 " times",
			ns / NS_PER_MS, ns % NS_PER_MS / US_PER_MS, received);
	if (run->seen.receive != TLB_RECEIVE_NONE && received)
		fprintf(out, ", %" PRIu64 " ns each", ns / received);
	fputs("\nanonymous pages aged without swap: ", out);
	if (tlb_knows_aging(run))
		fprintf(out, "%" PRIu64 "\n",
			tlb_sum_aged_no_swap_pages(counts));
	else if (run->seen.has_aging)
		fputs("not seen, as MGLRU's aging has no event\n", out);
	else
		fputs("not available\n", out);
}

static void print_overhead(FILE *out, const struct tlb_run *run)
{
	const struct tlb_counts *counts = &run->seen.counts;
	uint64_t ms = run->duration_ns / NS_PER_MS;

	if (!run->seen.is_on || !ms)
		return;
	fputs("swaptend's own programs", out);
	if (run->seen.counting_pid)
		fprintf(out, " (of the controller, process %u)",
			run->seen.counting_pid);
	fputs(": ", out);
	if (counts->programs_runs)
		fprintf(out,
			"%" PRIu64 " events/s, %" PRIu64 " ns each: %" PRIu64
			".%03" PRIu64 " CPU ms in all",
			counts->programs_runs * MS_PER_S / ms,
			counts->programs_ns / counts->programs_runs,
			counts->programs_ns / NS_PER_MS,
			counts->programs_ns % NS_PER_MS / US_PER_MS);
	else
		fputs(counts->has_run_times ? "no run was counted"
					    : "their time is not available",
		      out);
	if (counts->missed_runs)
		fprintf(out, "; %" PRIu64 " events missed",
			counts->missed_runs);
	fputc('\n', out);
}

static void print_title(FILE *out, const struct tlb_run *run)
{
	const struct tlb_machine *machine = &run->machine;
	uint64_t ms = run->duration_ns / NS_PER_MS;

	fprintf(out, "TLB shootdowns during %" PRIu64 ".%03" PRIu64 " s",
		ms / MS_PER_S, ms % MS_PER_S);
	if (*run->command)
		fprintf(out, " of '%s', exit status %d", run->command,
			run->exit_status);
	fprintf(out, "\n%s, Linux %s, %s, %u CPUs online, swap %s\n\n",
		machine->node, machine->release, machine->arch,
		machine->nr_online, run->has_swap ? "on" : "off");
}

void tlb_text_print(FILE *out, const struct tlb_run *run,
		    unsigned int max_senders)
{
	struct tlb_verdict verdict;

	print_title(out, run);
	print_cpus(out, run);
	print_matrix(out, run);
	print_senders(out, run, max_senders);
	print_ticks(out, run);
	print_cost(out, run);
	print_overhead(out, run);
	if (run->nr_missing)
		fputc('\n', out);
	for (unsigned int i = 0; i < run->nr_missing; i++)
		fprintf(out, "missing: %s\n", run->missing[i]);
	tlb_verdict_make(run, &verdict);
	fprintf(out, "\n%s.\n", verdict.sentence);
}

/* "-" for what is not counted. */
static void print_cell(FILE *out, bool is_known, uint64_t count)
{
	if (is_known)
		fprintf(out, " %12" PRIu64, count);
	else
		fprintf(out, " %12s", "-");
}

void tlb_text_live(FILE *out, const struct tlb_run *interval,
		   uint64_t elapsed_ms, unsigned int line)
{
	const struct tlb_seen *seen = &interval->seen;
	char tlb[TLB_CELL_LEN];
	uint64_t reclaim = 0;

	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++)
		if (tlb_is_reclaim(phase))
			reclaim += tlb_phase_sent(seen, phase);
	if (line % 20 == 0)
		fprintf(out, "%8s %12s %12s %12s %12s %12s %12s  %s\n", "s",
			"TLB", "CAL", "sent", "in reclaim", "us receiving",
			"system ticks", "most from");
	cell_tlb(interval, TLB_TABLE_SUM, tlb);
	fprintf(out, "%6" PRIu64 ".%" PRIu64 " %12s", elapsed_ms / MS_PER_S,
		elapsed_ms % MS_PER_S / 100, tlb);
	print_cell(out, interval->cal.is_available, interval->cal.sum);
	print_cell(out, tlb_has_sends(seen), tlb_sum_sent(seen));
	print_cell(out, tlb_has_sends(seen) && seen->has_phases, reclaim);
	print_cell(out, seen->receive != TLB_RECEIVE_NONE,
		   tlb_sum_received_ns(&seen->counts) / NS_PER_US);
	print_cell(out, interval->has_ticks, interval->ticks.of[TLB_SYSTEM]);
	fputs("  ", out);
	print_name(out, interval->nr_senders ? interval->senders[0].key.command
					     : "-");
	fputc('\n', out);
	fflush(out);
}
