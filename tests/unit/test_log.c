/* SPDX-License-Identifier: GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "report/log.h"

/*
 * stderr becomes one end of a SOCK_SEQPACKET pair: each write(2) is a packet
 * of its own, so that "one write per line" can be seen.
 */
struct capture {
	int saved_stderr;
	int end;
};

static int start_capture(void **state)
{
	static struct capture capture;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	fflush(stderr);
	capture.saved_stderr = dup(STDERR_FILENO);
	dup2(pair[0], STDERR_FILENO);
	close(pair[0]);
	capture.end = pair[1];
	*state = &capture;
	unsetenv("JOURNAL_STREAM");
	log_set_level(LOG_NOTICE);
	return 0;
}

static int stop_capture(void **state)
{
	struct capture *capture = *state;

	dup2(capture->saved_stderr, STDERR_FILENO);
	close(capture->saved_stderr);
	close(capture->end);
	return 0;
}

/* The next write, "" if there was none. */
static const char *next_write(struct capture *capture)
{
	static char packet[8192];
	ssize_t n = recv(capture->end, packet, sizeof(packet) - 1, 0);

	packet[n > 0 ? n : 0] = '\0';
	return packet;
}

static void prefixes_the_priority_under_systemd(void **state)
{
	setenv("JOURNAL_STREAM", "8:1234", 1);
	log_set_level(LOG_DEBUG);
	log_err("a %d", 1);
	log_warn("b");
	log_notice("c");
	log_info("d");
	log_debug("e");
	assert_string_equal(next_write(*state), "<3>a 1\n");
	assert_string_equal(next_write(*state), "<4>b\n");
	assert_string_equal(next_write(*state), "<5>c\n");
	assert_string_equal(next_write(*state), "<6>d\n");
	assert_string_equal(next_write(*state), "<7>e\n");
	assert_string_equal(next_write(*state), "");
}

static void prefixes_the_time_on_a_terminal(void **state)
{
	const char *line;
	unsigned int h, m, s, ms;
	int end = 0;

	log_notice("hello");
	line = next_write(*state);
	assert_int_equal(
		sscanf(line, "%2u:%2u:%2u.%3u %n", &h, &m, &s, &ms, &end), 4);
	assert_int_equal(end, strlen("00:00:00.000 "));
	assert_true(h < 24 && m < 60 && s < 61 && ms < 1000);
	assert_string_equal(line + end, "hello\n");
}

static void leaves_out_what_is_below_the_level(void **state)
{
	log_info("not shown by default");
	log_set_level(LOG_ERR);
	log_warn("nor this");
	assert_string_equal(next_write(*state), "");
}

static void writes_a_line_at_once_and_keeps_it_one_line(void **state)
{
	setenv("JOURNAL_STREAM", "1", 1);
	log_err("two\nlines\r\tand \x1b[31m colour\n");
	assert_string_equal(next_write(*state),
			    "<3>two lines  and  [31m colour \n");
	assert_string_equal(next_write(*state), "");
}

static void writes_long_lines_whole(void **state)
{
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	setenv("JOURNAL_STREAM", "1", 1);
	log_err("%s", text);
	assert_int_equal(strlen(next_write(*state)), 3 + 4999 + 1);
}

static void keeps_errno_and_yields_the_error(void **state)
{
	int r;

	errno = ENODEV;
	r = log_err_r(-EIO, "gone");
	assert_int_equal(r, -EIO);
	assert_int_equal(errno, ENODEV);
	assert_int_not_equal(strlen(next_write(*state)), 0);
}

static void quotes_control_bytes_and_the_quote(void **state)
{
	char buf[64];

	(void)state;
	assert_ptr_equal(log_quote("/db", buf, sizeof(buf)), buf);
	assert_string_equal(buf, "'/db'");
	log_quote("it's\n\x1b\x7f", buf, sizeof(buf));
	assert_string_equal(buf, "'it\\x27s\\x0a\\x1b\\x7f'");
	log_quote("caf\xc3\xa9", buf, sizeof(buf));
	assert_string_equal(buf, "'caf\xc3\xa9'");
	log_quote(NULL, buf, sizeof(buf));
	assert_string_equal(buf, "''");
}

static void never_cuts_an_escape_in_two(void **state)
{
	char buf[8];

	(void)state;
	log_quote("abcdefgh", buf, sizeof(buf));
	assert_string_equal(buf, "'abcde'");
	log_quote("ab\n", buf, sizeof(buf));
	assert_string_equal(buf, "'ab'");
	log_quote("a\n", buf, sizeof(buf));
	assert_string_equal(buf, "'a\\x0a'");
	assert_string_equal(log_quote("a", buf, 3), "''");
	assert_string_equal(log_quote("a", buf, 2), "''");
	assert_string_equal(log_quote("a", buf, 0), "''");
}

static void passes_one_per_period_and_counts_the_rest(void **state)
{
	struct log_limit limit = {0};
	uint64_t suppressed = 77;

	(void)state;
	/* The first passes even at time 0. */
	assert_true(log_limit_pass(&limit, 0, 100, &suppressed));
	assert_int_equal(suppressed, 0);
	suppressed = 77;
	assert_false(log_limit_pass(&limit, 1, 100, &suppressed));
	assert_false(log_limit_pass(&limit, 99, 100, &suppressed));
	assert_int_equal(suppressed, 77);
	assert_true(log_limit_pass(&limit, 100, 100, &suppressed));
	assert_int_equal(suppressed, 2);
	assert_false(log_limit_pass(&limit, 199, 100, &suppressed));
	assert_true(log_limit_pass(&limit, 5000, 100, &suppressed));
	assert_int_equal(suppressed, 1);
	assert_true(log_limit_pass(&limit, 5100, 100, &suppressed));
	assert_int_equal(suppressed, 0);
}

#define captured(test) \
	cmocka_unit_test_setup_teardown(test, start_capture, stop_capture)

int main(void)
{
	const struct CMUnitTest tests[] = {
		captured(prefixes_the_priority_under_systemd),
		captured(prefixes_the_time_on_a_terminal),
		captured(leaves_out_what_is_below_the_level),
		captured(writes_a_line_at_once_and_keeps_it_one_line),
		captured(writes_long_lines_whole),
		captured(keeps_errno_and_yields_the_error),
		cmocka_unit_test(quotes_control_bytes_and_the_quote),
		cmocka_unit_test(never_cuts_an_escape_in_two),
		cmocka_unit_test(passes_one_per_period_and_counts_the_rest),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
