/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads, attaches and reads the BPF programs; the only file that sees libbpf
 * and the skeleton.  Each program stands alone: one that this kernel cannot
 * have is left out and its signal is reported as off, with the reason.
 */
#ifndef SWAPTEND_BPF_H
#define SWAPTEND_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <swaptend/abi.h>

#include "util.h"

#define BPF_PIN_DIR "/sys/fs/bpf/swaptend"

/* One program and what became of it. */
struct bpf_signal {
	const char *program;	/* "on_shrink_inact" */
	const char *tracepoint; /* "mm_vmscan_lru_shrink_inactive", or function
				 */
	const char *gives;	/* what is lost without it */
	bool is_function;	/* of the kernel, not a tracepoint */
	bool returns_bool;	/* a function that does */
	int wanted_args;	/* without the leading data pointer; -1: any */
	int found_args;		/* -1: no such tracepoint in BTF */
	bool is_essential;	/* control is impossible without it */
	bool is_on;		/* chosen; after sense_open(): attached */
	char why[160];		/* why it is off, else "" */
};

#define BPF_MAX_SIGNALS 24

struct bpf_options {
	const char *btf_path; /* NULL: the kernel's */
	const char *pin_dir;  /* NULL: do not pin */
	uint32_t interval_ms;
	uint32_t max_groups;  /* rows of `reclaim` */
	bool no_task_storage; /* as on kernels before v5.12; for tests */
	int (*on_ring)(void *context); /* doorbell */
	void *ring_context;
};

struct sense_bpf;

/*
 * What BTF says this kernel can have, without loading anything.
 * *ret_count of signals[BPF_MAX_SIGNALS].  -ENOENT: no BTF; -EPROTO: BTF is
 * there but this libbpf does not understand it.
 */
int sense_probe(const char *btf_path, struct bpf_signal *signals,
		unsigned int *ret_count) __must_check;

/*
 * Opens, loads and attaches.  error: one line that names what is missing and
 * what to do.  -ENOENT/-EPROTO no BTF; -EPERM rights; -ENOTSUP the essential
 * signal is missing; others as libbpf gives them.
 */
int sense_open(struct sense_bpf **ret, const struct bpf_options *options,
	       char *error, size_t error_size) __must_check;
/* Detaches and unpins what sense_open pinned. */
void sense_close(struct sense_bpf *sense);

unsigned int sense_signals(const struct sense_bpf *sense,
			   const struct bpf_signal **ret);
/* Empty, or why nothing is pinned. */
const char *sense_pin_error(const struct sense_bpf *sense);

/* epoll fd of the doorbell, and its reader (calls on_ring). */
int sense_ring_fd(const struct sense_bpf *sense);
int sense_read_ring(struct sense_bpf *sense) __must_check;

/* Sum over CPUs of one row.  -ENOENT: no reclaim there yet (ret zeroed). */
int sense_read_group(struct sense_bpf *sense, uint64_t cgroup_id,
		     struct swt_reclaim *ret) __must_check;
int sense_read_lost(struct sense_bpf *sense,
		    uint64_t ret[SWT_NR_LOST]) __must_check;
/* Drops a dead group's row. */
void sense_forget_group(struct sense_bpf *sense, uint64_t cgroup_id);
/* Tells the programs whether any swap is on. */
void sense_set_swap(struct sense_bpf *sense, bool has_swap);

/* At most one doorbell ring in this time. */
void sense_set_interval(struct sense_bpf *sense, uint32_t interval_ms);
/* Makes room in a full map: drops the rows of all groups but those kept. */
void sense_drop_groups(struct sense_bpf *sense,
		       bool (*is_kept)(uint64_t cgroup_id, void *context),
		       void *context);

/*
 * Times zswap's loads and stores from now on, or no longer: while zswap is off
 * they cost nothing.  -ENOTSUP: this kernel does not let its functions be
 * timed; why, and sense_signals(), say so.
 */
int sense_set_zswap(struct sense_bpf *sense, bool is_on, char *why,
		    size_t why_size) __must_check;
/*
 * Whether the above would succeed, by trying: signals are sense_probe()'s of
 * the running kernel.  -ENOTSUP and why, or -errno of loading.
 */
int sense_try_zswap(const struct bpf_signal *signals, unsigned int count,
		    char *why, size_t why_size) __must_check;

/* One row of `cost`, summed over CPUs. */
struct sense_cost {
	uint32_t dev;
	struct swt_cost cost;
};
#define SENSE_MAX_COSTS 32 /* rows of the map */
int sense_read_costs(struct sense_bpf *sense,
		     struct sense_cost ret[SENSE_MAX_COSTS],
		     unsigned int *ret_count) __must_check;
/* Drops a device's row, so that another finds room. */
void sense_forget_cost(struct sense_bpf *sense, uint32_t dev);
/* Tells the programs which devices are swap, and nothing but swap. */
void sense_set_swap_devices(struct sense_bpf *sense, const uint32_t *devs,
			    unsigned int count);

/* Publishes a decision: id SWT_SYSTEM_ID in `law`, others in `targets`. */
int sense_publish(struct sense_bpf *sense, uint64_t cgroup_id,
		  const struct swt_law *law) __must_check;
void sense_unpublish(struct sense_bpf *sense, uint64_t cgroup_id);

/*
 * The pinned maps of a running or crashed instance, read-only.
 * -ENOENT: nothing pinned; -EPROTO: pinned by another version.
 */
struct pins;
int pins_open(struct pins **ret, const char *pin_dir) __must_check;
void pins_close(struct pins *pins);
int pins_read_law(struct pins *pins, struct swt_law *ret) __must_check;
int pins_read_group(struct pins *pins, uint64_t cgroup_id,
		    struct swt_reclaim *ret) __must_check;
int pins_read_costs(struct pins *pins, struct sense_cost ret[SENSE_MAX_COSTS],
		    unsigned int *ret_count) __must_check;
int pins_read_lost(struct pins *pins, uint64_t ret[SWT_NR_LOST]) __must_check;
/* Iterates targets: *id = 0 starts; 1: stored, 0: end. */
int pins_next_target(struct pins *pins, uint64_t *id,
		     struct swt_law *ret) __must_check;

/* "1.1.2" or the like, for check and bug reports. */
const char *sense_libbpf_version(void);

#endif
