#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# No swap, then swap, then none again, without a restart.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
[ "$(wc -l </proc/swaps)" = 1 ] || guest_skip_all 'swap comes and goes' 'this machine has swap, which is not ours to switch off'
guest_zram 256M
guest_cgroup swap $((32 << 20))
knob=$GUEST_CGROUP/memory.swappiness
echo 50 >"$knob"
holds() { [ "$(cat "$knob")" = "$1" ]; }
target() { swaptend status --json | jq -r ".targets[0].$1"; }
says() { [ "$(grep -c "$1" "$SWT_LOG")" = "$2" ]; }

start_swaptend --target "$GUEST_CGROUP,law=static:90"
check 'says that there is no swap' says 'no effect without swap' 1
is 'writes nothing without swap' "$(cat "$knob")" 50
is 'shows the reason' "$(target reason)" no_swap
in_cgroup "$GUEST_CGROUP" "$LOAD" --write "$GUEST_TMP/file" --write-mb 128 >/dev/null
is 'reclaim without swap changes nothing' "$(cat "$knob")" 50
is 'and it is said once' "$(grep -c 'no effect without swap' "$SWT_LOG")" 1
is 'no anonymous page was aged' "$(target reclaim.aged_anon_no_swap_pages)" 0

swapon "$GUEST_SWAP"
check 'starts to control on swapon' wait_until 2000 holds 90
swapoff "$GUEST_SWAP"
check 'says so on swapoff' wait_until 2000 says 'no effect without swap' 2
check 'is still running' kill -0 "$SWT_PID"
stop_swaptend
is 'restores without swap, too' "$(cat "$knob")" 50
finish
