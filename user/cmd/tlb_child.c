/* SPDX-License-Identifier: GPL-2.0-only */
#include "cmd/tlb_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define STATUS_NOT_FOUND 127
#define STATUS_NOT_RUN 126
#define STATUS_SIGNAL 128

static __attribute__((noreturn)) void run(int start_fd, int error_fd,
					  char **argv)
{
	char byte;
	int error;

	if (read(start_fd, &byte, 1) != 1)
		_exit(STATUS_NOT_RUN);
	execvp(argv[0], argv);
	error = errno;
	/* Whoever would read it is gone if this fails. */
	IGNORE_RESULT(write(error_fd, &error, sizeof(error)) < 0);
	_exit(tlb_child_exec_status(-error));
}

int tlb_child_fork(struct tlb_child *child, char **argv)
{
	int start[2], error[2];

	if (pipe2(start, O_CLOEXEC))
		return -errno;
	if (pipe2(error, O_CLOEXEC)) {
		int r = -errno;

		close(start[0]);
		close(start[1]);
		return r;
	}
	child->pid = fork();
	if (!child->pid) {
		/* Else it would keep its own start open. */
		close(start[1]);
		run(start[0], error[1], argv);
	}
	close(start[0]);
	close(error[1]);
	child->start_fd = start[1];
	child->error_fd = error[0];
	if (child->pid < 0) {
		child->pid = 0;
		return -errno;
	}
	/* glibc has the call from 2.36 on, Linux from v5.3. */
	child->pid_fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	return child->pid_fd < 0 ? -errno : 0;
}

int tlb_child_start(struct tlb_child *child)
{
	int error = 0;
	ssize_t n;

	if (write(child->start_fd, "", 1) != 1)
		return -errno;
	do
		n = read(child->error_fd, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	util_close_fd(&child->start_fd);
	util_close_fd(&child->error_fd);
	child->start_fd = child->error_fd = -1;
	if (n != sizeof(error))
		return 0;
	(void)tlb_child_wait(child); /* what it is, exec has told */
	return -error;
}

int tlb_child_wait(struct tlb_child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* A key on the terminal reaches the whole group in the foreground. */
static bool is_in_foreground(void)
{
	_cleanup_close_ int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);

	return fd >= 0 && tcgetpgrp(fd) == getpgrp();
}

void tlb_child_signal(const struct tlb_child *child, int signal_number)
{
	if (child->pid && !(signal_number == SIGINT && is_in_foreground()))
		(void)kill(child->pid, signal_number); /* ended meanwhile */
}

void tlb_child_done(struct tlb_child *child)
{
	util_close_fd(&child->start_fd);
	util_close_fd(&child->error_fd);
	util_close_fd(&child->pid_fd);
	if (child->pid)
		(void)tlb_child_wait(child);
	*child = (struct tlb_child)TLB_CHILD_NONE;
}

int tlb_child_exec_status(int exec_error)
{
	return exec_error == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}
