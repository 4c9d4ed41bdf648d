/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/parse_stat.h"

#include <errno.h>
#include <string.h>

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

/* The rest of the line that starts with the word `name`, or NULL. */
static const char *find_line(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; *line; line = next_line(line))
		if (!strncmp(line, name, len) &&
		    (line[len] == ' ' || line[len] == '\t'))
			return line + len;
	return NULL;
}

static bool take_number(const char **s, uint64_t *ret)
{
	const char *p = *s + strspn(*s, " \t");
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return false;
	*s = p;
	*ret = value;
	return true;
}

int parse_stat_cpu(const char *text, const char *name, struct tlb_ticks *ret)
{
	const char *rest = find_line(text, name);
	struct tlb_ticks ticks = {{0}};

	if (!rest)
		return -ENOENT;
	for (int i = 0; i < TLB_NR_TICKS; i++)
		if (!take_number(&rest, &ticks.of[i]))
			return -EPROTO;
	*ret = ticks;
	return 0;
}

void parse_stat_delta(const struct tlb_ticks *before,
		      const struct tlb_ticks *now, struct tlb_ticks *ret)
{
	for (int i = 0; i < TLB_NR_TICKS; i++)
		ret->of[i] = now->of[i] > before->of[i]
				     ? now->of[i] - before->of[i]
				     : 0;
}

bool parse_cpuinfo_flag(const char *text, const char *flag)
{
	const char *rest = find_line(text, "flags");
	size_t len = strlen(flag);

	while (rest && *rest && *rest != '\n') {
		size_t word;

		rest += strspn(rest, " \t:");
		word = strcspn(rest, " \t\n");
		if (word == len && !strncmp(rest, flag, len))
			return true;
		rest += word;
	}
	return false;
}
