/* SPDX-License-Identifier: GPL-2.0-only */
/* What a swappiness means, and what a law does. */
#include "cmd/cmd.h"

#include <argp.h>
#include <errno.h>
#include <string.h>

#include "cmd/common.h"
#include "cmd/prices.h"
#include "law/law.h"
#include "report/json.h"

/* Raise it when a key changes its meaning or goes away. */
#define EXPLAIN_SCHEMA 1

/* Kernel's default since 8f7a1404 (2002-10). */
#define DEFAULT_SWAPPINESS 60
#define NO_PRICE (-1)
#define PCT 100
#define WIDTH_COLUMNS 76

struct note {
	int first;
	int last;
	const char *text;
};

/* Read mm/vmscan.c beside it: get_scan_count(), get_type_to_scan(). */
static const struct note notes[] = {
	{0, 0,
	 "It does not mean \"swap only when needed\". System-wide reclaim "
	 "never swaps, not even at priority 0, until the file pages and the "
	 "free pages of a node together are below its high watermarks; then "
	 "it takes anonymous memory only (kernel commit fe35004fbf9e, "
	 "v3.5)."},
	{0, 0,
	 "A cgroup v1 group at 0 never swaps: at its limit it is OOM-killed "
	 "while swap is free (kernel commit 9a5a8f19b434). swaptend stays at "
	 "1 or above unless --min 0 asks for this."},
	{1, 1,
	 "The lowest value that still swaps: hardly ever, but when reclaim "
	 "is desperate (priority 0) it takes both kinds by size, so a cgroup "
	 "at its limit swaps before it is OOM-killed."},
	{DEFAULT_SWAPPINESS, DEFAULT_SWAPPINESS,
	 "The kernel's default. It does not mean that swapping starts when "
	 "40 % of memory is used: no threshold of used memory exists."},
	{2, 99,
	 "Swap is taken to be dearer than files, so file pages go first "
	 "where both are equally hot: right for swap on a disk no faster "
	 "than the one the files are on."},
	{100, 100,
	 "Equal prices: right where swap and files are on the same device "
	 "and are read in the same way."},
	{101, 199,
	 "Swap is taken to be cheaper than files: for zram, zswap, or swap "
	 "on a faster device than the one the files are on."},
	{133, 133,
	 "The example of the kernel's manual: swap twice as fast as the "
	 "files' device."},
	{180, 180,
	 "A usual value for zram: a swap-in is a decompression, about nine "
	 "times cheaper than a file read."},
	{101, 200,
	 "Values above 100 need Linux 5.8 for vm.swappiness and 5.15 for "
	 "the groups of cgroup v1; older ones refuse them."},
	{200, 200,
	 "The file's price is taken to be without limit: anonymous memory "
	 "is swapped as long as swap has room, hot or not, unless there are "
	 "plenty of file pages that nobody has read again."},
	{0, 1, "Under MGLRU, 0 and 1 mean file pages only."},
	{2, 199,
	 "Under MGLRU it weighs the two kinds by their refaults, and is "
	 "ignored (file pages go) until 64 file pages were read back."},
	{200, 200, "Under MGLRU, 200 means anonymous memory only."},
	{0, 200,
	 "On cgroup v2, vm.swappiness rules every group. A group of cgroup "
	 "v1 has a value of its own, copied from its parent when it was "
	 "made. Without swap the value has no effect."},
};

struct request {
	const char *subject;
	const char *surplus; /* an argument too many */
	bool is_json;
};

/* Rounded to the nearest; NO_PRICE for a division by zero. */
static int ratio_pct(int numerator, int denominator)
{
	if (!denominator)
		return NO_PRICE;
	return (numerator * PCT + denominator / 2) / denominator;
}

/*
 * get_scan_count() gives anonymous memory the weight s and files 200 - s, each
 * the price of one event of the other kind.  So s = 200 r / (1 + r) with r the
 * price of a file refault over that of a swap-in, and r = s / (200 - s).
 */
static int file_price_pct(int swappiness)
{
	return ratio_pct(swappiness, SWAPPINESS_MAX - swappiness);
}

static int swap_price_pct(int swappiness)
{
	return ratio_pct(SWAPPINESS_MAX - swappiness, swappiness);
}

/* Breaks at blanks, two columns in. */
static void print_wrapped(FILE *out, const char *text)
{
	int column = 0;

	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column + 1 + len > WIDTH_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column +=
			fprintf(out, "%s%.*s", column ? " " : "  ", len, text);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void print_price(FILE *out, int swappiness)
{
	int file_pct = file_price_pct(swappiness);
	int swap_pct = swap_price_pct(swappiness);

	if (file_pct == NO_PRICE)
		fputs("  price ratio: no limit; as if reading a file page back "
		      "cost\n  endlessly more than a swap-in\n",
		      out);
	else if (swap_pct == NO_PRICE)
		fputs("  price ratio: 0.00; as if a swap-in cost endlessly "
		      "more than\n  reading a file page back\n",
		      out);
	else
		fprintf(out,
			"  price ratio: %d.%02d; reading a file page back is "
			"taken to cost\n  %d.%02d times a swap-in (a swap-in "
			"%d.%02d times a file read)\n",
			file_pct / PCT, file_pct % PCT, file_pct / PCT,
			file_pct % PCT, swap_pct / PCT, swap_pct % PCT);
}

static void print_value(FILE *out, int swappiness)
{
	fprintf(out, "swappiness %d\n", swappiness);
	print_price(out, swappiness);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(notes); i++) {
		if (swappiness < notes[i].first || swappiness > notes[i].last)
			continue;
		fputc('\n', out);
		print_wrapped(out, notes[i].text);
	}
}

