/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pure parsers of kernel text files: text in, numbers out.  No I/O, heap or
 * log.  Outputs are untouched on failure.  A field the kernel does not show
 * is "absent", never 0.
 */
#ifndef SWAPTEND_PARSE_H
#define SWAPTEND_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

/* A counter that may be absent; test is_known first. */
struct count {
	bool is_known;
	uint64_t value;
};

/* /proc/vmstat and memory.stat are "key number" lines, found by exact key. */
struct count parse_stat_field(const char *text, const char *key);

/* /proc/meminfo "Key:  N kB". */
struct count parse_meminfo_kib(const char *text, const char *key);

/*
 * Reclaim totals of /proc/vmstat, one dimension only (cases of sysstat #343):
 * "all" = by type (anon + file) where shown, else by who; "global" = by who,
 * kswapd + direct + khugepaged + proactive, which up to 7.0 leaves out
 * reclaim by cgroup limits.
 */
struct vmstat_reclaim {
	struct count all_scan_pages;
	struct count all_steal_pages;
	struct count global_scan_pages;
	struct count global_steal_pages;
};
void parse_vmstat_reclaim(const char *text, struct vmstat_reclaim *ret);

/* now - before; absent if either is, or if the counter went back. */
struct count parse_delta(struct count before, struct count now);

/* One line of /proc/swaps; `path` is unescaped (\040 and friends). */
struct swap_device {
	char path[256];
	char type[16]; /* "partition" or "file" */
	uint64_t size_kib;
	uint64_t used_kib;
	int priority;
	bool is_deleted; /* the path ended in " (deleted)" */
};
/*
 * Takes the next device off *text (advanced; skips the header and odd lines).
 * 1: one was stored, 0: no more.
 */
int parse_swaps_next(const char **text, struct swap_device *ret);

/*
 * A limit file: bytes, "max", "-1", or v1's sentinel (the largest multiple of
 * the page size in an s64).  Unlimited is UINT64_MAX.  -EINVAL: not a limit.
 */
int parse_limit_bytes(const char *text, uint64_t *ret_bytes) __must_check;

/* Whole-string unsigned decimal, blanks around allowed.  -EINVAL, -ERANGE. */
int parse_u64(const char *text, uint64_t *ret) __must_check;
int parse_int(const char *text, int min, int max, int *ret) __must_check;

/*
 * A mask of /proc/PID/status, "CapEff:\t000001ffffffffff".
 * -ENOENT: no such line; -EINVAL: not 1 to 16 hexadecimal digits.
 */
int parse_status_mask(const char *text, const char *key,
		      uint64_t *ret) __must_check;

/* "6.1.0-18-amd64" is 6 and 1.  -EINVAL. */
int parse_release(const char *text, int *ret_major,
		  int *ret_minor) __must_check;

/*
 * The word in brackets of "none [integrity] confidentiality".
 * -ENOENT: none; -ENAMETOOLONG.
 */
int parse_bracketed(const char *text, char *ret, size_t size) __must_check;

/*
 * PSI: "some avg10=0.00 avg60=... total=N".  -ENOENT: no such line;
 * -EINVAL: the line has no total.
 */
int parse_psi_total_us(const char *text, const char *kind,
		       uint64_t *ret_us) __must_check;

/*
 * Where a file system is mounted, from /proc/self/mountinfo: the first mount
 * of `fs_type` whose super options hold `option` (NULL: any).  Unescaped.
 * -ENOENT: not mounted; -ENAMETOOLONG.
 */
int parse_mount_point(const char *mountinfo, const char *fs_type,
		      const char *option, char *ret, size_t size) __must_check;

/* Is the mount point `path` there and mounted read-only? */
bool parse_mount_is_read_only(const char *mountinfo, const char *path);

/*
 * Path of a task's cgroup in /proc/PID/cgroup: the line of v1 controller
 * `controller`, or the v2 line ("0::") if NULL.  -ENOENT; -ENAMETOOLONG.
 */
int parse_cgroup_path(const char *text, const char *controller, char *ret,
		      size_t size) __must_check;

#endif
