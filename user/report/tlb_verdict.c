/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

/* Adds to the sentence; what has no room is cut. */
static __printf_like(2, 3) void say(struct tlb_verdict *verdict,
				    const char *fmt, ...)
{
	size_t len = strlen(verdict->sentence);
	va_list args;

	va_start(args, fmt);
	vsnprintf(verdict->sentence + len, sizeof(verdict->sentence) - len, fmt,
		  args);
	va_end(args);
}

static void judge(struct tlb_verdict *verdict, enum tlb_verdict_kind kind)
{
	verdict->kind = kind;
}

/* Something asked for other CPUs, or flushed at all, in this time. */
static bool has_activity(const struct tlb_run *run)
{
	return run->cal.sum ||
	       tlb_sum_flushes(&run->seen.counts, -1, -1).events;
}

/* Why the numbers may not be weighed against each other, if so. */
static bool judge_missing_line(const struct tlb_run *run,
			       struct tlb_verdict *verdict)
{
	if (!run->nr_cpus && !run->seen.has_flushes) {
		judge(verdict, TLB_VERDICT_UNKNOWN);
		say(verdict, "nothing could be counted, so nothing is known");
	} else if (run->machine.nr_online == 1) {
		judge(verdict, TLB_VERDICT_ONE_CPU);
		say(verdict,
		    "one CPU is online: there is no other to shoot down");
	} else if (!run->tlb.is_available) {
		judge(verdict, TLB_VERDICT_NO_LINE);
		say(verdict,
		    "not available: there is no line of TLB shootdowns to "
		    "read (%s)%s, so no share is given",
		    run->machine.arch,
		    strcmp(run->machine.arch, "aarch64")
			    ? ""
			    : ", as the hardware broadcasts invalidations");
	} else {
		return false;
	}
	return true;
}

static const char *guest_word(const struct tlb_run *run)
{
	if (run->machine.is_hyperv)
		return "by hypercall (Hyper-V)";
	if (run->machine.is_guest)
		return "by hypercall, as this is a virtual machine";
	return "without interrupts";
}

static bool judge_lying_line(const struct tlb_run *run,
			     struct tlb_verdict *verdict)
{
	uint64_t sent = tlb_sum_sent(&run->seen);
	bool is_zero = !run->tlb.sum && !run->tlb.is_partial;

	if (run->machine.has_broadcast) {
		judge(verdict, TLB_VERDICT_BROADCAST);
		say(verdict,
		    "this CPU broadcasts invalidations (INVLPGB): the %" PRIu64
		    " counted are only those that went by interrupt, so no "
		    "share is given",
		    run->tlb.sum);
	} else if (is_zero && sent && !run->tlb.since_boot) {
		judge(verdict, TLB_VERDICT_UNCOUNTED);
		say(verdict,
		    "the TLB line is 0 since boot, though %" PRIu64
		    " shootdowns were sent: it does not count here, so no "
		    "share is given",
		    sent);
	} else if ((is_zero && !run->tlb.since_boot && has_activity(run)) ||
		   (run->machine.is_hyperv && !sent)) {
		judge(verdict, TLB_VERDICT_HYPERCALL);
		say(verdict,
		    "the TLB line grew by %" PRIu64 " (%" PRIu64
		    " since boot) while function calls grew by %" PRIu64
		    ": here other CPUs' TLBs are flushed %s, which nothing "
		    "counts, so no share is given",
		    run->tlb.sum, run->tlb.since_boot, run->cal.sum,
		    guest_word(run));
	} else {
		return false;
	}
	return true;
}

static bool judge_unattributed(const struct tlb_run *run,
			       struct tlb_verdict *verdict)
{
	const char *why = NULL;

	if (!run->tlb.sum && !run->tlb.is_partial) {
		judge(verdict, TLB_VERDICT_NONE);
		say(verdict, "no CPU had to flush its TLB for another%s",
		    tlb_sum_sent(&run->seen)
			    ? ": those that shootdowns were sent to were idle"
			    : "");
		return true;
	}
	if (!tlb_has_sends(&run->seen))
		why = "the tracepoint tlb_flush was not counted";
	else if (!run->seen.has_phases)
		why = "what reclaim did was not followed";
	else if (!tlb_sum_sent(&run->seen))
		why = "the tracepoint tlb_flush saw none sent";
	if (!why)
		return false;
	judge(verdict, TLB_VERDICT_UNATTRIBUTED);
	say(verdict,
	    "%" PRIu64 " shootdowns were received; how many of them reclaim "
	    "caused is not known: %s",
	    run->tlb.sum, why);
	return true;
}

static uint32_t permille(uint64_t part, uint64_t whole)
{
	/* Counts of events stay far below 2^54. */
	return whole ? (uint32_t)(part * 1000 / whole) : 0;
}

static void say_share(struct tlb_verdict *verdict, uint64_t part,
		      uint64_t whole)
{
	uint32_t share = permille(part, whole);

	if (!part)
		say(verdict, "none");
	else if (share < 10)
		say(verdict, "less than 1 %%");
	else
		say(verdict, "%" PRIu32 " %%", share / 10);
}

/* Shootdowns by phase, in the better of the two counts. */
struct basis {
	enum tlb_share share;
	uint64_t whole;
	uint64_t reclaim;
	int largest; /* phase of reclaim */
	uint64_t most;
};

static struct basis take_basis(const struct tlb_seen *seen,
			       enum tlb_share share)
{
	struct basis basis = {.share = share, .largest = SWT_TLB_OTHER_RECLAIM};

