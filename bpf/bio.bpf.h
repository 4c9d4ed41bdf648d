/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block I/O and its first page say about themselves. */
#ifndef SWAPTEND_BIO_BPF_H
#define SWAPTEND_BIO_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* include/linux/blk_types.h, the same since v4.10. */
#define REQ_OP_BITS 8
#define REQ_OP_READ 0
#define REQ_OP_WRITE 1
#define BIO_CLONED 1 /* a bit number of bi_flags, v5.10 to v7.3 */

/* include/linux/page-flags.h: the low bit of mapping says anonymous. */
#define PAGE_MAPPING_FLAGS 3

/* Before v5.12 (309dca309fc3) a bio knew the disk, not the partition. */
struct gendisk___v510 {
	int major;
	int first_minor;
} __attribute__((preserve_access_index));

struct bio___v510 {
	struct gendisk___v510 *bi_disk;
} __attribute__((preserve_access_index));

/* v6.18 (53fbef56e07d) wrapped the flags of a page. */
struct page___v618 {
	struct {
		unsigned long f;
	} flags;
} __attribute__((preserve_access_index));

/* v7.1 renamed compound_head. */
struct page___v71 {
	unsigned long compound_info;
} __attribute__((preserve_access_index));

static __always_inline __u32 bio_op(const struct bio *bio)
{
	return bio->bi_opf & ((1 << REQ_OP_BITS) - 1);
}

/* A read or write as it was asked for: not a piece, nor the lower device's. */
static __always_inline bool bio_is_whole_io(const struct bio *bio)
{
	return bio_op(bio) <= REQ_OP_WRITE && bio->bi_iter.bi_size &&
	       !(bio->bi_flags & (1 << BIO_CLONED));
}

/* As the kernel's dev_t: major << 20 | minor. */
static __always_inline __u32 bio_dev(struct bio *bio)
{
	struct bio___v510 *old = (void *)bio;
	struct gendisk___v510 *disk;

	if (bpf_core_field_exists(bio->bi_bdev))
		return BPF_CORE_READ(bio, bi_bdev, bd_dev);
	disk = BPF_CORE_READ(old, bi_disk);
	return BPF_CORE_READ(disk, major) << 20 |
	       BPF_CORE_READ(disk, first_minor);
}

/*
 * The same for all bios of a device and likely others for other devices' bios.
 * Only the difference of two pointers is a number to the verifier.
 */
static __always_inline __u32 bio_dev_hash(const struct bio *bio,
					  const void *origin)
{
	const struct bio___v510 *old = (void *)bio;
	__u64 address;

	if (bpf_core_field_exists(bio->bi_bdev))
		address = (__u64)bio->bi_bdev - (__u64)origin;
	else
		address = (__u64)old->bi_disk - (__u64)origin;
	return ((address >> 6) * 0x9e3779b97f4a7c15ULL) >> 40;
}

/*
 * Bit 0 marks a page that is not the first of a large one; the rest is the
 * first one's address or, from v7.1 on where a struct page has 64 bytes, what
 * to leave of the own one: ones above, zeros below.  An address that looks the
 * same gives itself by that too.
 */
static __always_inline struct page *page_head(struct page *page)
{
	struct page___v71 *renamed = (void *)page;
	unsigned long info = 0;

	if (bpf_core_field_exists(page->compound_head))
		info = BPF_CORE_READ(page, compound_head);
	else if (bpf_core_field_exists(renamed->compound_info))
		info = BPF_CORE_READ(renamed, compound_info);
	if (!(info & 1))
		return page;
	info--;
	if (!(~info & (~info + 1)))
		info &= (unsigned long)page;
	return (struct page *)info;
}

/* Flags and mapping of a large page are those of its first. */
static __always_inline struct page *bio_first_page(struct bio *bio)
{
	struct bio_vec *vec = BPF_CORE_READ(bio, bi_io_vec);
	struct page *page = vec ? BPF_CORE_READ(vec, bv_page) : NULL;

	return page ? page_head(page) : NULL;
}

static __always_inline __u64 page_flags(struct page *page)
{
	struct page___v618 *wrapped = (void *)page;

	if (bpf_core_field_exists(wrapped->flags.f))
		return BPF_CORE_READ(wrapped, flags.f);
	return BPF_CORE_READ(page, flags);
}

#define HAS_FLAG(flags, name) \
	((flags) >> bpf_core_enum_value(enum pageflags, name) & 1)

/* Only a large folio has its order in the second page. */
static __always_inline __u32 folio_pages(struct folio *folio)
{
	if (!HAS_FLAG(page_flags((struct page *)folio), PG_head))
		return 1;
	return 1U << (BPF_CORE_READ(folio, _flags_1) & 31);
}

/* PG_swapcache shares its bit with a flag of file pages. */
static __always_inline bool flags_are_swapcache(__u64 flags)
{
	return HAS_FLAG(flags, PG_swapcache) && HAS_FLAG(flags, PG_swapbacked);
}

/*
 * Set by workingset_refault() before the read is sent: the page was evicted
 * not long ago (mm/workingset.c).
 */
static __always_inline bool flags_are_refault(__u64 flags)
{
	return HAS_FLAG(flags, PG_active) || HAS_FLAG(flags, PG_workingset);
}

/* Not an anonymous page, as direct I/O reads into, nor one of nobody. */
static __always_inline bool page_is_cached_file(struct page *page)
{
	__u64 mapping = (__u64)BPF_CORE_READ(page, mapping);

	return mapping && !(mapping & PAGE_MAPPING_FLAGS);
}

#endif
