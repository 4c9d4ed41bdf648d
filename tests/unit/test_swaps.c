/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap devices out of a file tree, and the probe on files of its own. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "root_tree.h"

#include "sense/swaps.h"

#define HEADER "Filename\tType\tSize\tUsed\tPriority\n"

/* What statfs() says of any file; 0: what is true. */
static long faked_type;

int statfs(const char *path, struct statfs *ret)
{
	long r = syscall(SYS_statfs, path, ret);

	if (!r && faked_type)
		ret->f_type = faked_type;
	return (int)r;
}

static unsigned int read_swaps(const struct tree *tree, const char *lines,
			       struct swap_info swaps[SWAPS_MAX])
{
	_cleanup_free_ char *text = NULL;
	unsigned int count = 4711;

	assert_true(asprintf(&text, HEADER "%s", lines) > 0);
	put(tree, "/proc/swaps", text);
	assert_int_equal(swaps_read(&tree->root, swaps, &count), 0);
	return count;
}

static void a_missing_proc_swaps_is_an_error(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count;

	assert_int_equal(swaps_read(&tree->root, swaps, &count), -ENOENT);
}

static void no_swap_is_none(void **state)
{
	struct swap_info swaps[SWAPS_MAX];

	assert_int_equal(read_swaps(*state, "", swaps), 0);
	assert_null(swaps_next(swaps, 0));
}

static void devices_come_in_the_kernels_order(void **state)
{
	struct swap_info swaps[SWAPS_MAX];

	assert_int_equal(read_swaps(*state,
				    "/none/b partition 1000 10 -2\n"
				    "/none/my\\040file file 2000 20 5\n",
				    swaps),
			 2);
	assert_string_equal(swaps[0].device.path, "/none/b");
	assert_int_equal(swaps[0].device.size_kib, 1000);
	assert_int_equal(swaps[0].device.used_kib, 10);
	assert_int_equal(swaps[0].device.priority, -2);
	assert_false(swaps[0].is_file);
	assert_string_equal(swaps[1].device.path, "/none/my file");
	assert_int_equal(swaps[1].device.priority, 5);
	assert_true(swaps[1].is_file);
}

static void devices_beyond_sixteen_are_left_out(void **state)
{
	struct swap_info swaps[SWAPS_MAX + 1] = {
		[SWAPS_MAX] = {.dev = 4711},
	};
	char lines[20 * 40];
	size_t used = 0;

	for (int i = 0; i < 20; i++)
		used += (size_t)snprintf(lines + used, sizeof(lines) - used,
					 "/none/%d partition 1000 0 %d\n", i,
					 -2 - i);
	assert_int_equal(read_swaps(*state, lines, swaps), 16);
	assert_string_equal(swaps[15].device.path, "/none/15");
	assert_int_equal(swaps[16].dev, 4711);
}

static void refresh_swaps(const struct tree *tree, const char *lines,
			  struct swap_info swaps[SWAPS_MAX],
			  unsigned int *count)
{
	_cleanup_free_ char *text = NULL;

	assert_true(asprintf(&text, HEADER "%s", lines) > 0);
	put(tree, "/proc/swaps", text);
	assert_int_equal(swaps_refresh(&tree->root, swaps, count), 0);
}

static void what_stays_on_is_not_looked_at_again(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	char path[96], lines[160];
	unsigned int count = 0;

	put(tree, "/swapfile", "");
	put(tree, "/sys/class/block/sdx7/dev", "8:1047\n");
	put(tree, "/sys/dev/block/8:1047/queue/rotational", "1\n");
	snprintf(path, sizeof(path), "%s/swapfile", tree->path);
	snprintf(lines, sizeof(lines),
		 "/none/sdx7 partition 1000 0 -2\n%s file 2000 0 -3\n", path);
	refresh_swaps(tree, lines, swaps, &count);
	assert_int_equal(count, 2);
	swaps[0].probed_ns = 4711;
	swaps[1].dev = 4712;
	/* Now any look would tell something else. */
	put(tree, "/sys/class/block/sdx7/dev", "8:1048\n");
	put(tree, "/sys/dev/block/8:1047/queue/rotational", "0\n");
	assert_int_equal(unlink(path), 0);
	snprintf(lines, sizeof(lines),
		 "%s file 2000 30 7\n/none/sdx7 partition 1000 20 -2\n", path);
	refresh_swaps(tree, lines, swaps, &count);
	assert_int_equal(count, 2);
	assert_int_equal(swaps[0].dev, 4712);
	assert_true(swaps[0].is_file);
	assert_int_equal(swaps[0].device.used_kib, 30);
	assert_int_equal(swaps[0].device.priority, 7);
	assert_int_equal(swaps[1].dev, 8389655);
	assert_int_equal(swaps[1].class, SWAP_ROTATIONAL);
	assert_int_equal(swaps[1].probed_ns, 4711);
	assert_int_equal(swaps[1].device.used_kib, 20);
}

