/* SPDX-License-Identifier: GPL-2.0-only */
/* What every object of BPF programs needs: memory, and pins in bpffs. */
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "report/log.h"
#include "sense/bpf_private.h"

void sense_raise_memlock(void)
{
	struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

	if (setrlimit(RLIMIT_MEMLOCK, &unlimited))
		log_debug("cannot raise RLIMIT_MEMLOCK: %m, ignoring");
}

bool sense_can_pin(const char *dir)
{
	char parent[256];
	struct statfs fs;
	char *slash;

	snprintf(parent, sizeof(parent), "%s", dir);
	slash = strrchr(parent, '/');
	if (slash)
		*slash = '\0';
	return !statfs(parent, &fs) && fs.f_type == BPF_FS_MAGIC;
}

static int pin_path(char *buf, size_t size, const char *dir, const char *name)
{
	int n = snprintf(buf, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

void sense_unpin(const char *dir, const char *const *names, size_t count)
{
	char path[256];

	for (size_t i = 0; i < count; i++)
		if (!pin_path(path, sizeof(path), dir, names[i]) &&
		    unlink(path) && errno != ENOENT)
			log_debug("cannot remove the pin %s: %m", path);
	(void)rmdir(dir); /* still in use by somebody's file: stays */
}

static int pin_map(struct bpf_object *object, const char *dir, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	char path[256];
	int r = pin_path(path, sizeof(path), dir, name);

	if (!r)
		r = map ? bpf_map__pin(map, path) : -ENOENT;
	return !r && chmod(path, 0600) ? -errno : r;
}

int sense_pin(struct bpf_object *object, const char *dir,
	      const char *const *names, size_t count)
{
	int r = 0;

	for (size_t i = 0; !r && i < count; i++)
		r = pin_map(object, dir, names[i]);
	if (r)
		sense_unpin(dir, names, count);
	return r;
}

int sense_open_pin(const char *dir, const char *name, size_t value_size,
		   int *ret_fd)
{
	struct bpf_map_info info = {0};
	__u32 size = sizeof(info);
	_cleanup_close_ int fd = -1;
	char path[256];
	int r = pin_path(path, sizeof(path), dir, name);

	if (r)
		return r;
	fd = bpf_obj_get(path);
	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	if (info.value_size != value_size)
		return -EPROTO;
	*ret_fd = TAKE_FD(fd);
	return 0;
}
