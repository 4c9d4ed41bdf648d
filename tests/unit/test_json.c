/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "report/json.h"

static char *text_of(struct report *report)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_write(report, out), 0);
	fclose(out);
	report_free(report);
	return text;
}

static void assert_text(struct report *report, const char *wanted)
{
	_cleanup_free_ char *text = text_of(report);

	assert_string_equal(text, wanted);
}

static void keeps_the_order_and_indents_by_two(void **state)
{
	struct report *object = report_new_object();
	struct report *array = report_new_array();
	struct report *inner = report_new_object();

	(void)state;
	report_set_bool(inner, "is_on", true);
	report_append(array, inner);
	report_append_string(array, "x");
	report_set_int(object, "zebra", INT64_MIN);
	report_set_null(object, "apple");
	report_set(object, "list", array);
	report_set_string(object, "none", NULL);
	assert_text(object, "{\n"
			    "  \"zebra\": -9223372036854775808,\n"
			    "  \"apple\": null,\n"
			    "  \"list\": [\n"
			    "    {\n"
			    "      \"is_on\": true\n"
			    "    },\n"
			    "    \"x\"\n"
			    "  ],\n"
			    "  \"none\": null\n"
			    "}\n");
}

static void writes_empty_containers(void **state)
{
	(void)state;
	assert_text(report_new_object(), "{}\n");
	assert_text(report_new_array(), "[]\n");
}

#define BAD "\xef\xbf\xbd"

/* Per RFC 3629, section 3 and 4. */
static const struct {
	const char *raw, *wanted;
} utf8_cases[] = {
	{"plain", "plain"},
	{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	 "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"a\xff"
	 "b",
	 "a" BAD "b"},
	{"\x80", BAD},
	{"cut \xe2\x82", "cut " BAD BAD},
	{"\xc0\xaf", BAD BAD},			  /* overlong / */
	{"\xe0\x80\xaf", BAD BAD BAD},		  /* overlong / */
	{"\xed\xa0\x80", BAD BAD BAD},		  /* surrogate */
	{"\xed\x9f\xbf", "\xed\x9f\xbf"},	  /* U+D7FF */
	{"\xf0\x8f\xbf\xbf", BAD BAD BAD BAD},	  /* overlong */
	{"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"}, /* U+10FFFF */
	{"\xf4\x90\x80\x80", BAD BAD BAD BAD},	  /* above it */
	{"\xc3(", BAD "("},
};

static void replaces_each_byte_that_is_no_utf8(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(utf8_cases); i++) {
		struct report *array = report_new_array();
		_cleanup_free_ char *text = NULL;
		json_t *parsed;

		report_append_string(array, utf8_cases[i].raw);
		text = text_of(array);
		parsed = json_loads(text, 0, NULL);
		assert_non_null(parsed);
		assert_string_equal(
			json_string_value(json_array_get(parsed, 0)),
			utf8_cases[i].wanted);
		json_decref(parsed);
	}
}

static void escapes_control_bytes(void **state)
{
	struct report *array = report_new_array();

	(void)state;
	report_append_string(array, "a\nb\"\x01");
	assert_text(array, "[\n  \"a\\nb\\\"\\u0001\"\n]\n");
}

static unsigned int allocations_left;
static bool was_refused;

static void *scarce_malloc(size_t size)
{
	if (allocations_left) {
		allocations_left--;
		return malloc(size);
	}
	was_refused = true;
	return NULL;
}

static int end_scarcity(void **state)
{
	(void)state;
	json_set_alloc_funcs(malloc, free);
	return 0;
}

/* Builds a document; -errno of writing it. */
static int build(void)
{
	struct report *object = report_new_object();
	struct report *list = report_new_array();
	struct report *inner = report_new_object();
	FILE *sink = fopen("/dev/null", "w");
	int r;

	assert_non_null(sink);
	report_set_string(inner, "name", "value");
	report_append(list, inner);
	report_append_string(list, "text");
	report_set_int(object, "n", 1);
	report_set(object, "list", list);
	r = report_write(object, sink);
	report_free(object);
	fclose(sink);
	return r;
}

static void remembers_that_memory_ran_out_anywhere(void **state)
{
	unsigned int i = 0;
	int r;

	(void)state;
	json_set_alloc_funcs(scarce_malloc, free);
	do {
		allocations_left = i;
		was_refused = false;
		r = build();
		/* Only a build that got all it asked for may succeed. */
		assert_int_equal(r, was_refused ? -ENOMEM : 0);
	} while (r && ++i < 1000);
	assert_int_equal(r, 0);
	assert_true(i > 5);
}

