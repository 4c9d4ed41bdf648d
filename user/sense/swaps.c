/* SPDX-License-Identifier: GPL-2.0-only */
#include "sense/swaps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PROBE_MAX_NS 200000000
#define PAGE_BYTES 4096
#define NFS_MAGIC 0x6969      /* linux/magic.h has it under another name */
#define CIFS_MAGIC 0xff534d42 /* and these from v5.16 only; SMB 1 */
#define SMB2_MAGIC 0xfe534d42
#define MINOR_BITS 20 /* include/linux/kdev_t.h */

static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << MINOR_BITS | minor(dev);
}

/* A partition has no queue of its own: its disk is the directory above. */
static bool is_rotational(const struct sense_root *root, uint32_t dev)
{
	static const char *const places[] = {"queue", "../queue"};

	for (size_t i = 0; i < SWT_ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *text = NULL;
		char path[96];

		snprintf(path, sizeof(path),
			 "/sys/dev/block/%u:%u/%s/rotational",
			 dev >> MINOR_BITS, dev & ((1U << MINOR_BITS) - 1),
			 places[i]);
		if (!proc_read_file(root, path, &text))
			return *text == '1';
	}
	return false;
}

static bool is_on_network(const char *path)
{
	static const uint32_t magics[] = {NFS_MAGIC, SMB_SUPER_MAGIC,
					  CIFS_MAGIC, SMB2_MAGIC};
	struct statfs fs;

	if (statfs(path, &fs))
		return false;
	/* f_type is signed, and of 32 bits on some machines. */
	for (size_t i = 0; i < SWT_ARRAY_SIZE(magics); i++)
		if ((uint32_t)fs.f_type == magics[i])
			return true;
	return false;
}

static enum swap_class classify(const struct sense_root *root,
				const struct swap_info *swap)
{
	const char *path = swap->device.path;

	if (!strncmp(path, "/dev/zram", strlen("/dev/zram")))
		return SWAP_ZRAM;
	if (swap->is_file && is_on_network(path))
		return SWAP_NETWORK;
	return is_rotational(root, swap->dev) ? SWAP_ROTATIONAL : SWAP_SSD;
}

/* The number in a file of sysfs; 0: none. */
static uint32_t read_dev(const struct sense_root *root, const char *file)
{
	_cleanup_free_ char *text = NULL;
	unsigned int dev_major, dev_minor;

	if (proc_read_file(root, file, &text) ||
	    sscanf(text, "%u:%u", &dev_major, &dev_minor) != 2)
		return 0;
	return dev_major << MINOR_BITS | dev_minor;
}

/* By sysfs: a service or a container has a /dev of its own.  0: unknown. */
static uint32_t named_dev(const struct sense_root *root, const char *path)
{
	const char *name = strrchr(path, '/');
	char file[300];

	snprintf(file, sizeof(file), "/sys/class/block/%s/dev",
		 name ? name + 1 : path);
	return read_dev(root, file);
}

/*
 * Only of a partition: above an NVMe disk is its controller, which has a
 * number too, of a character device.
 */
static uint32_t disk_of(const struct sense_root *root, uint32_t dev)
{
	_cleanup_free_ char *partition = NULL;
	char dir[64], file[96];

	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", dev >> MINOR_BITS,
		 dev & ((1U << MINOR_BITS) - 1));
	snprintf(file, sizeof(file), "%s/partition", dir);
	if (!dev || proc_read_file(root, file, &partition))
		return 0;
	snprintf(file, sizeof(file), "%s/../dev", dir);
	return read_dev(root, file);
}

static bool is_below(const char *path, const char *dir)
{
	size_t length = strlen(dir);

	return !strcmp(dir, "/") ||
	       (!strncmp(path, dir, length) && path[length] == '/');
}

