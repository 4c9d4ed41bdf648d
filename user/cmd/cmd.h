/* SPDX-License-Identifier: GPL-2.0-only */
/* Subcommands: one file each; main.c picks one by name. */
#ifndef SWAPTEND_CMD_H
#define SWAPTEND_CMD_H

#include <stdbool.h>

#include "util.h"

struct command {
	const char *name;
	/* argv[0] is "swaptend NAME"; returns enum exit_code. */
	int (*run)(int argc, char **argv);
	const char *summary;
};

int cmd_run(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_restore(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_tlb(int argc, char **argv);

#endif
