/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory below /tmp that a test fills and that goes with it. */
#ifndef SWAPTEND_TESTS_TREE_H
#define SWAPTEND_TESTS_TREE_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "util.h"

#define TREE_PATH_BYTES 64

/* NULL: it cannot be made. */
static inline char *tree_plant(char path[TREE_PATH_BYTES])
{
	strcpy(path, "/tmp/swaptend-test.XXXXXX");
	return mkdtemp(path);
}

static inline int tree_fell_one(const char *path, const struct stat *status,
				int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void tree_fell(const char *path)
{
	nftw(path, tree_fell_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The path below the tree, its parent directories made; to be freed. */
static inline char *tree_prepare(const char *tree, const char *path)
{
	char *full = NULL;

	assert_true(asprintf(&full, "%s%s", tree, path) > 0);
	for (char *s = full + strlen(tree) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*s = '/';
	}
	return full;
}

/* Writes a file, over what was there. */
static inline void tree_put(const char *tree, const char *path,
			    const char *text)
{
	_cleanup_free_ char *full = tree_prepare(tree, path);
	FILE *file = fopen(full, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

#endif
