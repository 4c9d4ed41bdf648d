/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line per event on stderr.  Under systemd (JOURNAL_STREAM) "<priority>"
 * stands where a terminal gets the time.  notice is for changes of the system.
 */
#ifndef SWAPTEND_LOG_H
#define SWAPTEND_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "util.h"

enum log_level { LOG_ERR, LOG_WARN, LOG_NOTICE, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level);
void log_line(enum log_level level, const char *fmt, ...) __printf_like(2, 3);

#define log_err(...) log_line(LOG_ERR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_notice(...) log_line(LOG_NOTICE, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
/* Logs and yields r: `return log_err_r(-EIO, "...")`. */
#define log_err_r(r, ...) (log_line(LOG_ERR, __VA_ARGS__), (r))

/*
 * Quotes a string from outside into buf, 'like this': control bytes and '
 * become \xNN.  What does not fit is left out, the closing quote never.
 */
const char *log_quote(const char *raw, char *buf, unsigned int size);

/* Lets the first event through, then one per period; counts the rest. */
struct log_limit {
	uint64_t last_ns;
	uint64_t suppressed;
	bool has_fired;
};
/*
 * May this event be printed?  If so *ret_suppressed is how many were held
 * back since the last one.  The caller brings the clock.
 */
bool log_limit_pass(struct log_limit *limit, uint64_t now_ns,
		    uint64_t period_ns, uint64_t *ret_suppressed);

#endif
