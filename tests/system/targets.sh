#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Groups are born, match, and vanish while it runs.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_swap 256M
guest_cgroup farm $((64 << 20))
farm=$GUEST_CGROUP
top=/${farm##*/}
add() { mkdir "$farm/$1" && on_exit guest_remove_group "$farm/$1"; }
holds() { [ "$(cat "$farm/$1/memory.swappiness")" = "$2" ]; }
paths() { swaptend status --json | jq -r '[.targets[].path] | sort | join(" ")'; }
paths_are() { [ "$(paths)" = "$1" ]; }
add one
echo 11 >"$farm/one/memory.swappiness"

start_swaptend --target "$top/*,law=static:90,min=5,max=80" --target "$top/two,law=static:20"
check 'takes in what matches' wait_until 2000 holds one 80
is 'within its own ceiling' "$(cat "$farm/one/memory.swappiness")" 80
add two
check 'takes in a group born later' wait_until 2000 holds two 80
is 'the first pattern that matches counts' "$(paths)" "$top/one $top/two"
check 'leaves their parent alone' test "$(cat "$farm/memory.swappiness")" != 80
rmdir "$farm/two"
check 'drops a group that vanished' wait_until 2000 paths_are "$top/one"
is 'without a word at the default level' "$(grep -c "$top/two.*vanish" "$SWT_LOG")" 0
# A group that vanishes under pressure, with its row and its knob.
add three
wait_until 2000 holds three 80
in_cgroup "$farm/three" "$LOAD" --hog-mb 96 --seconds 1 >/dev/null 2>&1
guest_remove_group "$farm/three"
check 'goes on after a group vanished under pressure' wait_until 2000 paths_are "$top/one"
# Born again under the same name: another group.
add three
echo 33 >"$farm/three/memory.swappiness"
check 'takes in a group of the same name' wait_until 2000 holds three 80
# Gone and born again at once, as when a container restarts.
rmdir "$farm/three" && mkdir "$farm/three"
echo 33 >"$farm/three/memory.swappiness"
check 'takes in a group born again at once' wait_until 2000 holds three 80
pid=$(bash -c 'echo $$; echo 44 >"$0"' "$farm/three/memory.swappiness")
three() { swaptend status --json | jq -r --arg p "$top/three" ".targets[] | select(.path == \$p) | $1"; }
three_stands_aside() { [ "$(three .is_standing_aside)" = true ]; }
check 'and still sees who else writes it' wait_until 1000 three_stands_aside
is 'by pid' "$(three .foreign_write.pid)" "$pid"
check 'is still running' kill -0 "$SWT_PID"
stop_swaptend
is 'check tells of groups that the global knob does not reach' "$("$SWAPTEND" check --json |
	jq -r '.findings[] | select(.id == "cgroup-values") | .state')" warn
is 'each gets its own value back' "$(cat "$farm/one/memory.swappiness")" 11

# Somebody who writes one group all the time ends nothing.
bash -c 'while :; do echo 21 >"$0"; echo 22 >"$0"; done' "$farm/three/memory.swappiness" 2>/dev/null &
writer=$!
on_exit guest_end "$writer"
for _ in 1 2 3 4 5; do
	start_swaptend --target "$top/*,law=static:90" || break
	wait_until 2000 holds one 90
	guest_is_gone "$SWT_PID" && break
	stop_swaptend
done
is 'starts and ends beside a furious writer' "$SWT_STATUS" 0
is 'controls the others meanwhile, and restores them' "$(cat "$farm/one/memory.swappiness")" 11
guest_end "$writer"

# More groups than file descriptors: the rest is controlled.
SWT_WRAP=(prlimit --nofile=64 --)
check 'starts with few file descriptors' start_swaptend --target "$top/**,law=static:90"
for i in $(seq 40); do mkdir "$farm/many-$i" && on_exit guest_remove_group "$farm/many-$i"; done
any_holds() { grep -qx 90 "$farm"/many-*/memory.swappiness; }
check 'takes in what it can' wait_until 3000 any_holds
said() { grep -q 'Too many open files' "$SWT_LOG"; }
check 'says what stands in its way' wait_until 3000 said
check 'and lives' kill -0 "$SWT_PID"
is 'and keeps what it had' "$(cat "$farm/one/memory.swappiness")" 90
stop_swaptend
is 'and restores it' "$(cat "$farm/one/memory.swappiness")" 11
finish
