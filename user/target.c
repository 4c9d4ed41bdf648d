/* SPDX-License-Identifier: GPL-2.0-only */
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>

/* Deeper trees than this are not walked: the kernel's own default is none. */
#define MAX_DEPTH 64

struct target_walker {
	char *mount;
	const char *const *patterns;
	size_t pattern_count;
	int inotify_fd;
};

/* The length of the component at `path`, which starts behind a slash. */
static size_t component_length(const char *path)
{
	return strcspn(path, "/");
}

static bool component_matches(const char *pattern, size_t pattern_length,
			      const char *name, size_t name_length)
{
	_cleanup_free_ char *glob = strndup(pattern, pattern_length);
	_cleanup_free_ char *text = strndup(name, name_length);

	return glob && text && !fnmatch(glob, text, FNM_PERIOD);
}

static bool is_everything_below(const char *component)
{
	return !strcmp(component, "**");
}

/*
 * Matches component by component.  *ret_is_ancestor: the pattern reaches
 * below path, so the walk must go on there.
 */
static bool match_path(const char *pattern, const char *path,
		       bool *ret_is_ancestor)
{
	*ret_is_ancestor = false;
	while (*pattern == '/' && *path == '/' && path[1]) {
		size_t want = component_length(++pattern);
		size_t have = component_length(++path);

		if (is_everything_below(pattern)) {
			*ret_is_ancestor = true;
			return true;
		}
		if (!component_matches(pattern, want, path, have))
			return false;
		pattern += want;
		path += have;
	}
	if (*path && path[1])
		return false;
	if (*pattern && pattern[1]) {
		*ret_is_ancestor = true;
		return false;
	}
	return true;
}

bool target_match(const char *pattern, const char *path)
{
	bool is_ancestor;

	return match_path(pattern, path, &is_ancestor);
}

const char *target_strip_mount(const char *pattern, const char *mount)
{
	size_t length = strlen(mount);

	if (!strncmp(pattern, mount, length) &&
	    (pattern[length] == '/' || !pattern[length]))
		return pattern[length] ? pattern + length : "/";
	return pattern;
}

int target_walker_new(struct target_walker **ret, const char *mount,
		      const char *const *patterns, size_t pattern_count,
		      bool is_watching)
{
	struct target_walker *walker = calloc(1, sizeof(*walker));

	if (!walker)
		return -ENOMEM;
	walker->patterns = patterns;
	walker->pattern_count = pattern_count;
	walker->inotify_fd = -1;
	walker->mount = strdup(mount);
	if (!walker->mount) {
		target_walker_free(walker);
		return -ENOMEM;
	}
	if (is_watching) {
		walker->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
		if (walker->inotify_fd < 0) {
			int r = -errno;

			target_walker_free(walker);
			return r;
		}
	}
	*ret = walker;
	return 0;
}

void target_walker_free(struct target_walker *walker)
{
	if (!walker)
		return;
	util_close_fd(&walker->inotify_fd);
	free(walker->mount);
	free(walker);
}

/* Whether some pattern reaches below, and the first that matches here. */
static bool judge_path(const struct target_walker *walker, const char *path,
		       bool *ret_matches, size_t *ret_index)
{
	bool is_ancestor = false, reaches_below;

	*ret_matches = false;
	for (size_t i = 0; i < walker->pattern_count; i++) {
		if (match_path(walker->patterns[i], path, &reaches_below) &&
		    !*ret_matches) {
			*ret_matches = true;
			*ret_index = i;
		}
		is_ancestor |= reaches_below;
	}
	return is_ancestor;
}

/* Watched before it is read, so that no birth falls between. */
static void watch_directory(struct target_walker *walker, const char *full)
{
	if (walker->inotify_fd < 0)
		return;
	/* Gone already, or no watches left: the next walk will tell. */
	(void)inotify_add_watch(walker->inotify_fd, full,
				IN_CREATE | IN_DELETE | IN_MOVED_FROM |
					IN_MOVED_TO | IN_ONLYDIR);
}

static int walk_directory(struct target_walker *walker, const char *path,
			  unsigned int depth, target_visit *visit,
			  void *context);

static int walk_children(struct target_walker *walker, DIR *directory,
			 const char *path, unsigned int depth,
			 target_visit *visit, void *context)
{
	struct dirent *entry;

	while ((entry = readdir(directory))) {
		_cleanup_free_ char *child = NULL;
		int r;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (asprintf(&child, "%s/%s", path[1] ? path : "",
			     entry->d_name) < 0)
			return -ENOMEM;
		r = walk_directory(walker, child, depth + 1, visit, context);
		if (r)
			return r;
	}
	return 0;
}

/* Only what is gone may be left out: others would be taken for dead. */
static int leave_out_vanished(int error)
{
	return error == ENOENT || error == ENODEV || error == ENOTDIR ? 0
								      : -error;
}

static int visit_match(const char *full, const char *path, size_t index,
		       target_visit *visit, void *context)
{
	struct stat st;

	if (stat(full, &st))
		return leave_out_vanished(errno);
	return visit(path, st.st_ino, index, context);
}

static int walk_directory(struct target_walker *walker, const char *path,
			  unsigned int depth, target_visit *visit,
			  void *context)
{
	_cleanup_free_ char *full = NULL;
	bool matches, goes_on;
	size_t index = 0;
	DIR *directory;
	int r = 0;

	goes_on = judge_path(walker, path, &matches, &index);
	if (!matches && !goes_on)
		return 0;
	if (asprintf(&full, "%s%s", walker->mount, path) < 0)
		return -ENOMEM;
	if (matches)
		r = visit_match(full, path, index, visit, context);
	if (r || !goes_on || depth >= MAX_DEPTH)
		return r;
	watch_directory(walker, full);
	directory = opendir(full);
	if (!directory)
		return leave_out_vanished(errno);
	r = walk_children(walker, directory, path, depth, visit, context);
	closedir(directory);
	return r;
}

int target_walk(struct target_walker *walker, target_visit *visit,
		void *context)
{
	return walk_directory(walker, "/", 0, visit, context);
}

int target_walker_fd(const struct target_walker *walker)
{
	return walker->inotify_fd;
}

bool target_walker_changed(struct target_walker *walker)
{
	char events[4096];
	bool has_changed = false;

	while (read(walker->inotify_fd, events, sizeof(events)) > 0)
		has_changed = true;
	return has_changed;
}