static void what_has_another_size_is_another_device(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count = 0;

	put(tree, "/sys/class/block/sdx7/dev", "8:1047\n");
	refresh_swaps(tree, "/none/sdx7 partition 1000 0 -2\n", swaps, &count);
	swaps[0].probed_ns = 4711;
	put(tree, "/sys/class/block/sdx7/dev", "8:7\n");
	refresh_swaps(tree, "/none/sdx7 partition 1004 0 -2\n", swaps, &count);
	assert_int_equal(count, 1);
	/* 8 * 2^20 + 7 */
	assert_int_equal(swaps[0].dev, 8388615);
	assert_int_equal(swaps[0].probed_ns, 0);
	refresh_swaps(tree, "", swaps, &count);
	assert_int_equal(count, 0);
}

static void a_refresh_that_fails_changes_nothing(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count = 0;
	char path[96];

	refresh_swaps(tree, "/none/a partition 1000 5 -2\n", swaps, &count);
	snprintf(path, sizeof(path), "%s/proc/swaps", tree->path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(swaps_refresh(&tree->root, swaps, &count), -ENOENT);
	assert_int_equal(count, 1);
	assert_string_equal(swaps[0].device.path, "/none/a");
	assert_int_equal(swaps[0].device.used_kib, 5);
}

static void assert_next(const struct tree *tree, const char *lines,
			const char *path)
{
	struct swap_info swaps[SWAPS_MAX];
	unsigned int count = read_swaps(tree, lines, swaps);
	const struct swap_info *next = swaps_next(swaps, count);

	if (!path) {
		assert_null(next);
		return;
	}
	assert_non_null(next);
	assert_string_equal(next->device.path, path);
}

static void the_next_page_goes_where_priority_is_highest(void **state)
{
	assert_next(*state,
		    "/none/disk partition 1000 0 -2\n"
		    "/none/fast partition 1000 999 100\n"
		    "/none/mid partition 1000 0 5\n",
		    "/none/fast");
	/* Both negative: -2 is above -3. */
	assert_next(*state,
		    "/none/late partition 1000 0 -3\n"
		    "/none/early partition 1000 0 -2\n",
		    "/none/early");
}

static void of_equal_priority_the_first_is_next(void **state)
{
	assert_next(*state,
		    "/none/a partition 1000 500 3\n"
		    "/none/b partition 1000 0 3\n",
		    "/none/a");
}

static void full_devices_are_skipped(void **state)
{
	assert_next(*state,
		    "/none/fast partition 1000 1000 100\n"
		    "/none/disk partition 1000 0 -2\n",
		    "/none/disk");
	assert_next(*state,
		    "/none/disk partition 1000 999 -2\n"
		    "/none/odd partition 1000 1001 100\n",
		    "/none/disk");
	assert_next(*state, "/none/disk partition 1000 1000 -2\n", NULL);
}

static void a_device_out_of_sight_is_told_by_its_name(void **state)
{
	struct swap_info swaps[SWAPS_MAX];

	assert_int_equal(read_swaps(*state,
				    "/none/sdx partition 1000 0 -2\n"
				    "/dev/zram4711 partition 1000 0 100\n"
				    "/none/dev/zram0 partition 1000 0 -3\n",
				    swaps),
			 3);
	assert_int_equal(swaps[0].dev, 0);
	assert_int_equal(swaps[0].class, SWAP_SSD);
	assert_int_equal(swaps[1].class, SWAP_ZRAM);
	assert_int_equal(swaps[2].class, SWAP_SSD);
}

/* A swap file in the tree; "MAJOR:MINOR" of the device that it is on. */
static void put_swap_file(const struct tree *tree, char numbers[32],
			  char lines[128], uint32_t *ret_dev)
{
	char path[96];
	struct stat st;

	put(tree, "/swapfile", "");
	snprintf(path, sizeof(path), "%s/swapfile", tree->path);
	assert_int_equal(stat(path, &st), 0);
	if (!major(st.st_dev)) {
		print_message("/tmp is on no block device\n");
		skip();
	}
	snprintf(numbers, 32, "%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(lines, 128, "%s file 1000 0 -2\n", path);
	/* As the kernel has it, in 12 and 20 bits. */
	*ret_dev = major(st.st_dev) * 1048576 + minor(st.st_dev);
}

static void a_file_is_priced_as_the_device_that_it_is_on(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	char numbers[32], lines[128], path[96];
	uint32_t dev;

	put_swap_file(tree, numbers, lines, &dev);
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].dev, dev);
	assert_true(swaps[0].is_file);
	assert_int_equal(swaps[0].class, SWAP_SSD);

	snprintf(path, sizeof(path), "/sys/dev/block/%s/queue/rotational",
		 numbers);
	put(tree, path, "1\n");
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].class, SWAP_ROTATIONAL);
	put(tree, path, "0\n");
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].class, SWAP_SSD);
}

