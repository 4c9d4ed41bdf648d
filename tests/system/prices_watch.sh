#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# /proc/swaps that cannot be polled, as where a container lays a file over it:
# swaptend says so, and reads it now and then.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_temp
guest_cgroup watch $((32 << 20))
swaps=$GUEST_TMP/swaps
printf 'Filename Type Size Used Priority\n' >"$swaps"
mount --bind "$swaps" /proc/swaps || guest_skip_all 'prices_watch' 'nothing can be mounted on /proc/swaps'
on_exit umount /proc/swaps
target() { swaptend status --json | jq -r ".targets[0].$1"; }

if ! start_swaptend --observe --target "$GUEST_CGROUP"; then
	not_ok 'starts'
	finish
fi
ok 'starts'
is 'says that it cannot watch, once' "$(grep -c '/proc/swaps cannot be watched' "$SWT_LOG")" 1
is 'there is no swap' "$(target prices.swap_in_ns)" null
# Not there, so that it has the price of its class.
printf '/dev/zram4711 partition 1000 0 -2\n' >>"$swaps"
press() { in_cgroup "$GUEST_CGROUP" "$LOAD" --write "$GUEST_TMP/file" --write-mb 64 >/dev/null; }
is_seen() { press; [ "$(target prices.swap_in_source)" = prior ]; }
check 'swap is noticed while reclaim works' wait_until 20000 is_seen
stop_swaptend
is 'exits with 0' "$SWT_STATUS" 0
finish