	for (int phase = 0; phase < SWT_NR_TLB_PHASES; phase++) {
		uint64_t one = share == TLB_SHARE_SENT
				       ? tlb_phase_sent(seen, phase)
				       : tlb_phase_received(seen, phase);

		basis.whole += one;
		if (!tlb_is_reclaim(phase))
			continue;
		basis.reclaim += one;
		if (one > basis.most) {
			basis.most = one;
			basis.largest = phase;
		}
	}
	return basis;
}

/* Of a twentieth at most the sender may be unknown: it cannot turn the tables.
 */
static struct basis choose_basis(const struct tlb_seen *seen)
{
	uint64_t unknown = tlb_phase_received(seen, SWT_TLB_UNKNOWN);
	struct basis basis = take_basis(seen, TLB_SHARE_RECEIVED);

	if (seen->receive == TLB_RECEIVE_FLUSH_FUNC && basis.whole &&
	    unknown <= basis.whole / 20)
		return basis;
	return take_basis(seen, TLB_SHARE_SENT);
}

/* What reclaim did when it caused most. */
static void say_largest_phase(const struct basis *basis,
			      struct tlb_verdict *verdict)
{
	static const char *const words[SWT_NR_TLB_PHASES] = {
		[SWT_TLB_AGE_ANON] = "aging anonymous pages",
		[SWT_TLB_AGE_FILE] = "aging file pages",
		[SWT_TLB_EVICT_ANON] = "evicting anonymous pages",
		[SWT_TLB_EVICT_FILE] = "evicting file pages",
		[SWT_TLB_OTHER_RECLAIM] = "other work of reclaim",
	};

	say(verdict, " (most of it %s: ", words[basis->largest]);
	say_share(verdict, basis->most, basis->whole);
	say(verdict, ")");
}

static void judge_share(const struct tlb_run *run, struct tlb_verdict *verdict)
{
	struct basis basis = choose_basis(&run->seen);
	uint32_t share = permille(basis.reclaim, basis.whole);

	verdict->share = basis.share;
	verdict->reclaim_permille = share;
	if (basis.share == TLB_SHARE_SENT)
		say(verdict,
		    "%" PRIu64 " shootdowns were sent (and %" PRIu64
		    " received), and reclaim caused ",
		    basis.whole, run->tlb.sum);
	else
		say(verdict,
		    "%" PRIu64 " shootdowns were received, and reclaim caused ",
		    basis.whole);
	say_share(verdict, basis.reclaim, basis.whole);
	say(verdict, " of them");
	if (share < TLB_SHARE_SMALL_PERMILLE) {
		judge(verdict, TLB_VERDICT_NOT_RECLAIM);
		say(verdict, ": swappiness is not the lever");
	} else if (share < TLB_SHARE_LARGE_PERMILLE) {
		judge(verdict, TLB_VERDICT_PARTLY);
		say_largest_phase(&basis, verdict);
		say(verdict, ": swappiness can move that part at most");
	} else {
		judge(verdict, TLB_VERDICT_RECLAIM);
		say_largest_phase(&basis, verdict);
		say(verdict, ": swappiness, or more memory, is the lever");
	}
	/* Those of reclaim reach nobody more often than others do. */
	if (basis.share == TLB_SHARE_SENT && basis.reclaim &&
	    run->tlb.sum < basis.whole / 2)
		say(verdict, "; but most of what was sent reached no CPU, and "
			     "whose the rest was is not known");
}

/* Whatever else there is to say: this must never happen. */
static void judge_aged(const struct tlb_run *run, struct tlb_verdict *verdict)
{
	uint64_t pages = tlb_sum_aged_no_swap_pages(&run->seen.counts);

	if (!pages)
		return;
	judge(verdict, TLB_VERDICT_AGED_NO_SWAP);
	verdict->share = TLB_SHARE_NONE;
	verdict->reclaim_permille = 0;
	verdict->sentence[0] = '\0';
	say(verdict,
	    "%" PRIu64 " anonymous pages were aged while no swap was on: that "
	    "is the regression of 2010, which flushes TLBs for nothing",
	    pages);
}

void tlb_verdict_make(const struct tlb_run *run, struct tlb_verdict *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->is_trusted =
		!judge_missing_line(run, ret) && !judge_lying_line(run, ret);
	if (ret->is_trusted && !judge_unattributed(run, ret))
		judge_share(run, ret);
	judge_aged(run, ret);
	if (run->tlb.is_partial)
		say(ret, "; the sum of the TLB line is partial, as CPUs came, "
			 "went or counted anew");
}

const char *tlb_verdict_name(enum tlb_verdict_kind kind)
{
	static const char *const names[_TLB_VERDICT_MAX] = {
		[TLB_VERDICT_AGED_NO_SWAP] = "aged_without_swap",
		[TLB_VERDICT_RECLAIM] = "reclaim",
		[TLB_VERDICT_PARTLY] = "partly_reclaim",
		[TLB_VERDICT_NOT_RECLAIM] = "not_reclaim",
		[TLB_VERDICT_NONE] = "none",
		[TLB_VERDICT_ONE_CPU] = "one_cpu",
		[TLB_VERDICT_UNATTRIBUTED] = "unattributed",
		[TLB_VERDICT_HYPERCALL] = "hypercall",
		[TLB_VERDICT_BROADCAST] = "broadcast",
		[TLB_VERDICT_UNCOUNTED] = "uncounted",
		[TLB_VERDICT_NO_LINE] = "no_line",
		[TLB_VERDICT_UNKNOWN] = "unknown",
	};

	return names[kind];
}
