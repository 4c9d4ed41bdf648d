/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend tlb`: its options. */
#include "cmd/tlb_private.h"

#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common.h"
#include "sense/parse.h"

#define MS_PER_S 1000
#define MAX_SECONDS 10000000 /* 115 days */
#define MIN_EVERY_MS 100
#define DEFAULT_TOP 10

enum key {
	KEY_COMPARE = 256,
	KEY_RECEIVE,
	KEY_NO_BPF,
	KEY_TASK_SWITCH,
	KEY_TOP,
	KEY_SAVE,
	KEY_BTF,
	KEY_ROOT,
};

/* "2", "0.5"; three digits behind the point at most. */
static int parse_seconds_ms(const char *text, uint64_t *ret_ms)
{
	const char *point = strchr(text, '.');
	char whole[16];
	size_t len = point ? (size_t)(point - text) : strlen(text);
	uint64_t seconds, rest_ms = 0, unit_ms = MS_PER_S;

	if (len >= sizeof(whole) || strspn(text, "0123456789") != len)
		return -EINVAL;
	memcpy(whole, text, len);
	whole[len] = '\0';
	if (parse_u64(whole, &seconds) || seconds > MAX_SECONDS)
		return -EINVAL;
	for (const char *s = point ? point + 1 : ""; *s; s++) {
		unit_ms /= 10;
		if (*s < '0' || *s > '9' || !unit_ms)
			return -EINVAL;
		rest_ms += unit_ms * (uint64_t)(*s - '0');
	}
	*ret_ms = seconds * MS_PER_S + rest_ms;
	return 0;
}

static error_t take_seconds(const struct argp_state *state, const char *name,
			    const char *value, uint64_t min_ms,
			    uint64_t *ret_ms)
{
	uint64_t ms;

	if (parse_seconds_ms(value, &ms) || ms < min_ms)
		return cmd_usage_error(state,
				       "--%s: '%s' is no number of seconds, "
				       "%s to %d",
				       name, value,
				       min_ms < MIN_EVERY_MS ? "0.001" : "0.1",
				       MAX_SECONDS);
	*ret_ms = ms;
	return 0;
}

static error_t take_receive(const struct argp_state *state, const char *value,
			    enum tlb_receive *ret)
{
	for (int i = TLB_RECEIVE_NONE; i <= TLB_RECEIVE_FLUSH_FUNC; i++)
		if (!strcmp(value, tlb_receive_name(i))) {
			*ret = (enum tlb_receive)i;
			return 0;
		}
	return cmd_usage_error(
		state, "--receive: '%s' is not none, call or flush-func",
		value);
}

/* The command with all that follows; sides may have options behind them. */
static error_t take_word(struct tlb_arguments *arguments,
			 struct argp_state *state)
{
	if (!arguments->nr_words)
		arguments->words = &state->argv[state->next - 1];
	if (arguments->is_compare) {
		arguments->nr_words++;
		return 0;
	}
	arguments->nr_words = state->argc - (state->next - 1);
	state->next = state->argc;
	return 0;
}

/* "a,,b": a name of no letters is among them. */
static bool has_empty_name(const char *names)
{
	size_t len = strlen(names);

	return !len || names[0] == ',' || names[len - 1] == ',' ||
	       strstr(names, ",,");
}

static error_t check_together(const struct tlb_arguments *arguments,
			      const struct argp_state *state)
{
	if (arguments->is_compare && arguments->nr_words != 2)
		return cmd_usage_error(
			state, "--compare wants two sides, BEFORE and AFTER, "
			       "each FILE or FILE,FILE...");
	if (arguments->is_compare && (has_empty_name(arguments->words[0]) ||
				      has_empty_name(arguments->words[1])))
		return cmd_usage_error(state,
				       "--compare: '%s' '%s': a name of no "
				       "letters",
				       arguments->words[0],
				       arguments->words[1]);
	if (arguments->is_compare &&
	    (arguments->duration_ms || arguments->every_ms || arguments->save))
		return cmd_usage_error(state, "--compare measures nothing: no "
					      "--duration, --every or --save");
	if (arguments->duration_ms && arguments->nr_words)
		return cmd_usage_error(state,
				       "'%s' or --duration: the command's end "
				       "is the end",
				       arguments->words[0]);
	return 0;
}

static error_t parse_value(int key, char *value, struct argp_state *state)
{
	struct tlb_arguments *arguments = state->input;
	int top;

	switch (key) {
	case 'd':
		return take_seconds(state, "duration", value, 1,
				    &arguments->duration_ms);
	case 'e':
		return take_seconds(state, "every", value, MIN_EVERY_MS,
				    &arguments->every_ms);
	case 'o':
		arguments->output = value;
		return 0;
	case KEY_SAVE:
		arguments->save = value;
		return 0;
	case KEY_BTF:
		arguments->btf_path = value;
		return 0;
	case KEY_ROOT:
		arguments->root.prefix = value;
		return 0;
	case KEY_RECEIVE:
		return take_receive(state, value, &arguments->receive);
	case KEY_TOP:
		if (parse_int(value, 0, TLB_MAX_SENDERS, &top))
			return cmd_usage_error(state,
					       "--top: '%s' is not 0 to %d",
					       value, TLB_MAX_SENDERS);
		arguments->top = (unsigned int)top;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct tlb_arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case KEY_COMPARE:
		arguments->is_compare = true;
		return 0;
	case KEY_NO_BPF:
		arguments->without_bpf = true;
		return 0;
	case KEY_TASK_SWITCH:
		arguments->with_task_switch = true;
		return 0;
	case ARGP_KEY_ARG:
		return take_word(arguments, state);
	case ARGP_KEY_END:
		return check_together(arguments, state);
	default:
		return parse_value(key, value, state);
	}
}

static const struct argp_option options[] = {
	{"duration", 'd', "S", 0, "Measure for S seconds", 0},
	{"every", 'e', "S", 0,
	 "Also a line of what was counted every S seconds", 0},
	{"save", KEY_SAVE, "FILE", 0, "Also keep the run, for --compare", 0},
	{"compare", KEY_COMPARE, NULL, 0,
	 "Compare saved runs, before and after; several of a side are joined "
	 "by commas",
	 0},
	{"json", 'j', NULL, 0, "JSON instead of text", 0},
	{"output", 'o', "FILE", 0, "The report goes to FILE, not to stdout", 0},
	{"top", KEY_TOP, "N", 0, "Show N senders (10)", 0},
	{"receive", KEY_RECEIVE, "HOW", 0,
	 "Time what receiving costs by flush-func (exact, the default where "
	 "it can be had), call (any function-call interrupt) or none",
	 0},
	{"task-switch", KEY_TASK_SWITCH, NULL, 0,
	 "Count flushes of task switches too: many", 0},
	{"no-bpf", KEY_NO_BPF, NULL, 0,
	 "Only what /proc tells; needs no rights", 0},
	{"btf", KEY_BTF, "FILE", 0, "Kernel types in FILE", 0},
	{"root", KEY_ROOT, "DIR", OPTION_HIDDEN, "A tree that stands for /", 0},
	{0},
};

int cmd_tlb(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.args_doc = "[--] [COMMAND...]\n--compare BEFORE[,...] "
			    "AFTER[,...]",
		.doc = "Counts TLB shootdowns: how many, why, from whom, and "
		       "what they cost, while COMMAND runs, for a time, or "
		       "until Ctrl-C.",
	};
	struct tlb_arguments arguments = {
		.top = DEFAULT_TOP,
		.receive = TLB_RECEIVE_FLUSH_FUNC,
		.root = {""},
	};
	int r = cmd_parse(&argp, argc, argv, &arguments);

	if (r)
		return r;
	return arguments.is_compare ? tlb_compare_files(&arguments)
				    : tlb_measure(&arguments);
}
