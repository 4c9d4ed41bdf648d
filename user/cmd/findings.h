/* SPDX-License-Identifier: GPL-2.0-only */
/* What `check` found: collected first, then printed as text or JSON. */
#ifndef SWAPTEND_FINDINGS_H
#define SWAPTEND_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sense/bpf.h"
#include "sense/proc.h"
#include "util.h"

enum finding_state {
	FINDING_OK,
	FINDING_OFF,   /* not there; the rest works */
	FINDING_WARN,  /* works, but look at it */
	FINDING_ERROR, /* control is impossible */
	_FINDING_MAX,
};

struct finding {
	const char *id; /* stable, for scripts */
	enum finding_state state;
	char *what;
	char *remedy; /* NULL: nothing to do */
};

struct findings {
	struct finding *items;
	size_t count;
	bool is_out_of_memory; /* sticky, told by findings_write_json() */
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	unsigned int signal_count;
};

/* Adds one; remedy NULL: nothing to do. */
void findings_add(struct findings *findings, const char *id,
		  enum finding_state state, const char *remedy, const char *fmt,
		  ...) __printf_like(5, 6);
void findings_done(struct findings *findings);

bool findings_has_error(const struct findings *findings);
/* Another user, or another mount, could: it is not the kernel. */
bool findings_has_only_rights_errors(const struct findings *findings);
int findings_print(const struct findings *findings) __must_check;
int findings_write_json(const struct findings *findings) __must_check;

struct check_options {
	struct sense_root root;
	const char *btf_path; /* NULL: the kernel's */
	const char *run_dir;
	bool probe; /* find the knob's range by writing */
	uint32_t zram_weight_pct;
};

/* The rooms of `check`. */
void check_kernel(const struct check_options *options,
		  struct findings *findings);
void check_memory(const struct check_options *options,
		  struct findings *findings);
/* Times a few reads; as long as it takes for a slow disk to answer them. */
void check_prices(const struct check_options *options,
		  struct findings *findings);
void check_cgroups(const struct check_options *options,
		   struct findings *findings);
void check_knob(const struct check_options *options, struct findings *findings);

/* A small file as one trimmed line; NULL: it cannot be read. */
char *check_read_line(const struct sense_root *root, const char *path);

#endif
