/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells at once when another process writes a knob: fanotify (gives the
 * writer's pid; needs CAP_SYS_ADMIN), else inotify (no pid).  No polling, so
 * an idle machine stays idle.  Our own writes are left out by pid.
 */
#ifndef SWAPTEND_RIVALS_H
#define SWAPTEND_RIVALS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util.h"

struct rivals;

/* One write seen. */
struct rival_event {
	uint64_t file_id; /* inode and device of the knob's file, as below */
	uint64_t device;
	pid_t pid;     /* 0: unknown */
	char comm[16]; /* "" unknown or already gone */
};

/* -errno: neither mechanism works here; the caller compares values instead. */
int rivals_new(struct rivals **ret) __must_check;
void rivals_free(struct rivals *rivals);
/* Readable when somebody wrote; for epoll. */
int rivals_fd(const struct rivals *rivals);
bool rivals_names_writer(const struct rivals *rivals);
int rivals_watch(struct rivals *rivals, const char *path) __must_check;
void rivals_unwatch(struct rivals *rivals, const char *path);
/* 1: an event was stored, 0: none left, -errno. */
int rivals_next(struct rivals *rivals, struct rival_event *ret) __must_check;

#endif