static void a_file_on_nfs_or_smb_is_on_the_network(void **state)
{
	/* statfs(2): NFS, SMB of old, CIFS, SMB 2 and later */
	static const long types[] = {0x6969, 0x517b, 0xff534d42, 0xfe534d42};
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	char lines[128];

	put(tree, "/swapfile", "");
	snprintf(lines, sizeof(lines), "%s/swapfile file 1000 0 -2\n",
		 tree->path);
	for (size_t i = 0; i < SWT_ARRAY_SIZE(types); i++) {
		faked_type = types[i];
		assert_int_equal(read_swaps(tree, lines, swaps), 1);
		faked_type = 0;
		assert_int_equal(swaps[0].class, SWAP_NETWORK);
	}
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].class, SWAP_SSD);
}

static void a_partition_turns_as_its_disk_does(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	char numbers[32], lines[128], link[128];
	uint32_t dev;

	put_swap_file(tree, numbers, lines, &dev);
	put(tree, "/sys/devices/sda/queue/rotational", "1\n");
	put(tree, "/sys/devices/sda/sda1/partition", "1\n");
	put(tree, "/sys/dev/block/other", "");
	snprintf(link, sizeof(link), "%s/sys/dev/block/%s", tree->path,
		 numbers);
	assert_int_equal(symlink("../../devices/sda/sda1", link), 0);
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].class, SWAP_ROTATIONAL);
}

static void a_device_is_found_by_its_name_in_sysfs(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];

	put(tree, "/sys/class/block/sdx7/dev", "8:1047\n");
	put(tree, "/sys/dev/block/8:1047/queue/rotational", "1\n");
	put(tree, "/sys/class/block/zram4711/dev", "252:4711\n");
	put(tree, "/sys/class/block/sdy/dev", "none\n");
	assert_int_equal(read_swaps(tree,
				    "/none/sdx7 partition 1000 0 -2\n"
				    "/dev/zram4711 partition 1000 0 100\n"
				    "/none/sdy partition 1000 0 -3\n"
				    "/none/sdx7 file 1000 0 -4\n",
				    swaps),
			 4);
	/* 8 * 2^20 + 1047 and 252 * 2^20 + 4711 */
	assert_int_equal(swaps[0].dev, 8389655);
	assert_int_equal(swaps[0].class, SWAP_ROTATIONAL);
	assert_int_equal(swaps[1].dev, 264245863);
	assert_int_equal(swaps[1].class, SWAP_ZRAM);
	assert_int_equal(swaps[2].dev, 0);
	/* A file of that name is no device. */
	assert_int_equal(swaps[3].dev, 0);
	assert_true(swaps[3].is_file);
}

