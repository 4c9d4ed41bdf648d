# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034 # variables are for those who source this
#
# For scenarios inside an emulated machine, sourced after guest.sh: what may be
# done where the whole machine is the test's.

# Files that reclaim can take, and that are read from a device, which costs no
# memory: zram keeps no page of zeros.
# vm_files SIZE_MB: $VM_FILE, of that size.
vm_files() {
	guest_zram $(($1 + 16))M
	mke2fs -q -t ext2 "$GUEST_SWAP" || exit 1
	mkdir -p /mnt/files
	mount -t ext2 "$GUEST_SWAP" /mnt/files || exit 1
	on_exit umount /mnt/files
	VM_FILE=/mnt/files/zeros
	dd if=/dev/zero of=$VM_FILE bs=1M count="$1" 2>/dev/null || exit 1
	# What was written is forgotten.
	umount /mnt/files && mount -t ext2 "$GUEST_SWAP" /mnt/files || exit 1
}

# vm_pressure SECONDS: more than the machine has, of mostly cold memory and of
# files read at random; in the background, $VM_LOAD.
vm_pressure() {
	"$LOAD" --anon-mb 160 --anon-hot-pct 10 --file $VM_FILE --file-mb 160 \
		--seconds "$1" >/dev/null 2>"$GUEST_TMP/load.errors" &
	VM_LOAD=$!
	on_exit guest_end $VM_LOAD
}

# Attaching and detaching changes the kernel's code while it runs.  Emulated CPUs
# may go on executing what it was (seen with qemu 7.2: both spin, or Linux 7
# panics, in the tracepoint's place in bio_endio or schedule): so not under load.
vm_hold_still() { kill -STOP "$VM_LOAD"; }

# What `status` says of the first target.
target() { swaptend status --json | jq -r ".targets[0].$1"; }
swappiness() { cat /proc/sys/vm/swappiness; }
swappiness_is() { [ "$(swappiness)" = "$1" ]; }
swappiness_is_not() { [ "$(swappiness)" != "$1" ]; }
# So far that the next decision does not chance upon it.
swappiness_is_far_from() {
	local now

	now=$(swappiness)
	[ $((now - $1)) -ge 5 ] || [ $(($1 - now)) -ge 5 ]
}

# vm_watch: notes what vm.swappiness is, ten times a second.
vm_watch() {
	(
		trap - EXIT
		while sleep 0.1; do cat /proc/sys/vm/swappiness; done >"$GUEST_TMP/watched"
	) &
	on_exit guest_end $!
}
watched_above() { awk -v than="$1" '$1 > than { found = 1 } END { exit !found }' "$GUEST_TMP/watched"; }
