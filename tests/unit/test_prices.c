/* SPDX-License-Identifier: GPL-2.0-only */
/* How prices are shown, as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cmd/prices.h"
#include "model.h"

static void assert_text(const struct swt_law *law, const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	prices_print(out, law);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
}

static void assert_json(const struct swt_law *law, const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report *report = prices_report(law);

	assert_non_null(out);
	assert_int_equal(report_write(report, out), 0);
	report_free(report);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
}

/* 200 * 120,000 / 124,800 = 192.3 */
static const struct swt_law known = {
	.swap_in_ns = 4800,
	.file_read_ns = 120000,
	.swap_source = PRICE_MEASURED,
	.file_source = PRICE_MEASURED,
	.anon_refault_permille = 315,
	.file_refault_permille = 1000,
	.refault_pct = 37,
	.swap_out_kib_s = 5120,
};

static const struct swt_law unknown = {.refault_pct = -1};

static const struct swt_law only_swap_known = {
	.swap_in_ns = 205999,
	.swap_source = PRICE_PROBED,
	.refault_pct = -1,
	.swap_out_kib_s = 12,
};

static const struct swt_law only_files_known = {
	.file_read_ns = 87,
	.file_source = PRICE_MEASURED,
	.refault_pct = 0,
	.swap_out_kib_s = UINT32_MAX,
};

static void known_prices_are_told_with_what_they_say(void **s)
{
	(void)s;
	assert_text(&known, "  prices a page: swap-in 4.8 us (measured), "
			    "file read 120.0 us (measured); they say 192\n"
			    "  came back of those evicted lately: "
			    "anonymous 31.5 %, file 100.0 %; "
			    "5120 KiB/s swapped out\n");
}

/*
 * 4,800 * 0.315 = 1,512 and 120,000 * 0.012 = 1,440 ns:
 * 200 * 1,440 / 2,952 = 97.6
 */
static struct swt_law weighing(void)
{
	struct swt_law law = known;

	law.file_refault_permille = 12;
	memcpy(law.law, "auto", sizeof("auto"));
	return law;
}

static void a_law_that_weighs_is_told_with_what_it_goes_by(void **s)
{
	struct swt_law law = weighing();

	(void)s;
	assert_text(&law, "  prices a page: swap-in 4.8 us (measured), "
			  "file read 120.0 us (measured); they say 192, "
			  "weighted by what came back 98\n"
			  "  came back of those evicted lately: "
			  "anonymous 31.5 %, file 1.2 %; "
			  "5120 KiB/s swapped out\n");
	assert_json(&law, "{\n"
			  "  \"swap_in_ns\": 4800,\n"
			  "  \"swap_in_source\": \"measured\",\n"
			  "  \"file_read_ns\": 120000,\n"
			  "  \"file_read_source\": \"measured\",\n"
			  "  \"swappiness\": 192,\n"
			  "  \"weighted_swappiness\": 98,\n"
			  "  \"refault_pct\": 37,\n"
			  "  \"anon_refault_permille\": 315,\n"
			  "  \"file_refault_permille\": 12,\n"
			  "  \"swap_out_kib_s\": 5120\n"
			  "}\n");
	law.swap_in_ns = 0;
	assert_text(&law, "  prices a page: swap-in not known yet, "
			  "file read 120.0 us (measured)\n"
			  "  came back of those evicted lately: "
			  "anonymous 31.5 %, file 1.2 %; "
			  "5120 KiB/s swapped out\n");
}

static void a_law_that_does_not_weigh_is_told_without(void **s)
{
	struct swt_law law = weighing();

	(void)s;
	memcpy(law.law, "cost", sizeof("cost"));
	assert_text(&law, "  prices a page: swap-in 4.8 us (measured), "
			  "file read 120.0 us (measured); they say 192\n"
			  "  came back of those evicted lately: "
			  "anonymous 31.5 %, file 1.2 %; "
			  "5120 KiB/s swapped out\n");
}

static void unknown_prices_are_told_as_such(void **s)
{
	(void)s;
	assert_text(&unknown,
		    "  prices a page: swap-in not known yet, "
		    "file read not known yet\n"
		    "  came back of those evicted lately: anonymous 0.0 %, "
		    "file 0.0 %; 0 KiB/s swapped out\n");
}

static void one_price_alone_says_no_swappiness(void **s)
{
	(void)s;
	assert_text(&only_swap_known,
		    "  prices a page: swap-in 205.9 us (probed), "
		    "file read not known yet\n"
		    "  came back of those evicted lately: anonymous 0.0 %, "
		    "file 0.0 %; 12 KiB/s swapped out\n");
	assert_text(&only_files_known,
		    "  prices a page: swap-in not known yet, "
		    "file read 0.0 us (measured)\n"
		    "  came back of those evicted lately: anonymous 0.0 %, "
		    "file 0.0 %; "
		    "4294967295 KiB/s swapped out\n");
}

