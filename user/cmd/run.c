/* SPDX-License-Identifier: GPL-2.0-only */
/* `swaptend run`: settings from file and command line, then the controller. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common.h"
#include "cmd/control.h"
#include "act/journal.h"
#include "law/law.h"
#include "report/log.h"

enum {
	OPTION_TARGET = 't',
	OPTION_CONFIG = 'c',
	OPTION_BTF = 0x1000,
	OPTION_RUN_DIR,
	OPTION_SETTING = 0x2000
};

/* One setting given on the command line, to go on top of the file. */
struct given {
	const struct setting *setting;
	const char *value;
};

struct run_arguments {
	const char *config_path; /* NULL: the default, which may be missing */
	const char *btf_path;
	const char *run_dir;
	const char **targets;
	size_t target_count;
	struct given *given;
	size_t given_count;
};

static error_t parse_setting(const struct setting *setting, char *value,
			     struct run_arguments *arguments,
			     struct argp_state *state)
{
	struct config scratch;
	char error[256];
	error_t r = 0;

	/* A flag says yes; "no-" flags are those whose default is yes. */
	if (!value)
		value = setting->fallback ? "no" : "yes";
	if (config_init(&scratch))
		return ENOMEM;
	if (config_set(&scratch, setting->key, value, error, sizeof(error)))
		r = cmd_usage_error(state, "--%s", error);
	config_done(&scratch);
	if (r)
		return r;
	arguments->given[arguments->given_count++] =
		(struct given){setting, value};
	return 0;
}

static error_t parse_target(char *text, struct run_arguments *arguments,
			    struct argp_state *state)
{
	struct config scratch;
	char error[256];
	error_t r = 0;

	if (config_init(&scratch))
		return ENOMEM;
	if (config_add_target(&scratch, text, error, sizeof(error)))
		r = cmd_usage_error(state, "--target %s", error);
	config_done(&scratch);
	if (r)
		return r;
	arguments->targets[arguments->target_count++] = text;
	return 0;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct run_arguments *arguments = state->input;

	if (key >= OPTION_SETTING &&
	    key < OPTION_SETTING + (int)config_setting_count)
		return parse_setting(&config_settings[key - OPTION_SETTING],
				     value, arguments, state);
	switch (key) {
	case OPTION_TARGET:
		return parse_target(value, arguments, state);
	case OPTION_CONFIG:
		arguments->config_path = value;
		return 0;
	case OPTION_BTF:
		arguments->btf_path = value;
		return 0;
	case OPTION_RUN_DIR:
		arguments->run_dir = value;
		return 0;
	case ARGP_KEY_ARG:
		return cmd_usage_error(state,
				       "'%s' is no option; targets are given "
				       "with --target",
				       value);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option fixed_options[] = {
	{"target", OPTION_TARGET, "PATTERN[,KEY=VALUE...]", 0,
	 "What to control: 'system' (the default), or a cgroup's path or "
	 "glob below the memory hierarchy, '**' for everything below. "
	 "Repeatable. Keys: law, base, top, min, max",
	 0},
	{"config", OPTION_CONFIG, "FILE", 0,
	 "Settings file instead of " CONFIG_PATH, 0},
	{"btf", OPTION_BTF, "FILE", 0, "Kernel types instead of the kernel's",
	 0},
	{"run-dir", OPTION_RUN_DIR, "DIR", OPTION_HIDDEN,
	 "Where the journal and the lock live", 0},
};

/* The table's settings as options, behind the fixed ones, ended by zeros. */
static struct argp_option *make_options(char **ret_names)
{
	size_t fixed = SWT_ARRAY_SIZE(fixed_options);
	struct argp_option *options =
		calloc(fixed + config_setting_count + 1, sizeof(*options));
	char *names = NULL;

	if (!options)
		return NULL;
	memcpy(options, fixed_options, sizeof(fixed_options));
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct setting *setting = &config_settings[i];
		struct argp_option *option = &options[fixed + i];

		option->name = setting->key;
		if (!setting->argument && setting->fallback &&
		    asprintf(&names, "no-%s", setting->key) > 0)
			option->name = *ret_names = names;
		option->key = OPTION_SETTING + (int)i;
		option->arg = setting->argument;
		option->doc = setting->help;
	}
	return options;
}

static char *laws_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("\vLaws:\n", out);
	for (unsigned int i = 0; i < law_count; i++)
		fprintf(out, "  %-22s %s\n", law_table[i].name,
			law_table[i].summary);
	fputs("\nBeware of --base 0: reclaim that finds file pages easily "
	      "stays at priority 12, the state of a historical law falls to "
	      "0, and nothing cold is ever swapped out. Measured: 4.4 times "
	      "slower than the default 60 on a database-like load.\n\n"
	      "Exit status: 0 ok, 1 failure at run time, 2 usage, 3 this "
	      "kernel cannot, 4 nothing to do.\n",
	      out);
	return fclose(out) ? NULL : text;
}

