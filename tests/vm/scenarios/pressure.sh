#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The whole machine is short of memory: distress is seen as the kernel itself
# traces it, vm.swappiness moves, and comes back after SIGTERM and SIGKILL.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
TRACEFS=/sys/kernel/tracing
EVENT=$TRACEFS/events/vmscan/mm_vmscan_lru_shrink_inactive
guest_temp
vm_files 160
guest_swap 192M
guest_save_sysctl
original=$GUEST_SWAPPINESS

# "PRIORITY:PASSES ..." as the kernel's own trace has it, and as status.
kernel_passes() {
	sed -n 's/.* priority=\([0-9]*\) .*/\1/p' $TRACEFS/trace | sort -n | uniq -c |
		awk '{ print $2 ":" $1 }' | paste -s -d ' '
}
overruns() { cat $TRACEFS/per_cpu/cpu*/stats | awk '$1 == "overrun:" { n += $2 } END { print n }'; }
our_passes() {
	target reclaim.passes | jq -r '[.kswapd, .direct, .memcg] | map(to_entries) | add |
		group_by(.key | tonumber) | map({key: .[0].key, sum: map(.value) | add}) |
		map(select(.sum > 0) | "\(.key):\(.sum)") | join(" ")'
}
# Since v7.0 a program can be preempted, and the kernel then does not run it for
# others on that CPU; it counts them.
misses() {
	bpftool prog list --json | jq '[.[] | select(.name == "on_shrink_inact") | .recursion_misses // 0] | add'
}
total() { tr ' ' '\n' | awk -F : '{ n += $2 } END { print n + 0 }'; }
passes_agree() {
	local ours traced

	ours=$(our_passes) traced=$(kernel_passes)
	[ "$ours" = "$traced" ] && return
	[ $(($(total <<<"$ours") + $(misses))) = "$(total <<<"$traced")" ]
}
sees_difficulty() { [ "$(target 'reclaim.passes | [.kswapd, .direct] | map(to_entries[] | select((.key | tonumber) < 12) | .value) | add')" -gt 0 ]; }
sees_distress() { [ "$(target distress_pct)" -gt 0 ]; }
is_by() { [ "$(target "reclaim.passes.$1 | add")" -gt 0 ]; }

# --- kolivas: by priority ---

echo 4096 >$TRACEFS/buffer_size_kb
# Else the scheduler's code is changed while it runs, which emulated CPUs have
# been seen to stumble over.
echo 0 >$TRACEFS/options/record-cmd
start_swaptend --law kolivas || { not_ok 'starts'; finish; }
echo 1 >$EVENT/enable
is 'nothing has been reclaimed yet' "$(our_passes)$(kernel_passes)" ''
vm_watch
vm_pressure 60
check 'sees reclaim that is not at priority 12' wait_until 30000 sees_difficulty
check 'sees distress' wait_until 30000 sees_distress
check 'sees kswapd' is_by kswapd
check 'sees who reclaims for itself' wait_until 30000 is_by direct
if [ "$MGLRU" = on ]; then
	echo "# | MGLRU: tendency $(target tendency_pct) %, swappiness $(swappiness)"
else
	# It may be over soon: what it was is what counts.
	check 'vm.swappiness rises' wait_until 30000 watched_above "$original"
	check 'for the tendency, which is logged' wait_until 2000 grep -q "swappiness $original→.*reason=tendency_high.*dry_run=0" "$SWT_LOG"
fi
guest_end "$VM_LOAD"
is 'the load had no trouble' "$(cat "$GUEST_TMP/load.errors")" ''
is 'the trace has all of it' "$(overruns)" 0
check 'passes by priority are those of the kernel' wait_until 5000 passes_agree
echo "# | passes: $(our_passes); trace: $(kernel_passes); not run while running: $(misses)"
is 'none of it is for the limit of a cgroup' "$(target 'reclaim.passes.memcg | add')" 0
is 'nothing was lost' "$(swaptend status --json | jq -c '[.lost[]] | add')" 0
stop_swaptend TERM
is 'ends well on SIGTERM' "$SWT_STATUS" 0
is 'vm.swappiness is back after SIGTERM' "$(swappiness)" "$original"


# --- cost: by prices; killed ---

start_swaptend --law cost || { not_ok 'starts a second time'; finish; }
vm_pressure 60
check 'vm.swappiness follows the prices' wait_until 40000 swappiness_is_far_from "$original"
vm_hold_still
stop_swaptend KILL 2>/dev/null
echo "# | killed at $(swappiness); prices: $(target prices | jq -c '[.swap_in_ns, .swap_in_source, .file_read_ns, .file_read_source, .swappiness]')"
guest_end "$VM_LOAD" KILL
check 'it stays changed after SIGKILL' swappiness_is_not "$original"
check 'restore puts it back' swaptend restore
is 'vm.swappiness is back after SIGKILL' "$(swappiness)" "$original"
swaptend restore >/dev/null 2>&1
is 'and there is nothing more to do (4)' $? 4
finish
