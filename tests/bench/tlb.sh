#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What `swaptend tlb` costs, and the table of shootdowns that it prints, for the
# load whose shootdowns were counted on linux-mm in 2010: 4 KiB random writes by
# fio (psync) to a file twice the limit of their cgroup, without swap.  A fixed
# amount of work, with and without the tool around it, in turns.  The file is on
# zram, a disk that never makes the load wait, so that there is most to count.
# Then the same on an emulated kernel of 4 CPUs, where the TLB line counts, which
# it does not on many guests.  A benchmark, not a test.
#	tests/bench/tlb.sh [PAIRS [PAIRS_EMULATED]]
# Exit status: 0, 1 failure, 4 this machine cannot.
cd "$(dirname "$0")/../.." || exit 1
bench_name=tlb
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh
# shellcheck source=tests/lib/vm.sh
. tests/lib/vm.sh

PAIRS=${1:-15}
VM_PAIRS=${2:-5}
AIM=0.99
LIMIT_MB=64
FILE_MB=$((2 * LIMIT_MB))
WORK_MB=${WORK_MB:-2048}
VM_WORK_MB=${VM_WORK_MB:-256}
VM_SECONDS=300
K=${K:-6.12}

# fio_job FILE WORK_MB: its command line, one word each.  zram keeps a page of
# zeros without any work.
fio_job() {
	echo fio --name=randwrite --filename="$1" --size=${FILE_MB}M \
		--io_size="$2"M --rw=randwrite --bs=4k --ioengine=psync \
		--norandommap --randrepeat=1 --zero_buffers \
		--output-format=json
}

# fio puts its notes before the object.
fio_iops() { sed -n '/^{/,$p' "$1" | jq .jobs[0].write.iops; }

# report WHAT: of the lines "ratio without with" on standard input.  A miss is
# claimed only where the middle half of the pairs misses, and nothing where it is
# so wide that a hundredth cannot be told.
report() {
	sort -n | awk -v aim=$AIM -v what="$1" '{ r[NR] = $1; ops += $2 } END {
		m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
		low = r[int((NR + 3) / 4)]
		high = r[NR + 1 - int((NR + 3) / 4)]
		if (high - low > 0.1 || (m < aim && high >= aim))
			verdict = "unclear, the noise is larger"
		else
			verdict = m >= aim ? "ok" : "MISSED"
		printf "%s, writes with / without tlb: %.3f (half of %d pairs in %.3f..%.3f; %d a second without)  aim >= %s  %s\n",
			what, m, NR, low, high, ops / NR, aim, verdict
	}'
}

# --- here ---

prepare() {
	bench_lock
	bench_hierarchy
	bench_group $LIMIT_MB
	# Where the machine has swap, the group has none.
	echo 0 2>/dev/null >"$BENCH_GROUP/memory.swap.max"
	echo ${LIMIT_MB}M 2>/dev/null >"$BENCH_GROUP/memory.memsw.limit_in_bytes"
	guest_zram $((FILE_MB * 2))M
	mkfs.ext4 -q -F -m 0 -E lazy_itable_init=0,lazy_journal_init=0 \
		"$GUEST_SWAP" >&2 || bench_fail "mkfs.ext4 $GUEST_SWAP failed"
	mkdir "$GUEST_TMP/files"
	mount -t ext4 -o noatime "$GUEST_SWAP" "$GUEST_TMP/files" ||
		bench_fail "cannot mount $GUEST_SWAP"
	on_exit umount "$GUEST_TMP/files"
	dd if=/dev/zero of="$GUEST_TMP/files/file" bs=1M count=$FILE_MB \
		conv=fsync status=none || bench_fail 'cannot write the file'
	read -ra job < <(fio_job "$GUEST_TMP/files/file" "$WORK_MB")
}

