/* SPDX-License-Identifier: GPL-2.0-only */
#include "act/journal_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>

#include "act/journal.h"
#include "act/journal_text.h"

#define LOCK_NAME "lock"

int journal_file_read(int fd, char *text, size_t size, size_t *ret_size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, text + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*ret_size = done;
	return 0;
}

int journal_file_write(int fd, const char *text, size_t size, size_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, text, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		size -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

int journal_file_check_owner(const struct stat *status)
{
	if (status->st_uid != geteuid() ||
	    status->st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return 0;
}

int journal_file_open_dir(const char *dir, int *ret)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	int r;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	r = journal_file_check_owner(&status);
	if (!r)
		*ret = TAKE_FD(fd);
	return r;
}

/* 0: unknown. */
static int read_pid(int fd)
{
	char text[16] = "", *rest = text;
	uint64_t pid;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	text[strcspn(text, "\n")] = '\0';
	return journal_text_number(&rest, INT_MAX, &pid) ? (int)pid : 0;
}

int journal_lock(const char *dir, int *ret_fd, int *ret_pid)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char text[16];
	int length, r;

	r = journal_file_open_dir(dir, &dir_fd);
	if (r)
		return r;
	fd = openat(dir_fd, LOCK_NAME,
		    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		    0600);
	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &lock) < 0) {
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		*ret_pid = read_pid(fd);
		return -EBUSY;
	}
	/* Only for the other one's message: the lock decides, text may lie. */
	length = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0)
		return -errno;
	r = journal_file_write(fd, text, (size_t)length, 0);
	if (!r)
		*ret_fd = TAKE_FD(fd);
	return r;
}

int journal_peek_lock(const char *dir, int *ret_pid)
{
	/* An open-file-description lock can be asked for without taking it. */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;

	if (asprintf(&path, "%s/%s", dir, LOCK_NAME) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fcntl(fd, F_OFD_GETLK, &lock) < 0)
		return -errno;
	if (lock.l_type == F_UNLCK)
		return 0;
	*ret_pid = read_pid(fd);
	return -EBUSY;
}
