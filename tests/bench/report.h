/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The benchmark's report.  Data flows one way:
 *
 *	runs (a file of JSON lines) -> summary -> JSON, Markdown, SVG
 */
#ifndef SWAPTEND_BENCH_REPORT_H
#define SWAPTEND_BENCH_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util.h"

#define DEFAULT_POLICY "static:60"

/* One measurement.  The strings belong to `json`, and so does the series. */
struct run {
	json_t *json;
	const char *load, *corner, *policy;
	json_int_t round;
	double time_s;
	bool is_cut; /* given up at the deadline: it takes at least this long */
};

/* A cell that was skipped, or a run that failed and has not succeeded since. */
struct note {
	json_t *json;
	bool is_failure;
	const char *load, *corner, *reason;
	const char *policy; /* "": all of the cell's */
	json_int_t round;
	size_t times;
};

struct runs {
	json_t *header;
	struct run *runs;
	size_t run_count;
	struct note *notes;
	size_t note_count;
	size_t replaced_count; /* runs that a later line of the same key stands
				  for */
	size_t cut_line;       /* the last line, if it was cut and left out */
};

/* What is wrong, in one line: where and what to do. */
struct complaint {
	char text[512];
};

/* -EINVAL, -EIO, -ENOMEM: `complaint` says why.  `name`: what to call `in`. */
int runs_read(FILE *in, const char *name, struct runs *ret_runs,
	      struct complaint *complaint) __must_check;
void runs_done(struct runs *runs);

struct summary;

/* A new reference, NULL: no memory. */
json_t *report_json(const struct summary *summary);
/* -ENOMEM. */
int report_markdown(const struct summary *summary, const char *name,
		    FILE *out) __must_check;
void report_times(const struct summary *summary, FILE *out);
int report_contest(const struct summary *summary, FILE *out) __must_check;
void report_bars(const struct summary *summary, size_t cell, FILE *out);
/* Needs report_has_time(). */
void report_time(const struct summary *summary, size_t cell, FILE *out);
bool report_has_time(const struct summary *summary, size_t cell);

/* Any text within XML; what XML 1.0 cannot hold becomes '?'. */
void xml_put(FILE *out, const char *text);
/* Any text within a cell of a table in Markdown. */
void markdown_put(FILE *out, const char *text);

#define NUMBER_BYTES 32
struct number {
	char text[NUMBER_BYTES];
};
/* Three digits that count: 0.0123, 1.23, 12.3, 123, 1234; no exponent. */
struct number number_format(double value);

/* The next 1, 2 or 5 times a power of ten at or above value / steps. */
double axis_step(double value, unsigned int steps);
void svg_begin(FILE *out, unsigned int width, unsigned int height);
/* After the title: looks, and a ground. */
void svg_style(FILE *out);
void svg_end(FILE *out);

/* "NAME-LOAD-CORNER" with nothing a file name or a link could stumble over. */
char *report_file_name(const char *name, const char *load, const char *corner,
		       const char *suffix);

#endif
