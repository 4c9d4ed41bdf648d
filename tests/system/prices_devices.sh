#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Prices of devices of a known speed, and what the law `cost` makes of them.
. tests/lib/guest.sh
. tests/lib/devices.sh
guest_bpffs "$@"
need_command jq losetup mkfs.ext4 mkswap
need_blkio
LOAD_SHIFT=${LOAD_SHIFT:-build/tests/load_shift}
IOPS=300
# The throttle lets through what a fifth of a second allows, then nothing: few
# enough that no bio is left out as one of too many.
FILE_IOPS=40

device_claim_swap "${PRICES_WAIT_S:-30}"
guest_cgroup prices $((200 << 20))
knob=$GUEST_CGROUP/memory.swappiness
device_slow_loop slow 256
slow=$GUEST_LOOP slow_lower=$GUEST_LOWER slow_id=$(device_id "$GUEST_LOOP")
device_image files 512
device_loop "$GUEST_IMAGE"
files=$GUEST_LOOP

target() { swaptend status --json | jq -r ".targets[0].$1"; }
price() { target "prices.$1"; }
# files_of COUNTER: "file_read file_refault" of the slow disk.
files_of() {
	swaptend status --json | jq -r --arg id "$slow_id" --arg what "$1" '
		[.devices[]? | select(.device == $id)][0]
		| "\(.file_read[$what] // 0) \(.file_refault[$what] // 0)"'
}
# By swaptend itself: others may swap on our device.
read_bytes() { awk '/^read_bytes/ { print $2 }' "/proc/$SWT_PID/io"; }
reads_of() {
	local reads rest

	read -r reads rest < <(device_ios "$1")
	echo "$reads"
}
# within NAME GOT LOW HIGH
within() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1 ($2 of $3..$4)"
	else
		not_ok "$1" "got $2, want $3..$4"
	fi
}
start() {
	start_swaptend "$@" && return
	not_ok 'starts'
	finish
}
# start_load OPTIONS...: in the group, filled and warm.
start_load() {
	# shellcheck disable=SC2016 # meant for the inner shell
	start_in_cgroup "$GUEST_CGROUP" bash -c 'exec "$@" >"$0"' \
		"$GUEST_TMP/load" "$LOAD_SHIFT" "$@"
	wait_until 30000 grep -q ready "$GUEST_TMP/load" && return
	not_ok 'the load gets ready'
	finish
}

# --- a slow disk's files ---

device_mount "$slow"
"$LOAD" --write "$GUEST_FILES/random" --write-mb 64 >/dev/null
device_forget_files "$slow"
start --observe --target system
# Any reclaim will do, to have it look.
in_cgroup "$GUEST_CGROUP" "$LOAD" --write "$GUEST_TMP/written" --write-mb 256 >/dev/null
device_iops "$slow_lower" $FILE_IOPS
# measure_files: sets reads, and of swaptend bios, pages, ns.
measure_files() {
	local before bios_0 refaults_0 pages_0 ns_0 refaults

	before=$(reads_of "$slow")
	read -r bios_0 refaults_0 < <(files_of bios_estimate)
	read -r pages_0 _ < <(files_of sampled_pages)
	read -r ns_0 _ < <(files_of sampled_ns)
	in_cgroup "$GUEST_CGROUP" "$LOAD_SHIFT" --file "$GUEST_FILES/random" \
		--phase 5:0:random >/dev/null
	reads=$(($(reads_of "$slow") - before))
	read -r bios refaults < <(files_of bios_estimate)
	read -r pages _ < <(files_of sampled_pages)
	read -r ns _ < <(files_of sampled_ns)
	bios=$((bios - bios_0 + refaults - refaults_0))
	pages=$((pages - pages_0)) ns=$((ns - ns_0))
}
# Where others keep the CPUs at I/O, too few of ours are among the samples.
for _ in 1 2 3; do
	measure_files
	[ "$pages" -lt $((reads * 70 / 100)) ] || break
