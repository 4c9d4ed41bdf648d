/* SPDX-License-Identifier: GPL-2.0-only */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>

/* bpf, rivals, target births, swaps, signals and two timers: seven. */
#define LOOP_MAX_SOURCES 16

struct source {
	int fd; /* -1: free */
	loop_callback *on_ready;
	void *context;
};

struct loop {
	int epoll_fd;
	int signal_fd;
	bool should_stop;
	loop_signal_callback *on_signal;
	void *signal_context;
	sigset_t old_mask;
	struct source sources[LOOP_MAX_SOURCES];
};

int loop_new(struct loop **ret)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return -ENOMEM;
	for (size_t i = 0; i < LOOP_MAX_SOURCES; i++)
		loop->sources[i].fd = -1;
	loop->signal_fd = -1;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0) {
		int r = -errno;

		free(loop);
		return r;
	}
	*ret = loop;
	return 0;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->signal_fd >= 0) {
		close(loop->signal_fd);
		/* Can only fail for a bad `how`. */
		(void)sigprocmask(SIG_SETMASK, &loop->old_mask, NULL);
	}
	close(loop->epoll_fd);
	free(loop);
}

static struct source *find_source(struct loop *loop, int fd)
{
	for (size_t i = 0; i < LOOP_MAX_SOURCES; i++)
		if (loop->sources[i].fd == fd)
			return &loop->sources[i];
	return NULL;
}

int loop_add_fd(struct loop *loop, int fd, enum loop_wait wait,
		loop_callback *on_ready, void *context)
{
	struct source *source = find_source(loop, -1);
	struct epoll_event event = {
		.events = wait == LOOP_PRIORITY ? EPOLLPRI : EPOLLIN,
	};

	if (!source)
		return -ENOSPC;
	event.data.ptr = source;
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	*source = (struct source){fd, on_ready, context};
	return 0;
}

void loop_remove_fd(struct loop *loop, int fd)
{
	struct source *source = fd >= 0 ? find_source(loop, fd) : NULL;

	if (!source)
		return;
	/* Fails only if the fd is closed already, which removes it too. */
	(void)epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	source->fd = -1;
}

static int read_signal(void *context)
{
	struct loop *loop = context;
	struct signalfd_siginfo info;
	ssize_t n = read(loop->signal_fd, &info, sizeof(info));

	if (n != sizeof(info))
		return n < 0 && errno != EAGAIN ? -errno : 0;
	return loop->on_signal((int)info.ssi_signo, loop->signal_context);
}

int loop_catch_signals(struct loop *loop, loop_signal_callback *on_signal,
		       void *context)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, &loop->old_mask))
		return -errno;
	loop->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (loop->signal_fd < 0)
		return -errno;
	loop->on_signal = on_signal;
	loop->signal_context = context;
	return loop_add_fd(loop, loop->signal_fd, LOOP_READABLE, read_signal,
			   loop);
}

static int read_timer(void *context)
{
	struct loop_timer *timer = context;
	uint64_t expirations;

	/* EAGAIN: re-armed meanwhile. */
	if (read(timer->fd, &expirations, sizeof(expirations)) < 0)
		return errno == EAGAIN ? 0 : -errno;
	return timer->on_expiry(timer->context);
}

int loop_timer_init(struct loop *loop, struct loop_timer *timer,
		    loop_callback *on_expiry, void *context)
{
	int r;

	timer->on_expiry = on_expiry;
	timer->context = context;
	timer->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timer->fd < 0)
		return -errno;
	r = loop_add_fd(loop, timer->fd, LOOP_READABLE, read_timer, timer);
	if (r)
		util_close_fd(&timer->fd);
	return r;
}

void loop_timer_done(struct loop *loop, struct loop_timer *timer)
{
	if (!timer->on_expiry)
		return;
	loop_remove_fd(loop, timer->fd);
	util_close_fd(&timer->fd);
	timer->on_expiry = NULL;
}

int loop_timer_arm_ms(struct loop_timer *timer, uint64_t ms)
{
	struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)(ms / 1000),
			     .tv_nsec = (long)(ms % 1000) * 1000000},
	};

	return timerfd_settime(timer->fd, 0, &when, NULL) ? -errno : 0;
}

int loop_run(struct loop *loop)
{
	struct epoll_event events[LOOP_MAX_SOURCES];

	while (!loop->should_stop) {
		int n = epoll_wait(loop->epoll_fd, events, LOOP_MAX_SOURCES,
				   -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !loop->should_stop; i++) {
			struct source *source = events[i].data.ptr;
			int r = source->fd < 0
					? 0
					: source->on_ready(source->context);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

void loop_stop(struct loop *loop)
{
	loop->should_stop = true;
}

uint64_t loop_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
