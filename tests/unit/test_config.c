/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "config.h"

#define FIXTURES "tests/fixtures/config/"

static struct config config;
static char error[512];

static int init(void **state)
{
	(void)state;
	strcpy(error, "untouched");
	return config_init(&config);
}

static int done(void **state)
{
	(void)state;
	config_done(&config);
	return 0;
}

static void assert_defaults(const struct config *c)
{
	assert_string_equal(c->law, "kolivas");
	assert_int_equal(c->base, CONFIG_FROM_ORIGINAL);
	assert_int_equal(c->top, CONFIG_RANGE_MAX);
	assert_int_equal(c->min, 1);
	assert_int_equal(c->max, CONFIG_RANGE_MAX);
	assert_int_equal(c->interval_ms, 100);
	assert_int_equal(c->resume_after_s, 0);
	assert_int_equal(c->swap_out_budget_kib_s, 0);
	assert_int_equal(c->zram_cpu_weight_pct, 100);
	assert_true(c->probe);
	assert_true(c->guards);
	assert_false(c->observe);
	assert_true(c->pin);
	assert_false(c->verbose);
	assert_int_equal(c->target_count, 0);
}

static void has_the_documented_defaults(void **state)
{
	(void)state;
	assert_defaults(&config);
	assert_int_equal(config_check(&config, error, sizeof(error)), 0);
}

/* What good.conf, bom.conf, crlf.conf and no-final-newline.conf all say. */
static void assert_good(const char *path)
{
	assert_int_equal(config_read_file(&config, path, error, sizeof(error)),
			 0);
	assert_string_equal(config.law, "static:30");
	assert_int_equal(config.interval_ms, 200);
	assert_int_equal(config.min, 10);
	assert_int_equal(config.max, 180);
	assert_int_equal(config.resume_after_s, 5);
	assert_int_equal(config.base, CONFIG_FROM_ORIGINAL);
	assert_int_equal(config.target_count, 1);
	assert_string_equal(config.targets[0].pattern, "/db/*");
	assert_int_equal(config.targets[0].min, 20);
	assert_int_equal(config.targets[0].max, CONFIG_INHERIT);
	assert_null(config.targets[0].law);
}

static void reads_a_good_file(void **state)
{
	(void)state;
	assert_good(FIXTURES "good.conf");
}

static void accepts_a_byte_order_mark(void **state)
{
	(void)state;
	assert_good(FIXTURES "bom.conf");
}

static void accepts_crlf(void **state)
{
	(void)state;
	assert_good(FIXTURES "crlf.conf");
}

static void accepts_a_missing_last_newline(void **state)
{
	(void)state;
	assert_good(FIXTURES "no-final-newline.conf");
}

static void accepts_an_empty_file(void **state)
{
	(void)state;
	assert_int_equal(config_read_file(&config, FIXTURES "empty.conf", error,
					  sizeof(error)),
			 0);
	assert_defaults(&config);
}

static void takes_indented_lines_for_themselves(void **state)
{
	(void)state;
	assert_int_equal(config_read_file(&config, FIXTURES "indented.conf",
					  error, sizeof(error)),
			 0);
	assert_int_equal(config.min, 10);
	assert_int_equal(config.max, 20);
}

static void keeps_long_section_names_whole(void **state)
{
	static const char end[] = "fedcba9876543210.scope";
	const char *pattern;

	(void)state;
	assert_int_equal(config_read_file(&config, FIXTURES "long-target.conf",
					  error, sizeof(error)),
			 0);
	assert_int_equal(config.target_count, 2);
	assert_int_equal(config.targets[0].min, 20);
	assert_int_equal(config.targets[1].min, 30);
	pattern = config.targets[1].pattern;
	assert_true(strlen(pattern) > 190);
	assert_string_equal(pattern + strlen(pattern) - strlen(end), end);
}

