/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

struct reader {
	const char *name;
	size_t line;
	struct runs runs;
	struct complaint *complaint;
};

static int __printf_like(2, 3) refuse(struct reader *r, const char *why, ...)
{
	struct complaint *complaint = r->complaint;
	va_list args;
	int n;

	n = snprintf(complaint->text, sizeof(complaint->text),
		     "%s:%zu: ", r->name, r->line);
	if (n < 0 || (size_t)n >= sizeof(complaint->text))
		return -EINVAL;
	va_start(args, why);
	(void)vsnprintf(complaint->text + n,
			sizeof(complaint->text) - (size_t)n, why, args);
	va_end(args);
	/* It may quote the line, and one line it must stay. */
	for (char *c = complaint->text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return -EINVAL;
}

static int no_memory(struct reader *r)
{
	(void)refuse(r, "not enough memory for all runs");
	return -ENOMEM;
}

/* Room for one more of `size` bytes; NULL: no memory. */
static void *grow(void **array, size_t count, size_t size)
{
	void *larger = reallocarray(*array, count + 1, size);

	if (!larger)
		return NULL;
	*array = larger;
	memset((char *)larger + count * size, 0, size);
	return (char *)larger + count * size;
}

static int take_string(struct reader *r, json_t *object, const char *key,
		       const char **ret_value)
{
	const char *value = json_string_value(json_object_get(object, key));

	if (!value || !*value)
		return refuse(
			r,
			"no \"%s\", or it is no text; remove the line and "
			"measure again",
			key);
	*ret_value = value;
	return 0;
}

static int take_round(struct reader *r, json_t *object, json_int_t *ret_round)
{
	json_t *round = json_object_get(object, "round");

	if (round && (!json_is_integer(round) || json_integer_value(round) < 1))
		return refuse(r, "\"round\" is no whole number above 0; remove "
				 "the line and measure again");
	*ret_round = round ? json_integer_value(round) : 1;
	return 0;
}

/* Of anything but a positive number no ratio is one. */
static int take_time(struct reader *r, json_t *object, double *ret_time_s)
{
	json_t *time = json_object_get(object, "time_s");
	double time_s = json_number_value(time);

	if (!json_is_number(time) || !isfinite(time_s))
		return refuse(r, "\"time_s\" is missing or no number; remove "
				 "the line and measure again");
	if (time_s <= 0)
		return refuse(r,
			      "\"time_s\" is %g, not above 0; remove the line "
			      "and measure again",
			      time_s);
	*ret_time_s = time_s;
	return 0;
}

static bool is_same_cell(const char *load, const char *corner,
			 const struct note *note)
{
	return !strcmp(load, note->load) && !strcmp(corner, note->corner);
}

/* What was skipped or failed before has been measured since. */
static void settle_notes(struct runs *runs, const struct run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < runs->note_count; i++) {
		struct note *note = &runs->notes[i];
		bool is_about =
			is_same_cell(run->load, run->corner, note) &&
			(!*note->policy || !strcmp(run->policy, note->policy));

		if (is_about &&
		    (!note->is_failure || note->round == run->round))
			json_decref(note->json);
		else
			runs->notes[kept++] = *note;
	}
	runs->note_count = kept;
}

static struct run *find_run(struct runs *runs, const struct run *run)
{
	for (size_t i = 0; i < runs->run_count; i++) {
		struct run *other = &runs->runs[i];

		if (run->round == other->round &&
		    !strcmp(run->policy, other->policy) &&
		    !strcmp(run->load, other->load) &&
		    !strcmp(run->corner, other->corner))
			return other;
	}
	return NULL;
}

static int add_run(struct reader *r, json_t *json)
{
	struct run run = {.json = json}, *slot;
	int err = take_string(r, json, "load", &run.load);

	if (!err)
		err = take_string(r, json, "corner", &run.corner);
	if (!err)
		err = take_string(r, json, "policy", &run.policy);
	if (!err)
		err = take_round(r, json, &run.round);
	if (!err)
		err = take_time(r, json, &run.time_s);
	if (err)
		return err;
	run.is_cut = json_is_true(
		json_object_get(json_object_get(json, "detail"), "is_cut"));
	settle_notes(&r->runs, &run);
	slot = find_run(&r->runs, &run);
	if (slot) {
		json_decref(slot->json);
		r->runs.replaced_count++;
	} else {
		slot = grow((void **)&r->runs.runs, r->runs.run_count,
			    sizeof(*slot));
		if (!slot)
			return no_memory(r);
		r->runs.run_count++;
	}
	*slot = run;
	json_incref(json);
	return 0;
}