/* "0:45" and the like: what btrfs says, too. */
static void put_anonymous_file(char path[96])
{
	struct stat st;
	int fd;

	snprintf(path, 96, "/dev/shm/swaptend-test.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || fstat(fd, &st) || major(st.st_dev)) {
		if (fd >= 0)
			(void)unlink(path);
		print_message("no tmpfs at /dev/shm\n");
		skip();
	}
	close(fd);
}

static void read_anonymous_file(const struct tree *tree, const char *mounts,
				struct swap_info *ret)
{
	struct swap_info swaps[SWAPS_MAX];
	char path[96], lines[128];
	unsigned int count;

	put(tree, "/proc/self/mounts", mounts);
	put_anonymous_file(path);
	snprintf(lines, sizeof(lines), "%s file 1000 0 -2\n", path);
	count = read_swaps(tree, lines, swaps);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(count, 1);
	*ret = swaps[0];
}

static void a_file_on_btrfs_is_on_the_device_that_is_mounted(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap;

	put(tree, "/sys/class/block/sdx7/dev", "8:1047\n");
	put(tree, "/sys/dev/block/8:1047/queue/rotational", "1\n");
	read_anonymous_file(tree,
			    "/dev/sdy / btrfs rw,subvol=/@ 0 0\n"
			    "/dev/sdz1 /dev/shm ext4 rw 0 0\n"
			    "/dev/sdx7 /dev/shm btrfs rw,subvol=/swap 0 0\n"
			    "/dev/sdy /dev btrfs rw 0 0\n"
			    "/dev/sdy /dev/sh btrfs rw 0 0\n"
			    "/dev/sdy /dev/shm/other btrfs rw 0 0\n",
			    &swap);
	assert_int_equal(swap.dev, 8389655);
	assert_int_equal(swap.class, SWAP_ROTATIONAL);
}

static void a_file_on_no_block_device_is_on_none(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap;

	put(tree, "/sys/class/block/sdx7/dev", "8:1047\n");
	read_anonymous_file(tree, "tank/sdx7 /dev/shm zfs rw 0 0\n", &swap);
	assert_int_equal(swap.dev, 0);
	assert_int_equal(swap.class, SWAP_SSD);
	/* A character device is none, and nor is what is not there. */
	read_anonymous_file(tree, "/dev/null /dev/shm btrfs rw 0 0\n", &swap);
	assert_int_equal(swap.dev, 0);
	read_anonymous_file(tree, "/dev/sdx9 /dev/shm btrfs rw 0 0\n", &swap);
	assert_int_equal(swap.dev, 0);
	read_anonymous_file(tree, "", &swap);
	assert_int_equal(swap.dev, 0);
}

/* DISK/PART of sysfs, with the link that /sys/dev/block has to it. */
static void put_device(const struct tree *tree, const char *dir,
		       const char *numbers)
{
	const char *name = strrchr(dir, '/') + 1;
	char path[160], to[160], text[32];

	snprintf(text, sizeof(text), "%s\n", numbers);
	snprintf(path, sizeof(path), "/sys/devices/%s/dev", dir);
	put(tree, path, text);
	snprintf(to, sizeof(to), "../../devices/%s", dir);
	put(tree, "/sys/dev/block/other", "");
	snprintf(path, sizeof(path), "%s/sys/dev/block/%s", tree->path,
		 numbers);
	assert_int_equal(symlink(to, path), 0);
	put(tree, "/sys/class/block/other", "");
	snprintf(path, sizeof(path), "%s/sys/class/block/%s", tree->path, name);
	assert_int_equal(symlink(to, path), 0);
}

static void a_partition_is_on_its_disk(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];

	put_device(tree, "block/sdx", "8:1040");
	put_device(tree, "block/sdx/sdx7", "8:1047");
	put(tree, "/sys/devices/block/sdx/sdx7/partition", "7\n");
	assert_int_equal(read_swaps(tree,
				    "/none/sdx7 partition 1000 0 -2\n"
				    "/none/sdx partition 1000 0 -3\n",
				    swaps),
			 2);
	assert_int_equal(swaps[0].dev, 8389655);
	/* 8 * 2^20 + 1040 */
	assert_int_equal(swaps[0].disk_dev, 8389648);
	assert_int_equal(swaps[1].dev, 8389648);
	assert_int_equal(swaps[1].disk_dev, 0);
}