/* Each refused file with the line and the words of its error. */
static const struct {
	const char *file;
	int line;
	const char *what, *remedy;
} bad_files[] = {
	{"duplicate-key.conf", 6, "max: is there twice", "keep one"},
	{"duplicate-section.conf", 10, "[swaptend] is there twice",
	 "in one section"},
	{"duplicate-target.conf", 10, "'/db/*' is there twice", "keep one"},
	{"float-comma.conf", 6, "resume-after-s: '0,5' is no whole number",
	 "write 0..86400"},
	{"inline-comment.conf", 4, "comment behind the value",
	 "line of its own"},
	{"inline-semicolon.conf", 5, "comment behind the value",
	 "line of its own"},
	{"long-line.conf", 2, "the line has 406 bytes", "shorten it to 198"},
	{"min-above-max.conf", 5, "min: 190 is above max 180",
	 "lower min or raise max"},
	{"target-min-above-max.conf", 9,
	 "target '/db/*': min: 190 is above max 180", "lower min or raise max"},
	{"negative.conf", 4, "min: '-1' is out of range", "write 0..200"},
	{"out-of-range.conf", 5, "max: '201' is out of range",
	 "write 0..200 or range"},
	{"section-missing.conf", 1, "before any section", "write [swaptend]"},
	{"trailing-junk.conf", 5, "max: '180abc' is no whole number",
	 "write 0..200 or range"},
	{"unit-missing.conf", 3, "interval: unknown key", "interval-ms"},
	{"unit-in-value.conf", 3, "interval-ms: '2s' is no whole number",
	 "write 10..60000"},
	{"unknown-key.conf", 6, "resume-afters: unknown key", "resume-after-s"},
	{"unknown-section.conf", 1, "unknown section [controller]",
	 "write [swaptend] or [target PATTERN]"},
	{"unterminated-section.conf", 1, "the section is not closed",
	 "write ]"},
	{"text-behind-section.conf", 1, "text behind the ]", "line of its own"},
	{"zero-interval.conf", 3, "interval-ms: '0' is out of range",
	 "write 10..60000"},
	{"no-value.conf", 4, "neither a section nor a setting",
	 "write KEY = VALUE"},
	{"nul.conf", 2, "NUL byte", "UTF-8 text"},
	{"relative-target.conf", 8, "target 'db/*' is not absolute",
	 "begins with /"},
	{"global-key-in-target.conf", 10, "interval-ms: is one for all targets",
	 "set it in [swaptend]"},
	{"bad-law.conf", 2, "law: 'static:201' is unknown",
	 "kolivas, kolivas-proportional, kolivas-2004, cost, auto, "
	 "static:0..200"},
};

static void names_line_fault_and_remedy_of_a_bad_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad_files); i++) {
		char path[128], place[160];
		const char *remedy;

		snprintf(path, sizeof(path), FIXTURES "%s", bad_files[i].file);
		snprintf(place, sizeof(place), "%s:%d: ", path,
			 bad_files[i].line);
		assert_int_equal(
			config_read_file(&config, path, error, sizeof(error)),
			-EINVAL);
		if (strncmp(error, place, strlen(place)) != 0)
			fail_msg("'%s' is not at '%s'", error, place);
		if (!strstr(error, bad_files[i].what))
			fail_msg("'%s' lacks '%s'", error, bad_files[i].what);
		remedy = strchr(error, ';');
		if (!remedy || !strstr(remedy, bad_files[i].remedy))
			fail_msg("'%s' lacks '%s'", error, bad_files[i].remedy);
		assert_null(strchr(error, '\n'));
	}
}

static void leaves_the_old_settings_when_a_file_is_bad(void **state)
{
	(void)state;
	assert_good(FIXTURES "good.conf");
	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad_files); i++) {
		char path[128];

		snprintf(path, sizeof(path), FIXTURES "%s", bad_files[i].file);
		assert_int_not_equal(
			config_read_file(&config, path, error, sizeof(error)),
			0);
	}
	assert_string_equal(config.law, "static:30");
	assert_int_equal(config.min, 10);
	assert_int_equal(config.max, 180);
	assert_int_equal(config.target_count, 1);
	assert_int_equal(config.targets[0].min, 20);
}

