/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings file; the only file that sees inih.
 *
 * inih cuts section names at 50 bytes, splits long lines in two, strips some
 * comments behind values and, as packaged, tells its handler no line number.
 * So its reader is ours: it counts the lines, takes the section headers
 * itself, refuses what inih would misread, and hands on clean KEY = VALUE
 * lines only.
 */
#include "config_private.h"

#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <string.h>

/* A section header with the longest path, and room for blanks. */
#define LINE_MAX_BYTES (PATH_MAX + 128)
#define UTF8_BOM "\xef\xbb\xbf"

/* Where one section's header and keys stand; 0: not in the file. */
struct section {
	int header_line;
	int key_lines[CONFIG_MAX_SETTINGS];
};

struct parser {
	struct config *config;
	FILE *file;
	int line_number;
	/* [0] is [swaptend]; [i + 1] is the i-th target of this file. */
	struct section *sections;
	size_t section_count;
	size_t current;
	bool is_in_section;
	size_t first_target; /* targets that were there before the file */
	int error_line;	     /* 0: none yet */
	int error_code;
	char *error; /* of CONFIG_WHY_SIZE */
	char line[LINE_MAX_BYTES];
};

static void fail_at(struct parser *parser, int line, int code)
{
	parser->error_line = line;
	parser->error_code = code;
}

/* Ends the reading: the first error is the one to tell. */
static char *fail_line(struct parser *parser, const char *text)
{
	config_fail(parser->error, CONFIG_WHY_SIZE, "%s", text);
	fail_at(parser, parser->line_number, -EINVAL);
	return NULL;
}

/*
 * The next line without its newline.  1: stored; 0: end of file;
 * -E2BIG: too long; -EILSEQ: a NUL byte; -errno of the read.
 */
static int read_raw_line(FILE *file, char *buf, size_t size)
{
	size_t len = 0;
	int c;

	errno = 0;
	while ((c = getc(file)) != EOF && c != '\n') {
		if (c == '\0')
			return -EILSEQ;
		if (len + 1 >= size)
			return -E2BIG;
		buf[len++] = (char)c;
	}
	if (ferror(file))
		return errno ? -errno : -EIO;
	if (c == EOF && !len)
		return 0;
	buf[len] = '\0';
	return 1;
}

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

static void cut_blanks_behind(char *text)
{
	size_t len = strlen(text);

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	text[len] = '\0';
}

static bool has_control_byte(const char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && *text != '\t') ||
		    *text == 0x7f)
			return true;
	return false;
}

/* A # or ; behind a blank, where inih would take ; for a comment, not #. */
static bool has_comment_behind(const char *line)
{
	const char *mark = line;

	while ((mark = strpbrk(mark + 1, "#;")))
		if (mark[-1] == ' ' || mark[-1] == '\t')
			return true;
	return false;
}

