/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings: one table (config.c) feeds defaults, the file's parser, the
 * command line, --help and the manual.
 */
#ifndef SWAPTEND_CONFIG_H
#define SWAPTEND_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

#define CONFIG_PATH "/etc/swaptend.conf"
#define CONFIG_DEFAULT_LAW "kolivas"
#define CONFIG_FROM_ORIGINAL (-1) /* base: the knob's original value */
#define CONFIG_RANGE_MAX (-1)	  /* top, max: the largest the knob takes */
#define CONFIG_INHERIT (-2)	  /* a target's own: as set for all */

/* A target as asked for: "system", or a cgroup path or glob. */
struct target_config {
	char *pattern;
	char *law; /* NULL: the global one.  Likewise CONFIG_INHERIT below */
	int base, top, min, max;
};

struct config {
	char *law;
	int base; /* 0..200 or CONFIG_FROM_ORIGINAL */
	int top;  /* 0..200 or CONFIG_RANGE_MAX */
	int min;
	int max; /* 0..200 or CONFIG_RANGE_MAX */
	int interval_ms;
	int resume_after_s;	   /* 0: stand aside until told */
	int swap_out_budget_kib_s; /* 0: without limit */
	int zram_cpu_weight_pct;
	bool probe;
	bool tlb; /* taken up at the start only */
	bool guards;
	bool observe;
	bool pin;
	bool verbose;
	struct target_config *targets; /* empty: system */
	size_t target_count;
};

enum setting_type { SETTING_INT, SETTING_BOOL, SETTING_LAW };

struct setting {
	const char *key;      /* in [swaptend]; the option is --key */
	const char *argument; /* for --help, NULL for a flag */
	enum setting_type type;
	size_t offset; /* in struct config */
	int fallback, min, max;
	const char
		*word; /* a word beside numbers ("original", "auto"), or NULL */
	int word_value;
	bool is_per_target; /* allowed in [target PATTERN] too */
	const char *help;
};
extern const struct setting config_settings[];
extern const size_t config_setting_count;

/* All defaults.  -ENOMEM. */
int config_init(struct config *config) __must_check;
void config_done(struct config *config);
/* Deep copy.  -ENOMEM. */
int config_copy(struct config *ret, const struct config *from) __must_check;

/*
 * Reads a file on top of *config.  All or nothing: on failure *config is as
 * before and error holds "FILE:LINE: what is wrong; what to write instead".
 * -ENOENT: no such file (error says so); -EINVAL: bad content.
 */
int config_read_file(struct config *config, const char *path, char *error,
		     size_t error_size) __must_check;

/* Sets one key from text; error is "KEY: ..." without a place.  -EINVAL. */
int config_set(struct config *config, const char *key, const char *value,
	       char *error, size_t error_size) __must_check;

/*
 * Adds a target: "system", PATH or glob, with optional ",key=value" parts,
 * e.g. "/db,min=10,law=static:20".  -EINVAL with error set.
 */
int config_add_target(struct config *config, const char *text, char *error,
		      size_t error_size) __must_check;

/* Back to no targets, which means the system. */
void config_clear_targets(struct config *config);

/* Rules between settings (min <= max, base and top within).  -EINVAL. */
int config_check(const struct config *config, char *error,
		 size_t error_size) __must_check;

#endif
