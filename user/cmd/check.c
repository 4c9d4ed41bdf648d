/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend check`: what works on this machine, what does not, and why. */
#include <errno.h>
#include <string.h>

#include "act/journal.h"
#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/findings.h"
#include "config.h"

enum {
	OPTION_BTF = 0x100,
	OPTION_CONFIG,
	OPTION_PROBE,
	OPTION_ROOT,
	OPTION_RUN_DIR,
};

struct check_arguments {
	struct check_options options;
	const char *config_path; /* NULL: the usual one, if it is there */
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
	case OPTION_CONFIG:
		arguments->config_path = value;
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

/* Those that what is foretold depends on; bad ones are a finding. */
static void read_settings(struct check_arguments *arguments,
			  struct findings *findings)
{
	const char *path = arguments->config_path;
	struct config config;
	char error[512];
	int r = config_init(&config);

	if (r) {
		findings->is_out_of_memory = true;
		return;
	}
	/* --root stands for another machine: its settings are not here. */
	if (path || !*arguments->options.root.prefix)
		r = config_read_file(&config, path ? path : CONFIG_PATH, error,
				     sizeof(error));
	if (r && (path || r != -ENOENT))
		findings_add(findings, "settings", FINDING_WARN,
			     "run refuses them; what is foretold here is by "
			     "the defaults",
			     "%s", error);
	arguments->options.zram_weight_pct =
		(uint32_t)config.zram_cpu_weight_pct;
	config_done(&config);
}

static void look(const struct check_options *options, struct findings *findings)
{
	check_kernel(options, findings);
	check_memory(options, findings);
	check_prices(options, findings);
	check_cgroups(options, findings);
	check_knob(options, findings);
}

static const struct argp_option option_table[] = {
	{"json", 'j', NULL, 0, "JSON instead of text", 0},
	{"btf", OPTION_BTF, "FILE", 0, "Kernel types instead of the kernel's",
	 0},
	{"config", OPTION_CONFIG, "FILE", 0,
	 "Settings file instead of " CONFIG_PATH, 0},
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

int cmd_check(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
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
	read_settings(&arguments, &findings);
	look(&arguments.options, &findings);
	r = arguments.json ? findings_write_json(&findings)
			   : findings_print(&findings);
	code = exit_code(&findings);
	findings_done(&findings);
	return r ? cmd_fail(EXIT_RUNTIME, "cannot write: %s", strerror(-r))
		 : code;
}
