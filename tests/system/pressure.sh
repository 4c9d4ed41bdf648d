#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Real reclaim in a limited cgroup moves its knob, in time, and quiet does not.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command jq
guest_swap 512M
guest_cgroup hot $((48 << 20))
knob=$GUEST_CGROUP/memory.swappiness
echo 60 >"$knob"
global=$(cat /proc/sys/vm/swappiness)

start_swaptend --target "$GUEST_CGROUP" || { not_ok 'starts on a cgroup'; finish; }
ok 'starts on a cgroup'

# The limit's first refusal is where its reclaim begins.
start_in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 96 --seconds 60
began= raised=
ends=$(($(guest_now_ms) + 10000))
while [ "$(guest_now_ms)" -lt "$ends" ]; do
	read -r failures <"$GUEST_CGROUP/memory.failcnt"
	read -r value <"$knob"
	[ -n "$began" ] || [ "$failures" = 0 ] || began=$(guest_now_ms)
	[ "$value" -le 60 ] || { raised=$(guest_now_ms); break; }
done
if [ -n "$raised" ] && [ $((raised - began)) -le 200 ]; then
	ok "raises the knob within 200 ms of the first pass ($((raised - began)) ms)"
else
	not_ok 'raises the knob within 200 ms of the first pass' "began $began raised $raised value $value"
fi

target() { swaptend status --json | jq -r ".targets[0].$1"; }
reached_priority_0() { [ "$(target 'reclaim.passes.memcg["0"]')" -gt 0 ]; }
wait_until 20000 reached_priority_0
is 'sees reclaim at its last attempt, priority 0' "$(reached_priority_0 && echo yes)" yes
is 'counts none of it for kswapd' "$(target 'reclaim.passes.kswapd | add')" 0
passes_at_full_distress() { [ "$(target distress_pct)" = 100 ]; }
check 'shows distress 100' wait_until 10000 passes_at_full_distress
is 'names the law' "$(target law)" kolivas
is 'keeps the original' "$(target original)" 60
is 'takes the range of the knob as the ceiling' "$(target max)" 200
is 'leaves vm.swappiness alone' "$(cat /proc/sys/vm/swappiness)" "$global"

guest_end "$GUEST_PID"
quiet() { [ "$(target reclaim.last_pass_age_ms)" -gt 500 ]; }
wait_until 10000 quiet
before=$(target writes) value=$(cat "$knob")
sleep 2
is 'writes nothing when it is quiet' "$(target writes)" "$before"
is 'lets the value be when it is quiet' "$(cat "$knob")" "$value"
is 'the knob holds what status says when it is quiet' "$(target swappiness)" "$value"
check 'logged the change with its reason' grep -q "swappiness 60→.*reason=tendency_high.*dry_run=0" "$SWT_LOG"

stop_swaptend TERM
is 'exits with 0' "$SWT_STATUS" 0
is 'puts the original back' "$(cat "$knob")" 60
is 'leaves no pins' "$(ls /sys/fs/bpf | grep -c swaptend)" 0
is 'leaves no journal' "$(ls "$SWT_RUN_DIR" | grep -c journal)" 0

# On cgroup v1 the global knob does not rule a group's limit.
guest_save_sysctl
start_swaptend --target system || { not_ok 'starts on the system'; finish; }
in_cgroup "$GUEST_CGROUP" "$LOAD" --hog-mb 96 --seconds 2 >/dev/null
is 'the system sees the passes of a limit' "$(swaptend status --json | jq '.targets[0].reclaim.passes.memcg | add > 0')" true
is 'but its law does not count them' "$(target passes)" 0
is 'and vm.swappiness stays' "$(cat /proc/sys/vm/swappiness)" "$GUEST_SWAPPINESS"
stop_swaptend
finish
