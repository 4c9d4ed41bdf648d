/* SPDX-License-Identifier: GPL-2.0-only */
/* What the config_*.c files share. */
#ifndef SWAPTEND_CONFIG_PRIVATE_H
#define SWAPTEND_CONFIG_PRIVATE_H

#include "config.h"

#define CONFIG_MAX_SETTINGS 16
#define CONFIG_SHOWN_SIZE 80
#define CONFIG_WHY_SIZE 320    /* an error without its place */
#define CONFIG_SYSTEM "system" /* the target that is no group */

/* Writes the error; yields -EINVAL. */
int config_fail(char *error, size_t error_size, const char *fmt, ...)
	__printf_like(3, 4);

/* raw for an error message: no control bytes, cut when long. */
const char *config_shown(const char *raw, char buf[CONFIG_SHOWN_SIZE]);

/* NULL: no such key. */
const struct setting *config_find(const char *key);
int config_unknown_key(const char *key, char *error, size_t error_size);

/* Sets the setting's field (of the type that setting->type says). */
int config_set_field(const struct setting *setting, void *field,
		     const char *value, char *error,
		     size_t error_size) __must_check;

/* config_add_target() without the ",key=value" parts; inherits everything. */
int config_add_pattern(struct config *config, const char *pattern, char *error,
		       size_t error_size) __must_check;
int config_set_target(struct target_config *target, const char *key,
		      const char *value, char *error,
		      size_t error_size) __must_check;

/* Two settings that contradict each other, for config_check's error. */
struct config_conflict {
	const struct target_config *target; /* NULL: in [swaptend] */
	const char *keys[2];
	int values[2];
	bool is_above; /* keys[0] is above keys[1]; else below */
};
/* The first conflict, if there is one. */
bool config_find_conflict(const struct config *config,
			  struct config_conflict *ret);
int config_conflict_fail(const struct config_conflict *conflict, char *error,
			 size_t error_size);

#endif
