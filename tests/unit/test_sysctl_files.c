/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tree.h"

#include "sense/sysctl_files.h"

/* A file tree that stands for "/", new for each case. */
struct tree {
	char path[TREE_PATH_BYTES];
	struct sense_root root;
	struct sysctl_settings settings;
};

static int plant(void **state)
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

static int fell(void **state)
{
	struct tree *tree = *state;

	sysctl_files_done(&tree->settings);
	tree_fell(tree->path);
	free(tree);
	return 0;
}

static void put(const struct tree *tree, const char *path, const char *text)
{
	tree_put(tree->path, path, text);
}

static void put_link(const struct tree *tree, const char *path,
		     const char *target)
{
	_cleanup_free_ char *full = tree_prepare(tree->path, path);

	assert_int_equal(symlink(target, full), 0);
}

enum {
	TYPO = 1 << 0,
	MASKED = 1 << 1,
	BOOT = 1 << 2,
	HAND = 1 << 3,
};

struct expected {
	const char *path;
	const char *value;
	int marks;
};

static void assert_settings(const struct sysctl_settings *settings,
			    const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count && i < settings->count; i++) {
		const struct sysctl_setting *item = &settings->items[i];
		int marks = (item->lacks_prefix ? TYPO : 0) |
			    (item->is_masked ? MASKED : 0) |
			    (item->wins_at_boot ? BOOT : 0) |
			    (item->wins_by_hand ? HAND : 0);

		assert_string_equal(item->path, expected[i].path);
		assert_string_equal(item->value, expected[i].value);
		assert_int_equal(marks, expected[i].marks);
	}
	assert_int_equal(settings->count, count);
}

#define ASSERT_READS(tree, ...)                                              \
	do {                                                                 \
		const struct expected e_[] = {__VA_ARGS__};                  \
		assert_int_equal(                                            \
			sysctl_files_read(&(tree)->root, &(tree)->settings), \
			0);                                                  \
		assert_settings(&(tree)->settings, e_, SWT_ARRAY_SIZE(e_));  \
	} while (0)

static void names_both_winners_of_files_that_disagree(void **state)
{
	struct tree *tree = *state;

	tree->root.prefix = "tests/fixtures/sysctl-tree";
	ASSERT_READS(tree, {"/etc/sysctl.d/10-admin.conf", "1", 0},
		     {"/usr/lib/sysctl.d/50-vendor.conf", "30", MASKED},
		     {"/etc/sysctl.d/98-typo.conf", "50", TYPO},
		     {"/etc/sysctl.d/99-zram.conf", "180", BOOT},
		     {"/etc/sysctl.conf", "60", HAND}, );
}

static void finds_nothing_in_an_empty_root(void **state)
{
	struct tree *tree = *state;

	tree->settings.count = 7;
	assert_int_equal(sysctl_files_read(&tree->root, &tree->settings), 0);
	assert_int_equal(tree->settings.count, 0);
	assert_null(tree->settings.items);
}

static void has_one_winner_without_etc_sysctl_conf(void **state)
{
	struct tree *tree = *state;

	put(tree, "/usr/lib/sysctl.d/10-a.conf", "vm.swappiness=10\n");
	put(tree, "/etc/sysctl.d/20-b.conf", "vm.swappiness=20\n");
	ASSERT_READS(tree, {"/usr/lib/sysctl.d/10-a.conf", "10", 0},
		     {"/etc/sysctl.d/20-b.conf", "20", BOOT | HAND}, );
}

static void has_one_winner_if_etc_sysctl_conf_sets_other_keys(void **state)
{
	struct tree *tree = *state;

	put(tree, "/run/sysctl.d/a.conf", "vm.swappiness=10\n");
	put(tree, "/etc/sysctl.conf", "vm.page-cluster=0\nswappiness=5\n");
	ASSERT_READS(tree, {"/run/sysctl.d/a.conf", "10", BOOT | HAND},
		     {"/etc/sysctl.conf", "5", TYPO}, );
}

static void has_no_winner_at_boot_with_etc_sysctl_conf_alone(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.conf", "vm.swappiness=10\n");
	ASSERT_READS(tree, {"/etc/sysctl.conf", "10", HAND}, );
}

static void lets_etc_sysctl_conf_win_at_boot_through_its_link(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.conf", "vm.swappiness=10\n");
	put_link(tree, "/etc/sysctl.d/99-sysctl.conf", "../sysctl.conf");
	ASSERT_READS(tree, {"/etc/sysctl.d/99-sysctl.conf", "10", BOOT},
		     {"/etc/sysctl.conf", "10", HAND}, );
}

