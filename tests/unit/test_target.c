/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "target.h"

static void matches_component_by_component(void **state)
{
	(void)state;
	assert_true(target_match("/db", "/db"));
	assert_true(target_match("/db/", "/db"));
	assert_false(target_match("/db", "/db/1"));
	assert_false(target_match("/db", "/dbx"));
	assert_true(target_match("/db/*", "/db/1"));
	assert_false(target_match("/db/*", "/db"));
	assert_false(target_match("/db/*", "/db/1/2"));
	assert_true(target_match("/*/x", "/a/x"));
	assert_true(target_match("/a[0-9]", "/a7"));
	assert_true(target_match("/", "/"));
	assert_false(target_match("/", "/a"));
}

static void double_star_means_everything_below(void **state)
{
	(void)state;
	assert_true(target_match("/db/**", "/db/1"));
	assert_true(target_match("/db/**", "/db/1/2/3"));
	assert_false(target_match("/db/**", "/db"));
	assert_false(target_match("/db/**", "/other/1"));
}

static void takes_odd_names_literally(void **state)
{
	(void)state;
	assert_true(target_match("/tenants/*", "/tenants/%s%n%d"));
	assert_true(target_match("/tenants/with space", "/tenants/with space"));
	assert_true(target_match("/x/a\\*b", "/x/a*b"));
	assert_false(target_match("/x/a\\*b", "/x/aab"));
}

static void strips_the_mount_that_people_paste(void **state)
{
	(void)state;
	assert_string_equal(target_strip_mount("/sys/fs/cgroup/memory/a",
					       "/sys/fs/cgroup/memory"),
			    "/a");
	assert_string_equal(target_strip_mount("/a", "/sys/fs/cgroup/memory"),
			    "/a");
	assert_string_equal(target_strip_mount("/sys/fs/cgroup/memoryx",
					       "/sys/fs/cgroup/memory"),
			    "/sys/fs/cgroup/memoryx");
}

/* A tree of plain directories stands for a hierarchy. */
struct tree {
	char root[32];
};

static void make(const struct tree *tree, const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", tree->root, path);
	assert_int_equal(mkdir(full, 0700), 0);
}

static void unmake(const struct tree *tree, const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", tree->root, path);
	assert_int_equal(rmdir(full), 0);
}

static const char *const directories[] = {"/a", "/a/1", "/a/2", "/a/2/deep",
					  "/b"};

static int set_up(void **state)
{
	static struct tree tree;

	snprintf(tree.root, sizeof(tree.root), "/tmp/swaptend-tree-XXXXXX");
	if (!mkdtemp(tree.root))
		return -1;
	for (size_t i = 0; i < SWT_ARRAY_SIZE(directories); i++)
		make(&tree, directories[i]);
	*state = &tree;
	return 0;
}

static int tear_down(void **state)
{
	const struct tree *tree = *state;

	for (size_t i = SWT_ARRAY_SIZE(directories); i--;)
		unmake(tree, directories[i]);
	return rmdir(tree->root);
}

struct seen {
	char text[256];
	int count;
};

static int note(const char *path, uint64_t id, size_t pattern_index,
		void *context)
{
	struct seen *seen = context;
	size_t length = strlen(seen->text);

	assert_true(id > 0);
	seen->count++;
	snprintf(seen->text + length, sizeof(seen->text) - length, "%s=%zu ",
		 path, pattern_index);
	return 0;
}

static void walks_to_each_match_once_by_its_first_pattern(void **state)
{
	const struct tree *tree = *state;
	const char *const patterns[] = {"/a/2", "/a/**", "/none"};
	struct target_walker *walker;
	struct seen seen = {0};

	assert_int_equal(
		target_walker_new(&walker, tree->root, patterns, 3, false), 0);
	assert_int_equal(target_walk(walker, note, &seen), 0);
	assert_int_equal(seen.count, 3);
	assert_non_null(strstr(seen.text, "/a/1=1 "));
	assert_non_null(strstr(seen.text, "/a/2=0 "));
	assert_non_null(strstr(seen.text, "/a/2/deep=1 "));
	target_walker_free(walker);
}

static void tells_of_births_below_what_was_walked(void **state)
{
	const struct tree *tree = *state;
	const char *const patterns[] = {"/a/*"};
	struct target_walker *walker;
	struct seen seen = {0};

	assert_int_equal(
		target_walker_new(&walker, tree->root, patterns, 1, true), 0);
	assert_int_equal(target_walk(walker, note, &seen), 0);
	assert_int_equal(seen.count, 2);
	assert_false(target_walker_changed(walker));
	make(tree, "/a/new");
	assert_true(target_walker_changed(walker));
	assert_int_equal(target_walk(walker, note, &seen), 0);
	assert_non_null(strstr(seen.text, "/a/new=0 "));
	unmake(tree, "/a/new");
	assert_true(target_walker_changed(walker));
	target_walker_free(walker);
}

static int stop(const char *path, uint64_t id, size_t pattern_index,
		void *context)
{
	(void)path;
	(void)id;
	(void)pattern_index;
	(*(int *)context)++;
	return -7;
}

static void ends_the_walk_when_the_visitor_fails(void **state)
{
	const struct tree *tree = *state;
	const char *const patterns[] = {"/a/*"};
	struct target_walker *walker;
	int visits = 0;

	assert_int_equal(
		target_walker_new(&walker, tree->root, patterns, 1, false), 0);
	assert_int_equal(target_walk(walker, stop, &visits), -7);
	assert_int_equal(visits, 1);
	target_walker_free(walker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_component_by_component),
		cmocka_unit_test(double_star_means_everything_below),
		cmocka_unit_test(takes_odd_names_literally),
		cmocka_unit_test(strips_the_mount_that_people_paste),
		cmocka_unit_test_setup_teardown(
			walks_to_each_match_once_by_its_first_pattern, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			tells_of_births_below_what_was_walked, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			ends_the_walk_when_the_visitor_fails, set_up,
			tear_down),
	};

	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