/* Its number, of a character device, is a disk's as well. */
static void a_controller_is_no_disk(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];

	put(tree, "/sys/devices/nvme/nvme0/dev", "242:0\n");
	put_device(tree, "nvme/nvme0/nvme0n1", "259:0");
	assert_int_equal(
		read_swaps(tree, "/none/nvme0n1 partition 1000 0 -2\n", swaps),
		1);
	/* 259 * 2^20 */
	assert_int_equal(swaps[0].dev, 271581184);
	assert_int_equal(swaps[0].disk_dev, 0);
}

static void a_file_on_a_partition_is_on_its_disk(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swaps[SWAPS_MAX];
	char numbers[32], lines[128];
	uint32_t dev;

	put_swap_file(tree, numbers, lines, &dev);
	put_device(tree, "block/sdx", "8:1040");
	put_device(tree, "block/sdx/sdx7", numbers);
	put(tree, "/sys/devices/block/sdx/sdx7/partition", "7\n");
	assert_int_equal(read_swaps(tree, lines, swaps), 1);
	assert_int_equal(swaps[0].dev, dev);
	assert_int_equal(swaps[0].disk_dev, 8389648);
}

static void zswap_is_on_where_its_parameter_says_so(void **state)
{
	static const char path[] = "/sys/module/zswap/parameters/enabled";
	const struct tree *tree = *state;

	assert_false(swaps_zswap_is_on(&tree->root));
	put(tree, path, "N\n");
	assert_false(swaps_zswap_is_on(&tree->root));
	put(tree, path, "0\n");
	assert_false(swaps_zswap_is_on(&tree->root));
	put(tree, path, "");
	assert_false(swaps_zswap_is_on(&tree->root));
	put(tree, path, "Y\n");
	assert_true(swaps_zswap_is_on(&tree->root));
	put(tree, path, "1\n");
	assert_true(swaps_zswap_is_on(&tree->root));
}

static void each_class_has_a_price_and_a_name(void **state)
{
	(void)state;
	assert_int_equal(swaps_prior_ns(SWAP_ZRAM), 5000);
	assert_int_equal(swaps_prior_ns(SWAP_SSD), 100000);
	assert_int_equal(swaps_prior_ns(SWAP_ROTATIONAL), 8000000);
	assert_int_equal(swaps_prior_ns(SWAP_NETWORK), 2000000);
	assert_int_equal(swaps_zswap_prior_ns(), 6000);
	assert_string_equal(swaps_class_name(SWAP_ZRAM), "zram");
	assert_string_equal(swaps_class_name(SWAP_SSD), "ssd");
	assert_string_equal(swaps_class_name(SWAP_ROTATIONAL), "rotational");
	assert_string_equal(swaps_class_name(SWAP_NETWORK), "network");
}

static struct swap_info swap_at(const struct tree *tree, const char *name,
				uint64_t size_kib)
{
	struct swap_info swap = {
		.device = {.size_kib = size_kib},
		.is_file = true,
		.class = SWAP_SSD,
	};

	snprintf(swap.device.path, sizeof(swap.device.path), "%s/%s",
		 tree->path, name);
	return swap;
}

static void put_kib(const struct tree *tree, const char *name, size_t kib)
{
	_cleanup_free_ char *text = calloc(kib + 1, 1024);
	char path[96];

	assert_non_null(text);
	memset(text, 'x', kib * 1024);
	snprintf(path, sizeof(path), "/%s", name);
	put(tree, path, text);
}

/* Not all that /tmp can be reads past the cache. */
static void skip_without_direct_reads(const struct swap_info *swap)
{
	int fd = open(swap->device.path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0 && errno == EINVAL)
		skip();
	assert_true(fd >= 0);
	close(fd);
}

