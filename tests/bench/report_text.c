/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers, names and escapes, the same wherever they are written. */
#include "report.h"

#include <math.h>
#include <string.h>

struct number number_format(double value)
{
	struct number number;
	int decimals = 0;

	/* 9.995 is 10.0, not 10.00: look at what will be printed. */
	for (double limit = 99.95; decimals < 4 && fabs(value) < limit;
	     limit /= 10)
		decimals++;
	if (isnan(value))
		(void)snprintf(number.text, NUMBER_BYTES, "–");
	else
		(void)snprintf(number.text, NUMBER_BYTES,
			       fabs(value) < 1e15 ? "%.*f" : "%.*e",
			       value == 0 ? 0 : decimals, value);
	return number;
}

double axis_step(double value, unsigned int steps)
{
	double wanted = value / steps, step;

	if (!(wanted > 0) || !isfinite(wanted))
		return 1;
	step = pow(10, floor(log10(wanted)));
	if (step >= wanted)
		return step;
	if (step * 2 >= wanted)
		return step * 2;
	return step * 5 >= wanted ? step * 5 : step * 10;
}

void xml_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c == '\'')
			fputs("&#39;", out);
		else
			fputc(c < ' ' || c == 0x7f ? '?' : c, out);
	}
}

static bool is_letter_or_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

void markdown_put(FILE *out, const char *text)
{
	for (const char *start = text; *text; text++) {
		unsigned char c = (unsigned char)*text;
		/* Within a word it means nothing. */
		bool is_inner = c == '_' && text > start &&
				is_letter_or_digit(text[-1]) &&
				is_letter_or_digit(text[1]);

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (!is_inner && strchr("\\`*_[]|~", c))
			fprintf(out, "\\%c", c);
		else
			fputc(c < ' ' || c == 0x7f ? ' ' : c, out);
	}
}

static bool is_plain(char c)
{
	return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}

char *report_file_name(const char *name, const char *load, const char *corner,
		       const char *suffix)
{
	char *file;

	if (asprintf(&file, "%s-%s-%s%s", name, load, corner, suffix) < 0)
		return NULL;
	for (char *c = file; *c; c++) {
		if (!is_plain(*c))
			*c = '_';
	}
	return file;
}
