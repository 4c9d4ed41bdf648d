#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `check` on file trees that stand for machines with known troubles.
. tests/lib/guest.sh
need_command jq
guest_temp
out=$GUEST_TMP/out
root=$GUEST_TMP/root

new_root() { # a machine without troubles
	rm -rf "$root"
	mkdir -p "$root"/{proc/sys/vm,proc/self,proc/pressure,sys/kernel/security}
	echo 60 >"$root/proc/sys/vm/swappiness"
	cp tests/fixtures/swap/swaps-zram.txt "$root/proc/swaps"
	printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' >"$root/proc/pressure/memory"
	printf 'pswpin 0\npswpout 0\npgscan_anon 0\npgscan_file 0\nworkingset_refault_anon 0\nworkingset_refault_file 0\n' >"$root/proc/vmstat"
	cp tests/fixtures/env/mountinfo-tracefs-only "$root/proc/self/mountinfo"
}
look() { "$SWAPTEND" check --root "$root" --json >"$out" 2>&1; }
# The texts of one finding, as "state: what" lines.
found() { jq -r --arg id "$1" '.findings[] | select(.id == $id) | .state + ": " + .what' "$out"; }
# has NAME ID PATTERN
has() {
	if found "$2" | grep -qe "$3"; then ok "$1"; else not_ok "$1" "$(found "$2")"; fi
}

new_root
look
is 'is JSON of schema 1' "$(jq .schema "$out")" 1
has 'a swap device with its priority' swap "^ok: '/dev/zram0': priority 100, 512 of 4194300"
has 'PSI is on' psi '^ok: on'
has 'no lockdown' lockdown '^ok: none'
is 'nothing is said of vmstat' "$(found vmstat)" ''
has 'no price is measured for another machine' prices '^off: not measured: --root'

