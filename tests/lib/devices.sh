# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034 # many variables are for those who source this
#
# Block devices of a known speed for system tests, sourced after guest.sh.
# Like everything of guest.sh, they are gone when the test ends.

BLKIO=/sys/fs/cgroup/blkio
# The highest there is: it is this swap that is used.
SWAP_PRIORITY=32767

# Where direct I/O works, which /tmp is often not.
TMPDIR=${TMPDIR:-/var/tmp}

# --- the machine's swap ---

device_has_rival() {
	awk -v p=$SWAP_PRIORITY 'NR > 1 && $NF >= p { found = 1 } END { exit !found }' /proc/swaps
}
# It may take long: not 200 times a second.
device_has_no_rival() { ! device_has_rival || { sleep 0.2; false; }; }

# device_claim_swap WAIT_S: no benchmark, which has swap of this priority, and
# nobody else's: the kernel would use both in turn.
device_claim_swap() {
	local lock=/run/swaptend-bench.lock

	if [ -e "$lock" ]; then
		exec 9<"$lock"
		flock -w "$1" 9 ||
			guest_skip_all "${0##*/}" "a benchmark has been running for $1 s"
	fi
	wait_until $(($1 * 1000)) device_has_no_rival ||
		guest_skip_all "${0##*/}" "there is other swap of priority $SWAP_PRIORITY"
}

# --- numbers ---

device_id() { cat "/sys/class/block/${1#/dev/}/dev"; }

# device_ios DEVICE: "reads read_pages read_ms writes written_pages write_ms"
# since it was made (Documentation/block/stat.rst; a page has 8 sectors).
device_ios() {
	awk '{ printf "%d %d %d %d %d %d\n", $1, $3 / 8, $4, $5, $7 / 8, $8 }' "/sys/class/block/${1#/dev/}/stat"
}

# --- loop devices ---

# The number may be somebody else's by now.
device_loop_off() {
	[ "$(cat "/sys/block/${1#/dev/}/loop/backing_file" 2>/dev/null)" != "$2" ] ||
		losetup -d "$1"
}

# device_loop BACKING: $GUEST_LOOP, past the page cache of what is below.
device_loop() {
	[ "$BASHPID" = $$ ] || on_exit device_loop # refused, before it makes one
	GUEST_LOOP=$(losetup -f --show --direct-io=on "$1" 2>/dev/null) ||
		guest_skip_all "${0##*/}" 'no loop device can be had'
	on_exit device_loop_off "$GUEST_LOOP" "$1"
	[ "$(cat "/sys/block/${GUEST_LOOP#/dev/}/loop/dio")" = 1 ] ||
		guest_skip_all "${0##*/}" "no direct I/O on $1; set TMPDIR to a directory on a disk"
}

# device_image NAME SIZE_MB: $GUEST_IMAGE, with all its blocks: the first write
# of one would cost more than the next.
device_image() {
	guest_temp
	GUEST_IMAGE=$GUEST_TMP/$1.img
	fallocate -l "${2}M" "$GUEST_IMAGE" 2>/dev/null ||
		guest_skip_all "${0##*/}" "no room for $2 MB in $GUEST_TMP"
}

# device_mount DEVICE: an empty ext4 at $GUEST_FILES.
device_mount() {
	guest_temp
	GUEST_FILES=$GUEST_TMP/files
	# What is initialized late would be I/O during a measurement.
	mkfs.ext4 -q -F -m 0 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard \
		"$1" >/dev/null 2>&1 || guest_skip_all "${0##*/}" "mkfs.ext4 $1 failed"
	mkdir -p "$GUEST_FILES"
	mount -t ext4 -o noatime "$1" "$GUEST_FILES" ||
		guest_skip_all "${0##*/}" "$1 cannot be mounted"
	on_exit device_unmount
}

device_unmount() { ! mountpoint -q "$GUEST_FILES" || umount "$GUEST_FILES"; }

# device_forget_files DEVICE: nothing of $GUEST_FILES stays in the page cache.
device_forget_files() {
	umount "$GUEST_FILES" && mount -t ext4 -o noatime "$1" "$GUEST_FILES"
}

device_swap_off() { ! grep -q "^$1 " /proc/swaps || swapoff "$1"; }

# device_swap PATH: a block device or a file as swap, and on.
device_swap() {
	mkswap "$1" >/dev/null 2>&1 && swapon -p $SWAP_PRIORITY "$1" ||
		guest_skip_all "${0##*/}" "$1 cannot be made swap"
	on_exit device_swap_off "$1"
}

# --- slow ones ---

need_blkio() {
	[ -e $BLKIO/blkio.throttle.read_iops_device ] ||
		guest_skip_all "${0##*/}" 'no blkio.throttle in cgroup v1'
	# The rules below are those of the root group, where reclaim's bios are
	# charged; so those of our loads must be.
	echo $$ >$BLKIO/cgroup.procs || exit 1
}

# device_iops DEVICE IOPS: 0: no limit.  Only for a device of our own.
device_iops() {
	local id way

	id=$(device_id "$1")
	[ "$2" = 0 ] || on_exit device_iops "$1" 0
	for way in read write; do
		echo "$id $2" >$BLKIO/blkio.throttle.${way}_iops_device || return
	done
}

# device_slow_loop NAME SIZE_MB: $GUEST_LOOP, and $GUEST_LOWER below it, which
# is the one to throttle: a throttled bio waits before the kernel says that it
# was queued.  Who times the one on top sees a slow disk.
device_slow_loop() {
	device_image "$1" "$2"
	device_loop "$GUEST_IMAGE"
	GUEST_LOWER=$GUEST_LOOP
	device_loop "$GUEST_LOWER"
}
