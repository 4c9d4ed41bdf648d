/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which cgroups are meant: patterns, the walk over the hierarchy, and births
 * and deaths.  Paths are relative to the hierarchy's mount point, "/a/b".
 */
#ifndef SWAPTEND_TARGET_H
#define SWAPTEND_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

/*
 * Component by component, as a shell would; "**" as the last component means
 * everything below, at any depth.
 */
bool target_match(const char *pattern, const char *path);

/* "/sys/fs/cgroup/memory/a" as people paste it becomes "/a". */
const char *target_strip_mount(const char *pattern, const char *mount);

/* Called for each group that a pattern matches; negative ends the walk. */
typedef int target_visit(const char *path, uint64_t id, size_t pattern_index,
			 void *context);

struct target_walker;

/*
 * Walks below `mount`; borrowed patterns must outlive the walker.  With
 * is_watching, births are reported through target_walker_fd().
 */
int target_walker_new(struct target_walker **ret, const char *mount,
		      const char *const *patterns, size_t pattern_count,
		      bool is_watching) __must_check;
void target_walker_free(struct target_walker *walker);

/*
 * Visits every group that matches now, each once, by the first pattern that
 * does.  A group that vanishes in the middle is left out.
 */
int target_walk(struct target_walker *walker, target_visit *visit,
		void *context) __must_check;

/* Readable when a directory was made or removed; -1: not watching. */
int target_walker_fd(const struct target_walker *walker);
/* Empties the notice; whether anything changed. */
bool target_walker_changed(struct target_walker *walker);

#endif
