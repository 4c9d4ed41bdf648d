/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON output; the only file that sees jansson.  Building never fails in the
 * caller's face: an allocation failure is remembered and told by report_write.
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

#endif
