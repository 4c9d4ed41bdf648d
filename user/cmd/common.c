/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* argp's own second line ("Try ... --help") is silenced with its stream. */
static error_t parse_outer(int key, char *value, struct argp_state *state)
{
	(void)value;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->err_stream = NULL;
	state->child_inputs[0] = state->input;
	return 0;
}

int cmd_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
	const struct argp outer = {
		.parser = parse_outer,
		.children = children,
	};
	/* In order, so that no argument is taken for an option's value. */
	error_t r = argp_parse(&outer, argc, argv, ARGP_IN_ORDER, NULL, input);

	return r ? EXIT_USAGE : EXIT_OK;
}

error_t cmd_usage_error(const struct argp_state *state, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(stderr, "%s: ", state->name);
	vfprintf(stderr, fmt, args);
	fprintf(stderr, "; see '%s --help'\n", state->name);
	va_end(args);
	return EINVAL;
}

int cmd_fail(int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("swaptend: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	return code;
}
