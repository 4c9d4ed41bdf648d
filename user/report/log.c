/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/log.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

/* What syslog(3) and sd-daemon(3) call these levels. */
static const char *const journal_prefixes[] = {
	[LOG_ERR] = "<3>",  [LOG_WARN] = "<4>",	 [LOG_NOTICE] = "<5>",
	[LOG_INFO] = "<6>", [LOG_DEBUG] = "<7>",
};

/* The one setting of a log that every file shares. */
static enum log_level max_level = LOG_NOTICE;

void log_set_level(enum log_level level)
{
	max_level = level;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* "<5>" under systemd, which has its own clock; else "12:34:56.789 ". */
static void format_prefix(enum log_level level, char *buf, size_t size)
{
	char seconds[16] = "";
	struct timespec now;
	struct tm local;

	if (getenv("JOURNAL_STREAM")) {
		snprintf(buf, size, "%s", journal_prefixes[level]);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &local))
		strftime(seconds, sizeof(seconds), "%H:%M:%S", &local);
	snprintf(buf, size, "%s.%03ld ", seconds, now.tv_nsec / 1000000);
}

/*
 * One write per line, so that lines of several processes never mix.  A log
 * that cannot be written has nowhere to say so.
 */
static void write_line(const char *line, size_t len)
{
	ssize_t n;

	do
		n = write(STDERR_FILENO, line, len);
	while (n < 0 && errno == EINTR);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char no_memory[] = "no memory for a log line\n";
	_cleanup_free_ char *body = NULL;
	_cleanup_free_ char *line = NULL;
	int saved_errno = errno, len = -1;
	char prefix[32];
	va_list args;

	if (level > max_level)
		return;
	va_start(args, fmt);
	if (vasprintf(&body, fmt, args) < 0)
		body = NULL;
	va_end(args);
	format_prefix(level, prefix, sizeof(prefix));
	if (body)
		len = asprintf(&line, "%s%s\n", prefix, body);
	if (len < 0) {
		line = NULL;
		write_line(no_memory, sizeof(no_memory) - 1);
	} else {
		for (int i = 0; i < len - 1; i++)
			if (is_control(line[i]))
				line[i] = ' ';
		write_line(line, (size_t)len);
	}
	errno = saved_errno;
}

const char *log_quote(const char *raw, char *buf, unsigned int size)
{
	static const char hex[] = "0123456789abcdef";
	unsigned int used = 0;

	if (size < sizeof("''"))
		return "''";
	buf[used++] = '\'';
	for (; raw && *raw; raw++) {
		bool must_escape = is_control(*raw) || *raw == '\'';

		/* Whole escapes only: a cut one would read as another byte. */
		if (used + (must_escape ? 4 : 1) + sizeof("'") > size)
			break;
		if (must_escape) {
			buf[used++] = '\\';
			buf[used++] = 'x';
			buf[used++] = hex[(unsigned char)*raw >> 4];
			buf[used++] = hex[(unsigned char)*raw & 15];
		} else {
			buf[used++] = *raw;
		}
	}
	buf[used++] = '\'';
	buf[used] = '\0';
	return buf;
}

bool log_limit_pass(struct log_limit *limit, uint64_t now_ns,
		    uint64_t period_ns, uint64_t *ret_suppressed)
{
	if (limit->has_fired && now_ns - limit->last_ns < period_ns) {
		limit->suppressed++;
		return false;
	}
	*ret_suppressed = limit->suppressed;
	limit->suppressed = 0;
	limit->last_ns = now_ns;
	limit->has_fired = true;
	return true;
}
