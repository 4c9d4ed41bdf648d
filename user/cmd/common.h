/* SPDX-License-Identifier: GPL-2.0-only */
/* What several subcommands share. */
#ifndef SWAPTEND_CMD_COMMON_H
#define SWAPTEND_CMD_COMMON_H

#include <argp.h>

#include "util.h"

/*
 * argp_parse() with our conventions: a usage error is one line on stderr.
 * Returns EXIT_OK or EXIT_USAGE; --help and --version exit.
 */
int cmd_parse(const struct argp *argp, int argc, char **argv,
	      void *input) __must_check;

/*
 * For parsers: `return cmd_usage_error(state, "...")` prints the one line,
 * "swaptend NAME: ...; see 'swaptend NAME --help'", and ends the parsing.
 */
error_t cmd_usage_error(const struct argp_state *state, const char *fmt, ...)
	__printf_like(2, 3);

/* One line to stderr, "swaptend: ...".  Yields `code`. */
int cmd_fail(int code, const char *fmt, ...) __printf_like(2, 3);

#endif
