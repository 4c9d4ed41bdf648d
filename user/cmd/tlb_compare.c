/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend tlb --compare`: reads both sides, has them compared. */
#include "report/tlb_compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/tlb_private.h"

struct loaded {
	char *names; /* what the paths of the runs point into */
	struct tlb_saved *runs;
	unsigned int nr_runs;
};

static void unload(struct loaded *side)
{
	for (unsigned int i = 0; i < side->nr_runs; i++)
		tlb_saved_done(&side->runs[i]);
	free(side->runs);
	free(side->names);
}

static unsigned int count_names(const char *names)
{
	unsigned int count = 1;

	for (; (names = strchr(names, ',')); names++)
		count++;
	return count;
}

static int load_one(struct loaded *side, const char *path)
{
	char error[256];

	if (tlb_saved_read(&side->runs[side->nr_runs], path, error,
			   sizeof(error)))
		return cmd_fail(EXIT_RUNTIME, "'%s': %s", path, error);
	side->nr_runs++;
	return EXIT_OK;
}

/* A file whose own name has commas is taken as it is. */
static int load(struct loaded *side, const char *names)
{
	bool is_one = !access(names, F_OK);
	char *rest, *path;
	int r = EXIT_OK;

	side->names = strdup(names);
	side->runs = calloc(count_names(names), sizeof(*side->runs));
	if (!side->names || !side->runs)
		return cmd_fail(EXIT_RUNTIME, "no memory");
	if (is_one)
		return load_one(side, side->names);
	rest = side->names;
	while (!r && (path = strsep(&rest, ",")))
		r = load_one(side, path);
	return r;
}

static int print(const struct tlb_arguments *arguments, FILE *out,
		 const struct loaded *sides)
{
	const struct tlb_side before = {sides[0].runs, sides[0].nr_runs};
	const struct tlb_side after = {sides[1].runs, sides[1].nr_runs};
	struct report *report;
	int r = 0;

	if (arguments->json) {
		report = tlb_compare_json(&before, &after);
		r = report_write(report, out);
		report_free(report);
	} else {
		tlb_compare_print(out, &before, &after);
	}
	if (!r && (fflush(out) || ferror(out)))
		r = -EIO;
	return r ? cmd_fail(EXIT_RUNTIME, "cannot write: %s", strerror(-r))
		 : EXIT_OK;
}

static int print_to(const struct tlb_arguments *arguments,
		    const struct loaded *sides)
{
	_cleanup_fclose_ FILE *file = NULL;

	if (!arguments->output)
		return print(arguments, stdout, sides);
	file = fopen(arguments->output, "we");
	if (!file)
		return cmd_fail(EXIT_RUNTIME, "'%s': %s", arguments->output,
				strerror(errno));
	return print(arguments, file, sides);
}

int tlb_compare_files(const struct tlb_arguments *arguments)
{
	struct loaded sides[2] = {{0}};
	int r = load(&sides[0], arguments->words[0]);

	if (!r)
		r = load(&sides[1], arguments->words[1]);
	if (!r)
		r = print_to(arguments, sides);
	unload(&sides[0]);
	unload(&sides[1]);
	return r;
}
