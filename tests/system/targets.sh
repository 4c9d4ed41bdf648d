#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Groups are born, match, and vanish while it runs.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_swap 256M
guest_cgroup farm $((64 << 20))
farm=$GUEST_CGROUP
name=/${farm##*/}
add() { mkdir "$farm/$1" && on_exit guest_remove_group "$farm/$1"; }
holds() { [ "$(cat "$farm/$1/memory.swappiness")" = "$2" ]; }
paths() { swaptend status --json | jq -r '[.targets[].path] | sort | join(" ")'; }
paths_are() { [ "$(paths)" = "$1" ]; }
add one
echo 11 >"$farm/one/memory.swappiness"

start_swaptend --target "$name/*,law=static:90,min=5,max=80" --target "$name/two,law=static:20"
check 'takes in what matches' wait_until 2000 holds one 80
is 'within its own ceiling' "$(cat "$farm/one/memory.swappiness")" 80
add two
check 'takes in a group born later' wait_until 2000 holds two 80
is 'the first pattern that matches counts' "$(paths)" "$name/one $name/two"
check 'leaves their parent alone' test "$(cat "$farm/memory.swappiness")" != 80
rmdir "$farm/two"
check 'drops a group that vanished' wait_until 2000 paths_are "$name/one"
is 'without a word at the default level' "$(grep -c "$name/two.*vanish" "$SWT_LOG")" 0
# A group that vanishes under pressure, with its row and its knob.
add three
wait_until 2000 holds three 80
in_cgroup "$farm/three" "$LOAD" --hog-mb 96 --seconds 1 >/dev/null 2>&1
guest_remove_group "$farm/three"
check 'goes on after a group vanished under pressure' wait_until 2000 paths_are "$name/one"
# Born again under the same name: another group.
add three
echo 33 >"$farm/three/memory.swappiness"
check 'takes in a group of the same name' wait_until 2000 holds three 80
check 'is still running' kill -0 "$SWT_PID"
stop_swaptend
is 'check tells of groups that the global knob does not reach' "$("$SWAPTEND" check --json |
	jq -r '.findings[] | select(.id == "cgroup-values") | .state')" warn
is 'each gets its own value back' "$(cat "$farm/one/memory.swappiness")" 11
finish
