#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What is counted in `cost`, against what the devices themselves count: zram,
# files read for the first time and again, direct I/O, a swap file.
. tests/lib/guest.sh
. tests/lib/devices.sh
guest_bpffs "$@"
need_command jq losetup mkfs.ext4 mkswap
LOAD_SHIFT=${LOAD_SHIFT:-build/tests/load_shift}

device_claim_swap "${PRICES_WAIT_S:-30}"
guest_cgroup prices $((48 << 20))
device_image files 512
device_loop "$GUEST_IMAGE"
disk_id=$(findmnt -n -o MAJ:MIN -T "$GUEST_IMAGE")
files=$GUEST_LOOP files_id=$(device_id "$GUEST_LOOP")
device_mount "$files"
"$LOAD" --write "$GUEST_FILES/random" --write-mb 64 >/dev/null
"$LOAD" --write "$GUEST_FILES/cold" --write-mb 128 >/dev/null
fallocate -l 192M "$GUEST_FILES/swap" && chmod 600 "$GUEST_FILES/swap"

# cost_of DEVICE_ID IO COUNTER: so far.
cost_of() {
	swaptend status --json | jq -r --arg id "$1" --arg io "$2" --arg what "$3" \
		'[.devices[]? | select(.device == $id) | .[$io][$what]] | add // 0'
}
# All sampled bios of a device, whatever they are.
sampled_of() {
	swaptend status --json | jq -r --arg id "$1" \
		'[.devices[]? | select(.device == $id) | .[]? | .sampled_bios?] | map(. // 0) | add // 0'
}
passes() { swaptend status --json | jq '[.targets[0].reclaim.passes[][]] | add // 0'; }

# within NAME GOT LOW HIGH
within() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		ok "$1 ($2 of $3..$4)"
	else
		not_ok "$1" "got $2, want $3..$4"
	fi
}
# near NAME GOT WANT PCT
near() { within "$1" "$2" $(($3 * (100 - $4) / 100)) $(($3 * (100 + $4) / 100)); }

