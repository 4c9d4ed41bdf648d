/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend check`: what works on this machine, what does not, and why. */
#include <errno.h>
#include <string.h>

#include "act/journal.h"
#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/findings.h"

enum { OPTION_BTF = 0x100, OPTION_PROBE, OPTION_ROOT, OPTION_RUN_DIR };

struct check_arguments {
	struct check_options options;
	bool json;
};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct check_arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case OPTION_BTF:
		arguments->options.btf_path = value;
		return 0;
	case OPTION_PROBE:
		arguments->options.probe = true;
		return 0;
	case OPTION_ROOT:
		arguments->options.root.prefix = value;
		return 0;
	case OPTION_RUN_DIR:
		arguments->options.run_dir = value;
		return 0;
	case ARGP_KEY_ARG:
		return cmd_usage_error(state, "'%s' is no option", value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int exit_code(const struct findings *findings)
{
	if (!findings_has_error(findings))
		return EXIT_OK;
	return findings_has_only_rights_errors(findings) ? EXIT_RUNTIME
							 : EXIT_UNSUPPORTED;
}

int cmd_check(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"json", 'j', NULL, 0, "JSON instead of text", 0},
		{"btf", OPTION_BTF, "FILE", 0,
		 "Kernel types instead of the kernel's", 0},
		{"probe", OPTION_PROBE, NULL, 0,
		 "Find the range of vm.swappiness by writing 200 and putting "
		 "the value back",
		 0},
		{"root", OPTION_ROOT, "DIR", OPTION_HIDDEN,
		 "A file tree that stands for /", 0},
		{"run-dir", OPTION_RUN_DIR, "DIR", OPTION_HIDDEN,
		 "Where the journal is", 0},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.doc = "Tells what works on this machine, what does not, why, "
		       "and what to do.\vExit status: 0 control is possible, 1 "
		       "rights are missing, 3 this kernel cannot.",
	};
	struct check_arguments arguments = {
		.options = {.root = {""}, .run_dir = JOURNAL_DIR},
	};
	struct findings findings = {0};
	int code = cmd_parse(&argp, argc, argv, &arguments), r;

	if (code)
		return code;
	check_kernel(&arguments.options, &findings);
	check_memory(&arguments.options, &findings);
	check_prices(&arguments.options, &findings);
	check_cgroups(&arguments.options, &findings);
	check_knob(&arguments.options, &findings);
	r = arguments.json ? findings_write_json(&findings)
			   : findings_print(&findings);
	code = exit_code(&findings);
	findings_done(&findings);
	return r ? cmd_fail(EXIT_RUNTIME, "cannot write: %s", strerror(-r))
		 : code;
}