cp -r tests/fixtures/sysctl-tree/* "$root"
echo 180 >"$root/proc/sys/vm/swappiness"
look
has 'the boot winner' sysctl-file '99-zram.conf: 180, wins at boot'
has 'the winner by hand' sysctl-file '/etc/sysctl.conf: 60, wins with'
has 'the overridden one' sysctl-file '10-admin.conf: 1, overridden'
has 'the masked one' sysctl-file '/usr/lib/sysctl.d/50-vendor.conf: 30, masked'
has 'the typo' sysctl-file '^warn: /etc/sysctl.d/98-typo.conf: 50, no effect'
is 'the live value is explained' "$(found sysctl-file | grep -c 'none of them')" 0
echo 133 >"$root/proc/sys/vm/swappiness"
look
has 'the live value is unexplained' sysctl-file '^warn: vm.swappiness is 133, which none'

new_root
cp tests/fixtures/vmstat/6.18-memcg-only-reclaim.txt "$root/proc/vmstat"
look
has 'reclaim by limits is not called global' reclaim '5154 pages scanned, 2783 reclaimed (53 %); 0 scanned outside'
cp tests/fixtures/vmstat/5.10.txt "$root/proc/vmstat"
look
has 'each page is counted once' reclaim '12000 pages scanned, 9000 reclaimed (75 %)'
cp tests/fixtures/env/cgroup-v1.self "$root/proc/self/cgroup"
cp tests/fixtures/env/mountinfo-hybrid "$root/proc/self/mountinfo"
look
has 'the group of this process' cgroup-self "'/user.slice'"
has 'a hybrid host' cgroup '(hybrid)'

new_root
cp tests/fixtures/swap/swaps-none.txt "$root/proc/swaps"
look
has 'no swap' swap '^warn: none: swappiness has no effect'
cp tests/fixtures/swap/swaps-zram-below-disk.txt "$root/proc/swaps"
look
has 'a disk before zram' swap-order "^warn: '/dev/sda6' is used before zram: its priority -2 is above -3"
mkdir -p "$root/sys/module/zswap/parameters"
echo Y >"$root/sys/module/zswap/parameters/enabled"
look
has 'zswap in front of zram' zswap '^warn: zswap in front'

printf 'x\n/mnt/a\\033[31m\\012b file 1000 0 -2\n' >"$root/proc/swaps"
look
is 'a hostile name cannot reach the terminal' "$("$SWAPTEND" check --root "$root" | grep -c $'\033')" 0
rm "$root/proc/swaps" && mkdir "$root/proc/swaps"
look
has 'a /proc/swaps that cannot be read is not taken for none' swap '^off: /proc/swaps: '
rmdir "$root/proc/swaps"
look
has 'no /proc/swaps is no swap support' swap '^off: this kernel has no swap support'
mkdir -p "$root/proc/self/ns"
ln -s 'cgroup:[4026531835]' "$root/proc/self/ns/cgroup"
look
is "the host's cgroup namespace is no finding" "$(found cgroup-namespace)" ''
ln -sf 'cgroup:[4026532000]' "$root/proc/self/ns/cgroup"
look
has 'another cgroup namespace is' cgroup-namespace '^warn: this process is in a cgroup namespace'

new_root
: >"$root/proc/pressure/memory"
look
has 'PSI off, with the boot parameter' psi '^off: built in, but switched off'
is 'the remedy' "$(jq -r '.findings[] | select(.id == "psi") | .remedy' "$out")" 'boot with psi=1 to have it'
rm "$root/proc/pressure/memory"
look
has 'PSI not built in' psi 'not built in'

for mode in none integrity confidentiality; do
	cp "tests/fixtures/env/lockdown-$mode" "$root/sys/kernel/security/lockdown"
	look
	code=$?
	has "lockdown $mode is named" lockdown "$mode"
done
has 'confidentiality is an error' lockdown '^error:'
is 'and control impossible (3)' "$code" 3
rm "$root/sys/kernel/security/lockdown"

mkdir -p "$root/sys/kernel/mm/lru_gen"
echo 0x0007 >"$root/sys/kernel/mm/lru_gen/enabled"
look
has 'MGLRU on' mglru '^warn: on (0x0007)'
echo 0x0000 >"$root/sys/kernel/mm/lru_gen/enabled"
look
has 'MGLRU off' mglru '^ok: built in, but off'

cp tests/fixtures/vmstat/no-vm-event-counters.txt "$root/proc/vmstat" 2>/dev/null || echo 'nr_free_pages 1' >"$root/proc/vmstat"
look
has 'missing counters' vmstat '^off: /proc/vmstat lacks pswpin'

"$SWAPTEND" check --btf "$GUEST_TMP/none" --json >"$out" 2>&1
is 'no BTF (3)' $? 3
has 'no BTF is named' btf '^error: no kernel types'
head -c 64 /dev/urandom >"$GUEST_TMP/bad"
"$SWAPTEND" check --btf "$GUEST_TMP/bad" --json >"$out" 2>&1
has 'BTF that is not understood is told apart' btf 'does not understand'

"$SWAPTEND" check >"$out" 2>&1
is 'this machine, as text' "$?" 0
check 'ends with the verdict' grep -q '^swaptend can control' "$out"
is 'no line is longer than a screen can show twice' "$(awk 'length > 200' "$out" | wc -l)" 0
"$SWAPTEND" check --json | jq -e '.signals | length == 22 and all(.program and .tracepoint)' >/dev/null
is 'lists all signals' $? 0
began_ms=$(guest_now_ms)
"$SWAPTEND" check --json >"$out" 2>&1
took_ms=$(($(guest_now_ms) - began_ms))
check 'probing takes no time to speak of' test "$took_ms" -lt 2000
has 'the prices here, or why there are none' prices \
	'^\(ok\|off\): swap-in .*, file read .*[:;] law cost '
# The same with other swap than there is.
with_swaps() { # FILE OPTIONS...
	local file=$1

	shift
	unshare -m --propagation private sh -c \
		'mount --bind "$1" /proc/swaps && shift && exec "$@"' \
		sh "$file" "$SWAPTEND" check --run-dir "$GUEST_TMP/run" --json "$@" \
		>"$out" 2>"$GUEST_TMP/err"
}
if [ "$(id -u)" = 0 ] && unshare -m --propagation private true 2>/dev/null; then
	with_swaps tests/fixtures/swap/swaps-none.txt
	is 'no swap is no reason to fail' $? 0
	has 'no swap has no price' prices '^off: swap-in not known (no swap is on), file read'
	printf 'x\n/dev/zram0 partition 100 100 5\n' >"$GUEST_TMP/swaps"
	with_swaps "$GUEST_TMP/swaps"
	has 'nor has swap without room' prices '^off: swap-in not known (all swap is full)'
	with_swaps tests/fixtures/swap/swaps-zram.txt
	has 'zram has that of its class' prices 'swap-in [56]\.0 us (prior, z'
	printf '[swaptend]\nzram-cpu-weight-pct = 40\n' >"$GUEST_TMP/conf"
	with_swaps tests/fixtures/swap/swaps-zram.txt --config "$GUEST_TMP/conf"
	[ "$(cat /sys/module/zswap/parameters/enabled 2>/dev/null)" = Y ] ||
		has 'at the weight that the settings give it' prices 'swap-in 2\.0 us (prior, zram)'
	# shellcheck disable=SC2016 # meant for the inner shell
	with_zswap() {
		echo "$1" >"$GUEST_TMP/zswap"
		unshare -m --propagation private bash -c \
			'mount --bind "$0" /sys/module/zswap/parameters/enabled && exec "$@"' \
			"$GUEST_TMP/zswap" "$SWAPTEND" check --json >"$out" 2>&1
	}
	if [ -e /sys/module/zswap/parameters/enabled ]; then
		with_zswap Y
		has 'zswap is timed, or has a default with the reason' zswap \
			'^ok: on; run will time\|^off: what it has is priced by default, at 6 us a page: .*[a-z]'
		with_zswap N
		is 'nothing is said of zswap that is off' "$(found zswap)" ''
	else
		skip 'how zswap is priced' 'this kernel has no zswap'
	fi
	printf '[swaptend]\nzram-cpu-weight-pct = x\n' >"$GUEST_TMP/conf"
	with_swaps tests/fixtures/swap/swaps-zram.txt --config "$GUEST_TMP/conf"
	is 'bad settings are no reason to fail' $? 0
	has 'but named' settings '^warn: .*conf:2'
	with_swaps tests/fixtures/swap/swaps-zram.txt --config "$GUEST_TMP/none"
	has 'so are missing ones that were asked for' settings "^warn: .*$GUEST_TMP/none"
	printf 'x\n/dev/swaptend-none partition 100 0 5\n' >"$GUEST_TMP/swaps"
	with_swaps "$GUEST_TMP/swaps"
	has 'so has what cannot be read' prices 'swap-in [0-9.]* us (prior, '
	is 'the exit code is the same' "$(jq .can_control "$out")" true
else
	skip 'prices with other swap' 'needs root and a mount namespace'
fi
if [ "$(id -u)" = 0 ]; then
	cp "$SWAPTEND" "$GUEST_TMP/swaptend"
	chmod 755 "$GUEST_TMP"
	setpriv --reuid 65534 --clear-groups -- "$GUEST_TMP/swaptend" check >"$out" 2>&1
	is 'without rights (1)' $? 1
	check 'the missing capabilities are named' grep -q 'CAP_BPF CAP_PERFMON' "$out"
	before=$(cat /proc/sys/vm/swappiness)
	"$SWAPTEND" check --probe --run-dir "$GUEST_TMP/run" >"$out" 2>&1
	check '--probe finds the range' grep -Eq '^ok +range +0\.\.(100|200)$' "$out"
	is '--probe puts the value back' "$(cat /proc/sys/vm/swappiness)" "$before"
else
	skip '--probe finds the range' 'needs root'
fi
finish
