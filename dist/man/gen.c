/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills a manual page's template (stdin to stdout) from the tables that the
 * program itself uses, so that the two cannot differ.  A line that is only a
 * marker becomes a list: @OPTIONS@, @SETTINGS@, @TARGET_SETTINGS@, @LAWS@,
 * @REASONS@.  @VERSION@ is replaced wherever it stands.
 */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "law/law.h"

/* Text for roff: - is a hyphen there and \ an escape. */
static void put_text(const char *text)
{
	for (; *text; text++)
		if (*text == '-' || *text == '\\')
			printf("\\%c", *text == '-' ? '-' : 'e');
		else
			putchar(*text);
}

/* A sentence on a line of its own; no . or ' may lead a line of text. */
static void put_sentence(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	put_text(text);
	puts(text[strlen(text) - 1] == '.' ? "" : ".");
}

static void put_int_default(const struct setting *setting)
{
	printf("%d to %d", setting->min, setting->max);
	if (setting->word)
		printf(" or \\fB%s\\fR", setting->word);
	if (setting->word && setting->fallback == setting->word_value)
		printf("; default \\fB%s\\fR.\n", setting->word);
	else
		printf("; default %d.\n", setting->fallback);
}

static void put_default(const struct setting *setting)
{
	switch (setting->type) {
	case SETTING_INT:
		put_int_default(setting);
		break;
	case SETTING_BOOL:
		printf("Default \\fB%s\\fR.\n",
		       setting->fallback ? "yes" : "no");
		break;
	case SETTING_LAW:
		printf("Default \\fB%s\\fR.\n", CONFIG_DEFAULT_LAW);
		break;
	}
}

/* "--base=N", "--observe"; a flag whose default is yes is "--no-pin". */
static void put_options(void)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct setting *setting = &config_settings[i];
		bool is_flag = setting->type == SETTING_BOOL;

		fputs(".TP\n\\fB\\-\\-", stdout);
		if (is_flag && setting->fallback)
			fputs("no\\-", stdout);
		put_text(setting->key);
		fputs("\\fR", stdout);
		if (!is_flag)
			printf("=\\fI%s\\fR", setting->argument);
		putchar('\n');
		put_sentence(setting->help);
		if (!is_flag)
			put_default(setting);
	}
}

static void put_settings(bool only_per_target)
{
	for (size_t i = 0; i < config_setting_count; i++) {
		const struct setting *setting = &config_settings[i];

		if (only_per_target && !setting->is_per_target)
			continue;
		fputs(".TP\n\\fB", stdout);
		put_text(setting->key);
		printf("\\fR = \\fI%s\\fR\n",
		       setting->argument ? setting->argument : "yes|no");
		put_sentence(setting->help);
		put_default(setting);
	}
}

static void put_all_settings(void)
{
	put_settings(false);
}

static void put_target_settings(void)
{
	put_settings(true);
}

static void put_laws(void)
{
	for (unsigned int i = 0; i < law_count; i++) {
		const struct law *law = &law_table[i];
		int fixed;

		fputs(".TP\n\\fB", stdout);
		put_text(law->name);
		/* Only a law that needs a number is not found by its name. */
		puts(law_find(law->name, &fixed) ? "\\fR" : ":\\fR\\fIN\\fR");
		put_sentence(law->rule);
		if (law->caveat)
			put_sentence(law->caveat);
		fputs("Source: ", stdout);
		put_sentence(law->source);
	}
}

static void put_reasons(void)
{
	for (int i = 0; i < _SWT_REASON_MAX; i++)
		printf("%s\\fB%s\\fR", i ? ", " : "",
		       reason_name((enum swt_reason)i));
	puts(".");
}

static const struct {
	const char *line;
	void (*put)(void);
} markers[] = {
	{"@OPTIONS@\n", put_options},
	{"@SETTINGS@\n", put_all_settings},
	{"@TARGET_SETTINGS@\n", put_target_settings},
	{"@LAWS@\n", put_laws},
	{"@REASONS@\n", put_reasons},
};

/* The line as it is, but for the version. */
static void put_line(const char *line)
{
	static const char version[] = "@VERSION@";
	const char *hit;

	while ((hit = strstr(line, version))) {
		printf("%.*s%s", (int)(hit - line), line, SWAPTEND_VERSION);
		line = hit + strlen(version);
	}
	fputs(line, stdout);
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0) {
		size_t i;

		for (i = 0; i < SWT_ARRAY_SIZE(markers); i++)
			if (strcmp(line, markers[i].line) == 0)
				break;
		if (i < SWT_ARRAY_SIZE(markers))
			markers[i].put();
		else
			put_line(line);
	}
	if (ferror(stdin) || fflush(stdout) || ferror(stdout)) {
		fputs("gen: cannot read or write the page\n", stderr);
		return EXIT_RUNTIME;
	}
	return EXIT_OK;
}
