/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a page costs to read back: the time from block_bio_queue to
 * block_bio_complete, per device, for swap and for files; of zswap, which needs
 * no bio, that of the functions that load and store.  Sampled, and only
 * while reclaim is at work: without it nothing is evicted that could be read
 * back, and a fast disk should not pay for the asking.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bio.bpf.h"
#include "lost.bpf.h"
#include "maps.bpf.h"

/* From the last pass on: 10 s where HZ is 1000, 40 s where it is 250. */
#define RECLAIM_TAIL_JIFFIES 10000

/* Samples a jiffy and CPU before only every second bio is sampled, and so on:
 * at about 1 us a sample and HZ=250 this is 0.2 % of a CPU.
 */
#define SAMPLES_PER_JIFFY 8
#define MAX_SAMPLE_EVERY 1024

/* vmscan.bpf.c: when reclaim was last at work. */
extern __u64 last_pass_jiffies;

/* A power of 2; the bios in flight that are timed at the same moment. */
#define NR_SLOTS 4096

/* Bios of one request that are looked at. */
#define MAX_MERGED 1024

/* A sampled bio, or folio that zswap is asked for, between its two events. */
struct slot {
	__u64 id; /* of the bio or folio; 0: free */
	__u64 queued_ns;
	__u32 dev;
	__u16 io; /* enum swt_io */
	__u16 sample_every;
	__u32 pages;
};

static struct slot slots[NR_SLOTS];

/*
 * Sampled bios that have not ended: while there are none, which is most of the
 * time on a fast disk, no slot needs a look.  Too high where an end is missed.
 */
static volatile __u32 in_flight;

/* Set by user space from /proc/swaps: whole devices that are swap. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} swap_devices SEC(".maps");

struct sampler {
	__u64 jiffy;
	__u32 bios;
	__u32 every; /* a power of 2; 0: 1 */
	__u32 taken; /* in this jiffy */
};

/* A power of 2.  A flood on one device must not hide the stalls of another. */
#define NR_SAMPLERS 16
/*
 * Behind them those of zswap, one for loads and one for stores: where these
 * take turns, every second of all would be of one kind.
 */
#define ZSWAP_SAMPLER(io) (NR_SAMPLERS + ((io) == SWT_IO_SWAP_OUT))

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SAMPLERS + 2);
	__type(key, __u32);
	__type(value, struct sampler);
} samplers SEC(".maps");

/* How many bios this one stands for; 0: not sampled. */
static __always_inline __u32 sample(__u32 key, __u64 jiffy)
{
	struct sampler *state = bpf_map_lookup_elem(&samplers, &key);
	__u32 every;

	if (!state)
		return 0;
	every = state->every ?: 1;
	if (state->bios++ & (every - 1))
		return 0;
	if (state->jiffy != jiffy) {
		if (state->taken < SAMPLES_PER_JIFFY / 2 && every > 1)
			state->every = every / 2;
		state->jiffy = jiffy;
		state->taken = 0;
	}
	if (++state->taken > SAMPLES_PER_JIFFY) {
		state->taken = 0;
		if (every < MAX_SAMPLE_EVERY)
			state->every = every * 2;
	}
	return every;
}

/*
 * The verifier forbids sums with a bio's address, but not the difference of
 * two pointers, which is a plain number and as unique.
 */
static __always_inline __u64 id_of(const void *object)
{
	return (__u64)object - (__u64)slots;
}

static __always_inline struct slot *slot_of(__u64 id)
{
	/* Two bios, or folios, are at least 64 bytes apart.  Fibonacci hashing
	 * (Knuth).
	 */
	__u64 hash = (id >> 6) * 0x9e3779b97f4a7c15ULL;

	return &slots[(hash >> 40) & (NR_SLOTS - 1)];
}

/* What this bio is, as far as the price is concerned; SWT_NR_IOS: nothing. */
static __always_inline __u32 classify(struct bio *bio, __u32 dev)
{
	bool is_write = bio_op(bio) == REQ_OP_WRITE;
	struct page *page;
	__u64 flags;

	if (bpf_map_lookup_elem(&swap_devices, &dev))
		return is_write ? SWT_IO_SWAP_OUT : SWT_IO_SWAP_IN;
	page = bio_first_page(bio);
	if (!page)
		return SWT_NR_IOS;
	flags = page_flags(page);
	if (flags_are_swapcache(flags))
		return is_write ? SWT_IO_SWAP_OUT : SWT_IO_SWAP_IN;
	if (is_write || !page_is_cached_file(page))
		return SWT_NR_IOS;
	return flags_are_refault(flags) ? SWT_IO_FILE_REFAULT
					: SWT_IO_FILE_READ;
}