/* Those of a running instance, if there is one that we may look at. */
static void print_live_prices(FILE *out)
{
	struct pins *pins;
	struct swt_law shown;
	uint64_t id = 0;

	if (pins_open(&pins, BPF_PIN_DIR))
		return;
	/* Prices are the machine's: any target knows them. */
	if ((!pins_read_law(pins, &shown) && shown.law[0]) ||
	    pins_next_target(pins, &id, &shown) > 0) {
		fputs("\n  now, on this machine:\n", out);
		prices_print(out, &shown);
	}
	pins_close(pins);
}

static void print_law(FILE *out, const struct law *law)
{
	fprintf(out, "law %s\n", law->name);
	print_wrapped(out, law->rule);
	fprintf(out, "\n  source: %s\n", law->source);
	if (law->is_priced)
		print_live_prices(out);
	else if (law->state_max)
		fprintf(out,
			"\n  swappiness = base + (top - base) * state / %u\n",
			law->state_max);
	if (law->caveat) {
		fputc('\n', out);
		print_wrapped(out, law->caveat);
	}
}

static void set_price(struct report *report, const char *key, int price_pct)
{
	if (price_pct == NO_PRICE)
		report_set_null(report, key);
	else
		report_set_int(report, key, price_pct);
}

static struct report *report_value(int swappiness)
{
	struct report *report = report_new_object();
	struct report *texts = report_new_array();

	report_set_int(report, "schema", EXPLAIN_SCHEMA);
	report_set_int(report, "swappiness", swappiness);
	set_price(report, "file_read_per_swap_in_pct",
		  file_price_pct(swappiness));
	set_price(report, "swap_in_per_file_read_pct",
		  swap_price_pct(swappiness));
	for (size_t i = 0; i < SWT_ARRAY_SIZE(notes); i++)
		if (swappiness >= notes[i].first && swappiness <= notes[i].last)
			report_append_string(texts, notes[i].text);
	report_set(report, "notes", texts);
	return report;
}

static struct report *report_law(const struct law *law)
{
	struct report *report = report_new_object();
	struct report *warnings = report_new_array();

	report_set_int(report, "schema", EXPLAIN_SCHEMA);
	report_set_string(report, "law", law->name);
	report_set_string(report, "summary", law->summary);
	report_set_string(report, "rule", law->rule);
	report_set_string(report, "source", law->source);
	report_set_int(report, "state_max", law->state_max);
	if (law->caveat)
		report_append_string(warnings, law->caveat);
	report_set(report, "warnings", warnings);
	return report;
}

/* "static:60" is told by law_find; a bare "static" explains as well. */
static const struct law *find_law(const char *subject)
{
	int fixed;

	for (unsigned int i = 0; i < law_count; i++)
		if (strcmp(subject, law_table[i].name) == 0)
			return &law_table[i];
	return law_find(subject, &fixed);
}

static bool parse_value(const char *subject, int *ret)
{
	char *end;
	long value;

	/* strtol takes blanks and a sign; an administrator means digits. */
	if (!*subject || subject[strspn(subject, "0123456789")])
		return false;
	errno = 0;
	value = strtol(subject, &end, 10);
	if (errno || value > SWAPPINESS_MAX)
		return false;
	*ret = (int)value;
	return true;
}

static int finish(int r)
{
	if (fflush(stdout) == EOF && !r)
		r = -errno;
	if (r)
		return cmd_fail(EXIT_RUNTIME, "explain: cannot write: %s",
				strerror(-r));
	return EXIT_OK;
}

static int write_report(struct report *report)
{
	int r = report_write(report, stdout);

	report_free(report);
	return finish(r);
}

static int explain(const struct request *request)
{
	const struct law *law;
	int swappiness;

	if (parse_value(request->subject, &swappiness)) {
		if (request->is_json)
			return write_report(report_value(swappiness));
		print_value(stdout, swappiness);
		return finish(0);
	}
	law = find_law(request->subject);
	if (law) {
		if (request->is_json)
			return write_report(report_law(law));
		print_law(stdout, law);
		return finish(0);
	}
	return cmd_fail(EXIT_USAGE,
			"explain: '%s' is neither a swappiness nor a law; "
			"give 0..%d, kolivas, kolivas-proportional, "
			"kolivas-2004, cost, auto or static:N",
			request->subject, SWAPPINESS_MAX);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case 'j':
		request->is_json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (request->subject)
			request->surplus = arg;
		else
			request->subject = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse_option,
	.args_doc = "N|LAW",
	.doc = "Says what a swappiness N means, with the price ratio it stands "
	       "for, or what a LAW does: kolivas, kolivas-proportional, "
	       "kolivas-2004, cost, auto, static:N.",
};

/* argp would call "-1" an unknown option and miss what was meant. */
static const char *find_negative(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (argv[i][0] == '-' && argv[i][1] >= '0' && argv[i][1] <= '9')
			return argv[i];
	return NULL;
}

int cmd_explain(int argc, char **argv)
{
	struct request request = {0};
	int code;

	request.subject = find_negative(argc, argv);
	if (request.subject)
		return explain(&request);
	code = cmd_parse(&argp, argc, argv, &request);
	if (code != EXIT_OK)
		return code;
	if (!request.subject)
		return cmd_fail(EXIT_USAGE,
				"explain: what? Give a swappiness or a law, "
				"e.g. 'swaptend explain %d'",
				DEFAULT_SWAPPINESS);
	if (request.surplus)
		return cmd_fail(EXIT_USAGE,
				"explain: one value at a time, not also '%s'",
				request.surplus);
	return explain(&request);
}