# begin_count DEVICE, then count_done DEVICE: what happened between the two, by
# the device in reads, writes, read_pages, written_pages, and by swaptend in
# new[swap_in ...] (bios), pages_of[...], ns_of[...] (a page).
snapshot() {
	swaptend status --json | jq -r --arg id "$1" '
		(.devices[]? | select(.device == $id)) // {}
		| ["swap_in", "swap_out", "file_read", "file_refault"][] as $io
		| [$io, (.[$io] // {} | .bios_estimate // 0, .sampled_bios // 0,
			.sampled_pages // 0, .sampled_ns // 0)] | @tsv'
}
declare -A new pages_of ns_of
begin_count() {
	began_ios=$(device_ios "$1")
	began_costs=$(snapshot "$(device_id "$1")")
}
count_done() {
	local io estimate bios pages ns was e0 b0 p0 n0 r0 rp0 rms0 w0 wp0 wms0 r rp rms w wp wms
	local -A before=()

	read -r r0 rp0 rms0 w0 wp0 wms0 <<<"$began_ios"
	read -r r rp rms w wp wms < <(device_ios "$1")
	reads=$((r - r0)) read_pages=$((rp - rp0))
	writes=$((w - w0)) written_pages=$((wp - wp0))
	read_ns=$((r > r0 ? (rms - rms0) * 1000000 / (r - r0) : 0))
	write_ns=$((w > w0 ? (wms - wms0) * 1000000 / (w - w0) : 0))
	while read -r io was; do before[$io]=$was; done <<<"$began_costs"
	while read -r io estimate bios pages ns; do
		read -r e0 b0 p0 n0 <<<"${before[$io]:-0 0 0 0}"
		new[$io]=$((estimate - e0)) pages_of[$io]=0 ns_of[$io]=0
		[ "$bios" -gt "$b0" ] || continue
		pages_of[$io]=$(((estimate - e0) * (pages - p0) / (bios - b0)))
		ns_of[$io]=$(((ns - n0) / (pages - p0)))
	done < <(snapshot "$(device_id "$1")")
	for io in swap_in swap_out file_read file_refault; do
		printf '# %s %s: %d bios, %d pages, %d ns a page\n' "$1" $io \
			"${new[$io]:-0}" "${pages_of[$io]:-0}" "${ns_of[$io]:-0}"
	done
	echo "# $1 by itself: $reads reads of $read_pages pages, $read_ns ns each; $writes writes of $written_pages, $write_ns ns each"
}

watch_prices() {
	start_swaptend --observe --target system && return
	not_ok 'starts'
	finish
}

# --- without reclaim ---

# Others reclaim, too: a few attempts at a moment when nobody did.
quiet=
for _ in 1 2 3 4 5; do
	device_forget_files "$files"
	watch_prices
	begin_count "$files"
	cat "$GUEST_FILES/cold" >/dev/null
	count_done "$files"
	sampled=$(sampled_of "$files_id")
	[ "$(passes)" != 0 ] || { quiet=1; break; }
	stop_swaptend
done
if [ -n "$quiet" ]; then
	within 'a file is read' "$read_pages" 32768 40000
	is 'without reclaim no bio is sampled' "$sampled" 0
else
	skip 'without reclaim no bio is sampled' 'others on this machine reclaim all the time'
	watch_prices
fi

# --- zram ---

guest_swap 256M "$SWAP_PRIORITY"
zram=$GUEST_SWAP
begin_count "$zram"
in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 96 --seconds 5 >/dev/null
count_done "$zram"
near 'swap-ins from zram are counted' "${new[swap_in]}" "$reads" 30
near 'swap-outs to zram are counted' "${new[swap_out]}" "$writes" 30
within 'a long enough load' "$reads" 5000 100000000
within 'a swap-in from zram takes' "${ns_of[swap_in]}" 200 1000000
within 'a swap-out to zram takes' "${ns_of[swap_out]}" 200 1000000
is 'no file is on it' "$((new[file_read] + new[file_refault]))" 0

# --- files ---

# Reads at random of more than fits, beside anonymous memory that could give way:
# most of what is missed was there before, and the kernel takes it for hot.
activated() { awk '/^workingset_activate_file/ { print $2 }' /proc/vmstat; }
device_forget_files "$files"
activated_before=$(activated)
begin_count "$files"
in_cgroup "$GUEST_CGROUP" "$LOAD_SHIFT" --anon-mb 24 --file "$GUEST_FILES/random" \
	--warm --phase 10:2:random >/dev/null
count_done "$files"
activations=$(($(activated) - activated_before))
check 'reclaim is at work now' test "$(passes)" -gt 0
near 'all reads of files are counted under their device' \
	$((new[file_read] + new[file_refault])) "$reads" 30
# The kernel's own count of those it took for hot, of the whole machine.
within 'the kernel takes many of them for hot' "$activations" 2000 100000000
near 'and those are the refaults' "${new[file_refault]}" "$activations" 30
within 'at the price of a disk' "${ns_of[file_refault]}" 2000 100000000
is 'none of them is swap' $((new[swap_in] + new[swap_out])) 0

device_forget_files "$files"
begin_count "$files"
disk_before=$(cost_of "$disk_id" file_read sampled_pages)
cat "$GUEST_FILES/cold" >/dev/null
count_done "$files"
near 'a cold file is file_read' "${pages_of[file_read]}" "$read_pages" 30
within 'and no refault' "${new[file_refault]}" 0 $((reads / 10))
within 'and not counted once more for the disk below' \
	$(($(cost_of "$disk_id" file_read sampled_pages) - disk_before)) 0 $((read_pages / 4))

dd if="$GUEST_FILES/cold" iflag=nocache count=0 status=none
begin_count "$files"
dd if="$GUEST_FILES/cold" of=/dev/null iflag=direct bs=64k status=none
count_done "$files"
near 'direct reads are made' "$read_pages" 32768 1
# ext4 may read what it must know of the file through the cache.
within 'and not counted' $((new[file_read] + new[file_refault] + new[swap_in])) 0 $((reads / 50))

# --- a swap file beside other files ---

device_swap_off "$zram"
device_swap "$GUEST_FILES/swap"
begin_count "$files"
in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 56 --seconds 5 >/dev/null
count_done "$files"
within 'the swap file is used' "$read_pages" 500 100000000
near 'swap-ins from a swap file are counted under its device' "${new[swap_in]}" "$read_pages" 30
# Sent off in long requests of many bios.
near 'swap-outs to it, too' "${new[swap_out]}" "$written_pages" 30
# Each of them has its share of the request's time.
write_page_ns=$((write_ns * writes / written_pages))
read_page_ns=$((read_ns * reads / read_pages))
within 'which take what the device says' "${ns_of[swap_out]}" $((write_page_ns / 3)) $((write_page_ns * 3))
within 'the swap-ins, too' "${ns_of[swap_in]}" $((read_page_ns / 3)) $((read_page_ns * 3))
within 'they are no file reads' $((new[file_read] + new[file_refault])) 0 $((reads / 50))
begin_count "$files"
in_cgroup "$GUEST_CGROUP" "$LOAD_SHIFT" --anon-mb 40 --file "$GUEST_FILES/random" \
	--warm --phase 4:50:random >/dev/null
count_done "$files"
near 'swap-ins and file reads together are what is read' \
	$((new[swap_in] + new[file_read] + new[file_refault])) "$reads" 30
within 'files beside it are files' $((new[file_read] + new[file_refault])) 100 100000000
device_swap_off "$GUEST_FILES/swap"
# Two bios in flight in one slot are lost, which is rare.
lost() { swaptend status --json | jq ".lost | $1"; }
is 'nothing was lost but samples' "$(lost 'del(.io_slot) | add')" 0
within 'and few of those' "$(lost .io_slot)" 0 $(($(sampled_of "$files_id") * 3 / 100))
stop_swaptend
is 'exits with 0' "$SWT_STATUS" 0
finish