static void the_probe_times_reads_and_writes_nothing(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap = swap_at(tree, "swapfile", 1024);
	_cleanup_free_ char *text = NULL;
	uint32_t ns_per_page = 0;

	put_kib(tree, "swapfile", 1024);
	skip_without_direct_reads(&swap);
	assert_int_equal(swaps_probe_ns(&swap, &ns_per_page), 0);
	/* No read takes less than a system call, nor this one a minute. */
	assert_in_range(ns_per_page, 50, UINT32_MAX - 1);
	assert_int_equal(proc_read_file(&tree->root, "/swapfile", &text), 0);
	assert_int_equal(strlen(text), 1024 * 1024);
	assert_int_equal(strspn(text, "x"), 1024 * 1024);
}

static void the_probe_reads_a_device_of_one_page(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap = swap_at(tree, "swapfile", 4);
	uint32_t ns_per_page = 0;

	put_kib(tree, "swapfile", 4);
	skip_without_direct_reads(&swap);
	assert_int_equal(swaps_probe_ns(&swap, &ns_per_page), 0);
	assert_true(ns_per_page > 0);
}

static void the_probe_of_a_missing_file_says_so(void **state)
{
	struct swap_info swap = swap_at(*state, "none", 1024);
	uint32_t ns_per_page = 4711;

	assert_int_equal(swaps_probe_ns(&swap, &ns_per_page), -ENOENT);
	assert_int_equal(ns_per_page, 4711);
}

static void the_probe_of_less_than_was_promised_fails(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap = swap_at(tree, "swapfile", 1024);
	uint32_t ns_per_page = 4711;

	put_kib(tree, "swapfile", 64);
	skip_without_direct_reads(&swap);
	assert_int_equal(swaps_probe_ns(&swap, &ns_per_page), -EIO);
	assert_int_equal(ns_per_page, 4711);
}

static void the_probe_follows_no_link(void **state)
{
	const struct tree *tree = *state;
	struct swap_info swap = swap_at(tree, "link", 1024);
	uint32_t ns_per_page = 4711;

	put_kib(tree, "swapfile", 1024);
	assert_int_equal(symlink("swapfile", swap.device.path), 0);
	assert_int_equal(swaps_probe_ns(&swap, &ns_per_page), -ELOOP);
	assert_int_equal(ns_per_page, 4711);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, plant, fell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_missing_proc_swaps_is_an_error),
		TREE_TEST(no_swap_is_none),
		TREE_TEST(devices_come_in_the_kernels_order),
		TREE_TEST(devices_beyond_sixteen_are_left_out),
		TREE_TEST(what_stays_on_is_not_looked_at_again),
		TREE_TEST(what_has_another_size_is_another_device),
		TREE_TEST(a_refresh_that_fails_changes_nothing),
		TREE_TEST(the_next_page_goes_where_priority_is_highest),
		TREE_TEST(of_equal_priority_the_first_is_next),
		TREE_TEST(full_devices_are_skipped),
		TREE_TEST(a_device_out_of_sight_is_told_by_its_name),
		TREE_TEST(a_file_is_priced_as_the_device_that_it_is_on),
		TREE_TEST(a_file_on_nfs_or_smb_is_on_the_network),
		TREE_TEST(a_partition_turns_as_its_disk_does),
		TREE_TEST(a_device_is_found_by_its_name_in_sysfs),
		TREE_TEST(a_file_on_btrfs_is_on_the_device_that_is_mounted),
		TREE_TEST(a_file_on_no_block_device_is_on_none),
		TREE_TEST(a_partition_is_on_its_disk),
		TREE_TEST(a_controller_is_no_disk),
		TREE_TEST(a_file_on_a_partition_is_on_its_disk),
		TREE_TEST(zswap_is_on_where_its_parameter_says_so),
		cmocka_unit_test(each_class_has_a_price_and_a_name),
		TREE_TEST(the_probe_times_reads_and_writes_nothing),
		TREE_TEST(the_probe_reads_a_device_of_one_page),
		TREE_TEST(the_probe_of_a_missing_file_says_so),
		TREE_TEST(the_probe_of_less_than_was_promised_fails),
		TREE_TEST(the_probe_follows_no_link),
	};

	return cmocka_run_group_tests_name("swaps", tests, NULL, NULL);
}