static void tells_that_a_file_is_missing(void **state)
{
	(void)state;
	assert_int_equal(config_read_file(&config, FIXTURES "no-such.conf",
					  error, sizeof(error)),
			 -ENOENT);
	assert_string_equal(error, FIXTURES "no-such.conf: No such file or "
					    "directory; name another file "
					    "with --config");
}

static void refuses_a_directory_and_an_endless_file(void **state)
{
	(void)state;
	assert_int_equal(
		config_read_file(&config, FIXTURES, error, sizeof(error)),
		-EISDIR);
	assert_int_equal(
		config_read_file(&config, "/dev/zero", error, sizeof(error)),
		-EINVAL);
	assert_defaults(&config);
}

static int set(const char *key, const char *value)
{
	return config_set(&config, key, value, error, sizeof(error));
}

static void takes_numbers_words_and_bounds(void **state)
{
	(void)state;
	assert_int_equal(set("base", "0"), 0);
	assert_int_equal(config.base, 0);
	assert_int_equal(set("base", "200"), 0);
	assert_int_equal(config.base, 200);
	assert_int_equal(set("base", "original"), 0);
	assert_int_equal(config.base, CONFIG_FROM_ORIGINAL);
	assert_int_equal(set("top", "100"), 0);
	assert_int_equal(set("top", "range"), 0);
	assert_int_equal(config.top, CONFIG_RANGE_MAX);
	assert_int_equal(set("min", "0"), 0);
	assert_int_equal(config.min, 0);
	assert_int_equal(set("interval-ms", "10"), 0);
	assert_int_equal(config.interval_ms, 10);
	assert_int_equal(set("interval-ms", "60000"), 0);
	assert_int_equal(set("resume-after-s", "86400"), 0);
	assert_int_equal(config.resume_after_s, 86400);
	assert_int_equal(set("swap-out-budget-kib-s", "1073741824"), 0);
	assert_int_equal(config.swap_out_budget_kib_s, 1073741824);
	assert_int_equal(set("swap-out-budget-kib-s", "0"), 0);
	assert_int_equal(config.swap_out_budget_kib_s, 0);
	assert_int_equal(set("zram-cpu-weight-pct", "1"), 0);
	assert_int_equal(config.zram_cpu_weight_pct, 1);
	assert_int_equal(set("zram-cpu-weight-pct", "10000"), 0);
	assert_int_equal(config.zram_cpu_weight_pct, 10000);
	assert_int_equal(set("probe", "no"), 0);
	assert_false(config.probe);
	assert_int_equal(set("guards", "off"), 0);
	assert_false(config.guards);
	assert_int_equal(set("law", "cost"), 0);
	assert_string_equal(config.law, "cost");
	assert_int_equal(set("law", "auto"), 0);
	assert_string_equal(config.law, "auto");
	assert_int_equal(set("law", "static:0"), 0);
	assert_string_equal(config.law, "static:0");
	assert_int_equal(set("observe", "yes"), 0);
	assert_true(config.observe);
	assert_int_equal(set("pin", "no"), 0);
	assert_false(config.pin);
}

