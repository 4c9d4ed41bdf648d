/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#define READ_STEP_BYTES 4096
#define KIB_BYTES 1024

/* Files of /proc tell no size; read until the end. */
static int read_all(int fd, char **ret_text)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0, len = 0;

	for (;;) {
		ssize_t n;

		if (size - len < 2) {
			char *larger = realloc(
				text, size + (size ? size : READ_STEP_BYTES));

			if (!larger)
				return -ENOMEM;
			text = larger;
			size += size ? size : READ_STEP_BYTES;
		}
		n = read(fd, text + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	*ret_text = TAKE_PTR(text);
	return 0;
}

int proc_read_file_at(int dir_fd, const char *name, char **ret_text)
{
	_cleanup_close_ int fd = -1;

	/* O_NONBLOCK: not to hang on something that is not a file. */
	fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	return read_all(fd, ret_text);
}

int proc_read_file(const struct sense_root *root, const char *path,
		   char **ret_text)
{
	_cleanup_free_ char *full = NULL;

	if (asprintf(&full, "%s%s", root->prefix, path) < 0) {
		full = NULL;
		return -ENOMEM;
	}
	return proc_read_file_at(AT_FDCWD, full, ret_text);
}

/* A line that this kernel does not show counts as nothing of the kind. */
static uint64_t meminfo_kib(const char *text, const char *key)
{
	return parse_meminfo_kib(text, key).value;
}

int proc_read_levels(const struct sense_root *root, struct memory_levels *ret)
{
	_cleanup_free_ char *text = NULL;
	struct count total;
	int r = proc_read_file(root, "/proc/meminfo", &text);

	if (r)
		return r;
	total = parse_meminfo_kib(text, "MemTotal");
	if (!total.is_known)
		return -EPROTO;
	*ret = (struct memory_levels){
		.total_kib = total.value,
		.free_kib = meminfo_kib(text, "MemFree"),
		/* The kernel has taken the swap cache off Cached. */
		.page_cache_kib = meminfo_kib(text, "Cached") +
				  meminfo_kib(text, "Buffers"),
		.anon_mapped_kib = meminfo_kib(text, "AnonPages"),
		.file_mapped_kib = meminfo_kib(text, "Mapped"),
		.swap_total_kib = meminfo_kib(text, "SwapTotal"),
		.swap_free_kib = meminfo_kib(text, "SwapFree"),
	};
	return 0;
}

static int read_stat(int group_fd, char **ret_text)
{
	_cleanup_free_ char *text = NULL;
	int r = proc_read_file_at(group_fd, "memory.stat", &text);

	if (r)
		return r;
	/* A group that dies while it is read shows an empty file. */
	if (!*text)
		return -ENODEV;
	*ret_text = TAKE_PTR(text);
	return 0;
}

/*
 * A number of a v2 group's file; `fallback` where there is none, as in the
 * root group, which alone may lack it and live.
 */
static int read_v2_bytes(int group_fd, const char *name, uint64_t fallback,
			 uint64_t *ret_bytes)
{
	_cleanup_free_ char *text = NULL, *stat = NULL;
	int r = proc_read_file_at(group_fd, name, &text);

	if (r == -ENOENT) {
		r = read_stat(group_fd, &stat);
		if (!r)
			*ret_bytes = fallback;
		return r;
	}
	if (r)
		return r;
	return parse_limit_bytes(text, ret_bytes) ? -EPROTO : 0;
}

/* What memory.stat and its neighbours say, before RAM bounds it. */
struct group_bytes {
	uint64_t limit;
	uint64_t usage;
	uint64_t anon;
	uint64_t mapped;
	uint64_t cache;
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The page counter takes in the swap cache, whose pages are applications'. */
static uint64_t cache_bytes(const char *stat, const char *key,
			    const char *swap_cache_key)
{
	uint64_t cache = parse_stat_field(stat, key).value;

	return cache -
	       min_u64(cache, parse_stat_field(stat, swap_cache_key).value);
}

static int read_v1(int group_fd, const char *stat, struct group_bytes *ret)
{
	_cleanup_free_ char *usage = NULL;
	struct count limit =
		parse_stat_field(stat, "hierarchical_memory_limit");
	int r = proc_read_file_at(group_fd, "memory.usage_in_bytes", &usage);

	if (r)
		return r;
	if (parse_u64(usage, &ret->usage))
		return -EPROTO;
	ret->limit = limit.is_known ? limit.value : UINT64_MAX;
	ret->anon = parse_stat_field(stat, "rss").value;
	ret->mapped = parse_stat_field(stat, "mapped_file").value;
	/* Usage is the subtree's, so must be the cache that is taken off. */
	ret->cache = cache_bytes(stat, "total_cache", "total_swapcached");
	return 0;
}

static int read_v2(int group_fd, const char *stat, struct group_bytes *ret)
{
	int r;

	ret->anon = parse_stat_field(stat, "anon").value;
	ret->mapped = parse_stat_field(stat, "file_mapped").value;
	ret->cache = cache_bytes(stat, "file", "swapcached");
	r = read_v2_bytes(group_fd, "memory.max", UINT64_MAX, &ret->limit);
	if (r)
		return r;
	return read_v2_bytes(group_fd, "memory.current", ret->anon + ret->cache,
			     &ret->usage);
}

int proc_read_group_levels(int group_fd, bool is_v2,
			   const struct memory_levels *system,
			   struct memory_levels *ret)
{
	_cleanup_free_ char *stat = NULL;
	struct group_bytes bytes = {0};
	uint64_t total_kib;
	int r = read_stat(group_fd, &stat);

	if (!r)
		r = is_v2 ? read_v2(group_fd, stat, &bytes)
			  : read_v1(group_fd, stat, &bytes);
	if (r)
		return r;
	total_kib = min_u64(bytes.limit / KIB_BYTES, system->total_kib);
	*ret = (struct memory_levels){
		.total_kib = total_kib,
		.free_kib =
			total_kib - min_u64(total_kib, bytes.usage / KIB_BYTES),
		.page_cache_kib = bytes.cache / KIB_BYTES,
		.anon_mapped_kib = bytes.anon / KIB_BYTES,
		.file_mapped_kib = bytes.mapped / KIB_BYTES,
		.swap_total_kib = system->swap_total_kib,
		.swap_free_kib = system->swap_free_kib,
	};
	return 0;
}

/* Rounded down; 0..100 whatever a container's edited meminfo says. */
static uint32_t share_pct(uint64_t part_kib, uint64_t whole_kib)
{
	uint64_t scaled;

	if (part_kib >= whole_kib)
		return part_kib ? 100 : 0;
	if (__builtin_mul_overflow(part_kib, 100, &scaled))
		return (uint32_t)(part_kib / (whole_kib / 100));
	return (uint32_t)(scaled / whole_kib);
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void proc_fill_sample(const struct memory_levels *levels, struct sample *sample)
{
	uint64_t mapped_kib =
		add_capped(levels->anon_mapped_kib, levels->file_mapped_kib);
	uint64_t spare_kib =
		add_capped(levels->free_kib, levels->page_cache_kib);

	sample->mapped_ratio_pct = share_pct(mapped_kib, levels->total_kib);
	/* As the patch of 2004 computed it: 100 less the rounded rest. */
	sample->application_share_pct =
		100 - share_pct(spare_kib, levels->total_kib);
	sample->has_swap = levels->swap_total_kib > 0;
	sample->swap_free_pct = sample->has_swap
					? share_pct(levels->swap_free_kib,
						    levels->swap_total_kib)
					: 0;
}

bool proc_is_confidential(const struct sense_root *root)
{
	_cleanup_free_ char *text = NULL;
	char mode[32];

	return !proc_read_file(root, "/sys/kernel/security/lockdown", &text) &&
	       !parse_bracketed(text, mode, sizeof(mode)) &&
	       !strcmp(mode, "confidentiality");
}

enum psi_state proc_psi_state(const struct sense_root *root)
{
	_cleanup_free_ char *text = NULL;
	uint64_t total_us;

	switch (proc_read_file(root, "/proc/pressure/memory", &text)) {
	case 0:
		return parse_psi_total_us(text, "some", &total_us) ? PSI_OFF
								   : PSI_ON;
	case -ENOENT:
		return PSI_NOT_BUILT_IN;
	case -EACCES:
	case -EPERM:
		return PSI_NO_RIGHTS;
	default:
		return PSI_OFF;
	}
}

/* Does v2 rule memory, or was the controller left out of it? */
static bool v2_has_memory(const struct sense_root *root, const char *mount)
{
	_cleanup_free_ char *path = NULL, *text = NULL;
	char *word, *rest;

	if (asprintf(&path, "%s/cgroup.controllers", mount) < 0) {
		path = NULL;
		return true;
	}
	if (proc_read_file(root, path, &text))
		return true; /* nothing speaks against it */
	rest = text;
	while ((word = strsep(&rest, " \n")))
		if (!strcmp(word, "memory"))
			return true;
	return false;
}

int proc_cgroup_host(const struct sense_root *root, struct cgroup_host *ret)
{
	_cleanup_free_ char *text = NULL;
	char v1[PATH_MAX], v2[PATH_MAX], any[PATH_MAX];
	bool has_v2;
	int r = proc_read_file(root, "/proc/self/mountinfo", &text);

	if (r)
		return r;
	has_v2 = !parse_mount_point(text, "cgroup2", NULL, v2, sizeof(v2));
	r = parse_mount_point(text, "cgroup", "memory", v1, sizeof(v1));
	if (r && r != -ENOENT)
		return r;
	memset(ret, 0, sizeof(*ret));
	ret->is_hybrid = has_v2 && !parse_mount_point(text, "cgroup", NULL, any,
						      sizeof(any));
	if (!r) {
		ret->mode = CGROUP_V1;
		snprintf(ret->mount, sizeof(ret->mount), "%s", v1);
	} else if (has_v2 && v2_has_memory(root, v2)) {
		ret->mode = CGROUP_V2;
		snprintf(ret->mount, sizeof(ret->mount), "%s", v2);
	}
	return 0;
}
