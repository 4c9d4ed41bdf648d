/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report RUNS.jsonl OUTDIR NAME: what the benchmark measured, as
 * OUTDIR/NAME.json, NAME.md, NAME-<load>-<corner>.svg and -time.svg.
 * Exit status: 0, 1 failure or a file that cannot be trusted, 2 usage.
 */
#include "report_stats.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct task {
	const char *directory, *name;
	const struct summary *summary;
	size_t cell;
};

static int complain(const char *what, const char *name, int r)
{
	fprintf(stderr, "report: %s '%s': %s\n", what, name, strerror(-r));
	return r;
}

static int put_json(const struct task *task, FILE *out)
{
	json_t *json = report_json(task->summary);
	int r = 0;

	if (!json)
		return -ENOMEM;
	if (json_dumpf(json, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6)))
		r = errno ? -errno : -EIO;
	fputc('\n', out);
	json_decref(json);
	return r;
}

static int put_markdown(const struct task *task, FILE *out)
{
	return report_markdown(task->summary, task->name, out);
}

static int put_bars(const struct task *task, FILE *out)
{
	report_bars(task->summary, task->cell, out);
	return 0;
}

static int put_time(const struct task *task, FILE *out)
{
	report_time(task->summary, task->cell, out);
	return 0;
}

/* Under another name first: a report is whole or not there. */
static int write_part(const struct task *task, const char *part,
		      int (*put)(const struct task *task, FILE *out))
{
	FILE *out = fopen(part, "we");
	int r;

	if (!out)
		return -errno;
	errno = 0;
	r = put(task, out);
	if (!r && ferror(out))
		r = errno ? -errno : -EIO;
	if (fclose(out) && !r)
		r = -errno;
	return r;
}

static int write_file(const struct task *task, const char *file,
		      int (*put)(const struct task *task, FILE *out))
{
	_cleanup_free_ char *path = NULL, *part = NULL;
	int r;

	if (!file || asprintf(&path, "%s/%s", task->directory, file) < 0 ||
	    asprintf(&part, "%s.part", path) < 0)
		return complain("cannot write to", task->directory, -ENOMEM);
	r = write_part(task, part, put);
	if (!r && rename(part, path))
		r = -errno;
	if (!r)
		return 0;
	(void)unlink(part); /* it may not even have been made */
	return complain("cannot write", path, r);
}

static int write_pictures(struct task *task)
{
	const struct summary *s = task->summary;
	int r = 0;

	for (size_t c = 0; !r && c < s->cell_count; c++) {
		const struct cell *cell = &s->cells[c];
		_cleanup_free_ char *bars = report_file_name(
			task->name, cell->load, cell->corner, ".svg");
		_cleanup_free_ char *time = report_file_name(
			task->name, cell->load, cell->corner, "-time.svg");

		task->cell = c;
		r = write_file(task, bars, put_bars);
		if (!r && report_has_time(s, c))
			r = write_file(task, time, put_time);
	}
	return r;
}

static int write_all(struct task *task)
{
	_cleanup_free_ char *json = NULL, *page = NULL;
	int r;

	if (mkdir(task->directory, 0777) && errno != EEXIST)
		return complain("cannot make", task->directory, -errno);
	if (asprintf(&json, "%s.json", task->name) < 0 ||
	    asprintf(&page, "%s.md", task->name) < 0)
		return complain("cannot write to", task->directory, -ENOMEM);
	r = write_file(task, json, put_json);
	if (!r)
		r = write_pictures(task);
	/* Last: it links to the others. */
	return r ? r : write_file(task, page, put_markdown);
}

static void tell(const struct task *task)
{
	const struct summary *s = task->summary;
	size_t met = 0, missed = 0, open = 0;

	for (size_t t = 0; t < target_count * JUDGED_COUNT; t++) {
		const struct target *target = &targets[t / JUDGED_COUNT];
		const char *verdict = target_verdict(
			target, target_measure(target, s,
					       judged_laws[t % JUDGED_COUNT]));

		if (!strcmp(verdict, "met"))
			met++;
		else if (!strcmp(verdict, "not met"))
			missed++;
		else
			open++;
	}
	printf("%s/%s.md: %zu runs, %zu cells; targets: %zu met, %zu not met, "
	       "%zu not measured; %zu skipped or failed\n",
	       task->directory, task->name, s->runs->run_count, s->cell_count,
	       met, missed, open, s->runs->note_count);
}

static int report(const struct runs *runs, const char *directory,
		  const char *name)
{
	struct summary summary;
	struct task task = {directory, name, &summary, 0};
	int r = summary_init(&summary, runs);

	if (r)
		return complain("cannot summarize for", name, r);
	r = write_all(&task);
	if (!r)
		tell(&task);
	summary_done(&summary);
	return r;
}

static int read_file(const char *path, struct runs *ret_runs)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	struct complaint complaint = {""};
	int r;

	if (!in)
		return complain("cannot open", path, -errno);
	r = runs_read(in, path, ret_runs, &complaint);
	if (r)
		fprintf(stderr, "report: %s\n", complaint.text);
	else if (ret_runs->cut_line)
		fprintf(stderr,
			"report: %s:%zu: the last line was cut, left out; "
			"resume the benchmark to measure it again\n",
			path, ret_runs->cut_line);
	return r;
}

int main(int argc, char **argv)
{
	struct runs runs;
	int r;

	if (argc != 4 || !*argv[3] || argv[3][0] == '.' ||
	    strcspn(argv[3], "/ \t\r\n") != strlen(argv[3])) {
		fputs("usage: report RUNS.jsonl OUTDIR NAME, NAME without "
		      "slash, blank or leading dot\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (read_file(argv[1], &runs))
		return EXIT_RUNTIME;
	r = report(&runs, argv[2], argv[3]);
	runs_done(&runs);
	return r ? EXIT_RUNTIME : EXIT_OK;
}
