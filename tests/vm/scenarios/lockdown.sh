#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# lockdown=confidentiality: no BPF program may read the kernel's memory.  Said in
# one clear line, with the documented status.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
guest_temp
guest_swap 64M
out=$GUEST_TMP/out
before=$(swappiness)
check 'this kernel is locked down' grep -q '\[confidentiality\]' /sys/kernel/security/lockdown
"$SWAPTEND" run --run-dir "$GUEST_TMP/run" >"$out" 2>&1
is 'run: this kernel cannot (3)' $? 3
check 'run: names the lockdown, and what to do' grep -q 'lockdown.*lockdown=integrity' "$out"
is 'run: in one line' "$(wc -l <"$out")" 1
echo "# | $(cat "$out")"
swaptend check >"$out" 2>&1
is 'check: control is impossible (3)' $? 3
is 'check: names the lockdown' "$(awk '$2 == "lockdown" { print $1, $3 }' "$out")" 'error confidentiality:'
is 'check: nothing else is an error' "$(grep -c '^error' "$out")" 1
check 'check: tells what to do' grep -q 'lockdown=integrity' "$out"
swaptend tlb -- true >"$out" 2>&1
is 'tlb: shows what /proc tells' $? 0
check 'tlb: says that it is no more than that, and why' grep -q 'only what /proc tells: .*lockdown' "$out"
is 'nothing was changed' "$(swappiness)" "$before"
is 'nothing stays loaded' "$(bpftool prog list --json 2>/dev/null | jq '[.[]? | select(.name // "" | startswith("on_"))] | length')" 0
finish
