#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The pinned maps, as bpftool shows them; stale pins; pinning is optional.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq bpftool
pins=/sys/fs/bpf/swaptend
guest_swap 256M
guest_cgroup maps $((32 << 20))
id=$(stat -c %i "$GUEST_CGROUP")

start_swaptend --target system --target "$GUEST_CGROUP" --observe
in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 64 --seconds 2 >/dev/null
dump() { bpftool map dump pinned "$pins/$1" -j; }
is 'pins five maps' "$(ls $pins | sort | tr '\n' ' ')" 'cost law lost reclaim targets '
is 'for root alone' "$(stat -c %a $pins $pins/law | tr '\n' ' ')" '700 600 '
row=$(dump reclaim | jq -c ".[] | select(.formatted.key == $id) | .formatted.values")
is 'reclaim has a row of the group, per CPU' "$(jq 'length' <<<"$row")" "$(nproc --all)"
check 'with named counters' jq -e '[.[].value.passes[2][]] | add > 0' <<<"$row"
check 'and pages scanned' jq -e '[.[].value.scanned_pages[]] | add > 0' <<<"$row"
is 'and one of the system' "$(dump reclaim | jq '[.[] | select(.formatted.key == 0)] | length')" 1
is 'law names the law' "$(dump law | jq -r '.[0].formatted.value.law')" kolivas
is 'law names the process' "$(dump law | jq -r '.[0].formatted.value.pid')" "$SWT_PID"
is 'targets names the group' "$(dump targets | jq -r '.[0].formatted.value.path')" "/${GUEST_CGROUP##*/}"
is 'lost has no losses' "$(dump lost | jq '[.[].formatted.values[].value] | add')" 0

stop_swaptend KILL
is 'a killed run leaves its pins' "$(ls $pins | wc -l)" 5
is 'status reads them without it' "$(swaptend status --json | jq -c '[.is_running, .has_maps]')" '[false,true]'
start_swaptend --observe --verbose
is 'the next run replaces them' "$(dump law | jq -r '.[0].formatted.value.pid')" "$SWT_PID"
check 'and says whose they were' grep -q 'left pinned' "$SWT_LOG"
stop_swaptend

start_swaptend --observe --tlb
is 'with --tlb there are three more' "$(ls $pins | sort | tr '\n' ' ')" 'cost law lost reclaim targets tlb tlb_about tlb_senders '
flushes() { dump tlb | jq '[.[].formatted.values[].value.flushes[][].events] | add'; }
have_flushed() { [ "$(flushes)" -gt 0 ]; }
# Whoever unmaps memory flushes: each process that ends, for one.
check 'which count flushes' wait_until 10000 have_flushed
counts_for() { swaptend tlb --json "$@" -- true | jq '.overhead.controller_pid'; }
is 'swaptend tlb reads them' "$(counts_for)" "$SWT_PID"
is 'or counts itself what is not in them' "$(counts_for --task-switch)" null
stop_swaptend
is 'and go with it' "$(ls $pins 2>/dev/null | wc -l)" 0
is 'then swaptend tlb counts itself' "$(counts_for)" null

# Pins of another shape, as an older version would have left.
mkdir -m 700 $pins
bpftool map create $pins/law type array key 4 value 8 entries 1 name law
swaptend status >"$GUEST_TMP/out" 2>&1
is 'status refuses the maps of another version (1)' $? 1
check 'in plain words' grep -q 'another version' "$GUEST_TMP/out"
start_swaptend --observe --verbose
check 'run replaces them' test "$(dump law | jq -r '.[0].formatted.value.abi_version')" = 2
stop_swaptend
is 'a clean end leaves no pins' "$(ls /sys/fs/bpf | grep -c swaptend)" 0

start_swaptend --observe --no-pin
is '--no-pin pins nothing' "$(ls /sys/fs/bpf | grep -c swaptend)" 0
is 'status says that it runs all the same' "$(swaptend status --json | jq -c '[.is_running, .has_maps]')" '[true,false]'
stop_swaptend
umount /sys/fs/bpf
check 'works without a bpf file system' start_swaptend --observe
check 'and says how to have one' grep -q 'mount -t bpf' "$SWT_LOG"
stop_swaptend
finish