static __always_inline void take_slot(__u64 id, const struct slot *what)
{
	struct slot *slot = slot_of(id);

	/* Two bios in one slot: the older is given up, unless it never ended.
	 */
	if (!slot->id)
		__sync_fetch_and_add(&in_flight, 1);
	else if (slot->id != id)
		count_lost(SWT_LOST_IO_SLOT);
	slot->id = 0;
	slot->dev = what->dev;
	slot->io = what->io;
	slot->sample_every = what->sample_every;
	slot->pages = what->pages;
	slot->queued_ns = bpf_ktime_get_ns();
	slot->id = id;
}

static __always_inline void begin(struct bio *bio, __u32 every)
{
	__u32 dev = bio_dev(bio), io = classify(bio, dev);
	const struct slot what = {
		.dev = dev,
		.io = io,
		.sample_every = every,
		.pages = (bio->bi_iter.bi_size + 4095) >> 12,
	};

	if (io < SWT_NR_IOS)
		take_slot(id_of(bio), &what);
}

/* The end of what is sampled at this address was missed, or is not to count. */
static __always_inline void forget(const void *object)
{
	__u64 id = id_of(object);
	struct slot *slot = slot_of(id);

	if (slot->id != id)
		return;
	slot->id = 0;
	__sync_fetch_and_add(&in_flight, -1);
}

static __always_inline int on_queue(struct bio *bio)
{
	__u64 jiffy = bpf_jiffies64();
	__u32 every;

	if (jiffy - last_pass_jiffies > RECLAIM_TAIL_JIFFIES)
		return 0;
	if (!bio_is_whole_io(bio))
		return 0;
	every = sample(bio_dev_hash(bio, slots) & (NR_SAMPLERS - 1), jiffy);
	if (every)
		begin(bio, every);
	else if (in_flight)
		forget(bio);
	return 0;
}

/* v5.13 and later (a54895fa057c took the queue away). */
SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_bio_queue_1, struct bio *bio)
{
	return on_queue(bio);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_bio_queue_2, struct request_queue *queue, struct bio *bio)
{
	return on_queue(bio);
}

static __always_inline __u32 log2_of(__u64 value)
{
	__u32 bits = 0;

	for (int shift = 32; shift; shift >>= 1) {
		if (value >> shift) {
			value >>= shift;
			bits += shift;
		}
	}
	return bits;
}

static const struct swt_cost empty_cost;

static __always_inline struct swt_cost *cost_row(__u32 dev)
{
	struct swt_cost *row = bpf_map_lookup_elem(&cost, &dev);

	if (row)
		return row;
	bpf_map_update_elem(&cost, &dev, &empty_cost, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&cost, &dev);
	if (!row)
		count_lost(SWT_LOST_COST_MAP_FULL);
	return row;
}

/*
 * The pages of a request come at one price: who waits for one of eight swapped
 * in together has paid for all.
 */
static __always_inline __u64 share_ns(__u64 ns, __u64 pages, __u64 of_pages)
{
	return of_pages > pages ? ns * pages / of_pages : ns;
}

static __always_inline void end(const struct slot *slot, __u32 request_pages)
{
	__u64 ns = bpf_ktime_get_ns() - slot->queued_ns;
	struct swt_cost *row = cost_row(slot->dev);
	struct swt_cost_io *io;
	__u32 index = slot->io, bucket = log2_of(ns);

	if (!row || index >= SWT_NR_IOS)
		return;
	io = &row->io[index];
	io->bios_estimate += slot->sample_every;
	io->sampled_bios++;
	io->sampled_pages += slot->pages;
	io->sampled_ns += share_ns(ns, slot->pages, request_pages);
	if (bucket >= SWT_COST_BUCKETS)
		bucket = SWT_COST_BUCKETS - 1;
	io->log2_ns[bucket]++;
}