static void json_has_the_prices_as_integers(void **s)
{
	(void)s;
	assert_json(&known, "{\n"
			    "  \"swap_in_ns\": 4800,\n"
			    "  \"swap_in_source\": \"measured\",\n"
			    "  \"file_read_ns\": 120000,\n"
			    "  \"file_read_source\": \"measured\",\n"
			    "  \"swappiness\": 192,\n"
			    "  \"weighted_swappiness\": null,\n"
			    "  \"refault_pct\": 37,\n"
			    "  \"anon_refault_permille\": 315,\n"
			    "  \"file_refault_permille\": 1000,\n"
			    "  \"swap_out_kib_s\": 5120\n"
			    "}\n");
}

static void json_has_null_for_what_is_not_known(void **s)
{
	(void)s;
	assert_json(&unknown, "{\n"
			      "  \"swap_in_ns\": null,\n"
			      "  \"swap_in_source\": \"unknown\",\n"
			      "  \"file_read_ns\": null,\n"
			      "  \"file_read_source\": \"unknown\",\n"
			      "  \"swappiness\": null,\n"
			      "  \"weighted_swappiness\": null,\n"
			      "  \"refault_pct\": null,\n"
			      "  \"anon_refault_permille\": 0,\n"
			      "  \"file_refault_permille\": 0,\n"
			      "  \"swap_out_kib_s\": 0\n"
			      "}\n");
}

static void json_of_one_price_alone_says_no_swappiness(void **s)
{
	(void)s;
	assert_json(&only_swap_known, "{\n"
				      "  \"swap_in_ns\": 205999,\n"
				      "  \"swap_in_source\": \"probed\",\n"
				      "  \"file_read_ns\": null,\n"
				      "  \"file_read_source\": \"unknown\",\n"
				      "  \"swappiness\": null,\n"
				      "  \"weighted_swappiness\": null,\n"
				      "  \"refault_pct\": null,\n"
				      "  \"anon_refault_permille\": 0,\n"
				      "  \"file_refault_permille\": 0,\n"
				      "  \"swap_out_kib_s\": 12\n"
				      "}\n");
	assert_json(&only_files_known, "{\n"
				       "  \"swap_in_ns\": null,\n"
				       "  \"swap_in_source\": \"unknown\",\n"
				       "  \"file_read_ns\": 87,\n"
				       "  \"file_read_source\": \"measured\",\n"
				       "  \"swappiness\": null,\n"
				       "  \"weighted_swappiness\": null,\n"
				       "  \"refault_pct\": 0,\n"
				       "  \"anon_refault_permille\": 0,\n"
				       "  \"file_refault_permille\": 0,\n"
				       "  \"swap_out_kib_s\": 4294967295\n"
				       "}\n");
}

/* As numbers they are in the pinned map: abi.h has promised them. */
static void sources_have_the_names_and_numbers_of_the_map(void **s)
{
	(void)s;
	assert_string_equal(price_source_name(0), "unknown");
	assert_string_equal(price_source_name(1), "prior");
	assert_string_equal(price_source_name(2), "probed");
	assert_string_equal(price_source_name(3), "measured");
	assert_string_equal(price_source_name(4), "unknown");
	assert_string_equal(price_source_name((enum price_source) - 1),
			    "unknown");
}

static void a_source_from_a_later_version_is_unknown(void **s)
{
	struct swt_law law = known;

	(void)s;
	law.swap_source = 7;
	law.file_source = UINT32_MAX;
	assert_text(&law, "  prices a page: swap-in 4.8 us (unknown), "
			  "file read 120.0 us (unknown); they say 192\n"
			  "  came back of those evicted lately: "
			  "anonymous 31.5 %, file 100.0 %; "
			  "5120 KiB/s swapped out\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(known_prices_are_told_with_what_they_say),
		CASE(a_law_that_weighs_is_told_with_what_it_goes_by),
		CASE(a_law_that_does_not_weigh_is_told_without),
		CASE(unknown_prices_are_told_as_such),
		CASE(one_price_alone_says_no_swappiness),
		CASE(json_has_the_prices_as_integers),
		CASE(json_has_null_for_what_is_not_known),
		CASE(json_of_one_price_alone_says_no_swappiness),
		CASE(sources_have_the_names_and_numbers_of_the_map),
		CASE(a_source_from_a_later_version_is_unknown),
	};

	return cmocka_run_group_tests_name("prices", tests, NULL, NULL);
}