/* What is mounted where the file is; NULL: unknown, or no memory. */
static char *find_source(const struct sense_root *root, const char *path)
{
	_cleanup_free_ char *mounts = NULL, *source = NULL;
	struct mntent *mount, entry;
	char line[4096];
	size_t best = 0;
	FILE *file;

	if (asprintf(&mounts, "%s/proc/self/mounts", root->prefix) < 0) {
		mounts = NULL;
		return NULL;
	}
	file = setmntent(mounts, "re");
	if (!file)
		return NULL;
	/* Of two at one place the later lies on top. */
	while ((mount = getmntent_r(file, &entry, line, sizeof(line)))) {
		size_t length = strlen(mount->mnt_dir);

		if (length < best || !is_below(path, mount->mnt_dir))
			continue;
		best = length;
		free(source);
		source = strdup(mount->mnt_fsname);
	}
	endmntent(file);
	return TAKE_PTR(source);
}

/*
 * btrfs and others number their trees, not their disk.  Of many disks it is the
 * one that was named; another one's prices are then not found.
 */
static uint32_t mounted_dev(const struct sense_root *root, const char *path)
{
	_cleanup_free_ char *source = find_source(root, path);
	struct stat st;
	uint32_t dev;

	if (!source || strncmp(source, "/dev/", strlen("/dev/")) != 0)
		return 0;
	dev = named_dev(root, source);
	if (!dev && !stat(source, &st) && S_ISBLK(st.st_mode))
		dev = kernel_dev(st.st_rdev);
	return dev;
}

static void locate(const struct sense_root *root, struct swap_info *swap)
{
	const char *path = swap->device.path;
	struct stat st;

	swap->is_file = !strcmp(swap->device.type, "file");
	swap->dev = swap->disk_dev = swap->probed_ns = 0;
	/* Unknown, as in a container: priced by its class alone. */
	if (!swap->is_file)
		swap->dev = named_dev(root, path);
	else if (!stat(path, &st))
		swap->dev = major(st.st_dev) ? kernel_dev(st.st_dev)
					     : mounted_dev(root, path);
	swap->disk_dev = disk_of(root, swap->dev);
	swap->class = classify(root, swap);
}

bool swaps_is_same(const struct swap_info *a, const struct swap_info *b)
{
	return !strcmp(a->device.path, b->device.path) &&
	       !strcmp(a->device.type, b->device.type) &&
	       a->device.size_kib == b->device.size_kib;
}

static const struct swap_info *find_same(const struct swap_info *swaps,
					 unsigned int count,
					 const struct swap_info *wanted)
{
	for (unsigned int i = 0; i < count; i++)
		if (swaps_is_same(&swaps[i], wanted))
			return &swaps[i];
	return NULL;
}

static void take_over(struct swap_info *to, const struct swap_info *from)
{
	struct swap_device device = to->device;

	*to = *from;
	to->device = device;
}

int swaps_refresh(const struct sense_root *root,
		  struct swap_info swaps[SWAPS_MAX], unsigned int *count)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ struct swap_info *old =
		malloc(SWAPS_MAX * sizeof(*swaps));
	unsigned int old_count = *count, fresh = 0;
	const char *rest;
	int r;

	if (!old)
		return -ENOMEM;
	r = proc_read_file(root, "/proc/swaps", &text);
	if (r)
		return r;
	memcpy(old, swaps, old_count * sizeof(*old));
	for (rest = text; fresh < SWAPS_MAX &&
			  parse_swaps_next(&rest, &swaps[fresh].device) > 0;
	     fresh++) {
		const struct swap_info *known =
			find_same(old, old_count, &swaps[fresh]);

		if (known)
			take_over(&swaps[fresh], known);
		else
			locate(root, &swaps[fresh]);
	}
	*count = fresh;
	return 0;
}

int swaps_read(const struct sense_root *root, struct swap_info ret[SWAPS_MAX],
	       unsigned int *ret_count)
{
	unsigned int count = 0;
	int r = swaps_refresh(root, ret, &count);

	if (!r)
		*ret_count = count;
	return r;
}

