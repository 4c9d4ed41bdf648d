/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs of `swaptend tlb` kept in files, in the form of tlb_json.h. */
#ifndef SWAPTEND_TLB_SAVED_H
#define SWAPTEND_TLB_SAVED_H

#include "report/json.h"
#include "tlb.h"

/* A file that appears whole or not at all. */
struct tlb_save {
	char *path;
	char *temporary; /* beside it; NULL: none */
	FILE *out;
};

/*
 * Before the run, so that a long one is not measured for nothing.  -EINVAL:
 * there is something at path that is no plain file.
 */
int tlb_save_begin(struct tlb_save *save, const char *path) __must_check;
/* Written, synced and given its name; -errno leaves what was there before. */
int tlb_save_commit(struct tlb_save *save, struct report *run) __must_check;
/* What was not committed leaves nothing behind. */
void tlb_save_done(struct tlb_save *save);

/* What a saved run is compared by. */
struct tlb_saved {
	const char *path;
	struct tlb_machine machine;
	uint64_t duration_ns;
	unsigned int nr_cpus; /* highest CPU number + 1 */
	struct tlb_cpu_count *cpus;
	bool has_hsum;
	bool is_partial;
	uint64_t hsum;
	bool has_sent;
	uint64_t sent;
	bool has_received; /* by the exact method only */
	uint64_t received_ns;
	bool has_ticks;
	uint64_t system_ticks;
	uint64_t total_ticks;
	bool is_trusted; /* the TLB line counted what there was */
	char verdict[32];
};

/*
 * -errno of open or read, or -EINVAL; `error` says what is wrong with it, not
 * its name.
 */
int tlb_saved_read(struct tlb_saved *ret, const char *path, char *error,
		   size_t error_size) __must_check;
void tlb_saved_done(struct tlb_saved *saved);

#endif
