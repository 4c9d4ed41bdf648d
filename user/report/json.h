/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON, out and in; the only file that sees jansson.  Building never fails in
 * the caller's face: an allocation failure is remembered and told by
 * report_write.
 */
#ifndef SWAPTEND_JSON_H
#define SWAPTEND_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util.h"

struct report; /* an object or an array */

struct report *report_new_object(void);
struct report *report_new_array(void);
void report_free(struct report *report);

void report_set_string(struct report *object, const char *key,
		       const char *value); /* NULL: null; bad UTF-8 replaced */
void report_set_int(struct report *object, const char *key, int64_t value);
void report_set_bool(struct report *object, const char *key, bool value);
void report_set_null(struct report *object, const char *key);
/* Takes `child`. */
void report_set(struct report *object, const char *key, struct report *child);
void report_append(struct report *array, struct report *child);
void report_append_string(struct report *array, const char *value);
void report_append_int(struct report *array, int64_t value);

/* Pretty-printed, keys in the order set, newline at the end.  -ENOMEM, -EIO. */
int report_write(struct report *report, FILE *out) __must_check;

/*
 * The one value in text[len], which need not end in a NUL.  -EINVAL: it is no
 * JSON, and `error` says where and why.
 */
int report_parse(struct report **ret, const char *text, size_t len, char *error,
		 size_t error_size) __must_check;

/* A value inside a report, which it does not outlive; .json NULL: none. */
struct report_view {
	const void *json;
};
struct report_view report_view(const struct report *report);
/* None if there is no such key, its value is null, or `object` is none. */
struct report_view report_get(struct report_view object, const char *key);
size_t report_count(struct report_view array); /* 0 if it is no array */
struct report_view report_at(struct report_view array, size_t i);
/* -EINVAL: no integer of 0 or above; no boolean; no string. */
int report_as_count(struct report_view value, uint64_t *ret) __must_check;
int report_as_bool(struct report_view value, bool *ret) __must_check;
int report_as_string(struct report_view value, const char **ret) __must_check;

#endif