const struct swap_info *swaps_next(const struct swap_info *swaps,
				   unsigned int count)
{
	const struct swap_info *next = NULL;

	for (unsigned int i = 0; i < count; i++) {
		const struct swap_device *device = &swaps[i].device;

		if (device->used_kib >= device->size_kib)
			continue;
		if (!next || device->priority > next->device.priority)
			next = &swaps[i];
	}
	return next;
}

static bool is_there(const struct sense_root *root, const char *path)
{
	char full[160];
	int length = snprintf(full, sizeof(full), "%s%s", root->prefix, path);

	/* Any other failure proves nothing. */
	return (size_t)length >= sizeof(full) || !access(full, F_OK) ||
	       errno != ENOENT;
}

bool swaps_is_device_gone(const struct sense_root *root, uint32_t dev)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", dev >> MINOR_BITS,
		 dev & ((1U << MINOR_BITS) - 1));
	return is_there(root, "/sys/dev/block/") && !is_there(root, path);
}

bool swaps_zswap_is_on(const struct sense_root *root)
{
	_cleanup_free_ char *text = NULL;

	return !proc_read_file(root, "/sys/module/zswap/parameters/enabled",
			       &text) &&
	       (*text == 'Y' || *text == '1');
}

/*
 * zram: 2.1 us to read and 2.7 to write a page were measured with lzo-rle on
 * Linux 6.18; zswap is the same work behind a tree lookup.
 * SSD: a 4 KiB random read of a SATA drive takes about 100 us.  Rotational:
 * seek and half a turn at 7,200 a minute.  Network: a round trip and a disk.
 */
uint32_t swaps_prior_ns(enum swap_class class)
{
	static const uint32_t by_class_ns[_SWAP_CLASS_MAX] = {
		[SWAP_ZRAM] = 5000,
		[SWAP_SSD] = 100000,
		[SWAP_ROTATIONAL] = 8000000,
		[SWAP_NETWORK] = 2000000,
	};

	return by_class_ns[class];
}

uint32_t swaps_zswap_prior_ns(void)
{
	return 6000;
}

const char *swaps_class_name(enum swap_class class)
{
	static const char *const names[_SWAP_CLASS_MAX] = {
		[SWAP_ZRAM] = "zram",
		[SWAP_SSD] = "ssd",
		[SWAP_ROTATIONAL] = "rotational",
		[SWAP_NETWORK] = "network",
	};

	return names[class];
}

static uint64_t now_ns(void)
{
	struct timespec t;

	/* Cannot fail: the clock is there and the pointer is good. */
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int time_reads(int fd, uint64_t size_bytes, void *page, uint32_t *ret)
{
	uint64_t began_ns = now_ns(), spent_ns = 0;
	uint64_t stride =
		size_bytes / SWAPS_PROBE_READS & ~(uint64_t)(PAGE_BYTES - 1);
	unsigned int reads = 0;

	while (reads < SWAPS_PROBE_READS && spent_ns < PROBE_MAX_NS) {
		ssize_t n =
			pread(fd, page, PAGE_BYTES, (off_t)(reads * stride));

		if (n != PAGE_BYTES)
			return n < 0 ? -errno : -EIO;
		reads++;
		spent_ns = now_ns() - began_ns;
	}
	spent_ns /= reads;
	*ret = spent_ns < UINT32_MAX ? (uint32_t)spent_ns + 1 : UINT32_MAX;
	return 0;
}

int swaps_probe_ns(const struct swap_info *swap, uint32_t *ret_ns_per_page)
{
	_cleanup_close_ int fd =
		open(swap->device.path,
		     O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	_cleanup_free_ void *page = NULL;

	if (fd < 0)
		return -errno;
	if (posix_memalign(&page, PAGE_BYTES, PAGE_BYTES))
		return -ENOMEM;
	return time_reads(fd, swap->device.size_kib * 1024, page,
			  ret_ns_per_page);
}
