#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What timing reads costs a fast device: fio's 4 KiB random reads and writes at
# full speed on zram, with and without swaptend, in turns, while a small group reclaims so
# that the programs are awake.  A benchmark, not a test.
#	tests/bench/overhead.sh [PAIRS]
# Exit status: 0, 1 failure, 4 this machine cannot.
cd "$(dirname "$0")/../.." || exit 1
bench_name=overhead
# shellcheck source=tests/bench/lib.sh
. tests/bench/lib.sh

PAIRS=${1:-15}
RUN_S=1
AIM=0.98

command -v fio >/dev/null || bench_skip 'no fio; tests/deps bench installs it'
guest_bpffs "$@"
guest_temp
guest_zram 256M
guest_cgroup overhead $((16 << 20))
truncate -s 64M "$guest_tmp/hole"

# Reading a hole needs no disk: pages come, and others have to go.
start_in_cgroup "$GUEST_CGROUP" bash -c \
	'while sleep 0.2; do cat "$0" >/dev/null; done' "$guest_tmp/hole"

# iops read|write
iops() {
	fio --name=overhead --filename="$GUEST_SWAP" --rw="rand$1" --bs=4k \
		--direct=1 --ioengine=psync --time_based --runtime=$RUN_S \
		--output-format=json --refill_buffers=0 |
		jq ".jobs[0].$1.iops"
}

measure_with() {
	start_swaptend --target "$GUEST_CGROUP" --observe >/dev/null ||
		bench_fail "$(head -n 1 "$SWT_LOG")"
	with=$(iops "$1")
	stop_swaptend TERM
}
measure_without() { without=$(iops "$1"); }

# measure_pairs read|write: "ratio without with" lines in the file pairs.
measure_pairs() {
	local i

	: >"$guest_tmp/pairs"
	for ((i = 0; i < PAIRS; i++)); do
		# What goes first changes, so that what is left behind favours neither.
		((i % 2)) || measure_without "$1"
		measure_with "$1"
		((i % 2)) && measure_without "$1"
		awk -v a="$without" -v b="$with" 'BEGIN { printf "%.4f %d %d\n", b / a, a, b }' \
			>>"$guest_tmp/pairs"
	done
}

report() {
	sort -n "$guest_tmp/pairs" | awk -v aim=$AIM -v what="$1" '{ r[NR] = $1; ops += $2 } END {
		m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
		printf "fio on zram, %ss with / without: %.3f (half of %d pairs in %.3f..%.3f; %d a second without)  aim >= %s  %s\n",
			what, m, NR, r[int((NR + 3) / 4)], r[NR + 1 - int((NR + 3) / 4)], ops / NR, aim, (m >= aim ? "ok" : "MISSED")
	}'
}

iops write >/dev/null # fills the device
for what in write read; do
	measure_pairs $what
	report $what
done
