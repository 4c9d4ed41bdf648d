/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaim totals of /proc/vmstat: each page once, whatever the kernel shows. */
#include "sense/parse.h"

#include <string.h>

/* Up to 4.7 the counters by who are split by zone. */
static const char *const zones[] = {"dma", "dma32", "normal", "high",
				    "movable"};

/* "pgscan" + "_" + "kswapd" [+ "_" + "dma"]; "" if it does not fit. */
static void join_key(char *ret, size_t size, const char *const *parts)
{
	size_t len = 0;

	for (; *parts; parts++) {
		size_t n = strlen(*parts);

		if (len + n + 2 > size) {
			len = 0;
			break;
		}
		if (len)
			ret[len++] = '_';
		memcpy(ret + len, *parts, n);
		len += n;
	}
	ret[len] = '\0';
}

/* Known if either is. */
static struct count add_known(struct count a, struct count b)
{
	if (!a.is_known)
		return b;
	if (b.is_known && __builtin_add_overflow(a.value, b.value, &a.value))
		return (struct count){0};
	return a;
}

/* Known if both are. */
static struct count add_both(struct count a, struct count b)
{
	if (!a.is_known || !b.is_known)
		return (struct count){0};
	return add_known(a, b);
}

static struct count read_field(const char *text, const char *verb,
			       const char *who)
{
	char key[64];
	struct count sum;

	join_key(key, sizeof(key), (const char *const[]){verb, who, NULL});
	sum = parse_stat_field(text, key);
	if (sum.is_known)
		return sum;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(zones); i++) {
		join_key(key, sizeof(key),
			 (const char *const[]){verb, who, zones[i], NULL});
		sum = add_known(sum, parse_stat_field(text, key));
	}
	return sum;
}

/* khugepaged came in 6.3, proactive in 6.15: part of the total where shown. */
static struct count sum_by_who(const char *text, const char *verb)
{
	struct count sum = add_both(read_field(text, verb, "kswapd"),
				    read_field(text, verb, "direct"));

	if (!sum.is_known)
		return sum;
	sum = add_known(sum, read_field(text, verb, "khugepaged"));
	return add_known(sum, read_field(text, verb, "proactive"));
}

static struct count sum_by_type(const char *text, const char *verb)
{
	return add_both(read_field(text, verb, "anon"),
			read_field(text, verb, "file"));
}

void parse_vmstat_reclaim(const char *text, struct vmstat_reclaim *ret)
{
	ret->global_scan_pages = sum_by_who(text, "pgscan");
	ret->global_steal_pages = sum_by_who(text, "pgsteal");
	ret->all_scan_pages = sum_by_type(text, "pgscan");
	ret->all_steal_pages = sum_by_type(text, "pgsteal");
	/* Both from the same dimension, or their ratio could exceed 1. */
	if (ret->all_scan_pages.is_known && ret->all_steal_pages.is_known)
		return;
	ret->all_scan_pages = ret->global_scan_pages;
	ret->all_steal_pages = ret->global_steal_pages;
}

struct count parse_delta(struct count before, struct count now)
{
	if (!before.is_known || !now.is_known || now.value < before.value)
		return (struct count){0};
	return (struct count){true, now.value - before.value};
}