static void survives_reports_that_never_were(void **state)
{
	struct report *object = report_new_object();
	FILE *sink = fopen("/dev/null", "w");

	(void)state;
	report_set_int(NULL, "n", 1);
	report_set(NULL, "child", report_new_object());
	report_append(NULL, report_new_array());
	report_append_string(NULL, "text");
	report_free(NULL);
	assert_int_equal(report_write(NULL, sink), -ENOMEM);
	report_set(object, "child", NULL);
	assert_int_equal(report_write(object, sink), -ENOMEM);
	report_free(object);
	fclose(sink);
}

static void tells_that_the_output_is_full(void **state)
{
	struct report *object = report_new_object();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(report_write(object, full), -EIO);
	report_free(object);
	fclose(full);
}

static struct report *parse(const char *text)
{
	struct report *report = NULL;
	char error[128];

	assert_int_equal(
		report_parse(&report, text, strlen(text), error, sizeof(error)),
		0);
	return report;
}

static void reads_values_of_the_right_kind_only(void **state)
{
	struct report *report =
		parse("{\"n\": 5, \"s\": \"x\", \"b\": true, \"a\": [1, 2], "
		      "\"minus\": -1, \"real\": 1.5}");
	struct report_view view = report_view(report);
	const char *text = "kept";
	uint64_t count = 42;
	bool is_true = false;

	(void)state;
	assert_int_equal(report_as_count(report_get(view, "s"), &count),
			 -EINVAL);
	assert_int_equal(report_as_count(report_get(view, "minus"), &count),
			 -EINVAL);
	assert_int_equal(report_as_count(report_get(view, "real"), &count),
			 -EINVAL);
	assert_int_equal(report_as_string(report_get(view, "n"), &text),
			 -EINVAL);
	assert_int_equal(report_as_bool(report_get(view, "n"), &is_true),
			 -EINVAL);
	assert_int_equal(count, 42);
	assert_string_equal(text, "kept");
	assert_int_equal(report_as_count(report_get(view, "n"), &count), 0);
	assert_int_equal(count, 5);
	assert_int_equal(report_as_string(report_get(view, "s"), &text), 0);
	assert_string_equal(text, "x");
	assert_int_equal(report_as_bool(report_get(view, "b"), &is_true), 0);
	assert_true(is_true);
	assert_int_equal(report_count(report_get(view, "a")), 2);
	assert_int_equal(
		report_as_count(report_at(report_get(view, "a"), 1), &count),
		0);
	assert_int_equal(count, 2);
	report_free(report);
}

static void has_nothing_where_nothing_is(void **state)
{
	struct report *report = parse("{\"null\": null, \"n\": 5}");
	struct report_view view = report_view(report);
	uint64_t count;

	(void)state;
	assert_null(report_get(view, "null").json);
	assert_null(report_get(view, "none").json);
	assert_null(report_get(report_get(view, "none"), "deeper").json);
	assert_null(report_get(report_get(view, "n"), "deeper").json);
	assert_int_equal(report_count(view), 0);
	assert_null(report_at(report_get(view, "n"), 0).json);
	assert_int_equal(report_as_count(report_get(view, "none"), &count),
			 -EINVAL);
	report_free(report);
}

static void says_why_a_text_is_no_json(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} texts[] = {
		{"", 0},
		{"{", 1},
		{"{} x", 4},
		{"{\"a\":1,\"a\":2}", 15},
		{"{\"a\"\0:1}", 8},
		{"\033[2J", 4},
	};
	struct report *report = NULL;
	char error[128];

	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(texts); i++) {
		error[0] = '\0';
		assert_int_equal(report_parse(&report, texts[i].text,
					      texts[i].len, error,
					      sizeof(error)),
				 -EINVAL);
		assert_null(report);
		assert_ptr_equal(strstr(error, "line "), error);
		assert_null(strchr(error, '\033'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_order_and_indents_by_two),
		cmocka_unit_test(writes_empty_containers),
		cmocka_unit_test(replaces_each_byte_that_is_no_utf8),
		cmocka_unit_test(escapes_control_bytes),
		cmocka_unit_test_teardown(
			remembers_that_memory_ran_out_anywhere, end_scarcity),
		cmocka_unit_test(survives_reports_that_never_were),
		cmocka_unit_test(tells_that_the_output_is_full),
		cmocka_unit_test(reads_values_of_the_right_kind_only),
		cmocka_unit_test(has_nothing_where_nothing_is),
		cmocka_unit_test(says_why_a_text_is_no_json),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