static void refuses_what_is_no_plain_number_in_range(void **state)
{
	static const struct {
		const char *key, *value;
	} bad[] = {
		{"min", ""},
		{"min", " 5"},
		{"min", "5 "},
		{"min", "+5"},
		{"min", "0x10"},
		{"min", "1e2"},
		{"min", "-"},
		{"min", "original"},
		{"min", "range"},
		{"min", "201"},
		{"min", "-1"},
		{"min", "99999999999999999999"},
		{"min", "4294967297"},
		{"base", "range"},
		{"base", "-1"},
		{"top", "original"},
		{"interval-ms", "9"},
		{"interval-ms", "60001"},
		{"swap-out-budget-kib-s", "-1"},
		{"swap-out-budget-kib-s", "1073741825"},
		{"swap-out-budget-kib-s", "1M"},
		{"zram-cpu-weight-pct", "0"},
		{"zram-cpu-weight-pct", "10001"},
		{"zram-cpu-weight-pct", "100%"},
		{"probe", "2"},
		{"guards", "some"},
		{"pin", "maybe"},
		{"pin", ""},
		{"law", ""},
		{"law", "static"},
		{"law", "static:-1"},
		{"law", "Kolivas"},
		{"minimum", "5"},
		{"", "5"},
		{"resume-after-s", "86401"},
	};

	(void)state;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad); i++) {
		assert_int_equal(set(bad[i].key, bad[i].value), -EINVAL);
		assert_int_equal(strncmp(error, bad[i].key, strlen(bad[i].key)),
				 0);
		assert_non_null(strchr(error, ';'));
	}
	assert_defaults(&config);
}

static void shows_no_control_bytes_in_errors(void **state)
{
	(void)state;
	assert_int_equal(set("min", "\x1b[31m\n"), -EINVAL);
	assert_string_equal(error, "min: '?[31m?' is no whole number; write "
				   "0..200");
}

static int add(const char *text)
{
	return config_add_target(&config, text, error, sizeof(error));
}

static void adds_targets_with_settings_of_their_own(void **state)
{
	const struct target_config *t;

	(void)state;
	assert_int_equal(add("system"), 0);
	assert_int_equal(add("/db/*,min=10,law=static:20,max=range"), 0);
	assert_int_equal(add("/web/"), 0);
	assert_int_equal(add("/a..b/.hidden/**"), 0);
	assert_int_equal(add("/x[]0-9]"), 0);
	assert_int_equal(config.target_count, 5);
	t = config.targets;
	assert_string_equal(t[0].pattern, "system");
	assert_null(t[0].law);
	assert_int_equal(t[0].base, CONFIG_INHERIT);
	assert_int_equal(t[0].top, CONFIG_INHERIT);
	assert_int_equal(t[0].min, CONFIG_INHERIT);
	assert_int_equal(t[0].max, CONFIG_INHERIT);
	assert_string_equal(t[1].pattern, "/db/*");
	assert_string_equal(t[1].law, "static:20");
	assert_int_equal(t[1].min, 10);
	assert_int_equal(t[1].max, CONFIG_RANGE_MAX);
	assert_int_equal(t[1].base, CONFIG_INHERIT);
	assert_string_equal(t[2].pattern, "/web");
}

static void refuses_targets_that_cannot_be_meant(void **state)
{
	static const struct {
		const char *text, *wanted;
	} bad[] = {
		{"", "'' is empty; write system"},
		{"db", "'db' is not absolute; write system"},
		{"*", "'*' is not absolute"},
		{"System", "'System' is not absolute"},
		{"/", "'/' is the root group"},
		{"/a/../b", "'/a/../b' has a component"},
		{"/..", "'/..' has a component"},
		{"/a/./b", "'/a/./b' has a component"},
		{"/a//b", "'/a//b' has a component"},
		{"/a\nb", "'/a?b' has a control character"},
		{"/a[0-9", "'/a[0-9' has a [ without its ]"},
		{"/a[0/b]", "'/a[0/b]' has a [ without its ]"},
		{"/dup", "'/dup' is there twice"},
		{"/dup/", "'/dup' is there twice"},
		{"/b,", "'' is no setting; write key=value"},
		{"/b,min", "'min' is no setting; write key=value"},
		{"/b,min=x", "'/b': min: 'x' is no whole number"},
		{"/b,law=kolivas,min=201", "'/b': min: '201' is out of range"},
		{"/b,law=none", "'/b': law: 'none' is unknown"},
		{"/b,observe=yes", "'/b': observe: is one for all targets"},
		{"/b,pin=no", "set it in [swaptend] or as --no-pin"},
		{"/b,guards=no", "set it in [swaptend] or as --no-guards"},
		{"/b,zram-cpu-weight-pct=1", "is one for all targets"},
		{"/b,floor=1", "'/b': floor: unknown key; a target takes"},
		{"/b,min=1,max=9,min=2", "min: is there twice"},
	};

	(void)state;
	assert_int_equal(add("/dup"), 0);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(bad); i++) {
		assert_int_equal(add(bad[i].text), -EINVAL);
		if (!strstr(error, bad[i].wanted) || !strchr(error, ';'))
			fail_msg("'%s' lacks '%s'", error, bad[i].wanted);
	}
	assert_int_equal(config.target_count, 1);
}

