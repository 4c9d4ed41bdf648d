/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets: their patterns, and the settings that each may have of its own. */
#include "config_private.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void *field_of(struct target_config *target, const char *key)
{
	const struct {
		const char *key;
		void *field;
	} fields[] = {
		{"law", &target->law}, {"base", &target->base},
		{"top", &target->top}, {"min", &target->min},
		{"max", &target->max},
	};

	for (size_t i = 0; i < SWT_ARRAY_SIZE(fields); i++)
		if (strcmp(key, fields[i].key) == 0)
			return fields[i].field;
	return NULL;
}

int config_set_target(struct target_config *target, const char *key,
		      const char *value, char *error, size_t error_size)
{
	const struct setting *setting = config_find(key);
	void *field = field_of(target, key);
	char shown[CONFIG_SHOWN_SIZE];

	if (setting && setting->is_per_target && field)
		return config_set_field(setting, field, value, error,
					error_size);
	if (setting)
		return config_fail(
			error, error_size,
			"%s: is one for all targets; set it in "
			"[swaptend] or as --%s%s",
			key,
			!setting->argument && setting->fallback ? "no-" : "",
			key);
	return config_fail(error, error_size,
			   "%s: unknown key; a target takes law, base, top, "
			   "min, max",
			   config_shown(key, shown));
}

/* Is there a component "." or ".." or an empty one? */
static bool has_odd_component(const char *path)
{
	while (*path == '/') {
		size_t len = strcspn(++path, "/");

		if (len == 0 || (len == 1 && *path == '.') ||
		    (len == 2 && strncmp(path, "..", 2) == 0))
			return true;
		path += len;
	}
	return false;
}

/* fnmatch() would take an unclosed [ literally, and so match nothing. */
static bool has_unclosed_bracket(const char *pattern)
{
	const char *open = pattern;

	while ((open = strchr(open, '['))) {
		const char *first = open + 1;

		first += *first == '!' || *first == '^';
		/* A ] in the first place stands for itself. */
		open = *first ? strpbrk(first + 1, "]/") : NULL;
		if (!open || *open != ']')
			return true;
	}
	return false;
}

static bool has_control_byte(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

/* What is wrong with a pattern and what to write; NULL: nothing. */
static const char *judge_pattern(const char *pattern)
{
	if (strcmp(pattern, CONFIG_SYSTEM) == 0)
		return NULL;
	if (!*pattern)
		return "is empty; write system, or a path such as /db";
	if (has_control_byte(pattern))
		return "has a control character; remove it";
	if (strlen(pattern) >= PATH_MAX)
		return "is longer than a path can be; shorten it with *";
	if (*pattern != '/')
		return "is not absolute; write system, or a path below the "
		       "memory hierarchy that begins with /";
	if (!pattern[1])
		return "is the root group, which is the whole system; write "
		       "system";
	if (has_odd_component(pattern))
		return "has a component that is empty, . or ..; write the "
		       "path without it";
	if (has_unclosed_bracket(pattern))
		return "has a [ without its ]; close it, or write [[]";
	return NULL;
}

static bool has_target(const struct config *config, const char *pattern)
{
	for (size_t i = 0; i < config->target_count; i++)
		if (strcmp(config->targets[i].pattern, pattern) == 0)
			return true;
	return false;
}

static int fail_no_memory(char *error, size_t error_size)
{
	config_fail(error, error_size, "no memory");
	return -ENOMEM;
}

/* Takes *target's strings only on success. */
static int append_target(struct config *config,
			 const struct target_config *target, char *error,
			 size_t error_size)
{
	struct target_config *grown = reallocarray(
		config->targets, config->target_count + 1, sizeof(*grown));

	if (!grown)
		return fail_no_memory(error, error_size);
	grown[config->target_count++] = *target;
	config->targets = grown;
	return 0;
}

/* A pattern as config keeps it: "/db/" is "/db". */
static int make_target(const struct config *config, const char *text,
		       size_t len, struct target_config *ret, char *error,
		       size_t error_size)
{
	_cleanup_free_ char *pattern = NULL;
	char shown[CONFIG_SHOWN_SIZE];
	const char *fault;

	if (len > 1 && text[len - 1] == '/')
		len--;
	pattern = strndup(text, len);
	if (!pattern)
		return fail_no_memory(error, error_size);
	config_shown(pattern, shown);
	fault = judge_pattern(pattern);
	if (fault)
		return config_fail(error, error_size, "'%s' %s", shown, fault);
	if (has_target(config, pattern))
		return config_fail(error, error_size,
				   "'%s' is there twice; keep one of the two",
				   shown);
	*ret = (struct target_config){
		.pattern = TAKE_PTR(pattern),
		.base = CONFIG_INHERIT,
		.top = CONFIG_INHERIT,
		.min = CONFIG_INHERIT,
		.max = CONFIG_INHERIT,
	};
	return 0;
}

int config_add_pattern(struct config *config, const char *pattern, char *error,
		       size_t error_size)
{
	struct target_config target;
	int r = make_target(config, pattern, strlen(pattern), &target, error,
			    error_size);

	if (r)
		return r;
	r = append_target(config, &target, error, error_size);
	if (r)
		free(target.pattern);
	return r;
}

/* One "key=value" of `len` bytes; the error names the target as well. */
static int set_part(struct target_config *target, const char *text, size_t len,
		    char *error, size_t error_size)
{
	_cleanup_free_ char *part = strndup(text, len);
	char shown[CONFIG_SHOWN_SIZE], why[CONFIG_WHY_SIZE];
	char *equals;
	int r;

	if (!part)
		return fail_no_memory(error, error_size);
	equals = strchr(part, '=');
	if (!equals)
		return config_fail(error, error_size,
				   "'%s' is no setting; write key=value after "
				   "the comma (for a comma in a path write ?)",
				   config_shown(part, shown));
	*equals = '\0';
	r = config_set_target(target, part, equals + 1, why, sizeof(why));
	if (r)
		config_fail(error, error_size, "'%s': %s",
			    config_shown(target->pattern, shown), why);
	return r;
}

static int set_parts(struct target_config *target, const char *text,
		     char *error, size_t error_size)
{
	unsigned int seen = 0;
	int r = 0;

	for (; !r && *text == ','; text += strcspn(text, ",")) {
		size_t len = strcspn(++text, ",");
		size_t key_len = strcspn(text, ",=");
		size_t i;

		for (i = 0; i < config_setting_count; i++)
			if (strlen(config_settings[i].key) == key_len &&
			    !strncmp(config_settings[i].key, text, key_len))
				break;
		if (i < config_setting_count && seen & 1U << i)
			return config_fail(error, error_size,
					   "%s: is there twice; keep one of "
					   "the two",
					   config_settings[i].key);
		seen |= 1U << i;
		r = set_part(target, text, len, error, error_size);
	}
	return r;
}

int config_add_target(struct config *config, const char *text, char *error,
		      size_t error_size)
{
	size_t len = strcspn(text, ",");
	struct target_config target;
	int r = make_target(config, text, len, &target, error, error_size);

	if (r)
		return r;
	r = set_parts(&target, text + len, error, error_size);
	if (!r)
		r = append_target(config, &target, error, error_size);
	if (r) {
		free(target.pattern);
		free(target.law);
	}
	return r;
}