static int parse_arguments(int argc, char **argv,
			   struct run_arguments *arguments)
{
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ char *laws = laws_text();
	_cleanup_free_ struct argp_option *options = make_options(&name);
	_cleanup_free_ char *doc = NULL;
	struct argp argp = {.options = options, .parser = parse_option};

	if (!laws || !options ||
	    asprintf(&doc,
		     "Controls swappiness until SIGTERM or SIGINT, then puts "
		     "the original back.%s",
		     laws) < 0)
		return cmd_fail(EXIT_RUNTIME, "no memory");
	argp.doc = doc;
	return cmd_parse(&argp, argc, argv, arguments);
}

static int read_settings_file(struct config *config, const char *path)
{
	char error[512];
	int r = config_read_file(config, path ? path : CONFIG_PATH, error,
				 sizeof(error));

	/* Without --config a missing file means the defaults. */
	if (r == -ENOENT && !path)
		return 0;
	return r ? log_err_r(r, "%s", error) : 0;
}

/* Targets on the command line stand instead of the file's. */
static int set_targets(struct config *config,
		       const struct run_arguments *arguments)
{
	char error[256];

	if (arguments->target_count)
		config_clear_targets(config);
	for (size_t i = 0; i < arguments->target_count; i++) {
		int r = config_add_target(config, arguments->targets[i], error,
					  sizeof(error));

		if (r)
			return log_err_r(r, "--target %s", error);
	}
	return 0;
}

static int set_given(struct config *config,
		     const struct run_arguments *arguments)
{
	char error[256];
	int r = set_targets(config, arguments);

	for (size_t i = 0; !r && i < arguments->given_count; i++) {
		const struct given *given = &arguments->given[i];

		r = config_set(config, given->setting->key, given->value, error,
			       sizeof(error));
		if (r)
			return log_err_r(r, "--%s", error);
	}
	if (!r) {
		r = config_check(config, error, sizeof(error));
		if (r)
			return log_err_r(r, "%s", error);
	}
	return r;
}

/* Defaults, then the file, then the command line. */
static int read_settings(struct config *ret, void *context)
{
	const struct run_arguments *arguments = context;
	struct config config;
	int r = config_init(&config);

	if (r)
		return log_err_r(r, "no memory");
	r = read_settings_file(&config, arguments->config_path);
	if (!r)
		r = set_given(&config, arguments);
	if (r)
		config_done(&config);
	else
		*ret = config;
	return r;
}

static int run_controller(struct config *config,
			  struct run_arguments *arguments)
{
	const struct control_options options = {
		.config = config,
		.btf_path = arguments->btf_path,
		.run_dir = arguments->run_dir,
		.reload = read_settings,
		.reload_context = arguments,
	};
	struct control *control = NULL;
	int code = control_start(&control, &options);

	if (code == EXIT_OK)
		code = control_run(control);
	if (control_stop(control) && code == EXIT_OK)
		code = EXIT_RUNTIME;
	return code;
}

int cmd_run(int argc, char **argv)
{
	/* No argument list is longer than argc. */
	_cleanup_free_ const char **targets =
		calloc((size_t)argc, sizeof(*targets));
	_cleanup_free_ struct given *given =
		calloc((size_t)argc, sizeof(*given));
	struct run_arguments arguments = {.run_dir = JOURNAL_DIR};
	struct config config;
	int code;

	if (!targets || !given)
		return cmd_fail(EXIT_RUNTIME, "no memory");
	arguments.targets = targets;
	arguments.given = given;
	code = parse_arguments(argc, argv, &arguments);
	if (code)
		return code;
	if (read_settings(&config, &arguments))
		return EXIT_USAGE;
	log_set_level(config.verbose ? LOG_DEBUG : LOG_NOTICE);
	code = run_controller(&config, &arguments);
	config_done(&config);
	return code;
}