# writes [COMMAND...]: how many a second, under the command; it has its report
# in its own file.
writes() {
	sync -f "$GUEST_TMP/files"
	bench_drop_group_cache
	# shellcheck disable=SC2016 # meant for the inner shell
	"$@" bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$BENCH_GROUP" \
		"${job[@]}" >"$GUEST_TMP/fio" 2>"$GUEST_TMP/fio.err" ||
		bench_fail "fio: $(bench_why "$GUEST_TMP/fio.err")"
	fio_iops "$GUEST_TMP/fio"
}

measure_here() {
	local i with without

	writes >/dev/null
	for ((i = 0; i < PAIRS; i++)); do
		# What goes first changes, so that what is left behind favours neither.
		((i % 2)) || without=$(writes) || exit
		with=$(writes "$SWAPTEND" tlb -o "$GUEST_TMP/report" --) || exit
		if ((i % 2)); then without=$(writes) || exit; fi
		awk -v a="$without" -v b="$with" \
			'BEGIN { printf "%.4f %d %d\n", b / a, a, b }' >>"$GUEST_TMP/pairs"
	done
	cat "$GUEST_TMP/report"
	report "$(uname -sr)" <"$GUEST_TMP/pairs"
}

# --- on an emulated kernel ---

scenario() {
	cat <<SCENARIO
pairs=$VM_PAIRS limit_mb=$LIMIT_MB file_mb=$FILE_MB
job='$(fio_job /mnt/file "$VM_WORK_MB")'
SCENARIO
	cat <<'SCENARIO'
group=/sys/fs/cgroup/bench
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
echo ${limit_mb}M >$group/memory.max
echo $((file_mb * 2))M >/sys/block/zram0/disksize
/sbin/mke2fs -q -t ext4 /dev/zram0
mount -t ext4 -o noatime /dev/zram0 /mnt
dd if=/dev/zero of=/mnt/file bs=1M count=$file_mb 2>/dev/null
writes() { # NAME [COMMAND...]
	name=$1
	shift
	sync
	"$@" sh -c "echo \$\$ >$group/cgroup.procs; exec $job" >/tmp/fio 2>&1
	say begin $name
	cat /tmp/fio >$OUT
}
with() { writes with.$i swaptend tlb -o /tmp/report --; }
without() { writes without.$i; }
writes warm
i=0
while [ $i -lt $pairs ]; do
	if [ $((i % 2)) = 0 ]; then without; with; else with; without; fi
	i=$((i + 1))
done
say begin report
cat /tmp/report >$OUT
SCENARIO
}

# What was measured here has been said.
vm_skip() {
	bench_note "no emulated kernel: $2"
	exit 0
}

measure_vm() {
	local i name

	guest_skip_all() { vm_skip "$@"; }
	need_command mke2fs
	vm_need
	vm_kernel "$K"
	vm_root
	vm_add "$SWAPTEND" /usr/sbin
	vm_add "$(command -v fio)" /bin
	vm_add "$(command -v mke2fs)" /sbin
	vm_modules lzo-rle zram
	vm_boot $VM_SECONDS 4 >&2 < <(scenario) ||
		bench_fail "Linux $K did not get to the end"
	for ((i = 0; i < VM_PAIRS; i++)); do
		for name in without with; do
			vm_part $name.$i >"$GUEST_TMP/$name"
		done
		awk -v a="$(fio_iops "$GUEST_TMP/without")" -v b="$(fio_iops "$GUEST_TMP/with")" \
			'BEGIN { printf "%.4f %d %d\n", b / a, a, b }' >>"$GUEST_TMP/vm_pairs"
	done
	vm_part report
	report "Linux $K, emulated" <"$GUEST_TMP/vm_pairs"
}

command -v fio >/dev/null || bench_skip 'no fio; tests/deps bench installs it'
guest_bpffs "$@"
guest_temp
# fio and its libraries are large.
VM_MEMORY_MB=768
if [ "$PAIRS" -gt 0 ]; then
	prepare
	measure_here
fi
if [ "$VM_PAIRS" -gt 0 ]; then
	measure_vm
fi
