#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The real binary with what the shipped systemd unit leaves it: its
# capabilities, no new privileges, and a file system that is read-only but for
# /proc, /sys, /dev and the runtime directory.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command setpriv
guest_temp
guest_swap 64M
guest_save_sysctl
unit=dist/systemd/swaptend.service
holds() { [ "$(cat /proc/sys/vm/swappiness)" = "$1" ]; }

if command -v systemd-analyze >/dev/null; then
	# It wants what ExecStart names; the manual pages are not installed here.
	sed "s|/usr/sbin/swaptend|$PWD/$SWAPTEND|; /^Documentation=/d" $unit >"$GUEST_TMP/swaptend.service"
	check 'systemd accepts the unit' systemd-analyze verify "$GUEST_TMP/swaptend.service"
else
	skip 'systemd accepts the unit' 'systemd-analyze is missing'
fi

capabilities=$(sed -n 's/^CapabilityBoundingSet=//p' $unit | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
check 'the unit names its capabilities' test -n "$capabilities"
SWT_RUN_DIR=/run/swaptend
mkdir -p /run && mount -t tmpfs -o mode=755 none /run
mkdir -m 700 /run/swaptend
# Everything that is the root file system becomes read-only, as under
# ProtectSystem=strict; only this test's mount namespace sees it.
guest_tmp_before=$guest_tmp
guest_tmp=/run/log
mkdir /run/log
mount -o remount,bind,ro / 2>/dev/null || mount --bind / / && mount -o remount,bind,ro /
check 'the root file system is read-only now' bash -c '! touch /swaptend-probe 2>/dev/null'
SWT_WRAP=(setpriv --bounding-set "-all,$capabilities" --inh-caps "-all" --no-new-privs --)
check 'starts with what the unit leaves it' start_swaptend --law static:61
check 'applies' wait_until 2000 holds 61
is 'pins' "$(ls /sys/fs/bpf/swaptend | wc -l)" 5
is 'has no new privileges' "$(awk '/^NoNewPrivs/ { print $2 }' "/proc/$SWT_PID/status")" 1
stop_swaptend KILL
check 'restore works under the unit, too' "${SWT_WRAP[@]}" "$SWAPTEND" restore --run-dir "$SWT_RUN_DIR"
is 'the original is back' "$(cat /proc/sys/vm/swappiness)" "$GUEST_SWAPPINESS"
guest_tmp=$guest_tmp_before
mount -o remount,bind,rw / 2>/dev/null
umount -l /run
finish
