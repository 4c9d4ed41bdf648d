/* SPDX-License-Identifier: GPL-2.0-only */
/* A file tree that stands for "/", new for each case. */
#ifndef SWAPTEND_TESTS_ROOT_TREE_H
#define SWAPTEND_TESTS_ROOT_TREE_H

#include "tree.h"

#include "sense/proc.h"

struct tree {
	char path[TREE_PATH_BYTES];
	struct sense_root root;
};

static inline int plant(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -1;
	if (!tree_plant(tree->path))
		return -1;
	tree->root.prefix = tree->path;
	*state = tree;
	return 0;
}

static inline int fell(void **state)
{
	struct tree *tree = *state;

	tree_fell(tree->path);
	free(tree);
	return 0;
}

static inline void put(const struct tree *tree, const char *path,
		       const char *text)
{
	tree_put(tree->path, path, text);
}

#endif
