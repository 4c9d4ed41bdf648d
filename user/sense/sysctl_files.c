/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/sysctl_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define BLANKS " \t"
#define LAST_FILE "/etc/sysctl.conf"

/* By falling priority; both readers use this order. */
static const char *const directories[] = {
	"/etc/sysctl.d",     "/run/sysctl.d", "/usr/local/lib/sysctl.d",
	"/usr/lib/sysctl.d", "/lib/sysctl.d",
};

struct conf_file {
	char *name;
	size_t rank; /* index of its directory */
};

struct conf_list {
	struct conf_file *files;
	size_t count;
	/* Directories listed so far, known by st_dev and st_ino. */
	struct stat seen[SWT_ARRAY_SIZE(directories)];
	size_t seen_count;
};

static void conf_list_done(struct conf_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->files[i].name);
	free(list->files);
}

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int add_file(struct conf_list *list, const char *name, size_t rank)
{
	_cleanup_free_ char *copy = strdup(name);
	struct conf_file *larger;

	if (!copy)
		return -ENOMEM;
	larger = reallocarray(list->files, list->count + 1, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	list->files = larger;
	larger[list->count++] = (struct conf_file){
		.name = TAKE_PTR(copy),
		.rank = rank,
	};
	return 0;
}

/* A link counts wherever it points: one to /dev/null masks other files. */
static bool is_conf_file(int dir_fd, const char *name)
{
	const char *dot = strrchr(name, '.');
	struct stat st;

	if (name[0] == '.' || !dot || strcmp(dot, ".conf"))
		return false;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return false; /* vanished */
	return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode);
}

/*
 * With /lib linked to /usr/lib one directory has two names; its files must
 * not seem to mask themselves.
 */
static int note_directory(struct conf_list *list, int dir_fd, bool *ret_is_new)
{
	struct stat st;

	if (fstat(dir_fd, &st))
		return -errno;
	for (size_t i = 0; i < list->seen_count; i++) {
		if (list->seen[i].st_dev == st.st_dev &&
		    list->seen[i].st_ino == st.st_ino) {
			*ret_is_new = false;
			return 0;
		}
	}
	list->seen[list->seen_count++] = st;
	*ret_is_new = true;
	return 0;
}

