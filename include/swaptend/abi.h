/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only contract between the BPF programs and user space, and what
 * `bpftool map dump pinned /sys/fs/bpf/swaptend/...` prints.  Fixed-width
 * members only, the unit in every name.  Change a struct: raise
 * SWT_ABI_VERSION.
 */
#ifndef SWAPTEND_ABI_H
#define SWAPTEND_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SWT_ABI_VERSION 2

/* mm/vmscan.c scans at DEF_PRIORITY (12) first and at 0 last. */
#define SWT_NR_PRIORITIES 13

#define SWT_NAME_LEN 32
#define SWT_PATH_LEN 128

/* Key of the whole system in `reclaim`; no cgroup has the id 0. */
#define SWT_SYSTEM_ID 0

enum swt_lru {
	SWT_ANON,
	SWT_FILE,
	SWT_NR_LRUS,
};

/* Who reclaims: the kernel's thread, an allocation, or a cgroup's limit. */
enum swt_source {
	SWT_KSWAPD,
	SWT_DIRECT,
	SWT_MEMCG,
	SWT_NR_SOURCES,
};

/*
 * `reclaim`, per-CPU: counters since the map was made.  A pass is one
 * mm_vmscan_lru_shrink_inactive event.  [SWT_ANON] and [SWT_FILE] index the
 * page counters.
 */
struct swt_reclaim {
	__u64 passes[SWT_NR_SOURCES][SWT_NR_PRIORITIES];
	__u64 runs[SWT_NR_SOURCES]; /* begin events, kswapd wake-ups */
	__u64 scanned_pages[SWT_NR_LRUS];
	__u64 reclaimed_pages[SWT_NR_LRUS];
	__u64 activated_pages[SWT_NR_LRUS];
	__u64 dirty_pages[SWT_NR_LRUS];
	__u64 writeback_pages[SWT_NR_LRUS];
	__u64 ref_kept_pages[SWT_NR_LRUS];
	__u64 isolated_pages[SWT_NR_LRUS];
	__u64 aged_pages[SWT_NR_LRUS]; /* active to inactive */
	__u64 aged_anon_no_swap_pages; /* must stay 0 */
	__u64 last_pass_jiffies;
	__u64 last_pass_ns; /* CLOCK_MONOTONIC, of that tick's first pass */
};

/* What a block I/O means to the balance of anonymous and file memory. */
enum swt_io {
	SWT_IO_SWAP_IN,
	SWT_IO_SWAP_OUT,
	SWT_IO_FILE_READ,    /* into the page cache, not known as a refault */
	SWT_IO_FILE_REFAULT, /* of a page that reclaim evicted not long ago */
	SWT_NR_IOS,
};

/* [i] counts 2^i ns up to 2^(i+1) - 1; the last also all longer ones. */
#define SWT_COST_BUCKETS 36

/*
 * From block_bio_queue to block_bio_complete, of sampled bios; of zswap, from
 * the call that loads or stores a folio to its return.
 */
struct swt_cost_io {
	__u64 bios_estimate; /* how many the sampled ones stand for */
	__u64 sampled_bios;
	__u64 sampled_pages; /* of 4 KiB */
	__u64 sampled_ns;    /* sum over bios */
	__u64 log2_ns[SWT_COST_BUCKETS];
};

/* `cost`, per-CPU, by device. */
struct swt_cost {
	struct swt_cost_io io[SWT_NR_IOS];
};

/*
 * The row of zswap, which is no device: pages that it had (swap-in) or took
 * (swap-out), not those that went on to a device.  No block device has major
 * 4095: BLKDEV_MAJOR_MAX is 512.
 */
#define SWT_DEV_ZSWAP 0xffffffffU

