/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/diskstats, Documentation/admin-guide/iostats.rst.  Pure. */
#ifndef SWAPTEND_PARSE_DISKSTATS_H
#define SWAPTEND_PARSE_DISKSTATS_H

#include <stdint.h>

/* Fewer 4 KiB pages read since boot say nothing. */
#define DISKSTATS_MIN_PAGES 1024

/*
 * ns that a 4 KiB page took to read, on the average since boot, of all disks
 * but the left_out ones (major << 20 | minor).  Devices that stand on others
 * (loop, dm, md) and memory (zram, ram) are no disks.  Odd lines are skipped.
 * 0: not known.
 */
uint32_t diskstats_read_ns(const char *text, const uint32_t *left_out,
			   unsigned int left_out_count);

#endif
