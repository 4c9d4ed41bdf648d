/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that know the object of bpf/tlb.bpf.c: bpf_tlb*.c. */
#ifndef SWAPTEND_BPF_TLB_PRIVATE_H
#define SWAPTEND_BPF_TLB_PRIVATE_H

#include "sense/bpf_private.h"
#include "sense/bpf_tlb.h"
#include "tlb.skel.h"

#define TLB_MAX_MISSING 8

struct tlb_bpf {
	struct tlb_skel *skeleton; /* NULL: another process counts */
	struct bpf_link *links[BPF_MAX_SIGNALS];
	struct bpf_signal signals[BPF_MAX_SIGNALS];
	unsigned int signal_count;
	struct tlb_reasons reasons;
	enum tlb_receive receive;
	char missing[TLB_MAX_MISSING][256];
	unsigned int missing_count;
	char *pin_dir; /* NULL: nothing pinned */
	int counts_fd; /* of the map `tlb`; ours to close without skeleton */
	int senders_fd;
	struct swt_tlb_about about;
	bool is_over; /* the other process was found to have ended */
	int cpu_count;
	int stats_fd; /* the programs' run time is taken while it is open */
};

/* What BTF says: signals, reasons.  -ENOENT, -EPROTO as sense_probe(). */
int tlb_probe(struct tlb_bpf *tlb, const char *btf_path) __must_check;

/*
 * The maps that another process has pinned.  -ENOENT: none, or it has ended;
 * -EPROTO: of another version; -EOPNOTSUPP: it does not count what is wanted.
 */
int tlb_open_shared(struct tlb_bpf *tlb,
		    const struct tlb_bpf_options *options) __must_check;
void tlb_close_shared(struct tlb_bpf *tlb);
/* Tells others what counts here, before the maps are pinned. */
int tlb_describe(struct tlb_bpf *tlb,
		 const struct tlb_bpf_options *options) __must_check;
/* How receiving is measured, by the programs that are on. */
enum tlb_receive tlb_receive_by(const struct tlb_bpf *tlb);

/* Whether both programs of a pair are on, or, before, can be had. */
bool tlb_has(const struct tlb_bpf *tlb, const char *in, const char *out);
void tlb_switch_off(struct tlb_bpf *tlb, const char *program, const char *why);
const char *tlb_why_off(const struct tlb_bpf *tlb, const char *program);

__printf_like(2, 3) void tlb_note_missing(struct tlb_bpf *tlb, const char *fmt,
					  ...);
/* One sentence for each part that is off, after attaching. */
void tlb_explain_missing(struct tlb_bpf *tlb, enum tlb_receive wanted);

#endif