static void masks_by_a_link_to_dev_null(void **state)
{
	struct tree *tree = *state;

	put(tree, "/usr/lib/sysctl.d/50-v.conf", "vm.swappiness=30\n");
	put_link(tree, "/etc/sysctl.d/50-v.conf", "/dev/null");
	ASSERT_READS(tree, {"/usr/lib/sysctl.d/50-v.conf", "30", MASKED}, );
}

static void masks_by_a_link_to_nowhere(void **state)
{
	struct tree *tree = *state;

	put(tree, "/usr/lib/sysctl.d/50-v.conf", "vm.swappiness=30\n");
	put_link(tree, "/etc/sysctl.d/50-v.conf", "absent");
	ASSERT_READS(tree, {"/usr/lib/sysctl.d/50-v.conf", "30", MASKED}, );
}

static void prefers_directories_in_the_order_of_both_readers(void **state)
{
	struct tree *tree = *state;

	put(tree, "/lib/sysctl.d/a.conf", "vm.swappiness=5\n");
	put(tree, "/usr/lib/sysctl.d/a.conf", "vm.swappiness=4\n");
	put(tree, "/usr/local/lib/sysctl.d/a.conf", "vm.swappiness=3\n");
	put(tree, "/run/sysctl.d/a.conf", "vm.swappiness=2\n");
	put(tree, "/etc/sysctl.d/a.conf", "vm.swappiness=1\n");
	ASSERT_READS(tree, {"/etc/sysctl.d/a.conf", "1", BOOT | HAND},
		     {"/run/sysctl.d/a.conf", "2", MASKED},
		     {"/usr/local/lib/sysctl.d/a.conf", "3", MASKED},
		     {"/usr/lib/sysctl.d/a.conf", "4", MASKED},
		     {"/lib/sysctl.d/a.conf", "5", MASKED}, );
}

static void lists_files_once_where_lib_is_usr_lib(void **state)
{
	struct tree *tree = *state;

	put(tree, "/usr/lib/sysctl.d/a.conf", "vm.swappiness=4\n");
	put_link(tree, "/lib", "usr/lib");
	ASSERT_READS(tree, {"/usr/lib/sysctl.d/a.conf", "4", BOOT | HAND}, );
}

static void applies_files_by_the_bytes_of_their_names(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.d/a.conf", "vm.swappiness=1\n");
	put(tree, "/etc/sysctl.d/B.conf", "vm.swappiness=2\n");
	put(tree, "/usr/lib/sysctl.d/9.conf", "vm.swappiness=3\n");
	put(tree, "/run/sysctl.d/10.conf", "vm.swappiness=4\n");
	ASSERT_READS(tree, {"/run/sysctl.d/10.conf", "4", 0},
		     {"/usr/lib/sysctl.d/9.conf", "3", 0},
		     {"/etc/sysctl.d/B.conf", "2", 0},
		     {"/etc/sysctl.d/a.conf", "1", BOOT | HAND}, );
}

static void lets_the_last_line_of_a_file_win(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.d/a.conf",
	    "vm.swappiness=1\nvm.swappiness=2\nswappiness=3\n");
	ASSERT_READS(tree, {"/etc/sysctl.d/a.conf", "1", 0},
		     {"/etc/sysctl.d/a.conf", "2", BOOT | HAND},
		     {"/etc/sysctl.d/a.conf", "3", TYPO}, );
}

static void knows_every_spelling_of_the_key(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.d/a.conf",
	    "vm/swappiness=1\n"
	    " \tvm.swappiness\t = \t2 \t\r\n"
	    "-vm.swappiness=3\r\n"
	    "\r\n"
	    "- vm/swappiness = 4 5\n"
	    "-swappiness=6\n"
	    "vm.swappiness =\n"
	    "vm.swappiness=8");
	ASSERT_READS(tree, {"/etc/sysctl.d/a.conf", "1", 0},
		     {"/etc/sysctl.d/a.conf", "2", 0},
		     {"/etc/sysctl.d/a.conf", "3", 0},
		     {"/etc/sysctl.d/a.conf", "4 5", 0},
		     {"/etc/sysctl.d/a.conf", "6", TYPO},
		     {"/etc/sysctl.d/a.conf", "", 0},
		     {"/etc/sysctl.d/a.conf", "8", BOOT | HAND}, );
}

