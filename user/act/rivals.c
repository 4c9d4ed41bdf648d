/* SPDX-License-Identifier: GPL-2.0-only */
#include "act/rivals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>

/* Some events at once; the rest waits in the kernel. */
#define BUFFER_BYTES 4096

struct watch {
	struct watch *next;
	char *path;
	/*
	 * O_PATH.  Marks are set and taken off through it: they stay with the
	 * inode, and the path may be gone or lead elsewhere by then.
	 */
	int fd;
	int descriptor; /* inotify's */
	uint64_t file_id;
	uint64_t device;
};

struct rivals {
	int fd;
	bool is_fanotify;
	struct watch *watches;
	size_t filled;
	size_t done;
	/* Both kinds of events hold 64-bit or smaller fields. */
	char buffer[BUFFER_BYTES] __attribute__((aligned(8)));
};

/* "Something was missed": the caller compares all values. */
static const struct rival_event check_all;

int rivals_new(struct rivals **ret)
{
	struct rivals *rivals = calloc(1, sizeof(*rivals));
	int r;

	if (!rivals)
		return -ENOMEM;
	/* NOTIF: after the fact, so nobody ever waits for us. */
	rivals->fd = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC |
					   FAN_NONBLOCK | FAN_UNLIMITED_MARKS,
				   O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	rivals->is_fanotify = rivals->fd >= 0;
	if (!rivals->is_fanotify)
		rivals->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (rivals->fd < 0) {
		r = -errno;
		free(rivals);
		return r;
	}
	*ret = rivals;
	return 0;
}

static void free_watch(struct watch *watch)
{
	if (!watch)
		return;
	util_close_fd(&watch->fd);
	free(watch->path);
	free(watch);
}

void rivals_free(struct rivals *rivals)
{
	if (!rivals)
		return;
	while (rivals->watches) {
		struct watch *watch = rivals->watches;

		rivals->watches = watch->next;
		free_watch(watch);
	}
	/* Events read but not handed out hold open files. */
	while (rivals->is_fanotify && rivals->done < rivals->filled) {
		struct fanotify_event_metadata *event =
			(void *)(rivals->buffer + rivals->done);

		util_close_fd(&event->fd);
		rivals->done += event->event_len;
	}
	close(rivals->fd);
	free(rivals);
}

int rivals_fd(const struct rivals *rivals)
{
	return rivals->fd;
}

bool rivals_names_writer(const struct rivals *rivals)
{
	return rivals->is_fanotify;
}

/* A name of the very inode, whatever became of its path. */
static int name_inode(const struct watch *watch, char **ret)
{
	char *name;

	if (asprintf(&name, "/proc/self/fd/%d", watch->fd) < 0)
		return -ENOMEM;
	*ret = name;
	return 0;
}

static int set_mark(struct rivals *rivals, struct watch *watch)
{
	_cleanup_free_ char *name = NULL;
	int r = name_inode(watch, &name);

	if (r)
		return r;
	if (rivals->is_fanotify)
		return fanotify_mark(rivals->fd, FAN_MARK_ADD, FAN_MODIFY,
				     AT_FDCWD, name) < 0
			       ? -errno
			       : 0;
	watch->descriptor = inotify_add_watch(rivals->fd, name, IN_MODIFY);
	return watch->descriptor < 0 ? -errno : 0;
}

/* Fails only if the kernel took the mark off already. */
static void take_mark_off(struct rivals *rivals, const struct watch *watch)
{
	_cleanup_free_ char *name = NULL;

	if (!rivals->is_fanotify)
		(void)inotify_rm_watch(rivals->fd, watch->descriptor);
	else if (name_inode(watch, &name) == 0)
		(void)fanotify_mark(rivals->fd, FAN_MARK_REMOVE, FAN_MODIFY,
				    AT_FDCWD, name);
}

static int new_watch(struct watch **ret, const char *path)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	struct stat status;
	int r = 0;

	if (!watch)
		return -ENOMEM;
	watch->path = strdup(path);
	watch->fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	if (watch->fd < 0 || fstat(watch->fd, &status) < 0)
		r = -errno;
	else if (!S_ISREG(status.st_mode))
		r = -EINVAL;
	else if (!watch->path)
		r = -ENOMEM;
	if (r) {
		free_watch(watch);
		return r;
	}
	watch->file_id = status.st_ino;
	watch->device = status.st_dev;
	*ret = watch;
	return 0;
}

