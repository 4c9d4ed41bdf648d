/* SPDX-License-Identifier: GPL-2.0-only */
/* What `swaptend explain` prints, by running it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "cmd/cmd.h"
#include "law/law.h"

#define MAX_ARGS 8

struct output {
	int code;
	char *out;
	char *err;
};

/* Sends `fd` to a temporary file; the old one comes back in *ret_saved. */
static FILE *divert(int fd, int *ret_saved)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	*ret_saved = dup(fd);
	assert_true(*ret_saved >= 0);
	assert_true(dup2(fileno(file), fd) >= 0);
	return file;
}

static char *collect(FILE *file, int fd, int saved)
{
	long len;
	char *text;

	assert_true(dup2(saved, fd) >= 0);
	close(saved);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	len = ftell(file);
	assert_true(len >= 0);
	rewind(file);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)len, file), len);
	fclose(file);
	return text;
}

/* Words are separated by one blank each; "''" is an empty one. */
static struct output explain(const char *words)
{
	struct output output;
	char *copy = strdup(words);
	char *argv[MAX_ARGS + 1] = {"swaptend explain"};
	char *rest = copy;
	int argc = 1;
	int saved_out, saved_err;
	FILE *out, *err;

	assert_non_null(copy);
	while (rest && *rest && argc < MAX_ARGS) {
		argv[argc] = strsep(&rest, " ");
		if (strcmp(argv[argc], "''") == 0)
			argv[argc] = "";
		argc++;
	}
	fflush(stdout);
	fflush(stderr);
	out = divert(STDOUT_FILENO, &saved_out);
	err = divert(STDERR_FILENO, &saved_err);
	output.code = cmd_explain(argc, argv);
	fflush(stdout);
	fflush(stderr);
	output.err = collect(err, STDERR_FILENO, saved_err);
	output.out = collect(out, STDOUT_FILENO, saved_out);
	free(copy);
	return output;
}

static void output_done(struct output *output)
{
	free(output->out);
	free(output->err);
}

/* One blank for any run of blanks and newlines: the text without its layout. */
static void unwrap(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool is_blank = *from == ' ' || *from == '\n';

		if (is_blank && to > text && to[-1] == ' ')
			continue;
		*to++ = is_blank ? ' ' : *from;
	}
	*to = '\0';
}

static void assert_says(const char *words, const char *expected)
{
	struct output output = explain(words);

	assert_int_equal(output.code, EXIT_OK);
	assert_string_equal(output.err, "");
	unwrap(output.out);
	if (!strstr(output.out, expected))
		fail_msg("explain %s does not say '%s' but: %s", words,
			 expected, output.out);
	output_done(&output);
}

static void assert_does_not_say(const char *words, const char *unexpected)
{
	struct output output = explain(words);

	assert_int_equal(output.code, EXIT_OK);
	unwrap(output.out);
	if (strstr(output.out, unexpected))
		fail_msg("explain %s says '%s'", words, unexpected);
	output_done(&output);
}

static void every_value_is_told_with_its_price_ratio(void **s)
{
	(void)s;
	/* N / (200 - N) and its inverse, by hand. */
	assert_says("0", "price ratio: 0.00; as if a swap-in cost endlessly");
	assert_says("1", "price ratio: 0.01;");
	assert_says("1", "(a swap-in 199.00 times a file read)");
	assert_says("60", "price ratio: 0.43;");
	assert_says("60", "(a swap-in 2.33 times a file read)");
	assert_says("100", "price ratio: 1.00;");
	assert_says("133", "price ratio: 1.99;");
	assert_says("133", "(a swap-in 0.50 times a file read)");
	assert_says("180", "price ratio: 9.00;");
	assert_says("199", "price ratio: 199.00;");
	assert_says("200", "price ratio: no limit;");
}

static void zero_is_not_swap_only_when_needed(void **s)
{
	(void)s;
	assert_says("0", "does not mean \"swap only when needed\"");
	assert_says("0", "fe35004fbf9e");
	assert_says("0", "it is OOM-killed while swap is free (kernel commit "
			 "9a5a8f19b434)");
	assert_says("0", "unless --min 0 asks for this");
	assert_does_not_say("1", "OOM-killed while swap is free");
	assert_says("1", "lowest value that still swaps");
}

static void sixty_is_no_threshold_of_used_memory(void **s)
{
	(void)s;
	assert_says("60", "The kernel's default.");
	assert_says("60", "does not mean that swapping starts when 40 % of "
			  "memory is used");
	assert_does_not_say("61", "The kernel's default.");
}

static void higher_values_name_their_use_and_kernel(void **s)
{
	(void)s;
	assert_says("100", "Equal prices");
	assert_does_not_say("100", "need Linux 5.8");
	assert_says("101", "need Linux 5.8 for vm.swappiness and 5.15 for");
	assert_says("133", "twice as fast");
	assert_says("180", "zram");
	assert_says("200", "need Linux 5.8");
}

static void mglru_is_told_apart(void **s)
{
	(void)s;
	assert_says("0", "Under MGLRU, 0 and 1 mean file pages only");
	assert_says("1", "Under MGLRU, 0 and 1 mean file pages only");
	assert_says("60", "until 64 file pages were read back");
	assert_does_not_say("60", "mean file pages only");
	assert_says("200", "Under MGLRU, 200 means anonymous memory only");
}

static void every_value_fits_a_terminal(void **s)
{
	char word[12];

	(void)s;
	for (int i = 0; i <= SWAPPINESS_MAX; i++) {
		struct output output;

		snprintf(word, sizeof(word), "%d", i);
		output = explain(word);
		assert_int_equal(output.code, EXIT_OK);
		for (char *line = output.out; *line;) {
			size_t len = strcspn(line, "\n");

			if (len > 80)
				fail_msg("%d: %.*s", i, (int)len, line);
			line += len + 1;
		}
		output_done(&output);
	}
}