/* `law` (the system, key 0) and `targets` (by cgroup id): what was decided. */
struct swt_law {
	__u32 abi_version;
	__u32 pid;	     /* of the deciding process */
	__u64 decided_at_ns; /* CLOCK_MONOTONIC */
	__u64 decisions;
	__u64 writes;
	__u64 passes; /* seen by the law so far */
	__u32 state_permille;
	__u32 distress_pct; /* highest of the last sample */
	__u32 mapped_ratio_pct;
	__u32 tendency_pct;
	__s32 swappiness; /* decided; what the knob holds unless standing aside
			   */
	__s32 original;
	__s32 base;
	__s32 top;
	__s32 min;
	__s32 max;
	__u32 is_observing;
	__u32 is_standing_aside;
	__s32 foreign_value; /* -1: nobody else wrote */
	__s32 foreign_pid;   /* 0: unknown */
	__u32 swap_in_ns;    /* per page, with its swap-out; 0: unknown */
	__u32 file_read_ns;  /* per page; 0: unknown */
	__u32 swap_source;   /* 0 unknown, 1 prior, 2 probed, 3 measured */
	__u32 file_source;   /* likewise */
	__u32 anon_refault_permille; /* came back, of those evicted lately */
	__u32 file_refault_permille;
	__s32 refault_pct; /* of file pages evicted; -1: unknown */
	__u32 swap_out_kib_s;
	char law[SWT_NAME_LEN];
	char reason[SWT_NAME_LEN];
	char path[SWT_PATH_LEN]; /* "system" or the group; its end if too long
				  */
};

/* `lost`, per-CPU: any count above 0 makes the totals lower bounds. */
enum swt_lost {
	SWT_LOST_GROUP_MAP_FULL, /* the pass is in the system's row only */
	SWT_LOST_RUN_MAP_FULL,	 /* who reclaims had to be guessed */
	SWT_LOST_DOORBELL_FULL,
	SWT_LOST_NO_CGROUP, /* the task's memory cgroup could not be read */
	SWT_LOST_BAD_PRIORITY,
	SWT_LOST_COST_MAP_FULL, /* more devices than rows */
	SWT_LOST_IO_SLOT, /* a sampled bio or zswap call gave way to another */
	SWT_NR_LOST,
};

/* What the task that flushes was doing for reclaim. */
enum swt_tlb_phase {
	SWT_TLB_OUTSIDE, /* not reclaiming */
	SWT_TLB_AGE_ANON,
	SWT_TLB_AGE_FILE,
	SWT_TLB_EVICT_ANON,
	SWT_TLB_EVICT_FILE,
	SWT_TLB_OTHER_RECLAIM, /* between begin and end, none of the above */
	SWT_TLB_UNKNOWN, /* flushed in an interrupt for a task not known */
	SWT_NR_TLB_PHASES,
};

/* Reasons are numbered as the kernel's enum tlb_flush_reason; with room. */
#define SWT_NR_TLB_REASONS 8

struct swt_tlb_flushes {
	__u64 events;
	__u64 pages;	   /* of events that name a range */
	__u64 full_events; /* events that flush everything */
};

/* `tlb`, per-CPU: counters since the map was made, of the CPU that flushes. */
struct swt_tlb {
	struct swt_tlb_flushes flushes[SWT_NR_TLB_PHASES][SWT_NR_TLB_REASONS];
	__u64 received;	   /* function-call interrupts that flush, see cost */
	__u64 received_ns; /* time spent in them */
	__u64 received_for[SWT_NR_TLB_PHASES]; /* `received` by the sender's */
	__u64 aged_anon_no_swap_pages; /* must stay 0; classic LRU only */
};

#define SWT_MAX_TLB_SENDERS 1024

/*
 * `tlb_senders`: shootdowns sent to other CPUs, by process.  As the kernel's
 * event: one however many CPUs get it, also if all turn out to be idle.
 */
struct swt_tlb_sender_key {
	__u32 tgid;
	char command[16];
};

struct swt_tlb_sender {
	__u64 shootdowns;
	__u64 reclaim_shootdowns; /* those of a phase other than OUTSIDE */
};

#define SWT_MAX_TLB_PROGRAMS 24

/*
 * `tlb_about`: who counts in `tlb` and `tlb_senders`, and with what.  Programs
 * go with the process that loaded them, pins may stay: ids that the kernel no
 * longer knows tell that nobody counts.
 */
struct swt_tlb_about {
	__u32 abi_version;
	__u32 pid;
	__u32 counts_task_switches;
	__u32 nr_programs; /* that are attached */
	__u32 program_ids[SWT_MAX_TLB_PROGRAMS];
};

/* `doorbell`: wakes user space; nothing depends on what it carries. */
struct swt_ring {
	__u64 rung_at_ns;
};

#endif
