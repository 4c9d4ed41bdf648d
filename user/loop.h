/* SPDX-License-Identifier: GPL-2.0-only */
/* The event loop: epoll, timerfd and signalfd; no other file sees them. */
#ifndef SWAPTEND_LOOP_H
#define SWAPTEND_LOOP_H

#include <stdint.h>

#include "util.h"

struct loop;

/* A callback's negative result ends the loop with it. */
typedef int loop_callback(void *context);
typedef int loop_signal_callback(int signal_number, void *context);

/* Embedded by its user; zeroed, then loop_timer_init(). */
struct loop_timer {
	int fd;
	loop_callback *on_expiry;
	void *context;
};

int loop_new(struct loop **ret) __must_check;
void loop_free(struct loop *loop);

/* What of an fd is waited for: data, or the exceptional state of /proc files.
 */
enum loop_wait { LOOP_READABLE, LOOP_PRIORITY };

int loop_add_fd(struct loop *loop, int fd, enum loop_wait wait,
		loop_callback *on_ready, void *context) __must_check;
void loop_remove_fd(struct loop *loop, int fd);

/* Blocks SIGTERM, SIGINT and SIGHUP and delivers them here instead. */
int loop_catch_signals(struct loop *loop, loop_signal_callback *on_signal,
		       void *context) __must_check;

int loop_timer_init(struct loop *loop, struct loop_timer *timer,
		    loop_callback *on_expiry, void *context) __must_check;
void loop_timer_done(struct loop *loop, struct loop_timer *timer);
/* One shot, from now; 0 disarms. */
int loop_timer_arm_ms(struct loop_timer *timer, uint64_t ms) __must_check;

/* Until loop_stop(); 0, or the negative result of a callback. */
int loop_run(struct loop *loop) __must_check;
void loop_stop(struct loop *loop);

/* CLOCK_MONOTONIC. */
uint64_t loop_now_ns(void);

#endif