static bool add_section(struct parser *parser)
{
	struct section *grown = reallocarray(
		parser->sections, parser->section_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	grown[parser->section_count] = (struct section){0};
	parser->sections = grown;
	parser->section_count++;
	return true;
}

static char *enter_swaptend(struct parser *parser)
{
	if (parser->sections[0].header_line)
		return fail_line(parser, "[swaptend] is there twice; write "
					 "its keys in one section");
	parser->sections[0].header_line = parser->line_number;
	parser->current = 0;
	return parser->line;
}

static char *enter_target(struct parser *parser, const char *pattern)
{
	char why[CONFIG_WHY_SIZE - 16];
	int r;

	if (strchr(pattern, ','))
		return fail_line(parser, "[target] takes no comma; write the "
					 "keys on lines of their own (for a "
					 "comma in a path write ?)");
	r = config_add_pattern(parser->config, pattern, why, sizeof(why));
	if (!r && !add_section(parser)) {
		snprintf(why, sizeof(why), "no memory");
		r = -ENOMEM;
	}
	if (r) {
		snprintf(parser->error, CONFIG_WHY_SIZE, "target %s", why);
		fail_at(parser, parser->line_number, r);
		return NULL;
	}
	parser->current = parser->section_count - 1;
	parser->sections[parser->current].header_line = parser->line_number;
	return parser->line;
}

/* NULL: an error was stored. */
static char *enter_section(struct parser *parser, char *line)
{
	char shown[CONFIG_SHOWN_SIZE];
	size_t len = strlen(line);
	char *name = skip_blanks(line + 1);

	if (!strchr(line, ']'))
		return fail_line(parser, "the section is not closed; write ] "
					 "at the end of the line");
	if (line[len - 1] != ']')
		return fail_line(parser, "there is text behind the ]; put it "
					 "on a line of its own");
	line[len - 1] = '\0';
	cut_blanks_behind(name);
	parser->is_in_section = true;
	if (strcmp(name, "swaptend") == 0)
		return enter_swaptend(parser);
	if (strncmp(name, "target", 6) == 0 &&
	    (!name[6] || name[6] == ' ' || name[6] == '\t'))
		return enter_target(parser, skip_blanks(name + 6));
	config_fail(parser->error, CONFIG_WHY_SIZE,
		    "unknown section [%s]; write [swaptend] or [target "
		    "PATTERN]",
		    config_shown(name, shown));
	fail_at(parser, parser->line_number, -EINVAL);
	return NULL;
}

/* Judges a KEY = VALUE line before inih sees it. */
static char *check_key_line(struct parser *parser, char *line, int size)
{
	size_t key_len = strcspn(line, "=:");

	/* The newline and the NUL need room too. */
	if (strlen(line) + 2 > (size_t)size) {
		config_fail(parser->error, CONFIG_WHY_SIZE,
			    "the line has %zu bytes; shorten it to %d",
			    strlen(line), size - 2);
		fail_at(parser, parser->line_number, -EINVAL);
		return NULL;
	}
	if (has_comment_behind(line))
		return fail_line(parser, "there is a comment behind the value; "
					 "put it on a line of its own");
	if (!key_len || !line[key_len])
		return fail_line(parser, "this is neither a section nor a "
					 "setting; write KEY = VALUE");
	if (!parser->is_in_section)
		return fail_line(parser, "a key stands before any section; "
					 "write [swaptend] above it");
	return line;
}

/* The next line's text; NULL: the end, or an error was stored. */
static char *next_line(struct parser *parser)
{
	char *line = parser->line;
	int r = read_raw_line(parser->file, line, sizeof(parser->line));

	if (r == 0)
		return NULL;
	parser->line_number++;
	if (r == -E2BIG)
		return fail_line(parser, "the line is too long; shorten it");
	if (r == -EILSEQ)
		return fail_line(parser, "there is a NUL byte; save the file "
					 "as UTF-8 text");
	if (r < 0) {
		config_fail(parser->error, CONFIG_WHY_SIZE,
			    "cannot be read: %s; check the file", strerror(-r));
		fail_at(parser, parser->line_number, r);
		return NULL;
	}
	if (parser->line_number == 1 &&
	    strncmp(line, UTF8_BOM, strlen(UTF8_BOM)) == 0)
		line += strlen(UTF8_BOM);
	line = skip_blanks(line);
	cut_blanks_behind(line);
	if (*line != '#' && *line != ';' && has_control_byte(line))
		return fail_line(parser, "there is a control character; "
					 "remove it");
	return line;
}

/* inih's fgets: one line, always with a newline, blank where it is ours. */
static char *read_line(char *buf, int size, void *stream)
{
	struct parser *parser = stream;
	char *line;

	if (parser->error_line)
		return NULL;
	line = next_line(parser);
	if (!line)
		return NULL;
	if (!*line || *line == '#' || *line == ';') {
		line = (char *)"";
	} else if (*line == '[') {
		if (!enter_section(parser, line))
			return NULL;
		line = (char *)"";
	} else if (!check_key_line(parser, line, size)) {
		return NULL;
	}
	snprintf(buf, (size_t)size, "%s\n", line);
	return buf;
}

static int set_in_section(struct parser *parser, const char *key,
			  const char *value, char *why, size_t size)
{
	struct config *config = parser->config;
	size_t target = parser->first_target + parser->current - 1;

	if (!parser->current)
		return config_set(config, key, value, why, size);
	return config_set_target(&config->targets[target], key, value, why,
				 size);
}

/* inih's handler: 1 to go on. */
static int on_key(void *context, const char *section, const char *key,
		  const char *value)
{
	struct parser *parser = context;
	struct section *here = &parser->sections[parser->current];
	const struct setting *setting = config_find(key);
	int *line;
	int r;

	(void)section; /* ours is not cut at 50 bytes */
	r = set_in_section(parser, key, value, parser->error, CONFIG_WHY_SIZE);
	if (r) {
		fail_at(parser, parser->line_number, r);
		return 0;
	}
	line = &here->key_lines[setting - config_settings];
	if (*line) {
		config_fail(parser->error, CONFIG_WHY_SIZE,
			    "%s: is there twice in this section, first on "
			    "line %d; keep one of the two",
			    key, *line);
		fail_at(parser, parser->line_number, -EINVAL);
		return 0;
	}
	*line = parser->line_number;
	return 1;
}

static int line_of(const struct section *section, const char *key)
{
	return section->key_lines[config_find(key) - config_settings];
}

/* The later of the two keys, else where the target or the limit stands. */
static int conflict_line(const struct parser *parser,
			 const struct config_conflict *conflict)
{
	const struct section *global = &parser->sections[0];
	const struct section *own = global;
	int first, second;

	if (conflict->target) {
		size_t i = (size_t)(conflict->target - parser->config->targets);

		if (i >= parser->first_target)
			own = &parser->sections[i - parser->first_target + 1];
	}
	first = line_of(own, conflict->keys[0]);
	second = line_of(own, conflict->keys[1]);
	if (first || second)
		return first > second ? first : second;
	return own->header_line;
}

static void check_conflicts(struct parser *parser)
{
	struct config_conflict conflict;

	if (!config_find_conflict(parser->config, &conflict))
		return;
	fail_at(parser, conflict_line(parser, &conflict),
		config_conflict_fail(&conflict, parser->error,
				     CONFIG_WHY_SIZE));
}

static int parse_file(struct parser *parser)
{
	int r;

	if (!add_section(parser))
		return -ENOMEM;
	r = ini_parse_stream(read_line, parser, on_key, parser);
	/* Only if inih refuses a line that the reader let through. */
	if (r > 0 && !parser->error_line) {
		parser->line_number = r;
		fail_line(parser, "this is not understood; write KEY = VALUE");
	}
	if (r < 0)
		return -ENOMEM;
	if (!parser->error_code)
		check_conflicts(parser);
	return parser->error_code;
}

static int read_into(struct config *config, FILE *file, const char *path,
		     char *error, size_t error_size)
{
	_cleanup_free_ struct parser *parser = calloc(1, sizeof(*parser));
	_cleanup_free_ struct section *sections = NULL;
	char why[CONFIG_WHY_SIZE] = "no memory";
	int r = -ENOMEM;

	if (parser) {
		parser->config = config;
		parser->file = file;
		parser->first_target = config->target_count;
		parser->error = why;
		r = parse_file(parser);
		sections = parser->sections;
	}
	if (r && parser && parser->error_line)
		snprintf(error, error_size, "%s:%d: %s", path,
			 parser->error_line, why);
	else if (r)
		snprintf(error, error_size, "%s: %s", path, why);
	return r;
}

int config_read_file(struct config *config, const char *path, char *error,
		     size_t error_size)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	struct config copy;
	int r;

	if (!file) {
		r = -errno;
		snprintf(error, error_size,
			 "%s: %s; name another file with "
			 "--config",
			 path, strerror(-r));
		return r;
	}
	r = config_copy(&copy, config);
	if (r) {
		snprintf(error, error_size, "%s: no memory", path);
		return r;
	}
	r = read_into(&copy, file, path, error, error_size);
	if (r) {
		config_done(&copy);
		return r;
	}
	config_done(config);
	*config = copy;
	return 0;
}
