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
# Idle is when nothing reclaims and no cgroup is made beside ours, both of which
# the kernel tells; another user of this machine may spoil a window.
events() { grep -E '^pgscan_(anon|file) ' /proc/vmstat; stat -c %y "$GUEST_MEMORY"; }
spoilt=0
for _ in 1 2 3; do
	seen=$(events) before=$(field voluntary_ctxt_switches)
	sleep 30
	woken=$(($(field voluntary_ctxt_switches) - before))
	[ "$woken" != 0 ] && [ "$seen" != "$(events)" ] || break
	spoilt=$((spoilt + 1))
done
if [ "$woken" != 0 ] && [ "$spoilt" = 3 ]; then
	skip 'sleeps through 30 idle seconds' 'somebody else reclaimed memory or made cgroups in each of three windows'
else
	is 'sleeps through 30 idle seconds' "$woken" 0
fi
rss=$(field VmRSS)
check "is resident with less than 8 MiB ($rss KiB)" test "$rss" -lt 8192
stop_swaptend

# Little memory for itself: its own group is limited to 16 MiB.
guest_cgroup small $((16 << 20))
# shellcheck disable=SC2016 # meant for the inner shell
SWT_WRAP=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GUEST_CGROUP")
check 'starts within 16 MiB' start_swaptend --target "$GUEST_CGROUP"
check 'and lives' kill -0 "$SWT_PID"
stop_swaptend
is 'and ends well' "$SWT_STATUS" 0
finish
