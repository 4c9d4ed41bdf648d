#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Somebody else writes vm.swappiness: stand aside, say who, resume when told.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
guest_swap 64M
guest_save_sysctl
stands_aside() { [ "$(target is_standing_aside)" = true ]; }
writes() { bash -c 'echo $$; echo "$0" >/proc/sys/vm/swappiness' "$1"; }

start_swaptend --law static:120 || { not_ok 'starts'; finish; }
check 'applies its value' wait_until 5000 swappiness_is 120
pid=$(writes 30)
check 'notices' wait_until 1000 stands_aside
is 'shows the value' "$(target foreign_write.swappiness)" 30
is 'shows who wrote it' "$(target foreign_write.pid)" "$pid"
is 'leaves it' "$(swappiness)" 30
is 'says so once' "$(grep -c 'reason=foreign_write' "$SWT_LOG")" 1
kill -HUP "$SWT_PID"
check 'resumes on SIGHUP' wait_until 5000 swappiness_is 120
is 'no longer stands aside' "$(target is_standing_aside)" false
writes 40 >/dev/null
check 'notices a second time' wait_until 1000 stands_aside
stop_swaptend TERM
is 'ends well' "$SWT_STATUS" 0
is 'their value stays when it ends' "$(swappiness)" 40
finish
