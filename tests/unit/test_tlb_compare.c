/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/tlb_compare.h"
#include "sense/proc.h"

#define NR_CPUS 8
#define MAX_RUNS 3

/* Runs of one side, with room for what they point to. */
struct side {
	struct tlb_cpu_count cpus[MAX_RUNS][NR_CPUS];
	struct tlb_saved runs[MAX_RUNS];
};

static const struct tlb_saved sound = {
	.path = "run",
	.machine = {"node", "6.18.0", "x86_64", 8, false, false, false, false},
	.duration_ns = 300000000000,
	.nr_cpus = NR_CPUS,
	.has_hsum = true,
	.is_trusted = true,
	.verdict = "not_reclaim",
};

static void fill(struct side *side, const char *path, const uint64_t *hsums)
{
	memset(side, 0, sizeof(*side));
	for (int i = 0; i < MAX_RUNS; i++) {
		side->runs[i] = sound;
		side->runs[i].path = path;
		side->runs[i].cpus = side->cpus[i];
		side->runs[i].hsum = hsums[i];
	}
}

static char *mail(const char *path)
{
	const struct sense_root root = {"tests/fixtures/mail"};
	char *text = NULL;

	assert_int_equal(proc_read_file(&root, path, &text), 0);
	return text;
}

/* The numbers of the line that starts with `name`; the last is the sum. */
static unsigned int numbers(const char *text, const char *name, uint64_t *ret,
			    unsigned int max)
{
	char *rest = strstr(text, name);
	unsigned int count = 0;

	assert_non_null(rest);
	for (rest += strlen(name); count < max; count++) {
		char *end;

		ret[count] = strtoull(rest, &end, 10);
		if (end == rest)
			break;
		rest = end + strspn(end, " ");
		if (*rest == '\n') {
			count++;
			break;
		}
	}
	return count;
}

static char *print(const struct tlb_side *before, const struct tlb_side *after)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	tlb_compare_print(out, before, after);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void fill_from_mail(struct side *side, const char *text,
			   const char *name)
{
	uint64_t row[NR_CPUS + 1];

	assert_int_equal(numbers(text, name, row, NR_CPUS + 1), NR_CPUS + 1);
	/* The run shown is the median of three. */
	fill(side, name,
	     (uint64_t[]){row[NR_CPUS] + 9, row[NR_CPUS] - 9, row[NR_CPUS]});
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		side->cpus[2][cpu].count = row[cpu];
}

static void prints_the_median_runs_as_the_mail_does(void **state)
{
	_cleanup_free_ char *text = mail("/tlb-per-cpu-hsum.txt");
	_cleanup_free_ char *got = NULL;
	const char *table = strchr(text, '\n') + 1;
	static struct side before, after;

	(void)state;
	fill_from_mail(&before, text, "before");
	fill_from_mail(&after, text, "after");
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	if (!strstr(got, table))
		fail_msg("got\n%swant\n%s", got, table);
	assert_non_null(strstr(got, "12003600 (12003591..12003609)"));
	assert_non_null(strstr(got, "less: the ranges do not overlap"));
	assert_null(strstr(got, "note:"));
}

static void claims_nothing_where_the_ranges_overlap(void **state)
{
	_cleanup_free_ char *text = mail("/too-noisy.txt");
	_cleanup_free_ char *got = NULL;
	static struct side before, after;
	uint64_t hsums[MAX_RUNS];

	(void)state;
	assert_int_equal(numbers(text, "before", hsums, MAX_RUNS), 3);
	fill(&before, "before", hsums);
	assert_int_equal(numbers(text, "after", hsums, MAX_RUNS), 3);
	fill(&after, "after", hsums);
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	assert_non_null(strstr(got, "no claim: the ranges overlap"));
	assert_non_null(strstr(got, "1200344 (1180000..1550012)"));
	assert_non_null(strstr(got, "1190211 (1175540..1602100)"));
}

static struct tlb_range range(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t values[] = {a, b, c};

	return tlb_range_of(values, 3);
}

static void finds_the_median_in_any_order(void **state)
{
	uint64_t four[] = {40, 10, 30, 20}, one[] = {7};
	struct tlb_range got = range(9, 1, 5);

	(void)state;
	assert_int_equal(got.min, 1);
	assert_int_equal(got.median, 5);
	assert_int_equal(got.max, 9);
	/* The lower middle one: a run's, not between two. */
	assert_int_equal(tlb_range_of(four, 4).median, 20);
	got = tlb_range_of(one, 1);
	assert_int_equal(got.min, 7);
	assert_int_equal(got.max, 7);
}

