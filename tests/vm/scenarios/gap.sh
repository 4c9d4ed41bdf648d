#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The machine stands still for a minute in the midst of pressure, as if it
# slept: no crash, no wild value, and then it goes on.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
GAP_S=60
guest_temp
vm_files 160
guest_swap 192M
guest_save_sysctl
original=$GUEST_SWAPPINESS

start_swaptend --law auto || { not_ok 'starts'; finish; }
vm_pressure 150
has_passes() { [ "$(target 'reclaim.passes | [.kswapd, .direct] | map(add) | add')" -gt 100 ]; }
check 'there is pressure' wait_until 30000 has_passes
decisions=$(target decisions)
passes=$(target passes)
before_ms=$(guest_now_ms)
# The host sees it on the second serial line.
echo "@@ gap $GAP_S" >/dev/ttyS1
time_jumped() { [ $(($(guest_now_ms) - before_ms)) -ge $((GAP_S * 1000)) ]; }
check 'the machine stood still' wait_until $((GAP_S * 2000)) time_jumped
echo "# | stood still for $(($(guest_now_ms) - before_ms)) ms of its clock"

check 'still runs' kill -0 "$SWT_PID"
decides() { [ "$(target decisions)" -gt "$decisions" ]; }
check 'decides again' wait_until 10000 decides
is_sane() {
	# Times are shorter than the gap and what came after it.
	swaptend status --json | jq -e '.targets[0] |
		.swappiness >= .min and .swappiness <= .max and
		.state_permille >= 0 and .state_permille <= 1000 and
		.distress_pct <= 100 and .decided_age_ms < 70000 and .reclaim.last_pass_age_ms < 70000 and
		(.prices.swap_in_ns // 0) < 30e9 and (.prices.file_read_ns // 0) < 30e9'
}
check 'each value is within its range' is_sane
check 'vm.swappiness, too' test "$(swappiness)" -ge 0 -a "$(swappiness)" -le 200
counts_on() { [ "$(target passes)" -gt "$passes" ]; }
check 'counts on' wait_until 20000 counts_on
is 'complains of nothing' "$(grep -cvE 'ready|swappiness [0-9]+→|suppressed' "$SWT_LOG")" 0
echo "# | $(target prices | jq -c '[.swap_in_ns, .file_read_ns, .swappiness]'), $(target decisions) decisions"
guest_end "$VM_LOAD"
says_what_is() { swappiness_is "$(target swappiness)"; }
check 'when it is quiet, what it says is what the kernel has' wait_until 10000 says_what_is
stop_swaptend TERM
is 'ends well' "$SWT_STATUS" 0
is 'and restores' "$(swappiness)" "$original"
finish
