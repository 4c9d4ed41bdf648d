/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that see libbpf: bpf*.c. */
#ifndef SWAPTEND_BPF_PRIVATE_H
#define SWAPTEND_BPF_PRIVATE_H

#include "sense/bpf.h"
#include "swaptend.skel.h"

struct btf;

/*
 * What a program needs from BTF.  A pair (begin and end) is useless by half: it
 * is switched off with its partner.
 */
struct signal_spec {
	const char *program, *tracepoint, *gives, *partner;
	int wanted_args; /* -1: any */
	bool is_essential;
	bool is_function; /* of the kernel, not a tracepoint */
};

struct sense_bpf {
	struct swaptend_bpf *skeleton;
	struct ring_buffer *ring;
	struct bpf_link *links[BPF_MAX_SIGNALS];
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	unsigned int signal_count;
	struct swt_reclaim *row_by_cpu; /* one per possible CPU */
	int cpu_count;
	char *pin_dir; /* NULL: nothing pinned */
	char pin_error[192];
	int (*on_ring)(void *context);
	void *ring_context;
};

/* libbpf's own messages, and the verifier's log, show at debug level only. */
void sense_hush_libbpf(void);

/*
 * Whether it is the kernel's lockdown that a refusal to load is due to; then
 * error says so.
 */
bool sense_is_locked_down(char *error, size_t error_size);

/* NULL: none of that name. */
struct bpf_signal *sense_find_signal(struct bpf_signal *signals,
				     unsigned int count, const char *program);

/* NULL: the kernel's.  -ENOENT, -EPROTO as sense_probe(). */
int sense_open_btf(struct btf **ret, const char *btf_path) __must_check;
/* What its -errno means: the kernel's own (btf_path NULL), or that of a file.
 */
void sense_explain_btf(const char *btf_path, int r, char *error,
		       size_t error_size);
/* Fills signals[count] from as many specs. */
void sense_judge(const struct btf *btf, const struct signal_spec *from,
		 struct bpf_signal *signals, unsigned int count);

/* Chosen, and a function. */
bool sense_has_functions(const struct sense_bpf *sense);

/* Up to v5.10 maps count against a limit; later kernels ignore it. */
void sense_raise_memlock(void);

/*
 * Pins maps of an object in a directory that is there, for root alone; all or
 * none.  Unpinning removes the directory too unless something else is in it.
 */
int sense_pin(struct bpf_object *object, const char *dir,
	      const char *const *names, size_t count) __must_check;
void sense_unpin(const char *dir, const char *const *names, size_t count);
/* Whether dir would be in a bpf file system. */
bool sense_can_pin(const char *dir);

/* -EPROTO: another version pinned it, as its values are not of this size. */
int sense_open_pin(const char *dir, const char *name, size_t value_size,
		   int *ret_fd) __must_check;

/* Pinned by bpf_tlb.c, in the same directory; the last tells of the others. */
#define TLB_PINNED_MAPS                           \
	{                                         \
		"tlb", "tlb_senders", "tlb_about" \
	}

/* The system's row is there from the start, so that it can never be lost. */
int sense_make_system_row(struct sense_bpf *sense) __must_check;

#endif
