/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tlb_run.h"

#include "report/tlb_json.h"
#include "report/tlb_table.h"
#include "report/tlb_text.h"

static int make(void **state)
{
	struct tlb_run *run = tlb_run_plant();

	if (!run)
		return -1;
	tlb_run_send(run, SWT_TLB_OUTSIDE, 970, 970);
	tlb_run_send(run, SWT_TLB_EVICT_ANON, 30, 30);
	run->seen.counts.cpus[0]
		.flushes[SWT_TLB_EVICT_ANON][REASON_SENT]
		.pages = 44;
	run->seen.counts.programs_runs = 600;
	run->seen.counts.programs_ns = 120000;
	run->nr_senders = 2;
	run->senders[0] = (struct tlb_sender){{7, "fio"}, {900, 20}};
	run->senders[1] = (struct tlb_sender){{8, "odd\033[2J"}, {100, 10}};
	*state = run;
	return 0;
}

static int unmake(void **state)
{
	tlb_run_fell(*state);
	return 0;
}

static char *text_of(const struct tlb_run *run)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	tlb_text_print(out, run, 10);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void has(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in\n%s", line, text);
}

static void lacks(const char *text, const char *line)
{
	if (strstr(text, line))
		fail_msg("'%s' in\n%s", line, text);
}

static void prints_the_table_of_the_thread(void **state)
{
	_cleanup_free_ char *text = text_of(*state);

	has(text,
	    "             CPU0      CPU1      CPU2      CPU3        HSUM\n"
	    "TLB            900      1000         0       776        2676\n"
	    "sent          1000         0         0         0        1000\n"
	    "received         0      1000         0         0        "
	    "1000\n");
	has(text, "TLB shootdowns during 300.000 s of 'fio x', exit status 0");
}

static void prints_cost_ticks_and_overhead(void **state)
{
	_cleanup_free_ char *text = text_of(*state);

	has(text, "0.100 CPU ms, 1000 times, 100 ns each");
	has(text, "flush-func: flush_tlb_func for others");
	/* user 60 with 40 of a guest, system 20, idle 700, 2 and 2. */
	has(text, "         60          0         20        700          0"
		  "          0          2          2         40          0"
		  "        784\n");
	has(text, "      0.600      0.000      0.200      7.000");
	has(text, "2 events/s, 200 ns each: 0.120 CPU ms in all");
	has(text, "anonymous pages aged without swap: 0\n");
	has(text, "reclaim caused 3 % of them: swappiness is not the lever.\n");
}

static void prints_senders_without_their_control_characters(void **state)
{
	_cleanup_free_ char *text = text_of(*state);

	has(text, "         900           20        7  fio\n");
	has(text, "         100           10        8  odd?[2J\n");
	lacks(text, "\033");
}

static void marks_what_is_not_known(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;

	run->tlb_cpus[2] = (struct tlb_cpu_count){.known = TLB_OFFLINE};
	run->tlb.is_partial = true;
	text = text_of(run);
	has(text, "TLB            900      1000         -       776      "
		  ">=2676\n");
	has(text, "CPU2: unknown: went offline; HSUM is partial\n");
}

static void shows_no_0_for_a_line_that_is_not_there(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;

	run->tlb = (struct tlb_line){.is_available = false};
	run->seen.is_on = run->seen.has_flushes = false;
	run->seen.receive = TLB_RECEIVE_NONE;
	for (int cpu = 0; cpu < 4; cpu++)
		run->tlb_cpus[cpu] =
			(struct tlb_cpu_count){.known = TLB_NO_LINE};
	text = text_of(run);
	has(text, "TLB              -         -         -         -           "
		  "-\n");
	has(text, "TLB: not available");
	lacks(text, "\nsent");
	lacks(text, "without swap: 0");
}

static void puts_eight_cpus_abreast(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;

	free(run->tlb_cpus);
	run->tlb_cpus = calloc(9, sizeof(*run->tlb_cpus));
	assert_non_null(run->tlb_cpus);
	run->nr_cpus = 9;
	run->tlb_cpus[8].count = 4294967295;
	text = text_of(run);
	has(text, "       CPU7\nTLB ");
	has(text, "\n               CPU8        HSUM\n"
		  "TLB      4294967295        2676\n");
}

static void leaves_out_zeros_among_many_cpus(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;

	free(run->tlb_cpus);
	run->tlb_cpus = calloc(4096, sizeof(*run->tlb_cpus));
	assert_non_null(run->tlb_cpus);
	run->nr_cpus = run->machine.nr_online = 4096;
	run->tlb_cpus[4095].count = 5;
	text = text_of(run);
	/* 0 has sent, 1 has received, 4095 is in the line. */
	has(text, "              CPU0      CPU1   CPU4095        HSUM\n");
	has(text, "4093 CPUs with 0 are left out\n");
}

