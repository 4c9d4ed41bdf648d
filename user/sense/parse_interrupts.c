/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/parse_interrupts.h"

#include <errno.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

/* A number that ends at a blank or the line's end; *s behind it. */
static bool take_number(const char **s, uint64_t *ret)
{
	const char *p = skip_blanks(*s);
	uint64_t value = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return false;
	if (*p && !strchr(" \t\r\n", *p))
		return false;
	*s = p;
	*ret = value;
	return true;
}

/* "   CPU0   CPU20": the numbers of the columns. */
static int parse_header(const char *line, struct interrupts *ret)
{
	const char *p = skip_blanks(line);

	while (!strncmp(p, "CPU", 3)) {
		uint64_t cpu;

		p += 3;
		if (!is_digit(*p) || !take_number(&p, &cpu))
			return -ENODATA;
		if (cpu >= INTERRUPTS_MAX_CPUS)
			return -E2BIG;
		/* Names rise: else two columns would be one CPU's. */
		if (cpu < ret->nr_cpus)
			return -ENODATA;
		ret->is_online[cpu] = true;
		ret->nr_cpus = (unsigned int)cpu + 1;
		ret->nr_online++;
		p = skip_blanks(p);
	}
	return ret->nr_online ? 0 : -ENODATA;
}

/* Whether there are as many numbers as columns, no more and no fewer. */
static bool parse_counts(const char *s, const struct interrupts *header,
			 uint64_t counts[INTERRUPTS_MAX_CPUS])
{
	uint64_t beyond;

	for (unsigned int cpu = 0; cpu < header->nr_cpus; cpu++)
		if (header->is_online[cpu] && !take_number(&s, &counts[cpu]))
			return false;
	/* Without its end the last number may be cut too. */
	return !take_number(&s, &beyond) && strchr(s, '\n');
}

static bool has_label(const char *line, const char *label)
{
	return !strncmp(line, label, strlen(label));
}

static void parse_line(const char *line, struct interrupts *ret)
{
	static const char *const labels[INTERRUPTS_KINDS] = {
		[INTERRUPTS_TLB] = "TLB:",
		[INTERRUPTS_CAL] = "CAL:",
	};

	/* arch/x86/kernel/irq.c prints them on Hyper-V only. */
	if (has_label(line, "HRE:") || has_label(line, "HVS:"))
		ret->is_hyperv = true;
	for (int kind = 0; kind < INTERRUPTS_KINDS; kind++) {
		if (!has_label(line, labels[kind]))
			continue;
		ret->has_line[kind] = parse_counts(line + strlen(labels[kind]),
						   ret, ret->counts[kind]);
		if (!ret->has_line[kind])
			ret->is_torn = true;
	}
}

int parse_interrupts(const char *text, struct interrupts *ret)
{
	const char *line = text;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = parse_header(line, ret);
	if (r)
		return r;
	while (*(line = next_line(line)))
		parse_line(skip_blanks(line), ret);
	return 0;
}