static void passes_over_lines_that_do_not_set_the_key(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.d/a.conf",
	    "#vm.swappiness=1\n"
	    " ; vm.swappiness=2\n"
	    "vm.swappiness\n"
	    "-vm.swappiness\n"
	    "vm.swappiness2=3\n"
	    "xvm.swappiness=4\n"
	    "vm.swap=5\n"
	    "=6\n"
	    "kernel.core_pattern=vm.swappiness=7\n");
	assert_int_equal(sysctl_files_read(&tree->root, &tree->settings), 0);
	assert_int_equal(tree->settings.count, 0);
}

static void passes_over_names_that_are_no_settings_files(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.d/README.sysctl", "vm.swappiness=1\n");
	put(tree, "/etc/sysctl.d/a.conf.bak", "vm.swappiness=2\n");
	put(tree, "/etc/sysctl.d/.hidden.conf", "vm.swappiness=3\n");
	put(tree, "/etc/sysctl.d/conf", "vm.swappiness=4\n");
	put(tree, "/etc/sysctl.d/dir.conf/a.conf", "vm.swappiness=5\n");
	put_link(tree, "/etc/sysctl.d/link.conf", "dir.conf");
	put(tree, "/usr/lib/sysctl.d/dir.conf", "vm.swappiness=6\n");
	ASSERT_READS(tree, {"/usr/lib/sysctl.d/dir.conf", "6", BOOT | HAND}, );
}

static void reads_a_file_of_any_size(void **state)
{
	enum { PADDING_BYTES = 100000 };
	struct tree *tree = *state;
	_cleanup_free_ char *text = malloc(PADDING_BYTES + 64);

	assert_non_null(text);
	memset(text, '#', PADDING_BYTES);
	strcpy(text + PADDING_BYTES, "\nvm.swappiness = 70");
	put(tree, "/etc/sysctl.d/a.conf", text);
	ASSERT_READS(tree, {"/etc/sysctl.d/a.conf", "70", BOOT | HAND}, );
}

/* Links in a circle fail for root too, unlike a file without rights. */
static void returns_the_error_of_a_read_and_leaves_the_output(void **state)
{
	struct tree *tree = *state;
	struct sysctl_settings settings = {.count = 7};

	put(tree, "/etc/sysctl.d/a.conf", "vm.swappiness=1\n");
	put_link(tree, "/etc/sysctl.d/b.conf", "b.conf");
	assert_int_equal(sysctl_files_read(&tree->root, &settings), -ELOOP);
	assert_int_equal(settings.count, 7);
	assert_null(settings.items);
}

static void forgets_all_when_done_twice(void **state)
{
	struct tree *tree = *state;

	put(tree, "/etc/sysctl.conf", "vm.swappiness=1\n");
	assert_int_equal(sysctl_files_read(&tree->root, &tree->settings), 0);
	assert_int_equal(tree->settings.count, 1);
	sysctl_files_done(&tree->settings);
	sysctl_files_done(&tree->settings);
	assert_int_equal(tree->settings.count, 0);
	assert_null(tree->settings.items);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, plant, fell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(names_both_winners_of_files_that_disagree),
		CASE(finds_nothing_in_an_empty_root),
		CASE(has_one_winner_without_etc_sysctl_conf),
		CASE(has_one_winner_if_etc_sysctl_conf_sets_other_keys),
		CASE(has_no_winner_at_boot_with_etc_sysctl_conf_alone),
		CASE(lets_etc_sysctl_conf_win_at_boot_through_its_link),
		CASE(masks_by_a_link_to_dev_null),
		CASE(masks_by_a_link_to_nowhere),
		CASE(prefers_directories_in_the_order_of_both_readers),
		CASE(lists_files_once_where_lib_is_usr_lib),
		CASE(applies_files_by_the_bytes_of_their_names),
		CASE(lets_the_last_line_of_a_file_win),
		CASE(knows_every_spelling_of_the_key),
		CASE(passes_over_lines_that_do_not_set_the_key),
		CASE(passes_over_names_that_are_no_settings_files),
		CASE(reads_a_file_of_any_size),
		CASE(returns_the_error_of_a_read_and_leaves_the_output),
		CASE(forgets_all_when_done_twice),
	};

	return cmocka_run_group_tests_name("sysctl_files", tests, NULL, NULL);
}