static void every_law_is_told_with_rule_and_source(void **s)
{
	(void)s;
	assert_says("kolivas", "Above 50, the state (0..1000) rises by 10");
	assert_says("kolivas", "source: Con Kolivas, lkml, 2002-10-08");
	assert_says("kolivas", "base + (top - base) * state / 1000");
	assert_says("kolivas-proportional", "2002-10-11");
	assert_says("kolivas-proportional", "state / 100 ");
	assert_says("kolivas-2004", "squared and divided by 100");
	assert_says("cost", "Swappiness is 200 r / (1 + r)");
	assert_says("cost", "Until both prices are known the base is kept");
	assert_does_not_say("cost", "base + (top - base)");
	assert_says("auto", "it at most doubles the base");
	assert_says("auto", "source: cost and kolivas");
	assert_says("static", "The value N, whatever happens");
	assert_says("static:60", "law static");
}

static void laws_with_a_state_warn_of_base_0(void **s)
{
	static const char warning[] =
		"With base 0, reclaim that finds file pages easily stays at "
		"priority 12, the state falls to 0, and cold anonymous memory "
		"is never swapped: measured 4.4 times slower than 60 on a "
		"database-like load.";

	(void)s;
	assert_says("kolivas", warning);
	assert_says("kolivas-proportional", warning);
	assert_says("kolivas-2004", "With base 0 it stays near 0");
	assert_does_not_say("cost", "With base 0");
	assert_does_not_say("static", "With base 0");
}

static json_t *explain_json(const char *words)
{
	struct output output = explain(words);
	json_t *root = json_loads(output.out, 0, NULL);

	assert_int_equal(output.code, EXIT_OK);
	if (!root)
		fail_msg("explain %s is no JSON: %s", words, output.out);
	output_done(&output);
	return root;
}

static void json_carries_the_prices_as_integers(void **s)
{
	json_t *root = explain_json("60 --json");

	(void)s;
	assert_int_equal(
		json_integer_value(json_object_get(root, "swappiness")), 60);
	assert_int_equal(json_integer_value(json_object_get(
				 root, "file_read_per_swap_in_pct")),
			 43);
	assert_int_equal(json_integer_value(json_object_get(
				 root, "swap_in_per_file_read_pct")),
			 233);
	assert_true(json_array_size(json_object_get(root, "notes")) >= 3);
	json_decref(root);
}

static void json_has_null_for_a_price_without_limit(void **s)
{
	json_t *zero = explain_json("--json 0");
	json_t *top = explain_json("-j 200");

	(void)s;
	assert_true(json_is_null(
		json_object_get(zero, "swap_in_per_file_read_pct")));
	assert_int_equal(json_integer_value(json_object_get(
				 zero, "file_read_per_swap_in_pct")),
			 0);
	assert_true(json_is_null(
		json_object_get(top, "file_read_per_swap_in_pct")));
	json_decref(zero);
	json_decref(top);
}

static void json_of_a_law_has_its_warnings(void **s)
{
	json_t *kolivas = explain_json("--json kolivas");
	json_t *fixed = explain_json("--json static:9");

	(void)s;
	assert_string_equal(json_string_value(json_object_get(kolivas, "law")),
			    "kolivas");
	assert_int_equal(
		json_integer_value(json_object_get(kolivas, "state_max")),
		1000);
	assert_int_equal(json_array_size(json_object_get(kolivas, "warnings")),
			 1);
	assert_int_equal(json_array_size(json_object_get(fixed, "warnings")),
			 0);
	json_decref(kolivas);
	json_decref(fixed);
}

static void assert_refused(const char *words, const char *named)
{
	struct output output = explain(words);
	const char *newline = strchr(output.err, '\n');

	assert_int_equal(output.code, EXIT_USAGE);
	assert_string_equal(output.out, "");
	if (!strstr(output.err, named))
		fail_msg("explain %s: %s", words, output.err);
	/* One line. */
	assert_non_null(newline);
	assert_string_equal(newline, "\n");
	output_done(&output);
}

static void bad_values_are_named_with_the_remedy(void **s)
{
	static const char *const words[] = {
		"201",	      "-1",	 "-- -1", "+4",
		"4x",	      "0x10",	 "1.5",	  "costs",
		"static:201", "static:", "6\t0",  "18446744073709551676",
		"4294967356",
	};

	(void)s;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(words); i++)
		assert_refused(words[i], "give 0..200, kolivas");
	assert_refused("201", "'201'");
	assert_refused("-1", "'-1'");
	assert_refused("''", "''");
	assert_refused("60 100", "one value at a time, not also '100'");
}

static void nothing_to_explain_is_a_usage_error(void **s)
{
	(void)s;
	assert_refused("", "e.g. 'swaptend explain 60'");
	assert_refused("--json", "e.g. 'swaptend explain 60'");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test(name)
		CASE(every_value_is_told_with_its_price_ratio),
		CASE(zero_is_not_swap_only_when_needed),
		CASE(sixty_is_no_threshold_of_used_memory),
		CASE(higher_values_name_their_use_and_kernel),
		CASE(mglru_is_told_apart),
		CASE(every_value_fits_a_terminal),
		CASE(every_law_is_told_with_rule_and_source),
		CASE(laws_with_a_state_warn_of_base_0),
		CASE(json_carries_the_prices_as_integers),
		CASE(json_has_null_for_a_price_without_limit),
		CASE(json_of_a_law_has_its_warnings),
		CASE(bad_values_are_named_with_the_remedy),
		CASE(nothing_to_explain_is_a_usage_error),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
