/* SPDX-License-Identifier: GPL-2.0-only */
/* The journal's directory, and reads and writes that are not cut short. */
#ifndef SWAPTEND_JOURNAL_FILE_H
#define SWAPTEND_JOURNAL_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "util.h"

/* Makes the directory (0700) if there is none. */
int journal_file_open_dir(const char *dir, int *ret) __must_check;
/* -EPERM: somebody else made it, or may write it. */
int journal_file_check_owner(const struct stat *status) __must_check;

/* Less than `size` only at the end of the file. */
int journal_file_read(int fd, char *text, size_t size,
		      size_t *ret_size) __must_check;
int journal_file_write(int fd, const char *text, size_t size,
		       size_t offset) __must_check;

#endif