static int open_directory(const struct sense_root *root, const char *path,
			  DIR **ret_dir)
{
	_cleanup_free_ char *full = NULL;
	DIR *dir;

	if (asprintf(&full, "%s%s", root->prefix, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	dir = opendir(full);
	if (!dir)
		return -errno;
	*ret_dir = dir;
	return 0;
}

static int list_directory(const struct sense_root *root, size_t rank,
			  struct conf_list *list)
{
	__attribute__((cleanup(close_directory))) DIR *dir = NULL;
	struct dirent *entry;
	bool is_new = false;
	int r = open_directory(root, directories[rank], &dir);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (!r)
		r = note_directory(list, dirfd(dir), &is_new);
	if (r || !is_new)
		return r;
	while (errno = 0, (entry = readdir(dir))) {
		if (!is_conf_file(dirfd(dir), entry->d_name))
			continue;
		r = add_file(list, entry->d_name, rank);
		if (r)
			return r;
	}
	return -errno;
}

static int compare_files(const void *a, const void *b)
{
	const struct conf_file *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, BLANKS);
	end = text + strlen(text);
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	return text;
}

/*
 * Does this line, which is cut up, set the key?  "-key" without a value only
 * keeps the boot service's patterns off the key.  A comment, by its # or ;,
 * is never equal to a spelling of the key.
 */
static bool parse_line(char *line, char **ret_value, bool *ret_lacks_prefix)
{
	char *key = trim(line), *value = strchr(key, '=');
	bool lacks_prefix;

	if (!value)
		return false;
	*value++ = '\0';
	if (*key == '-')
		key++;
	key = trim(key);
	lacks_prefix = !strcmp(key, "swappiness");
	if (!lacks_prefix && strcmp(key, "vm.swappiness") &&
	    strcmp(key, "vm/swappiness"))
		return false;
	*ret_value = trim(value);
	*ret_lacks_prefix = lacks_prefix;
	return true;
}

static int add_setting(struct sysctl_settings *settings, const char *path,
		       const char *value, bool lacks_prefix, bool is_masked)
{
	_cleanup_free_ char *path_copy = strdup(path);
	_cleanup_free_ char *value_copy = strdup(value);
	struct sysctl_setting *larger;

	if (!path_copy || !value_copy)
		return -ENOMEM;
	larger = reallocarray(settings->items, settings->count + 1,
			      sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	settings->items = larger;
	larger[settings->count++] = (struct sysctl_setting){
		.path = TAKE_PTR(path_copy),
		.value = TAKE_PTR(value_copy),
		.lacks_prefix = lacks_prefix,
		.is_masked = is_masked,
	};
	return 0;
}

static int read_settings(const struct sense_root *root, const char *path,
			 bool is_masked, struct sysctl_settings *settings)
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest, *value;
	bool lacks_prefix;
	int r = proc_read_file(root, path, &text);

	/* Vanished, a link to nowhere, or a link to a directory. */
	if (r == -ENOENT || r == -EISDIR)
		return 0;
	if (r)
		return r;
	rest = text;
	while ((line = strsep(&rest, "\r\n"))) {
		if (!parse_line(line, &value, &lacks_prefix))
			continue;
		r = add_setting(settings, path, value, lacks_prefix, is_masked);
		if (r)
			return r;
	}
	return 0;
}

static int read_listed(const struct sense_root *root,
		       const struct conf_list *list,
		       struct sysctl_settings *settings)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct conf_file *file = &list->files[i];
		bool is_masked = i && !strcmp(file->name, file[-1].name);
		_cleanup_free_ char *path = NULL;
		int r;

		if (asprintf(&path, "%s/%s", directories[file->rank],
			     file->name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		r = read_settings(root, path, is_masked, settings);
		if (r)
			return r;
	}
	return 0;
}

static int read_directories(const struct sense_root *root,
			    struct sysctl_settings *settings)
{
	__attribute__((cleanup(conf_list_done))) struct conf_list list = {0};

	for (size_t rank = 0; rank < SWT_ARRAY_SIZE(directories); rank++) {
		int r = list_directory(root, rank, &list);

		if (r)
			return r;
	}
	if (list.count)
		qsort(list.files, list.count, sizeof(*list.files),
		      compare_files);
	return read_listed(root, &list, settings);
}

/* The last of the first `count` settings that has an effect, or NULL. */
static struct sysctl_setting *last_applied(struct sysctl_settings *settings,
					   size_t count)
{
	while (count--) {
		struct sysctl_setting *item = &settings->items[count];

		if (!item->is_masked && !item->lacks_prefix)
			return item;
	}
	return NULL;
}

int sysctl_files_read(const struct sense_root *root,
		      struct sysctl_settings *ret)
{
	__attribute__((cleanup(
		sysctl_files_done))) struct sysctl_settings settings = {0};
	struct sysctl_setting *winner;
	size_t boot_count;
	int r = read_directories(root, &settings);

	if (r)
		return r;
	/* The boot service stops here; `sysctl --system` reads one more. */
	boot_count = settings.count;
	r = read_settings(root, LAST_FILE, false, &settings);
	if (r)
		return r;
	winner = last_applied(&settings, boot_count);
	if (winner)
		winner->wins_at_boot = true;
	winner = last_applied(&settings, settings.count);
	if (winner)
		winner->wins_by_hand = true;
	*ret = settings;
	settings = (struct sysctl_settings){0};
	return 0;
}

void sysctl_files_done(struct sysctl_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++) {
		free(settings->items[i].path);
		free(settings->items[i].value);
	}
	free(settings->items);
	*settings = (struct sysctl_settings){0};
}
