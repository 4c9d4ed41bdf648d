#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# SIGHUP reads the settings again; a bad file keeps the old ones and says so.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_temp
guest_swap 64M
guest_cgroup reload $((32 << 20))
knob=$GUEST_CGROUP/memory.swappiness
conf=$GUEST_TMP/swaptend.conf
echo 50 >"$knob"
holds() { [ "$(cat "$knob")" = "$1" ]; }
logged() { grep -q "$1" "$SWT_LOG"; }
settings() { printf '[swaptend]\n%s\n[target %s]\n%s\n' "$1" "/${GUEST_CGROUP##*/}" "$2" >"$conf"; }

settings '' 'law = static:70'
start_swaptend --config "$conf"
check 'a target of the file is controlled' wait_until 2000 holds 70
settings '' 'law = static:80'
kill -HUP "$SWT_PID"
check 'SIGHUP takes the new law' wait_until 2000 holds 80
settings '' 'law = static:90
mxa = 10'
kill -HUP "$SWT_PID"
check 'a bad file is named with its line' wait_until 2000 logged 'swaptend.conf:5'
check 'and the old settings are kept' logged 'keeping the old'
is 'the value stays' "$(cat "$knob")" 80
rm "$conf"
kill -HUP "$SWT_PID"
check 'a file that is gone is named' wait_until 2000 logged 'No such file'
is 'the value still stays' "$(cat "$knob")" 80
printf '[swaptend]\nlaw = static:33\n[target /swaptend-test-%s-none]\nmin = 2\n' $$ >"$conf"
kill -HUP "$SWT_PID"
check 'a target that is no longer meant gets its value back' wait_until 2000 holds 50
is 'the system is no target' "$(swaptend status --json | jq -c '[.targets[].path]')" '[]'
printf '[swaptend]\nlaw = static:33\n[target system]\n' >"$conf"
guest_save_sysctl
kill -HUP "$SWT_PID"
system_holds() { [ "$(cat /proc/sys/vm/swappiness)" = "$1" ]; }
check 'the system becomes a target' wait_until 2000 system_holds 33
settings '' 'law = static:80'
kill -HUP "$SWT_PID"
check 'and is none any more' wait_until 2000 system_holds "$GUEST_SWAPPINESS"
check 'the group is one again' wait_until 2000 holds 80
is 'status shows the group alone' "$(swaptend status --json | jq -c '[.targets[].path]')" "[\"/${GUEST_CGROUP##*/}\"]"
check 'is still running' kill -0 "$SWT_PID"
stop_swaptend
is 'exits with 0' "$SWT_STATUS" 0
finish
