/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tlb_run.h"

#include "report/tlb_verdict.h"

static int make(void **state)
{
	*state = tlb_run_plant();
	return *state ? 0 : -1;
}

static int unmake(void **state)
{
	tlb_run_fell(*state);
	return 0;
}

static struct tlb_verdict judge(const struct tlb_run *run)
{
	struct tlb_verdict verdict;

	tlb_verdict_make(run, &verdict);
	return verdict;
}

static void says(const struct tlb_verdict *verdict, const char *text)
{
	if (!strstr(verdict->sentence, text))
		fail_msg("'%s' lacks '%s'", verdict->sentence, text);
}

/* Where the count lies there is no percentage, in number or in word. */
static void gives_no_share(const struct tlb_verdict *verdict)
{
	assert_int_equal(verdict->share, TLB_SHARE_NONE);
	assert_int_equal(verdict->reclaim_permille, 0);
	assert_null(strchr(verdict->sentence, '%'));
}

static void set_line(struct tlb_run *run, uint64_t sum, uint64_t since_boot)
{
	run->tlb.sum = sum;
	run->tlb.since_boot = since_boot;
}

static void says_that_swappiness_is_not_the_lever_at_3_percent(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 970, 970);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 30, 30);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_NOT_RECLAIM);
	assert_int_equal(verdict.reclaim_permille, 30);
	assert_true(verdict.is_trusted);
	assert_string_equal(verdict.sentence,
			    "1000 shootdowns were received, and reclaim caused "
			    "3 % of them: swappiness is not the lever");
}

static void says_what_reclaim_did_where_its_share_is_large(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 200, 200);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 600, 600);
	tlb_run_send(run, SWT_TLB_EVICT_FILE, 200, 200);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_RECLAIM);
	assert_int_equal(verdict.reclaim_permille, 800);
	says(&verdict, "80 % of them (most of it evicting anonymous pages: "
		       "60 %)");
}

static void draws_the_lines_at_a_tenth_and_a_half(void **state)
{
	static const struct {
		uint64_t reclaim;
		enum tlb_verdict_kind kind;
	} cases[] = {
		{99, TLB_VERDICT_NOT_RECLAIM}, {100, TLB_VERDICT_PARTLY},
		{499, TLB_VERDICT_PARTLY},     {500, TLB_VERDICT_RECLAIM},
		{1000, TLB_VERDICT_RECLAIM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tlb_run *run = tlb_run_plant();

		assert_non_null(run);
		tlb_run_send(run, SWT_TLB_OUTSIDE, 0, 1000 - cases[i].reclaim);
		tlb_run_send(run, SWT_TLB_AGE_FILE, 1, cases[i].reclaim);
		assert_int_equal(judge(run).kind, cases[i].kind);
		tlb_run_fell(run);
	}
}

static void tells_none_from_less_than_1_percent(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 1000, 1000);
	verdict = judge(run);
	says(&verdict, "caused none of them");
	tlb_run_send(run, SWT_TLB_OTHER_RECLAIM, 1, 1);
	verdict = judge(run);
	says(&verdict, "caused less than 1 % of them");
}

/* A send may reach nobody, as most of reclaim's do. */
static void goes_by_what_was_received_where_the_sender_is_known(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 1000, 1900);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 9000, 100);
	verdict = judge(run);
	assert_int_equal(verdict.share, TLB_SHARE_RECEIVED);
	assert_int_equal(verdict.reclaim_permille, 50);
	tlb_run_send(run, SWT_TLB_UNKNOWN, 0, 500);
	verdict = judge(run);
	assert_int_equal(verdict.share, TLB_SHARE_SENT);
	assert_int_equal(verdict.reclaim_permille, 900);
}

static void bears_a_twentieth_of_unknown_senders(void **state)
{
	struct tlb_run *run = *state;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 100, 950);
	tlb_run_send(run, SWT_TLB_UNKNOWN, 0, 50);
	assert_int_equal(judge(run).share, TLB_SHARE_RECEIVED);
	tlb_run_send(run, SWT_TLB_UNKNOWN, 0, 1);
	assert_int_equal(judge(run).share, TLB_SHARE_SENT);
}

static void says_1_percent_from_1_percent_on(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 990, 990);
	tlb_run_send(run, SWT_TLB_EVICT_FILE, 10, 10);
	verdict = judge(run);
	says(&verdict, "caused 1 % of them");
	tlb_run_send(run, SWT_TLB_OUTSIDE, 100, 100);
	verdict = judge(run);
	says(&verdict, "caused less than 1 % of them");
}

static void doubts_a_share_of_sends_that_mostly_reached_nobody(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->seen.receive = TLB_RECEIVE_CALL;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 2000, 0);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 2000, 0);
	verdict = judge(run);
	assert_int_equal(verdict.share, TLB_SHARE_SENT);
	assert_null(strstr(verdict.sentence, "reached no CPU"));
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 2000, 0);
	verdict = judge(run);
	says(&verdict, "6000 shootdowns were sent (and 2676 received)");
	says(&verdict, "most of what was sent reached no CPU");
}

static void doubts_nothing_where_reclaim_sent_none(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->seen.receive = TLB_RECEIVE_CALL;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 9000, 0);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_NOT_RECLAIM);
	assert_null(strstr(verdict.sentence, "reached no CPU"));
}

