#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# About a minute of what swaptend is for: the same two loads under the default
# swappiness, 60, and under swaptend, first with fast swap (zram), then with
# slow swap (a disk of 300 I/O a second).  No fixed value is right for both.
# Nothing is left behind, also on ^C.
#	tests/bench/demo.sh [LAW]
# Exit status: 0, 1 failure, 4 this machine cannot show it.
cd "$(dirname "$0")/../.." || exit 1

LAW=${1:-auto}
BAR_WIDTH=40
export BENCH_DIR=${BENCH_DIR:-build/demo}
export BENCH_TIME_PCT=40
export BENCH_FILE_MB=512
export BENCH_SWAP_MB=512

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# cell LOAD CORNER POLICY: $ops_per_s, and $swappiness at the end.
cell() {
	local status=0

	printf '  %-10s ...' "$3"
	tests/bench/cell "$@" >"$work/run" 2>"$work/err" || status=$?
	if [ $status != 0 ]; then
		printf '\r'
		cat "$work/err" >&2
		exit $status
	fi
	ops_per_s=$(jq '.detail.ops_per_s | floor' "$work/run")
	swappiness=$(jq '.series[-1][1]' "$work/run")
}

# bar NUMBER MOST
bar() {
	local n=$(($1 * BAR_WIDTH / ($2 > 0 ? $2 : 1)))

	printf '%*s' $((n > 0 ? n : 1)) '' | tr ' ' '#'
}

show() { printf '\r  %-10s %9d /s  swappiness %3s  %s\n' "$1" "$2" "$3" "$(bar "$2" "$4")"; }

# compare TITLE LOAD CORNER
compare() {
	local default_ops default_value most

	echo "$1"
	cell "$2" "$3" static:60
	default_ops=$ops_per_s default_value=$swappiness
	printf '\r'
	cell "$2" "$3" "$LAW"
	most=$((ops_per_s > default_ops ? ops_per_s : default_ops))
	show 'default' "$default_ops" "$default_value" "$most"
	show "$LAW" "$ops_per_s" "$swappiness" "$most"
	awk -v a="$ops_per_s" -v b="$default_ops" \
		'BEGIN { if (b > 0) printf "  %.1f times the work of the default\n\n", a / b }'
}

echo 'Accesses a second of one process in a memory-limited cgroup:'
compare 'Fast swap, zram: 120 MB of cold anonymous memory, random reads of 160 MB, in 200 MB' \
	coldanon zram-ssd
compare 'Slow swap, 300 I/O a second: 150 MB of hot anonymous memory, reads of 100 MB, in 200 MB' \
	slowswap hdd-ssd
echo 'swaptend has ended; swappiness is what it was'
