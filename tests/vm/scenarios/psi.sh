#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# psi=0 on the command line: said, and nothing else suffers.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
guest_temp
guest_swap 64M
guest_save_sysctl
is 'the kernel measures no pressure' "$(cat /proc/pressure/memory 2>/dev/null)" ''
swaptend check --json >"$GUEST_TMP/check.json"
is 'control is possible (0)' $? 0
finding() { jq -r --arg id psi ".findings[] | select(.id == \$id) | .$1" "$GUEST_TMP/check.json"; }
is 'check says that it is off' "$(finding state)" off
check 'and that control does not need it' grep -q 'control does not need it' <<<"$(finding what)"
check 'and names the parameter' grep -q 'psi=' <<<"$(finding what; finding remedy)"
echo "# | $(finding what)"
check 'control starts' start_swaptend --law static:120
check 'and works' wait_until 5000 swappiness_is 120
stop_swaptend TERM
is 'and restores' "$(swappiness)" "$GUEST_SWAPPINESS"
start_swaptend --law auto || not_ok 'auto works without it, too'
is 'auto works without it, too' "$(target law)" auto
stop_swaptend TERM
is 'auto ends well' "$SWT_STATUS" 0
finish