int rivals_watch(struct rivals *rivals, const char *path)
{
	struct watch *watch = NULL;
	int r = new_watch(&watch, path);

	if (r)
		return r;
	/* A group born anew under the same path takes the old one's place. */
	rivals_unwatch(rivals, path);
	r = set_mark(rivals, watch);
	if (r) {
		free_watch(watch);
		return r;
	}
	watch->next = rivals->watches;
	rivals->watches = watch;
	return 0;
}

void rivals_unwatch(struct rivals *rivals, const char *path)
{
	for (struct watch **at = &rivals->watches; *at; at = &(*at)->next) {
		struct watch *watch = *at;

		if (strcmp(watch->path, path) != 0)
			continue;
		*at = watch->next;
		take_mark_off(rivals, watch);
		free_watch(watch);
		return;
	}
}

static void read_comm(pid_t pid, char *comm, size_t size)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	ssize_t n;

	comm[0] = '\0';
	if (asprintf(&path, "/proc/%d/comm", (int)pid) < 0) {
		path = NULL;
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Kernel threads may have longer names: the start will do. */
	n = read(fd, comm, size - 1);
	comm[n > 0 ? n : 0] = '\0';
	if (n > 0 && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
}

/* 1: stored; 0: not for the caller. */
static int take_fanotify(struct rivals *rivals, struct rival_event *ret)
{
	const struct fanotify_event_metadata *event =
		(const void *)(rivals->buffer + rivals->done);
	_cleanup_close_ int fd = event->fd;
	struct rival_event found = {0};
	struct stat status;

	if (event->vers != FANOTIFY_METADATA_VERSION ||
	    event->event_len < FAN_EVENT_METADATA_LEN)
		return -EPROTO;
	rivals->done += event->event_len;
	if (event->mask & FAN_Q_OVERFLOW || fd < 0 || fstat(fd, &status) < 0) {
		*ret = check_all;
		return 1;
	}
	if (event->pid == getpid())
		return 0;
	found.file_id = status.st_ino;
	found.device = status.st_dev;
	/* 0 for a writer outside our pid namespace. */
	found.pid = event->pid;
	if (found.pid)
		read_comm(found.pid, found.comm, sizeof(found.comm));
	*ret = found;
	return 1;
}

static int take_inotify(struct rivals *rivals, struct rival_event *ret)
{
	const struct inotify_event *event =
		(const void *)(rivals->buffer + rivals->done);

	rivals->done += sizeof(*event) + event->len;
	if (event->mask & IN_Q_OVERFLOW) {
		*ret = check_all;
		return 1;
	}
	if (!(event->mask & IN_MODIFY))
		return 0;
	for (struct watch *watch = rivals->watches; watch; watch = watch->next)
		if (watch->descriptor == event->wd) {
			*ret = (struct rival_event){
				.file_id = watch->file_id,
				.device = watch->device,
			};
			return 1;
		}
	return 0;
}

/* 1: events are in the buffer, 0: none, -errno. */
static int fill_buffer(struct rivals *rivals)
{
	ssize_t n;

	do
		n = read(rivals->fd, rivals->buffer, sizeof(rivals->buffer));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	rivals->done = 0;
	rivals->filled = (size_t)n;
	return n > 0;
}

/*
 * fanotify opens the file for us as it hands the event out.  If it cannot, as
 * when the group was removed meanwhile (ENODEV), the event is used up and the
 * read fails.
 */
static bool has_lost_event(const struct rivals *rivals, int r)
{
	return rivals->is_fanotify && r != -EBADF && r != -EFAULT &&
	       r != -EINVAL;
}

int rivals_next(struct rivals *rivals, struct rival_event *ret)
{
	int r = 0;

	while (!r) {
		if (rivals->done == rivals->filled) {
			r = fill_buffer(rivals);
			if (r < 0 && has_lost_event(rivals, r)) {
				*ret = check_all;
				return 1;
			}
			if (r <= 0)
				return r;
		}
		r = rivals->is_fanotify ? take_fanotify(rivals, ret)
					: take_inotify(rivals, ret);
	}
	return r;
}
