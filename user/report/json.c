/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/json.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* U+FFFD; three bytes may stand for one bad byte. */
#define REPLACEMENT "\xef\xbf\xbd"
#define REPLACEMENT_LEN (sizeof(REPLACEMENT) - 1)

struct report {
	json_t *json;
	bool has_failed; /* some part is missing: must not be written */
};

static struct report *wrap(json_t *json)
{
	struct report *report = json ? calloc(1, sizeof(*report)) : NULL;

	if (!report) {
		json_decref(json);
		return NULL;
	}
	report->json = json;
	return report;
}

struct report *report_new_object(void)
{
	return wrap(json_object());
}

struct report *report_new_array(void)
{
	return wrap(json_array());
}

void report_free(struct report *report)
{
	if (!report)
		return;
	json_decref(report->json);
	free(report);
}

/*
 * Length of the UTF-8 sequence at s, 0 if it is none: overlong forms,
 * surrogates and anything above U+10FFFF are none (RFC 3629).  The NUL at the
 * end is no continuation byte, so a cut sequence never reads past it.
 */
static size_t utf8_length(const unsigned char *s)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* A valid copy of raw; every byte that is no UTF-8 becomes U+FFFD. */
static char *copy_as_utf8(const char *raw)
{
	char *copy = malloc(strlen(raw) * REPLACEMENT_LEN + 1);
	char *out = copy;

	if (!copy)
		return NULL;
	while (*raw) {
		size_t len = utf8_length((const unsigned char *)raw);

		memcpy(out, len ? raw : REPLACEMENT,
		       len ? len : REPLACEMENT_LEN);
		out += len ? len : REPLACEMENT_LEN;
		raw += len ? len : 1;
	}
	*out = '\0';
	return copy;
}

static json_t *make_string(const char *value)
{
	_cleanup_free_ char *copy = NULL;

	if (!value)
		return json_null();
	copy = copy_as_utf8(value);
	return copy ? json_string_nocheck(copy) : NULL;
}

/* Takes value; NULL is an allocation that failed. */
static void set_value(struct report *object, const char *key, json_t *value)
{
	if (!object)
		json_decref(value);
	else if (json_object_set_new(object->json, key, value) < 0)
		object->has_failed = true;
}

static void append_value(struct report *array, json_t *value)
{
	if (!array)
		json_decref(value);
	else if (json_array_append_new(array->json, value) < 0)
		array->has_failed = true;
}

void report_set_string(struct report *object, const char *key,
		       const char *value)
{
	set_value(object, key, make_string(value));
}

void report_set_int(struct report *object, const char *key, int64_t value)
{
	set_value(object, key, json_integer(value));
}

void report_set_bool(struct report *object, const char *key, bool value)
{
	set_value(object, key, json_boolean(value));
}

void report_set_null(struct report *object, const char *key)
{
	set_value(object, key, json_null());
}

/* Unwraps child; a child that failed, or never was, spoils its parent. */
static json_t *take_child(struct report *parent, struct report *child)
{
	json_t *json = child ? child->json : NULL;

	if (parent && (!child || child->has_failed))
		parent->has_failed = true;
	free(child);
	return json;
}

void report_set(struct report *object, const char *key, struct report *child)
{
	set_value(object, key, take_child(object, child));
}

void report_append(struct report *array, struct report *child)
{
	append_value(array, take_child(array, child));
}

void report_append_string(struct report *array, const char *value)
{
	append_value(array, make_string(value));
}

void report_append_int(struct report *array, int64_t value)
{
	append_value(array, json_integer(value));
}

int report_write(struct report *report, FILE *out)
{
	_cleanup_free_ char *text = NULL;

	if (!report || report->has_failed)
		return -ENOMEM;
	/* In memory first: half a document is worse than none. */
	text = json_dumps(report->json, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	if (!text)
		return -ENOMEM;
	if (fputs(text, out) < 0 || fputc('\n', out) == EOF || fflush(out))
		return -EIO;
	return 0;
}

int report_parse(struct report **ret, const char *text, size_t len, char *error,
		 size_t error_size)
{
	struct report *report;
	json_error_t why;
	json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);

	if (!json) {
		snprintf(error, error_size, "line %d: %s", why.line, why.text);
		/* It quotes the text: nothing that moves a cursor. */
		for (char *s = error; *s; s++)
			if (*s < ' ' || *s > '~')
				*s = '?';
		return -EINVAL;
	}
	report = wrap(json);
	if (!report)
		return -ENOMEM;
	*ret = report;
	return 0;
}

static struct report_view view_of(const json_t *json)
{
	return (struct report_view){json_is_null(json) ? NULL : json};
}

struct report_view report_view(const struct report *report)
{
	return view_of(report->json);
}

struct report_view report_get(struct report_view object, const char *key)
{
	/* NULL too where `object` is something else. */
	return view_of(json_object_get(object.json, key));
}

size_t report_count(struct report_view array)
{
	return json_array_size(array.json);
}

struct report_view report_at(struct report_view array, size_t i)
{
	return view_of(json_array_get(array.json, i));
}

int report_as_count(struct report_view value, uint64_t *ret)
{
	const json_t *json = value.json;

	if (!json_is_integer(json) || json_integer_value(json) < 0)
		return -EINVAL;
	*ret = (uint64_t)json_integer_value(json);
	return 0;
}

int report_as_bool(struct report_view value, bool *ret)
{
	const json_t *json = value.json;

	if (!json_is_boolean(json))
		return -EINVAL;
	*ret = json_is_true(json);
	return 0;
}

int report_as_string(struct report_view value, const char **ret)
{
	if (!json_is_string((const json_t *)value.json))
		return -EINVAL;
	*ret = json_string_value(value.json);
	return 0;
}