static void does_not_call_aging_0_that_it_cannot_see(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	struct report *report;

	run->machine.has_mglru = true;
	text = text_of(run);
	has(text, "aged without swap: not seen");
	report = tlb_json_new(run);
	assert_null(
		report_get(report_view(report), "anon_aged_without_swap_pages")
			.json);
	report_free(report);
}

/* Whether the key is there, and null. */
static bool is_null(struct report *report, const char *object, const char *key)
{
	struct report_view view = report_view(report);
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	char line[64];

	assert_non_null(out);
	assert_int_equal(report_write(report, out), 0);
	assert_int_equal(fclose(out), 0);
	snprintf(line, sizeof(line), "\"%s\": null", key);
	if (object)
		view = report_get(view, object);
	return !report_get(view, key).json && strstr(text, line);
}

static void does_not_call_aging_0_without_its_event(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	struct report *report;

	run->seen.has_aging = false;
	text = text_of(run);
	has(text, "aged without swap: not available\n");
	report = tlb_json_new(run);
	assert_true(is_null(report, NULL, "anon_aged_without_swap_pages"));
	report_free(report);
}

static void shows_no_sends_where_no_reason_tells_them(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	struct report *report;

	run->seen.reasons.remote_send = -1;
	text = text_of(run);
	has(text, "sent             -         -         -         -           "
		  "-\n");
	lacks(text, "sent: once");
	report = tlb_json_new(run);
	assert_true(is_null(report, NULL, "sent"));
	assert_true(is_null(report, NULL, "senders"));
	report_free(report);
}

static void shows_no_phases_that_nothing_tells(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	struct report *report;

	run->seen.has_phases = false;
	text = text_of(run);
	has(text, "reclaim is not followed");
	has(text,
	    "TLB_REMOTE_SEND_IPI                970           -           "
	    "-           -           -           0           0         "
	    "1000\n");
	report = tlb_json_new(run);
	assert_true(is_null(report, "phases", "aging_anon"));
	assert_true(is_null(report, "phases", "aging_file"));
	assert_true(is_null(report, "phases", "evicting_anon"));
	assert_true(is_null(report, "phases", "evicting_file"));
	assert_false(is_null(report, "phases", "other_reclaim"));
	assert_false(is_null(report, "phases", "outside_reclaim"));
	report_free(report);
}

static void shows_of_mglru_only_what_its_events_tell(void **state)
{
	struct tlb_run *run = *state;

	run->machine.has_mglru = true;
	assert_false(tlb_knows_phase(run, SWT_TLB_AGE_ANON));
	assert_false(tlb_knows_phase(run, SWT_TLB_AGE_FILE));
	assert_true(tlb_knows_phase(run, SWT_TLB_EVICT_ANON));
	assert_true(tlb_knows_phase(run, SWT_TLB_EVICT_FILE));
	run->seen.has_mglru_evicting = false;
	assert_false(tlb_knows_phase(run, SWT_TLB_EVICT_ANON));
	assert_false(tlb_knows_phase(run, SWT_TLB_EVICT_FILE));
	assert_true(tlb_knows_phase(run, SWT_TLB_OTHER_RECLAIM));
	run->machine.has_mglru = false;
	assert_true(tlb_knows_phase(run, SWT_TLB_AGE_ANON));
	assert_true(tlb_knows_phase(run, SWT_TLB_EVICT_FILE));
}

static void shows_no_time_of_programs_that_was_not_taken(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	struct report *report;

	run->seen.counts.has_run_times = false;
	run->seen.counts.programs_runs = run->seen.counts.programs_ns = 0;
	text = text_of(run);
	has(text, "own programs: their time is not available\n");
	report = tlb_json_new(run);
	assert_true(is_null(report, "overhead", "events"));
	assert_true(is_null(report, "overhead", "total_ns"));
	report_free(report);
}

static void names_the_controller_whose_programs_count(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *own = text_of(run), *text = NULL;

	has(own, "own programs: ");
	run->seen.counting_pid = 4711;
	text = text_of(run);
	has(text, "own programs (of the controller, process 4711): ");
}

static void gives_no_time_each_of_no_receptions(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;

	run->seen.counts.cpus[1].received = 0;
	text = text_of(run);
	has(text, " CPU ms, 0 times\n");
}

static uint64_t count_at(struct report_view object, const char *key)
{
	uint64_t value = 0;

	assert_int_equal(report_as_count(report_get(object, key), &value), 0);
	return value;
}

