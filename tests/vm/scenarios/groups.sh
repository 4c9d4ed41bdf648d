#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# cgroup v1: pressure inside one group of three is that group's and nobody
# else's, and only its knob moves.
# shellcheck disable=SC2154 # the groups' variables are declared by name
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
guest_temp
guest_swap 160M
guest_save_sysctl
global=$GUEST_SWAPPINESS
names='left middle right'
for name in $names; do
	guest_cgroup "$name" $((24 << 20))
	declare "$name=$GUEST_CGROUP"
	echo 60 >"$GUEST_CGROUP/memory.swappiness"
done
knobs() { cat "$left/memory.swappiness" "$middle/memory.swappiness" "$right/memory.swappiness" | paste -s -d ' '; }
group() { swaptend status --json | jq -r --arg p "/${!1##*/}" ".targets[] | select(.path == \$p) | .$2"; }
passes() { group "$1" 'reclaim.passes | [.kswapd, .direct, .memcg] | map(add) | add'; }
rises() { [ "$(cat "$1/memory.swappiness")" -gt 60 ]; }
# The limit's own count of how often it was hit.
hits() { cat "${!1}/memory.failcnt"; }

start_swaptend --target '/swaptend-test-*' || { not_ok 'starts on three groups'; finish; }
is 'starts on three groups' "$(swaptend status --json | jq '.targets | length')" 3
# A group has an identity that others can see.
for name in $names; do
	is "$name has the id of its directory" "$(group "$name" cgroup_id)" "$(stat -c %i "${!name}")"
done
# Its neighbours are at work too, within their limits.
for name in left right; do
	start_in_cgroup "${!name}" "$LOAD" --anon-mb 8 --seconds 60
	neighbours+=" $GUEST_PID"
done
start_in_cgroup "$middle" "$LOAD" --hog-mb 48 --seconds 60
check 'the knob of the one under pressure rises' wait_until 20000 rises "$middle"
check 'for a reason that is logged' wait_until 2000 grep -q "target='/${middle##*/}' swappiness 60→.*reason=tendency_high" "$SWT_LOG"
check 'its passes are its own' test "$(passes middle)" -gt 0
is 'none of them is of kswapd, or for the machine' "$(group middle 'reclaim.passes | [.kswapd, .direct] | map(add) | add')" 0
check 'its limit was hit, as the kernel says' test "$(hits middle)" -gt 0
for name in left right; do
	is "$name hit no limit, as the kernel says" "$(hits $name)" 0
	is "$name has no pass" "$(passes $name)" 0
	is "$name keeps its knob" "$(cat "${!name}/memory.swappiness")" 60
	is "$name was not written" "$(group $name writes)" 0
done
is 'vm.swappiness stays' "$(swappiness)" "$global"
guest_end "$GUEST_PID"

# Another one, while the first is quiet.
start_in_cgroup "$right" "$LOAD" --hog-mb 48 --seconds 60
check 'the next one rises when it is its turn' wait_until 20000 rises "$right"
is 'the neighbour still keeps its knob' "$(cat "$left/memory.swappiness")" 60
is 'nothing was lost' "$(swaptend status --json | jq -c '[.lost[]] | add')" 0
guest_end "$GUEST_PID"
stop_swaptend TERM
is 'ends well' "$SWT_STATUS" 0
is 'all get their own value back' "$(knobs)" '60 60 60'
finish
