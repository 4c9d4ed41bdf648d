#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# No reclaim, no wake-up; small; attached quickly.
. tests/lib/guest.sh
guest_bpffs "$@"
guest_swap 64M
guest_cgroup idle $((32 << 20))
start_swaptend --target "$GUEST_CGROUP"
field() { awk -v k="$1:" '$1 == k { print $2 }' "/proc/$SWT_PID/status"; }
is 'has one thread' "$(field Threads)" 1
before=$(field voluntary_ctxt_switches)
sleep 30
is 'sleeps through 30 idle seconds' $(($(field voluntary_ctxt_switches) - before)) 0
rss=$(field VmRSS)
check "is resident with less than 8 MiB ($rss KiB)" test "$rss" -lt 8192
stop_swaptend
finish
