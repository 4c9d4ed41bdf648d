#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# No swap, then swap, then none again, for the machine as a whole.
. tests/lib/guest.sh
. tests/lib/vm_guest.sh
guest_zram 64M
guest_save_sysctl
original=$GUEST_SWAPPINESS
says() { [ "$(grep -c "$1" "$SWT_LOG")" = "$2" ]; }

start_swaptend --law static:120 || { not_ok 'starts'; finish; }
is 'says that there is no swap' "$(grep -c 'no effect without swap' "$SWT_LOG")" 1
is 'shows the reason' "$(target reason)" no_swap
is 'writes nothing without swap' "$(swappiness)" "$original"
swapon "$GUEST_SWAP"
check 'starts to control on swapon' wait_until 5000 swappiness_is 120
is 'shows the reason then' "$(target reason)" fixed
swapoff "$GUEST_SWAP"
check 'says so on swapoff' wait_until 5000 says 'no effect without swap' 2
swapon "$GUEST_SWAP"
check 'controls again' wait_until 5000 swappiness_is 120
check 'is still running' kill -0 "$SWT_PID"
swapoff "$GUEST_SWAP"
wait_until 5000 says 'no effect without swap' 3
stop_swaptend TERM
is 'ends well without swap' "$SWT_STATUS" 0
is 'and restores' "$(swappiness)" "$original"
finish
