/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/parse_diskstats.h"

#include <stdbool.h>
#include <string.h>

#include "util.h"

#define MINOR_BITS 20 /* include/linux/kdev_t.h */
#define SECTORS_PER_PAGE 8
#define NS_PER_MS UINT64_C(1000000)

/* After the name: reads, of them merged, sectors, ms. */
#define READ_SECTORS 2
#define READ_MS 3
#define NR_READ_COUNTS 4

struct disk {
	uint64_t dev_major, dev_minor;
	const char *name;
	uint64_t reads[NR_READ_COUNTS];
};

static bool take_number(const char **at, uint64_t *ret)
{
	const char *digit = *at + strspn(*at, " ");
	uint64_t value = 0;

	for (*at = digit; *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *digit - '0', &value))
			return false;
	if (digit == *at)
		return false;
	*at = digit;
	*ret = value;
	return true;
}

static bool take_disk(const char *line, struct disk *ret)
{
	if (!take_number(&line, &ret->dev_major) ||
	    !take_number(&line, &ret->dev_minor))
		return false;
	ret->name = line += strspn(line, " ");
	line += strcspn(line, " \n");
	for (int i = 0; i < NR_READ_COUNTS; i++)
		if (!take_number(&line, &ret->reads[i]))
			return false;
	return true;
}

static bool is_counted(const struct disk *disk, const uint32_t *left_out,
		       unsigned int count)
{
	static const char *const others[] = {"loop", "dm-", "md", "zram",
					     "ram"};
	uint64_t dev = disk->dev_major << MINOR_BITS | disk->dev_minor;

	for (size_t i = 0; i < SWT_ARRAY_SIZE(others); i++)
		if (!strncmp(disk->name, others[i], strlen(others[i])))
			return false;
	for (unsigned int i = 0; i < count; i++)
		if (left_out[i] == dev)
			return false;
	return true;
}

uint32_t diskstats_read_ns(const char *text, const uint32_t *left_out,
			   unsigned int left_out_count)
{
	uint64_t pages = 0, ms = 0, ns;

	for (const char *line = text; line && *line;) {
		struct disk disk;

		if (take_disk(line, &disk) &&
		    is_counted(&disk, left_out, left_out_count)) {
			pages += disk.reads[READ_SECTORS] / SECTORS_PER_PAGE;
			ms += disk.reads[READ_MS];
		}
		line = strchr(line, '\n');
		line += line ? 1 : 0;
	}
	if (pages < DISKSTATS_MIN_PAGES || !ms)
		return 0;
	/* In two steps, so that no product can wrap. */
	ns = ms / pages * NS_PER_MS + ms % pages * NS_PER_MS / pages;
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}