/*
 * Not static: the verifier then looks at it once and not at each call, which
 * in on_rq_complete() was too much for v5.10 and v6.1.  Only numbers may pass.
 */
__noinline int end_if_sampled(__u64 id, __u32 request_pages)
{
	struct slot *slot = slot_of(id), done;

	if (slot->id != id)
		return 0;
	done = *slot;
	slot->id = 0;
	__sync_fetch_and_add(&in_flight, -1);
	end(&done, request_pages);
	return 0;
}

/* zram, dm, md and others that have no requests. */
SEC("tp_btf/block_bio_complete")
int BPF_PROG(on_bio_complete, struct request_queue *queue, struct bio *bio)
{
	if (in_flight)
		end_if_sampled(id_of(bio), 0);
	return 0;
}

/*
 * All others: blk_update_request() ends their bios without the event above.
 * Those merged into one request end together.
 */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_rq_complete, struct request *request, int error,
	     unsigned int done_bytes)
{
	struct bio *bio = request->bio;
	__u32 pages = (done_bytes + 4095) >> 12;

	if (!in_flight)
		return 0;
	for (int i = 0; i < MAX_MERGED && bio; i++) {
		end_if_sampled(id_of(bio), pages);
		bio = bio->bi_next;
	}
	return 0;
}

static __always_inline int zswap_begin(void *page, __u32 io, bool is_folio)
{
	__u64 jiffy = bpf_jiffies64();
	struct slot what = {.dev = SWT_DEV_ZSWAP, .io = io, .pages = 1};
	__u32 every;

	if (jiffy - last_pass_jiffies > RECLAIM_TAIL_JIFFIES)
		return 0;
	every = sample(ZSWAP_SAMPLER(io), jiffy);
	if (!every) {
		if (in_flight)
			forget(page);
		return 0;
	}
	what.sample_every = every;
	if (is_folio)
		what.pages = folio_pages(page);
	take_slot(id_of(page), &what);
	return 0;
}

/* What zswap did not have or take is timed where it goes next. */
static __always_inline int zswap_end(const void *page, bool is_done)
{
	if (!in_flight)
		return 0;
	if (is_done)
		end_if_sampled(id_of(page), 0);
	else
		forget(page);
	return 0;
}

/* Set by user space from BTF: zswap_load() says true up to v6.14, then 0. */
const volatile bool cfg_load_is_bool = true;

/* v6.6 and later (42c06a0e8ebe took frontswap away). */
SEC("fentry/zswap_load")
int BPF_PROG(on_zload_in, struct folio *folio)
{
	return zswap_begin(folio, SWT_IO_SWAP_IN, true);
}

/* Of a bool the kernel sets no more than the low byte. */
SEC("fexit/zswap_load")
int BPF_PROG(on_zload_out, struct folio *folio, int ret)
{
	return zswap_end(folio, cfg_load_is_bool ? (__u8)ret : !ret);
}

SEC("fentry/zswap_store")
int BPF_PROG(on_zstore_in, struct folio *folio)
{
	return zswap_begin(folio, SWT_IO_SWAP_OUT, true);
}

SEC("fexit/zswap_store")
int BPF_PROG(on_zstore_out, struct folio *folio, int ret)
{
	return zswap_end(folio, (__u8)ret);
}

/* Up to v6.5; large pages are not taken. */
SEC("fentry/zswap_frontswap_load")
int BPF_PROG(on_fload_in, unsigned int type, unsigned long offset,
	     struct page *page)
{
	return zswap_begin(page, SWT_IO_SWAP_IN, false);
}

SEC("fexit/zswap_frontswap_load")
int BPF_PROG(on_fload_out, unsigned int type, unsigned long offset,
	     struct page *page, int ret)
{
	return zswap_end(page, !ret);
}

SEC("fentry/zswap_frontswap_store")
int BPF_PROG(on_fstore_in, unsigned int type, unsigned long offset,
	     struct page *page)
{
	return zswap_begin(page, SWT_IO_SWAP_OUT, false);
}

SEC("fexit/zswap_frontswap_store")
int BPF_PROG(on_fstore_out, unsigned int type, unsigned long offset,
	     struct page *page, int ret)
{
	return zswap_end(page, !ret);
}