static void gives_no_share_where_the_line_is_0_and_calls_grow(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	set_line(run, 0, 0);
	run->machine.is_guest = true;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_HYPERCALL);
	gives_no_share(&verdict);
	assert_false(verdict.is_trusted);
	says(&verdict, "by hypercall, as this is a virtual machine");
	says(&verdict, "function calls grew by 8800");
}

static void gives_no_share_where_flushes_are_never_sent(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	set_line(run, 0, 0);
	run->cal.sum = 0;
	run->seen.counts.cpus[2].flushes[SWT_TLB_EVICT_ANON][3].events = 5;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_HYPERCALL);
	gives_no_share(&verdict);
}

/* Some at boot, before the hypervisor's way was set up. */
static void does_not_trust_the_few_of_hyper_v(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	set_line(run, 3, 38);
	run->machine.is_hyperv = true;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_HYPERCALL);
	gives_no_share(&verdict);
	says(&verdict, "Hyper-V");
}

static void
gives_no_share_where_the_line_is_0_though_some_were_sent(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	set_line(run, 0, 0);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 77, 0);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_UNCOUNTED);
	gives_no_share(&verdict);
	says(&verdict, "77 shootdowns were sent");
}

static void gives_no_share_with_broadcast(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->machine.has_broadcast = true;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 10, 10);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_BROADCAST);
	gives_no_share(&verdict);
}

static void calls_a_missing_line_not_available(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->tlb = (struct tlb_line){.is_available = false};
	strcpy(run->machine.arch, "aarch64");
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_NO_LINE);
	gives_no_share(&verdict);
	says(&verdict, "not available");
	says(&verdict, "hardware broadcasts");
	assert_null(strstr(verdict.sentence, " 0 "));
}

static void has_nothing_to_shoot_down_on_one_cpu(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->tlb = (struct tlb_line){.is_available = false};
	run->machine.nr_online = 1;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_ONE_CPU);
	gives_no_share(&verdict);
}

static void tells_a_quiet_time_from_a_line_that_lies(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	set_line(run, 0, 362842);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_NONE);
	assert_true(verdict.is_trusted);
	gives_no_share(&verdict);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 9, 0);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_NONE);
	says(&verdict, "were idle");
}

static void blames_nobody_without_the_programs(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->seen.has_phases = false;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 10, 10);
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_UNATTRIBUTED);
	gives_no_share(&verdict);
	says(&verdict, "2676 shootdowns were received");
	run->seen.has_flushes = false;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_UNATTRIBUTED);
	gives_no_share(&verdict);
}

static void knows_nothing_if_nothing_could_be_counted(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->nr_cpus = 0;
	run->tlb = (struct tlb_line){.is_available = false};
	run->seen.has_flushes = false;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_UNKNOWN);
	gives_no_share(&verdict);
}

static void marks_a_partial_sum(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	run->tlb.is_partial = true;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 10, 10);
	verdict = judge(run);
	says(&verdict, "partial");
	assert_int_equal(verdict.kind, TLB_VERDICT_NOT_RECLAIM);
}

static void puts_the_regression_of_2010_before_all_else(void **state)
{
	struct tlb_run *run = *state;
	struct tlb_verdict verdict;

	tlb_run_send(run, SWT_TLB_OUTSIDE, 10, 10);
	run->seen.counts.cpus[3].aged_anon_no_swap_pages = 32;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_AGED_NO_SWAP);
	gives_no_share(&verdict);
	says(&verdict, "32 anonymous pages");
	says(&verdict, "regression of 2010");
	assert_true(verdict.is_trusted);
	set_line(run, 0, 0);
	run->seen.counts.cpus[0].flushes[0][REASON_SENT].events = 0;
	verdict = judge(run);
	assert_int_equal(verdict.kind, TLB_VERDICT_AGED_NO_SWAP);
	assert_false(verdict.is_trusted);
}

#define RUN_TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(says_that_swappiness_is_not_the_lever_at_3_percent),
		RUN_TEST(says_what_reclaim_did_where_its_share_is_large),
		cmocka_unit_test(draws_the_lines_at_a_tenth_and_a_half),
		RUN_TEST(tells_none_from_less_than_1_percent),
		RUN_TEST(goes_by_what_was_received_where_the_sender_is_known),
		RUN_TEST(bears_a_twentieth_of_unknown_senders),
		RUN_TEST(says_1_percent_from_1_percent_on),
		RUN_TEST(doubts_a_share_of_sends_that_mostly_reached_nobody),
		RUN_TEST(doubts_nothing_where_reclaim_sent_none),
		RUN_TEST(gives_no_share_where_the_line_is_0_and_calls_grow),
		RUN_TEST(gives_no_share_where_flushes_are_never_sent),
		RUN_TEST(does_not_trust_the_few_of_hyper_v),
		RUN_TEST(
			gives_no_share_where_the_line_is_0_though_some_were_sent),
		RUN_TEST(gives_no_share_with_broadcast),
		RUN_TEST(calls_a_missing_line_not_available),
		RUN_TEST(has_nothing_to_shoot_down_on_one_cpu),
		RUN_TEST(tells_a_quiet_time_from_a_line_that_lies),
		RUN_TEST(blames_nobody_without_the_programs),
		RUN_TEST(knows_nothing_if_nothing_could_be_counted),
		RUN_TEST(marks_a_partial_sum),
		RUN_TEST(puts_the_regression_of_2010_before_all_else),
	};

	return cmocka_run_group_tests_name("tlb_verdict", tests, NULL, NULL);
}
