/* SPDX-License-Identifier: GPL-2.0-only */
/* A directory below /tmp that a test fills and that goes with it. */
#ifndef SWAPTEND_TESTS_TREE_H
#define SWAPTEND_TESTS_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#endif