static int check(void)
{
	return config_check(&config, error, sizeof(error));
}

static void finds_settings_that_contradict_each_other(void **state)
{
	(void)state;
	config.max = 50;
	config.base = 60;
	assert_int_equal(check(), -EINVAL);
	assert_string_equal(error, "base: 60 is above max 50; lower base or "
				   "raise max");
	config.base = 50;
	assert_int_equal(check(), 0);
	config.top = 51;
	assert_int_equal(check(), -EINVAL);
	assert_string_equal(error, "top: 51 is above max 50; lower top or "
				   "raise max");
	config.top = CONFIG_RANGE_MAX;
	config.min = 50;
	assert_int_equal(check(), 0);
	config.min = 51;
	assert_int_equal(check(), -EINVAL);
	assert_string_equal(error, "min: 51 is above max 50; lower min or "
				   "raise max");
	config.max = CONFIG_RANGE_MAX;
	assert_int_equal(check(), -EINVAL);
	assert_string_equal(error, "base: 50 is below min 51; raise base or "
				   "lower min");
}

static void lets_a_base_of_0_stand_on_the_floor(void **state)
{
	(void)state;
	assert_int_equal(set("base", "0"), 0);
	assert_int_equal(config.min, 1);
	assert_int_equal(check(), 0);
}

static void checks_targets_against_what_they_inherit(void **state)
{
	(void)state;
	config.max = 50;
	assert_int_equal(add("/a,min=50"), 0);
	assert_int_equal(check(), 0);
	assert_int_equal(add("/b,min=51"), 0);
	assert_int_equal(check(), -EINVAL);
	assert_string_equal(error, "target '/b': min: 51 is above max 50; "
				   "lower min or raise max");
	config.targets[1].max = 60;
	assert_int_equal(check(), 0);
	/* An inherited base is clamped, not refused. */
	config.base = 40;
	assert_int_equal(check(), 0);
}

static void copies_deeply(void **state)
{
	struct config copy;

	(void)state;
	assert_int_equal(add("/a,law=static:7"), 0);
	assert_int_equal(config_copy(&copy, &config), 0);
	assert_string_equal(copy.targets[0].pattern, "/a");
	assert_string_equal(copy.targets[0].law, "static:7");
	assert_ptr_not_equal(copy.targets, config.targets);
	assert_ptr_not_equal(copy.targets[0].law, config.targets[0].law);
	assert_ptr_not_equal(copy.law, config.law);
	config_clear_targets(&config);
	assert_int_equal(config.target_count, 0);
	assert_int_equal(copy.target_count, 1);
	config_done(&copy);
}

static void has_help_and_a_fitting_default_for_every_key(void **state)
{
	(void)state;
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct setting *s = &config_settings[i];

		assert_non_null(s->help);
		assert_true((s->argument == NULL) == (s->type == SETTING_BOOL));
		if (s->type != SETTING_INT)
			continue;
		assert_true((s->word && s->fallback == s->word_value) ||
			    (s->fallback >= s->min && s->fallback <= s->max));
	}
}