static struct note *find_note(struct runs *runs, const struct note *note)
{
	for (size_t i = 0; i < runs->note_count; i++) {
		struct note *other = &runs->notes[i];

		if (note->is_failure == other->is_failure &&
		    note->round == other->round &&
		    is_same_cell(note->load, note->corner, other) &&
		    !strcmp(note->policy, other->policy))
			return other;
	}
	return NULL;
}

static int add_note(struct reader *r, json_t *json, bool is_failure)
{
	struct note note = {.json = json, .is_failure = is_failure}, *slot;
	int err = take_string(r, json, "load", &note.load);

	if (!err)
		err = take_string(r, json, "corner", &note.corner);
	if (!err)
		err = take_string(r, json, "reason", &note.reason);
	if (!err)
		err = take_round(r, json, &note.round);
	if (err)
		return err;
	note.policy = json_string_value(json_object_get(json, "policy"));
	if (!note.policy)
		note.policy = "";
	slot = find_note(&r->runs, &note);
	if (slot) {
		json_decref(slot->json);
		note.times = slot->times;
	} else {
		slot = grow((void **)&r->runs.notes, r->runs.note_count,
			    sizeof(*slot));
		if (!slot)
			return no_memory(r);
		r->runs.note_count++;
	}
	note.times++;
	*slot = note;
	json_incref(json);
	return 0;
}

/* A resumed benchmark may say it again, on another day. */
static bool is_same_header(const json_t *one, json_t *other)
{
	json_t *copy = json_copy(other);
	json_t *date = json_object_get(one, "date");
	bool is_same;

	if (!copy)
		return false;
	if (date)
		(void)json_object_set(copy, "date", date);
	else
		(void)json_object_del(copy, "date");
	is_same = json_equal(one, copy);
	json_decref(copy);
	return is_same;
}

static int set_header(struct reader *r, json_t *header)
{
	if (!json_is_object(header))
		return refuse(r, "\"header\" is no object; this is no file of "
				 "the benchmark");
	if (!r->runs.header) {
		r->runs.header = json_incref(header);
		return 0;
	}
	if (is_same_header(r->runs.header, header))
		return 0;
	return refuse(r, "another header: results of two commits, machines or "
			 "modes are never mixed; give each its own file");
}

static int add_object(struct reader *r, json_t *object)
{
	json_t *part = json_object_get(object, "header");

	if (part)
		return set_header(r, part);
	if (!r->runs.header)
		return refuse(r, "no header before this line: nobody knows "
				 "where it was measured; measure again");
	part = json_object_get(object, "skip");
	if (part)
		return add_note(r, part, false);
	part = json_object_get(object, "failure");
	if (part)
		return add_note(r, part, true);
	return add_run(r, object);
}

/* `is_whole`: with the newline that is written last. */
static int add_line(struct reader *r, const char *text, size_t length,
		    bool is_whole)
{
	json_error_t error;
	json_t *object;
	int err;

	if (strspn(text, " \t\r\n") == length)
		return 0;
	object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (!object && !is_whole) {
		r->runs.cut_line = r->line;
		return 0;
	}
	if (!json_is_object(object)) {
		json_decref(object);
		return refuse(r, "not a JSON object (%s); remove the line",
			      object ? "something else" : error.text);
	}
	err = add_object(r, object);
	json_decref(object);
	return err;
}

static int read_lines(struct reader *r, FILE *in)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int err = 0;

	errno = 0;
	while (!err && (length = getline(&line, &room, in)) > 0) {
		r->line++;
		err = add_line(r, line, (size_t)length,
			       line[length - 1] == '\n');
	}
	if (err)
		return err;
	if (!feof(in)) {
		(void)refuse(r, "cannot be read on: %s", strerror(errno));
		return errno == ENOMEM ? -ENOMEM : -EIO;
	}
	if (!r->runs.header)
		return refuse(r, "no header: this is no file of the benchmark, "
				 "or it was cut at once; measure again");
	return 0;
}

int runs_read(FILE *in, const char *name, struct runs *ret_runs,
	      struct complaint *complaint)
{
	struct reader reader = {.name = name, .complaint = complaint};
	int err = read_lines(&reader, in);

	if (err) {
		runs_done(&reader.runs);
		return err;
	}
	*ret_runs = reader.runs;
	return 0;
}

void runs_done(struct runs *runs)
{
	for (size_t i = 0; i < runs->run_count; i++)
		json_decref(runs->runs[i].json);
	for (size_t i = 0; i < runs->note_count; i++)
		json_decref(runs->notes[i].json);
	json_decref(runs->header);
	free(runs->runs);
	free(runs->notes);
	memset(runs, 0, sizeof(*runs));
}
