/* SPDX-License-Identifier: GPL-2.0-only */
/* Ownership and result helpers that every room may use. */
#ifndef SWAPTEND_UTIL_H
#define SWAPTEND_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SWT_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __must_check __attribute__((warn_unused_result))
#define __printf_like(fmt, args) __attribute__((format(printf, fmt, args)))

static inline void util_free_ptr(void *p)
{
	free(*(void **)p);
}

static inline void util_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void util_close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Freed, closed at the end of the scope.  An fd starts at -1. */
#define _cleanup_free_ __attribute__((cleanup(util_free_ptr)))
#define _cleanup_close_ __attribute__((cleanup(util_close_fd)))
#define _cleanup_fclose_ __attribute__((cleanup(util_close_file)))

/* A result that is rightly ignored; the reason stands beside it. */
#define IGNORE_RESULT(call) \
	do {                \
		if (call) { \
		}           \
	} while (0)

/* Hands ownership on: the variable is empty afterwards. */
#define TAKE_PTR(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})
#define TAKE_FD(fd)                \
	({                         \
		int taken_ = (fd); \
		(fd) = -1;         \
		taken_;            \
	})

/* Process exit codes, documented in swaptend(8). */
enum exit_code {
	EXIT_OK = 0,
	EXIT_RUNTIME = 1,
	EXIT_USAGE = 2,
	EXIT_UNSUPPORTED = 3,
	EXIT_NOTHING = 4,
};

#endif