static const char *default_text(const struct setting *s, char buf[32])
{
	if (s->type == SETTING_LAW)
		return CONFIG_DEFAULT_LAW;
	if (s->type == SETTING_BOOL)
		return s->fallback ? "yes" : "no";
	if (s->word && s->fallback == s->word_value)
		return s->word;
	snprintf(buf, 32, "%d", s->fallback);
	return buf;
}

/* Copies the shipped file with its "#key = value" lines uncommented. */
static unsigned int uncomment(FILE *from, FILE *to, bool *seen)
{
	char line[256], wanted[128], number[32];
	unsigned int count = 0;

	while (fgets(line, sizeof(line), from)) {
		bool is_setting = line[0] == '#' && line[1] >= 'a' &&
				  line[1] <= 'z' && strstr(line, " = ");

		fputs(is_setting ? line + 1 : line, to);
		count += is_setting;
		for (size_t i = 0; i < config_setting_count; i++) {
			const struct setting *s = &config_settings[i];

			snprintf(wanted, sizeof(wanted), "#%s = %s\n", s->key,
				 default_text(s, number));
			if (strcmp(line, wanted) == 0)
				seen[i] = true;
		}
	}
	return count;
}

static void ships_a_file_that_shows_every_default(void **state)
{
	char path[] = "/tmp/test_config_XXXXXX";
	FILE *from = fopen("dist/swaptend.conf", "r");
	FILE *to = fdopen(mkstemp(path), "w");
	bool seen[32] = {false};

	(void)state;
	assert_non_null(from);
	assert_non_null(to);
	assert_int_equal(uncomment(from, to, seen), config_setting_count);
	fclose(from);
	fclose(to);
	for (size_t i = 0; i < config_setting_count; i++)
		if (!seen[i])
			fail_msg("%s is missing", config_settings[i].key);
	/* Other values first, so that each default must be read to be there. */
	assert_int_equal(config_read_file(&config, FIXTURES "good.conf", error,
					  sizeof(error)),
			 0);
	config_clear_targets(&config);
	config.base = config.top = 20;
	config.swap_out_budget_kib_s = config.zram_cpu_weight_pct = 7;
	config.observe = config.verbose = true;
	config.pin = config.probe = config.guards = false;
	assert_int_equal(config_read_file(&config, path, error, sizeof(error)),
			 0);
	unlink(path);
	assert_defaults(&config);
}

static void ships_a_file_that_changes_nothing_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(config_read_file(&config, "dist/swaptend.conf", error,
					  sizeof(error)),
			 0);
	assert_defaults(&config);
}

#define with_config(test) cmocka_unit_test_setup_teardown(test, init, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_config(has_the_documented_defaults),
		with_config(reads_a_good_file),
		with_config(accepts_a_byte_order_mark),
		with_config(accepts_crlf),
		with_config(accepts_a_missing_last_newline),
		with_config(accepts_an_empty_file),
		with_config(takes_indented_lines_for_themselves),
		with_config(keeps_long_section_names_whole),
		with_config(names_line_fault_and_remedy_of_a_bad_file),
		with_config(leaves_the_old_settings_when_a_file_is_bad),
		with_config(tells_that_a_file_is_missing),
		with_config(refuses_a_directory_and_an_endless_file),
		with_config(takes_numbers_words_and_bounds),
		with_config(refuses_what_is_no_plain_number_in_range),
		with_config(shows_no_control_bytes_in_errors),
		with_config(adds_targets_with_settings_of_their_own),
		with_config(refuses_targets_that_cannot_be_meant),
		with_config(finds_settings_that_contradict_each_other),
		with_config(lets_a_base_of_0_stand_on_the_floor),
		with_config(checks_targets_against_what_they_inherit),
		with_config(copies_deeply),
		with_config(has_help_and_a_fitting_default_for_every_key),
		with_config(ships_a_file_that_shows_every_default),
		with_config(ships_a_file_that_changes_nothing_as_it_is),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
