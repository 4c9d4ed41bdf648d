#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What is missing is named: BTF, capabilities, a writable knob.
. tests/lib/guest.sh
guest_bpffs "$@"
need_command setpriv
guest_temp
guest_swap 64M
guest_save_sysctl
out=$GUEST_TMP/out
refused() { # NAME WANT_CODE WANT_TEXT COMMAND...
	local name=$1 code=$2 text=$3 got
	shift 3
	case "$*" in *--run-dir*) ;; *) set -- "$@" --run-dir "$GUEST_TMP/run" ;; esac
	timeout 5 "$@" >"$out" 2>&1
	got=$?
	if [ $got = "$code" ] && grep -q "$text" "$out"; then
		ok "$name"
	else
		not_ok "$name" "code $got: $(cat "$out")"
	fi
}

for capability in bpf perfmon; do
	refused "names CAP_${capability^^} when it is missing" 1 "CAP_${capability^^}" \
		setpriv --bounding-set "-$capability,-sys_admin" --inh-caps "-$capability,-sys_admin" -- "$SWAPTEND" run
done
check 'vm.swappiness was not touched' test "$(cat /proc/sys/vm/swappiness)" = "$GUEST_SWAPPINESS"

# Without CAP_SYS_ADMIN the writer is unknown, the rest works.
SWT_WRAP=(setpriv --bounding-set -sys_admin --inh-caps -sys_admin --)
check 'works without CAP_SYS_ADMIN' start_swaptend --law static:61
stop_swaptend
is 'and restores' "$(cat /proc/sys/vm/swappiness)" "$GUEST_SWAPPINESS"
SWT_WRAP=(setpriv --bounding-set -sys_resource --inh-caps -sys_resource --)
check 'works without CAP_SYS_RESOURCE' start_swaptend --law static:61
stop_swaptend
SWT_WRAP=()

refused 'not root: names a capability' 1 'CAP_' setpriv --reuid 65534 --clear-groups -- "$SWAPTEND" run

mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys
refused '/proc/sys read-only: names the likely causes' 1 'ProtectKernelTunables' "$SWAPTEND" run
check 'in a line that names the knob' grep -q '/proc/sys/vm/swappiness' "$out"
check 'observing works there' start_swaptend --observe
stop_swaptend
umount /proc/sys

mkdir -m 777 "$GUEST_TMP/open" && chmod 777 "$GUEST_TMP/open"
refused 'a run directory that others can write is refused' 1 'nobody else can write' \
	"$SWAPTEND" run --run-dir "$GUEST_TMP/open" --observe
mount --bind /dev/null /proc/meminfo
refused 'no meminfo: says so, and it is not the kernel that cannot (1)' 1 'MemTotal is missing' "$SWAPTEND" run
umount /proc/meminfo

mount -t tmpfs none /sys/kernel/btf
refused 'no BTF: says so (3)' 3 'CONFIG_DEBUG_INFO_BTF' "$SWAPTEND" run
head -c 100 /dev/urandom >"$GUEST_TMP/bad.btf"
refused 'BTF that is none: says so (3)' 3 'does not understand the BTF in .*bad.btf' "$SWAPTEND" run --btf "$GUEST_TMP/bad.btf"
refused 'a BTF file that is not there: names it (3)' 3 'cannot read the BTF .*none.btf.: No such file' "$SWAPTEND" run --btf "$GUEST_TMP/none.btf"
umount /sys/kernel/btf

if [ -e "$GUEST_MEMORY/memory.swappiness" ]; then
	umount -l $GUEST_MEMORY
	refused 'no cgroup v1 memory hierarchy: says so (3)' 3 'no cgroup v1 memory hierarchy' "$SWAPTEND" run --target /x
else
	refused 'cgroup v2: says so (3)' 3 'cgroup v' "$SWAPTEND" run --target /x
fi
check 'the system can still be controlled' start_swaptend --law static:61
stop_swaptend
finish