static void claims_only_what_every_run_shows(void **state)
{
	const struct tlb_range low = range(10, 20, 30);
	const struct tlb_range high = range(31, 40, 50);
	const struct tlb_range touching = range(30, 40, 50);
	const struct tlb_range unknown = {.is_known = false};

	(void)state;
	assert_int_equal(tlb_claim_of(&low, 3, &high, 3), TLB_CLAIM_MORE);
	assert_int_equal(tlb_claim_of(&high, 3, &low, 3), TLB_CLAIM_LESS);
	assert_int_equal(tlb_claim_of(&low, 3, &touching, 3),
			 TLB_CLAIM_OVERLAP);
	assert_int_equal(tlb_claim_of(&touching, 3, &low, 3),
			 TLB_CLAIM_OVERLAP);
	assert_int_equal(tlb_claim_of(&low, 3, &low, 3), TLB_CLAIM_OVERLAP);
	assert_int_equal(tlb_claim_of(&low, 1, &high, 3), TLB_CLAIM_ONE_RUN);
	assert_int_equal(tlb_claim_of(&low, 3, &high, 1), TLB_CLAIM_ONE_RUN);
	assert_int_equal(tlb_claim_of(&low, 3, &unknown, 3), TLB_CLAIM_UNKNOWN);
}

static void names_what_differs(void **state)
{
	static struct side before, after;
	_cleanup_free_ char *got = NULL;

	(void)state;
	fill(&before, "a.json", (uint64_t[]){1, 2, 3});
	fill(&after, "b.json", (uint64_t[]){5, 6, 7});
	strcpy(after.runs[1].machine.release, "7.3.0");
	strcpy(after.runs[1].machine.node, "other");
	after.runs[2].machine.nr_online = 4;
	after.runs[0].duration_ns = 200000000000;
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	assert_non_null(strstr(got, "note: 'b.json' differs from 'a.json', "
				    "machine other, Linux 7.3.0\n"));
	assert_non_null(strstr(got, ", 4 CPUs\n"));
	assert_non_null(strstr(got, ", 200.000 s\n"));
}

static void claims_nothing_of_a_count_that_lies(void **state)
{
	static struct side before, after;
	_cleanup_free_ char *got = NULL;

	(void)state;
	fill(&before, "a.json", (uint64_t[]){1, 2, 3});
	fill(&after, "b.json", (uint64_t[]){0, 0, 0});
	after.runs[2].is_trusted = false;
	strcpy(after.runs[2].verdict, "hypercall");
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	assert_non_null(strstr(got, "no claim: not known of all runs"));
	assert_non_null(strstr(got, "(hypercall)"));
	assert_null(strstr(got, "CPU0"));
	assert_null(strstr(got, "-100"));
}

static void gives_no_percentage_where_the_ranges_overlap(void **state)
{
	static struct side before, after;
	_cleanup_free_ char *got = NULL;

	(void)state;
	fill(&before, "a.json", (uint64_t[]){100, 200, 300});
	fill(&after, "b.json", (uint64_t[]){40, 50, 150});
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	assert_non_null(strstr(got, "no claim: the ranges overlap"));
	assert_non_null(strstr(got, "200 (100..300)"));
	assert_non_null(strstr(got, "50 (40..150)"));
	/* 50 of 200, of medians that say nothing. */
	assert_null(strstr(got, "75.0"));
}

static void does_not_weigh_a_partial_sum(void **state)
{
	static struct side before, after;
	_cleanup_free_ char *got = NULL;

	(void)state;
	fill(&before, "a.json", (uint64_t[]){1, 2, 3});
	fill(&after, "b.json", (uint64_t[]){7, 8, 9});
	before.runs[0].is_partial = true;
	got = print(&(struct tlb_side){before.runs, 3},
		    &(struct tlb_side){after.runs, 3});
	assert_non_null(strstr(got, "no claim: not known of all runs"));
	assert_non_null(strstr(got, "note: 'a.json': HSUM is partial"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_the_median_runs_as_the_mail_does),
		cmocka_unit_test(claims_nothing_where_the_ranges_overlap),
		cmocka_unit_test(finds_the_median_in_any_order),
		cmocka_unit_test(claims_only_what_every_run_shows),
		cmocka_unit_test(names_what_differs),
		cmocka_unit_test(claims_nothing_of_a_count_that_lies),
		cmocka_unit_test(gives_no_percentage_where_the_ranges_overlap),
		cmocka_unit_test(does_not_weigh_a_partial_sum),
	};

	return cmocka_run_group_tests_name("tlb_compare", tests, NULL, NULL);
}