done
within "a disk of $FILE_IOPS reads a second makes in 5 s" "$reads" $((FILE_IOPS * 3)) $((FILE_IOPS * 7))
within 'and all are counted' "$bios" $((reads * 70 / 100)) $((reads * 130 / 100))
# Of file_read alone, one after the other.  ext4's own blocks, which it reads
# some at a time after a mount, are among the others.
if [ "$pages" -ge $((reads * 70 / 100)) ]; then
	within 'and a page of it costs ns' $((ns / pages)) \
		$((600000000 / FILE_IOPS)) $((1400000000 / FILE_IOPS))
else
	skip 'and a page of it costs ns' "others on this machine do so much I/O that $pages of $reads were sampled"
fi
device_iops "$slow_lower" 0
stop_swaptend
device_unmount
rm "$GUEST_TMP/written"

# --- zram and fast files ---

device_mount "$files"
"$LOAD" --write "$GUEST_FILES/large" --write-mb 160 >/dev/null
"$LOAD" --write "$GUEST_FILES/small" --write-mb 60 >/dev/null
# Or the group would find them in the page cache, charged to others.
device_forget_files "$files"
guest_swap 512M $SWAP_PRIORITY
echo 60 >"$knob"
start --target "$GUEST_CGROUP" --law cost
start_load --anon-mb 120 --file "$GUEST_FILES/large" --warm --phase 60:2:random
rises() { [ "$(cat "$knob")" -gt 150 ]; }
check 'zram and cold anonymous memory: above 150 within 15 s' wait_until 15000 rises
# The load goes on, and with it the value: at one moment both are the same.
agrees() { [ "$(target swappiness)" = "$(cat "$knob")" ]; }
check 'it says what the knob holds' wait_until 2000 agrees
both_measured() { [ "$(price swap_in_source)/$(price file_read_source)" = measured/measured ]; }
check 'both prices are measured' wait_until 15000 both_measured
guest_end "$GUEST_PID"
zram_ns=$(price swap_in_ns)
within 'a swap-in from zram costs' "$zram_ns" 400 1000000
check 'its log line tells the prices' \
	grep -qE "swappiness 60→.*reason=price .*swap_in_ns=[1-9][0-9]* file_read_ns=[1-9]" "$SWT_LOG"
stop_swaptend
is 'restores the knob' "$(cat "$knob")" 60
device_swap_off "$GUEST_SWAP"

# --- swap on a slow disk ---

device_swap "$slow"
start --observe --target "$GUEST_CGROUP" --law cost --no-probe
is '--no-probe reads no block device' "$(read_bytes)" 0
is 'and takes it for an average one' "$(price swap_in_source)" prior
stop_swaptend

echo $((100 << 20)) >"$GUEST_CGROUP/memory.limit_in_bytes"
# Filled before it is slow, which would take minutes.
start_load --anon-mb 120 --file "$GUEST_FILES/small" --warm --phase 60:50:random
device_iops "$slow_lower" $IOPS
start --target "$GUEST_CGROUP" --law cost
first=$(price swap_in_source) first_ns=$(price swap_in_ns)
check 'the first price is one probed or measured' eval '[ "$first" = probed ] || [ "$first" = measured ]'
# Not more: the first reads after a rest are let through.
within 'of a read and a write' "$first_ns" 4000 100000000
falls() { [ "$(cat "$knob")" -lt 30 ]; }
check 'slow swap: below 30 within 15 s' wait_until 15000 falls
check 'and both prices get measured' wait_until 15000 both_measured
# The throttle lets some through at full speed before it makes them wait.
is_dear() { [ "$(price swap_in_ns)" -gt 1000000 ]; }
check 'a swap-in costs more than 1 ms' wait_until 20000 is_dear
check 'and it is still below 30' wait_until 5000 falls
check 'that is more than of zram' test "$(price swap_in_ns)" -gt $((zram_ns * 10))
check 'its log line tells the prices, too' grep -qE 'swap_in_ns=[1-9][0-9]* file_read_ns=[1-9]' "$SWT_LOG"
device_iops "$slow_lower" 0
guest_end "$GUEST_PID"
stop_swaptend
is 'restores the knob again' "$(cat "$knob")" 60

start --observe --target "$GUEST_CGROUP" --law cost
within 'the probe reads a few pages' $(($(read_bytes) / 4096)) 8 64
is 'and gives the first price' "$(price swap_in_source)" probed
stop_swaptend
is 'exits with 0' "$SWT_STATUS" 0
finish
