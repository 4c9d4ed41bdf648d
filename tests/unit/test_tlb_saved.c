/* SPDX-License-Identifier: GPL-2.0-only */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tlb_run.h"
#include "tree.h"

#include "report/tlb_json.h"
#include "report/tlb_saved.h"

struct place {
	char dir[TREE_PATH_BYTES];
	char path[TREE_PATH_BYTES + 16];
	struct tlb_run *run;
};

static int make(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	if (!place || !tree_plant(place->dir))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/run.json", place->dir);
	place->run = tlb_run_plant();
	*state = place;
	return place->run ? 0 : -1;
}

static int unmake(void **state)
{
	struct place *place = *state;

	tlb_run_fell(place->run);
	tree_fell(place->dir);
	free(place);
	return 0;
}

static int save(const struct place *place)
{
	struct report *report = tlb_json_new(place->run);
	struct tlb_save file;
	int r = tlb_save_begin(&file, place->path);

	if (!r)
		r = tlb_save_commit(&file, report);
	tlb_save_done(&file);
	report_free(report);
	return r;
}

static char *read_text(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *file = fopen(path, "r");

	assert_non_null(text);
	assert_non_null(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

static void write_text(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static int entries(const char *dir)
{
	DIR *stream = opendir(dir);
	int count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
}

static void reads_back_what_it_wrote(void **state)
{
	struct place *place = *state;
	struct tlb_saved saved;
	char error[256];

	tlb_run_send(place->run, SWT_TLB_OUTSIDE, 50, 70);
	place->run->tlb_cpus[2] =
		(struct tlb_cpu_count){.known = TLB_NO_BASELINE};
	assert_int_equal(save(place), 0);
	assert_int_equal(
		tlb_saved_read(&saved, place->path, error, sizeof(error)), 0);
	assert_string_equal(saved.machine.node, "node");
	assert_string_equal(saved.machine.release, "6.18.0");
	assert_int_equal(saved.machine.nr_online, 4);
	assert_int_equal(saved.duration_ns, 300000000000);
	assert_int_equal(saved.nr_cpus, 4);
	assert_int_equal(saved.cpus[1].known, TLB_KNOWN);
	assert_int_equal(saved.cpus[1].count, 1000);
	assert_int_not_equal(saved.cpus[2].known, TLB_KNOWN);
	assert_true(saved.has_hsum);
	assert_int_equal(saved.hsum, 2676);
	assert_false(saved.is_partial);
	assert_true(saved.is_trusted);
	assert_int_equal(saved.sent, 50);
	assert_int_equal(saved.received_ns, 7000);
	assert_int_equal(saved.system_ticks, 20);
	assert_int_equal(saved.total_ticks, 784);
	tlb_saved_done(&saved);
}

static void keeps_unknown_unknown(void **state)
{
	struct place *place = *state;
	struct tlb_saved saved;
	char error[256];

	place->run->tlb.is_available = false;
	place->run->has_ticks = false;
	place->run->seen.has_flushes = false;
	place->run->seen.receive = TLB_RECEIVE_CALL;
	assert_int_equal(save(place), 0);
	assert_int_equal(
		tlb_saved_read(&saved, place->path, error, sizeof(error)), 0);
	assert_false(saved.has_hsum);
	assert_false(saved.has_sent);
	assert_false(saved.has_ticks);
	/* Of any function call: not to be weighed as shootdowns. */
	assert_false(saved.has_received);
	assert_false(saved.is_trusted);
	tlb_saved_done(&saved);
}

static void leaves_the_old_file_until_the_new_is_whole(void **state)
{
	struct place *place = *state;
	_cleanup_free_ char *text = NULL;
	struct tlb_save file;

	write_text(place->path, "old", 3);
	assert_int_equal(tlb_save_begin(&file, place->path), 0);
	assert_int_equal(entries(place->dir), 2);
	tlb_save_done(&file);
	assert_int_equal(entries(place->dir), 1);
	text = read_text(place->path);
	assert_string_equal(text, "old");
	assert_int_equal(save(place), 0);
	assert_int_equal(entries(place->dir), 1);
}

static void keeps_a_symbolic_link(void **state)
{
	struct place *place = *state;
	char link_path[TREE_PATH_BYTES + 16];
	struct stat status;

	write_text(place->path, "old", 3);
	snprintf(link_path, sizeof(link_path), "%s/link", place->dir);
	assert_int_equal(symlink("run.json", link_path), 0);
	strcpy(place->path, link_path);
	assert_int_equal(save(place), 0);
	assert_int_equal(lstat(link_path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(link_path, &status), 0);
	assert_true(status.st_size > 100);
}

static void replaces_nothing_but_plain_files(void **state)
{
	struct place *place = *state;
	struct tlb_save file;

	assert_int_equal(tlb_save_begin(&file, place->dir), -EISDIR);
	tlb_save_done(&file);
	assert_int_equal(tlb_save_begin(&file, "/dev/null"), -EINVAL);
	tlb_save_done(&file);
	assert_int_equal(tlb_save_begin(&file, "/nonexistent/run"), -ENOENT);
	tlb_save_done(&file);
}

static void refuses(const struct place *place, const char *why)
{
	struct tlb_saved saved;
	char error[256] = "";

	assert_true(tlb_saved_read(&saved, place->path, error, sizeof(error)) <
		    0);
	if (!strstr(error, why))
		fail_msg("'%s' lacks '%s'", error, why);
}

static void refuses_a_file_cut_anywhere(void **state)
{
	struct place *place = *state;
	_cleanup_free_ char *text = NULL;
	struct tlb_saved saved;
	char error[256];
	size_t len;

	assert_int_equal(save(place), 0);
	text = read_text(place->path);
	len = strlen(text);
	/* Only the newline behind the closing brace may be missing. */
	for (size_t cut = 0; cut < len - 1; cut += 7) {
		write_text(place->path, text, cut);
		refuses(place, "cut or not JSON");
	}
	write_text(place->path, text, len - 1);
	assert_int_equal(
		tlb_saved_read(&saved, place->path, error, sizeof(error)), 0);
	tlb_saved_done(&saved);
}

/* The saved text with `old` replaced by `new`. */
static void edit(struct place *place, const char *old, const char *new)
{
	_cleanup_free_ char *text = NULL, *edited = NULL;
	char *hit;
	int len;

	assert_int_equal(save(place), 0);
	text = read_text(place->path);
	hit = strstr(text, old);
	assert_non_null(hit);
	len = asprintf(&edited, "%.*s%s%s", (int)(hit - text), text, new,
		       hit + strlen(old));
	assert_true(len > 0);
	write_text(place->path, edited, (size_t)len);
}

static void refuses_foreign_files_and_other_versions(void **state)
{
	struct place *place = *state;

	write_text(place->path, "{\"schema\": 1}", 13);
	refuses(place, "not a run that 'swaptend tlb' saved");
	write_text(place->path, "[]", 2);
	refuses(place, "not a run that 'swaptend tlb' saved");
	write_text(place->path, "\177ELF\0\0", 6);
	refuses(place, "cut or not JSON");
	edit(place, "\"version\": 1", "\"version\": 2");
	refuses(place, "another version");
	edit(place, "\"version\": 1", "\"version\": \"1\"");
	refuses(place, "another version");
	edit(place, "swaptend-tlb", "swaptend-tlc");
	refuses(place, "not a run that");
}

static void trusts_no_number(void **state)
{
	static const char *const edits[][2] = {
		{"\"cpu\": 3", "\"cpu\": 8192"},
		{"\"cpu\": 3", "\"cpu\": 4294967299"},
		{"\"cpu\": 3", "\"cpu\": -1"},
		{"\"cpu\": 3", "\"cpu\": 2"},
		{"\"cpu\": 3", "\"cpu\": null"},
		{"\"tlb\": 776", "\"tlb\": -776"},
		{"\"tlb\": 776", "\"tlb\": 7.76"},
		{"\"online_cpus\": 4", "\"online_cpus\": 99999"},
		{"\"hsum\": 2676", "\"hsum\": \"x\""},
		{"\"hsum_is_partial\": false", "\"hsum_is_partial\": 0"},
		{"\"node\": \"node\"", "\"node\": 5"},
		{"\"per_cpu\"", "\"per_cat\""},
		{"\"is_count_trusted\"", "\"is_count_thrusted\""},
		{"\"total\": 784", "\"total\": null"},
		{"\"method\": \"flush-func\"", "\"method\": 1"},
	};
	struct place *place = *state;

	for (size_t i = 0; i < SWT_ARRAY_SIZE(edits); i++) {
		edit(place, edits[i][0], edits[i][1]);
		refuses(place, "missing or out of range");
	}
	edit(place, "\"tlb\": 776", "\"tlb\": 99999999999999999999");
	refuses(place, "cut or not JSON");
}

static void cuts_names_that_are_too_long(void **state)
{
	struct place *place = *state;
	struct tlb_saved saved;
	char error[256], name[400];

	memset(name, 'n', sizeof(name));
	memcpy(name, "\"node\": \"", 9);
	strcpy(name + 390, "\"");
	edit(place, "\"node\": \"node\"", name);
	assert_int_equal(
		tlb_saved_read(&saved, place->path, error, sizeof(error)), 0);
	assert_int_equal(strlen(saved.machine.node), 64);
	tlb_saved_done(&saved);
}

static void says_what_is_no_file(void **state)
{
	struct place *place = *state;

	refuses(place, "No such file");
	strcpy(place->path, "/dev/zero");
	refuses(place, "not a plain file");
	strcpy(place->path, place->dir);
	refuses(place, "Is a directory");
}

static void refuses_a_file_that_is_too_large(void **state)
{
	struct place *place = *state;

	assert_int_equal(save(place), 0);
	assert_int_equal(truncate(place->path, (16 << 20) + 1), 0);
	refuses(place, "File too large");
}

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(reads_back_what_it_wrote),
		PLACE_TEST(keeps_unknown_unknown),
		PLACE_TEST(leaves_the_old_file_until_the_new_is_whole),
		PLACE_TEST(keeps_a_symbolic_link),
		PLACE_TEST(replaces_nothing_but_plain_files),
		PLACE_TEST(refuses_a_file_cut_anywhere),
		PLACE_TEST(refuses_foreign_files_and_other_versions),
		PLACE_TEST(trusts_no_number),
		PLACE_TEST(cuts_names_that_are_too_long),
		PLACE_TEST(says_what_is_no_file),
		PLACE_TEST(refuses_a_file_that_is_too_large),
	};

	return cmocka_run_group_tests_name("tlb_saved", tests, NULL, NULL);
}
