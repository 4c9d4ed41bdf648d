#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Somebody else writes the knob: stand aside, say who, resume when told.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_swap 256M
guest_cgroup rival $((32 << 20))
knob=$GUEST_CGROUP/memory.swappiness
echo 50 >"$knob"
holds() { [ "$(cat "$knob")" = "$1" ]; }
target() { swaptend status --json | jq -r ".targets[0].$1"; }
stands_aside() { [ "$(target is_standing_aside)" = true ]; }
writes() { bash -c 'echo $$; echo "$1" >"$0"' "$knob" "$1"; }

start_swaptend --target "$GUEST_CGROUP,law=static:90"
wait_until 2000 holds 90
pid=$(writes 30)
check 'notices within one interval (100 ms, and 50 for looking)' wait_until 150 stands_aside
is 'shows the value' "$(target foreign_write.swappiness)" 30
is 'shows who wrote it' "$(target foreign_write.pid)" "$pid"
is 'leaves it' "$(cat "$knob")" 30
is 'says so once' "$(grep -c 'reason=foreign_write' "$SWT_LOG")" 1
writes 35 >/dev/null
in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 64 --seconds 1 >/dev/null
is 'never writes while it stands aside' "$(cat "$knob")" 35
is 'and still says so once' "$(grep -c 'reason=foreign_write' "$SWT_LOG")" 1

kill -HUP "$SWT_PID"
check 'resumes on SIGHUP' wait_until 2000 holds 90
is 'no longer stands aside' "$(target is_standing_aside)" false
stop_swaptend
is 'the value found then is the original now' "$(cat "$knob")" 35

start_swaptend --target "$GUEST_CGROUP,law=static:90"
wait_until 2000 holds 90
writes 40 >/dev/null
wait_until 1000 stands_aside
stop_swaptend
is 'their value stays when it ends' "$(cat "$knob")" 40

start_swaptend --target "$GUEST_CGROUP,law=static:90" --resume-after-s 1
wait_until 2000 holds 90
writes 45 >/dev/null
wait_until 1000 stands_aside
check 'resumes after resume-after-s' wait_until 3000 holds 90
stop_swaptend
is 'and restores what it found' "$(cat "$knob")" 45

# A script that writes every 50 ms wins every time: no write war.
start_swaptend --target "$GUEST_CGROUP,law=static:90"
wait_until 2000 holds 90
for value in 20 21 22 23 24 25; do
	writes $value >/dev/null
	sleep 0.05
done
is 'no write war' "$(cat "$knob")" 25
is 'one write of ours in all' "$(target writes)" 1
stop_swaptend
finish
