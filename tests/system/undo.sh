#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Whatever ends it, the original value comes back, and nobody else's goes.
. tests/lib/guest.sh
guest_bpffs "$@"
guest_save_sysctl
guest_cgroup undo $((32 << 20))
knob=$GUEST_CGROUP/memory.swappiness
guest_swap 256M
echo 50 >"$knob"

holds() { [ "$(cat "$knob")" = "$1" ]; }
run() { start_swaptend --target "$GUEST_CGROUP,law=static:93" && wait_until 2000 holds 93; }

check 'applies a fixed value at once' run
stop_swaptend INT
is 'restores on SIGINT' "$(cat "$knob")" 50

run
stop_swaptend KILL
is 'cannot restore on SIGKILL' "$(cat "$knob")" 93
is 'keeps the journal then' "$(ls "$SWT_RUN_DIR" | grep -c journal)" 1
check 'restore puts it back' swaptend restore
is 'the original is back' "$(cat "$knob")" 50
swaptend restore >/dev/null 2>&1
is 'restore has nothing to do the second time (4)' $? 4

run
stop_swaptend KILL
start_swaptend --target "$GUEST_CGROUP,law=static:77"
wait_until 2000 holds 77
stop_swaptend TERM
is 'the next start takes its own leftover for no original' "$(cat "$knob")" 50

run
stop_swaptend KILL
echo 10 >"$knob"
swaptend restore >"$GUEST_TMP/out" 2>&1
is 'a value somebody wrote after the crash stays' "$(cat "$knob")" 10
check 'and is named' grep -q 'memory.swappiness' "$GUEST_TMP/out"
echo 50 >"$knob"

run
swaptend restore >"$GUEST_TMP/out" 2>&1
is 'restore refuses beside a running instance (1)' $? 1
check 'and names its pid' grep -q "$SWT_PID" "$GUEST_TMP/out"
"$SWAPTEND" run --run-dir "$SWT_RUN_DIR" >"$GUEST_TMP/out" 2>&1
is 'a second instance is refused (1)' $? 1
check 'naming the first' grep -q "pid $SWT_PID" "$GUEST_TMP/out"
is 'in one line' "$(wc -l <"$GUEST_TMP/out")" 1
stop_swaptend TERM

# The system's knob, by every signal.
original=$(cat /proc/sys/vm/swappiness)
system_holds() { [ "$(cat /proc/sys/vm/swappiness)" = "$1" ]; }
for signal in TERM INT; do
	start_swaptend --law static:61
	wait_until 2000 system_holds 61
	is "vm.swappiness is applied ($signal)" "$(cat /proc/sys/vm/swappiness)" 61
	stop_swaptend $signal
	is "vm.swappiness comes back ($signal)" "$(cat /proc/sys/vm/swappiness)" "$original"
done
start_swaptend --law static:61
wait_until 2000 system_holds 61
stop_swaptend KILL
swaptend restore >/dev/null
is 'vm.swappiness comes back (KILL)' "$(cat /proc/sys/vm/swappiness)" "$original"

# Observing writes nothing.
start_swaptend --observe --law static:61
is 'observing leaves the value' "$(cat /proc/sys/vm/swappiness)" "$original"
check 'and says what it would have done' grep -q '→61 reason=fixed.*dry_run=1' "$SWT_LOG"
stop_swaptend
is 'observing makes no journal' "$(ls "$SWT_RUN_DIR" | grep -c journal)" 0
finish
