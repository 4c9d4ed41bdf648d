/* SPDX-License-Identifier: GPL-2.0-only */
/* The command table, nothing else. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common.h"

const char *argp_program_version = "swaptend " SWAPTEND_VERSION;

static const struct command commands[] = {
	{"run", cmd_run, "control swappiness until told to stop"},
	{"status", cmd_status, "what a running instance measures and does"},
	{"check", cmd_check, "what works on this machine, and what does not"},
	{"restore", cmd_restore, "undo what a crashed run left changed"},
	{"explain", cmd_explain, "what a value of swappiness, or a law, means"},
	{"tlb", cmd_tlb,
	 "TLB shootdowns: how many, why, from whom, their cost"},
};

static int help(FILE *out, int code)
{
	fputs("Usage: swaptend COMMAND [OPTION...]\n\n", out);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n'swaptend COMMAND --help' tells more; so does swaptend(8).\n",
	      out);
	return code;
}

int main(int argc, char **argv)
{
	char name[64];

	if (argc < 2)
		return help(stderr, EXIT_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))
		return help(stdout, EXIT_OK);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return printf("%s\n", argp_program_version) < 0;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "swaptend %s", argv[1]);
		argv[1] = name;
		return commands[i].run(argc - 1, argv + 1);
	}
	return cmd_fail(EXIT_USAGE, "no command '%s'; see 'swaptend --help'",
			argv[1]);
}