static void holds_the_same_in_json(void **state)
{
	struct report *report = tlb_json_new(*state);
	struct report_view run = report_view(report), phase, cost, verdict;

	assert_int_equal(report_count(report_get(run, "per_cpu")), 4);
	assert_int_equal(
		count_at(report_at(report_get(run, "per_cpu"), 3), "tlb"), 776);
	assert_int_equal(count_at(run, "hsum"), 2676);
	assert_int_equal(count_at(run, "sent"), 1000);
	phase = report_get(report_get(run, "phases"), "evicting_anon");
	assert_int_equal(count_at(phase, "sent"), 30);
	assert_int_equal(count_at(phase, "received"), 30);
	assert_int_equal(count_at(report_get(report_get(phase, "reasons"),
					     "TLB_REMOTE_SEND_IPI"),
				  "pages"),
			 44);
	assert_int_equal(count_at(report_at(report_get(run, "senders"), 1),
				  "shootdowns"),
			 100);
	assert_int_equal(count_at(report_get(run, "cpu_ticks"), "total"), 784);
	cost = report_get(run, "cost_ns");
	assert_int_equal(count_at(cost, "total"), 100000);
	assert_int_equal(count_at(cost, "per_shootdown"), 100);
	verdict = report_get(run, "verdict");
	assert_int_equal(count_at(verdict, "reclaim_permille"), 30);
	report_free(report);
}

static void has_null_for_unknown_in_json(void **state)
{
	struct tlb_run *run = *state;
	struct report *report;
	struct report_view view;

	run->tlb.is_available = false;
	run->seen.is_on = run->seen.has_flushes = false;
	run->seen.receive = TLB_RECEIVE_NONE;
	run->has_ticks = false;
	run->tlb_cpus[0] = (struct tlb_cpu_count){.known = TLB_NO_LINE};
	report = tlb_json_new(run);
	view = report_view(report);
	assert_null(report_get(view, "hsum").json);
	assert_null(report_get(view, "sent").json);
	assert_null(report_get(view, "phases").json);
	assert_null(report_get(view, "cpu_ticks").json);
	assert_null(report_get(report_get(view, "cost_ns"), "total").json);
	assert_null(report_get(report_at(report_get(view, "per_cpu"), 0), "tlb")
			    .json);
	assert_null(report_get(report_get(view, "verdict"), "reclaim_permille")
			    .json);
	report_free(report);
}

static void diff_is(uint64_t before, uint64_t after, const char *want)
{
	char text[TLB_CELL_LEN];

	tlb_diff_pct(before, after, text);
	assert_string_equal(text, want);
}

static void rounds_differences_to_a_tenth_of_a_percent(void **state)
{
	(void)state;
	diff_is(12003600, 250000, "-97.9"); /* 97.917 */
	diff_is(1498700, 30400, "-98.0");   /* 97.972 */
	diff_is(1000, 1000, "0.0");
	diff_is(0, 0, "0.0");
	diff_is(0, 5, "-");
	diff_is(1, 3, "+200.0");
	diff_is(2000, 1999, "-0.1"); /* 0.05 */
	diff_is(3, 2, "-33.3");
	diff_is(3, 0, "-100.0");
	diff_is(UINT64_MAX, 1, "-");
}

static void prints_dashes_in_the_live_table(void **state)
{
	struct tlb_run *run = *state;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	run->seen.has_flushes = false;
	run->seen.receive = TLB_RECEIVE_NONE;
	tlb_text_live(out, run, 12399, 1);
	tlb_text_live(out, run, 13000, 20);
	assert_int_equal(fclose(out), 0);
	has(text, "    12.3         2676         8800            -            -"
		  "            -           20  fio\n");
	/* Above line 20, not above line 1. */
	assert_true(strstr(text, "most from") > strstr(text, "    12.3 "));
}

#define RUN_TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN_TEST(prints_the_table_of_the_thread),
		RUN_TEST(prints_cost_ticks_and_overhead),
		RUN_TEST(prints_senders_without_their_control_characters),
		RUN_TEST(marks_what_is_not_known),
		RUN_TEST(shows_no_0_for_a_line_that_is_not_there),
		RUN_TEST(puts_eight_cpus_abreast),
		RUN_TEST(leaves_out_zeros_among_many_cpus),
		RUN_TEST(does_not_call_aging_0_that_it_cannot_see),
		RUN_TEST(does_not_call_aging_0_without_its_event),
		RUN_TEST(shows_no_sends_where_no_reason_tells_them),
		RUN_TEST(shows_no_phases_that_nothing_tells),
		RUN_TEST(shows_of_mglru_only_what_its_events_tell),
		RUN_TEST(shows_no_time_of_programs_that_was_not_taken),
		RUN_TEST(names_the_controller_whose_programs_count),
		RUN_TEST(gives_no_time_each_of_no_receptions),
		RUN_TEST(holds_the_same_in_json),
		RUN_TEST(has_null_for_unknown_in_json),
		cmocka_unit_test(rounds_differences_to_a_tenth_of_a_percent),
		RUN_TEST(prints_dashes_in_the_live_table),
	};

	return cmocka_run_group_tests_name("tlb_report", tests, NULL, NULL);
}
