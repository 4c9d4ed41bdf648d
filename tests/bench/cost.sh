#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What swaptend itself costs, on this machine, in one run: `sudo make bench-cost`.
# Every figure is a median of ROUNDS (5 by default) with its spread; ratios
# compare things measured in the same run, alternating.
set -euo pipefail

SWAPTEND=${SWAPTEND:-build/swaptend}
ROUNDS=${ROUNDS:-5}
HIERARCHY=/sys/fs/cgroup/memory
GROUP=$HIERARCHY/swaptend-bench-$$
LIMIT_MB=100
WRITE_MB=1500
READ_MB=4096

[ "$(id -u)" = 0 ] || { echo 'bench-cost: root is needed; use sudo' >&2; exit 1; }
for tool in bpftool bpftrace jq; do
	command -v $tool >/dev/null || [ -x /usr/sbin/$tool ] ||
		{ echo "bench-cost: $tool is missing; run tests/deps test" >&2; exit 1; }
done
[ -e $HIERARCHY/memory.swappiness ] ||
	{ echo 'bench-cost: needs a cgroup v1 memory hierarchy; skipped' >&2; exit 4; }
PATH=$PATH:/usr/sbin

# A mount namespace of its own: bpftrace wants tracefs, the pins want bpffs.
if [ "${COST_INSIDE:-}" != 1 ]; then
	export COST_INSIDE=1
	exec unshare -m --propagation private "$0" "$@"
fi
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
mount -t bpf bpf /sys/fs/bpf

work=$(mktemp -d)
stats_before=$(cat /proc/sys/kernel/bpf_stats_enabled)
swt_pid= trace_pid=
cleanup() {
	set +e
	[ -n "$swt_pid" ] && kill -TERM "$swt_pid" && wait "$swt_pid"
	[ -n "$trace_pid" ] && kill -INT "$trace_pid" && wait "$trace_pid"
	echo "$stats_before" >/proc/sys/kernel/bpf_stats_enabled
	[ -d "$GROUP" ] && rmdir "$GROUP"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT
trap 'exit 130' INT TERM

mkdir "$GROUP"
echo ${LIMIT_MB}M >"$GROUP/memory.limit_in_bytes"

# Medians and ranges of the numbers on standard input.
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR+1)/2] : (v[NR/2] + v[NR/2+1]) / 2 }'; }
spread() { sort -n | awk '{ v[NR] = $1 } END { printf "%s..%s", v[1], v[NR] }'; }
verdict() { awk -v a="$1" -v op="$2" -v b="$3" 'BEGIN { print (op == "<" ? a <= b : a >= b) ? "ok" : "MISSED" }'; }
now_ms() { date +%s%3N; }

start() {
	local began
	began=$(now_ms)
	"$SWAPTEND" run --run-dir "$work/run" "$@" 2>"$work/log" &
	swt_pid=$!
	until grep -q ready "$work/log"; do
		kill -0 "$swt_pid" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
		sleep 0.01
	done
	echo $(($(now_ms) - began)) >>"$work/attach_ms"
}
stop() { kill -TERM "$swt_pid"; wait "$swt_pid" || true; swt_pid=; }

write_load() {
	(
		echo 0 >"$GROUP/cgroup.procs"
		exec dd if=/dev/zero of="$work/file" bs=1M count=$WRITE_MB conv=notrunc
	) 2>&1 | awk '/copied/ { print $(NF-3) }'
}

# The same without a disk: a hole in a file is read as zeros through the cache.
read_load() {
	(
		echo 0 >"$GROUP/cgroup.procs"
		exec dd if="$work/sparse" of=/dev/null bs=1M
	) 2>&1 | awk '/copied/ { print $(NF-3) }'
}

# run_time_ns and run_cnt of a program so far.
program() { bpftool prog show -j | jq -r --arg n "$1" '[.[] | select(.name == $n)] | last | "\(.run_time_ns // 0) \(.run_cnt // 0)"'; }

bench_event_cost() {
	local ours theirs a b c d
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	start --target "$GROUP"
	bpftrace -e 'tracepoint:vmscan:mm_vmscan_lru_shrink_inactive { @[args->priority] = count(); }' \
		>"$work/trace" 2>&1 &
	trace_pid=$!
	until grep -q Attaching "$work/trace"; do sleep 0.05; done
	until [ "$(bpftool prog show -j | jq '[.[] | select(.name == "mm_vmscan_lru_s")] | length')" -gt 0 ]; do sleep 0.05; done
	for _ in $(seq "$ROUNDS"); do
		read -r a b <<<"$(program on_shrink_inact)"
		read -r c d <<<"$(program mm_vmscan_lru_s)"
		write_load >/dev/null
		ours=$(program on_shrink_inact) theirs=$(program mm_vmscan_lru_s)
		awk -v o="$ours" -v t="$theirs" -v a="$a" -v b="$b" -v c="$c" -v d="$d" 'BEGIN {
			split(o, x, " "); split(t, y, " ")
			print (x[1]-a)/(x[2]-b), (y[1]-c)/(y[2]-d) }' >>"$work/cost"
	done
	kill -INT "$trace_pid"; wait "$trace_pid" || true; trace_pid=
	stop
	echo "$stats_before" >/proc/sys/kernel/bpf_stats_enabled
	local mine other ratio
	mine=$(awk '{ print $1 }' "$work/cost" | median)
	other=$(awk '{ print $2 }' "$work/cost" | median)
	ratio=$(awk '{ print $1 / $2 }' "$work/cost" | median)
	printf 'BPF per shrink event    %.0f ns, bpftrace counting by priority %.0f ns: %.2f times (%s)  aim <= 1.5  %s\n' \
		"$mine" "$other" "$ratio" "$(awk '{ print $1 / $2 }' "$work/cost" | spread)" "$(verdict "$ratio" '<' 1.5)"
}

# Seconds of CPU time so far of the run process.
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$swt_pid/stat"; }

# How long one load takes, in ms, the disk having come to rest before.
timed_load() {
	local began
	sync
	began=$(now_ms)
	"$1" >/dev/null
	echo $(($(now_ms) - began))
}
timed_with() {
	start --target "$GROUP"
	with=$(timed_load "$1")
	stop
}

# The middle half of the pairs, which outliers do not reach.
quartiles() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 3) / 4)], v[NR + 1 - int((NR + 3) / 4)] }'; }

# A miss is claimed only where the middle half of the pairs misses.
ratio_verdict() {
	awk -v m="$1" -v high="$2" 'BEGIN { print (m >= 0.99 ? "ok" : high >= 0.99 ? "unclear, the noise is larger" : "MISSED") }'
}

# bench_ratio NAME LOAD: pairs in turns, so that what the first leaves behind
# favours neither.
bench_ratio() {
	local with without ratio round low high
	timed_load "$2" >/dev/null # warm
	rm -f "$work/ratio"
	for round in $(seq $((2 * ROUNDS + 1))); do
		if [ $((round % 2)) = 0 ]; then
			without=$(timed_load "$2"); timed_with "$2"
		else
			timed_with "$2"; without=$(timed_load "$2")
		fi
		awk -v a="$without" -v b="$with" 'BEGIN { print a / b }' >>"$work/ratio"
	done
	ratio=$(median <"$work/ratio")
	read -r low high < <(quartiles <"$work/ratio")
	printf '%s %.3f (half of %d pairs in %.3f..%.3f)  aim >= 0.99  %s\n' "$1" "$ratio" $((2 * ROUNDS + 1)) \
		"$low" "$high" "$(ratio_verdict "$ratio" "$high")"
}

bench_throughput() {
	local began ticks elapsed
	truncate -s ${READ_MB}M "$work/sparse"
	bench_ratio 'Reading with/without   ' read_load
	bench_ratio 'Writing with/without   ' write_load
	start --target "$GROUP"
	began=$(now_ms); ticks=$(cpu_ticks)
	for _ in 1 2 3 4 5; do write_load >/dev/null; done
	elapsed=$(($(now_ms) - began))
	awk -v t=$(($(cpu_ticks) - ticks)) -v hz="$(getconf CLK_TCK)" -v ms="$elapsed" 'BEGIN { printf "%.3f\n", 100000 * t / hz / ms }' >"$work/cpu"
	printf 'CPU under reclaim       %s %% of one CPU over %.1f s  aim < 0.5  %s\n' "$(cat "$work/cpu")" \
		"$(awk -v ms="$elapsed" 'BEGIN { print ms / 1000 }')" "$(verdict "$(cat "$work/cpu")" '<' 0.5)"
	stop
}

switches() { awk '/^voluntary_ctxt/ { print $2 }' "/proc/$swt_pid/status"; }

bench_idle() {
	local before rss
	start
	before=$(switches)
	sleep 30
	printf 'Idle wake-ups in 30 s   %d  aim 0  %s\n' $(($(switches) - before)) "$(verdict $(($(switches) - before)) '<' 0)"
	rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$swt_pid/status")
	printf 'Resident                %d KiB  aim < 8192  %s\n' "$rss" "$(verdict "$rss" '<' 8192)"
	stop
}

uname -sr
bench_event_cost
bench_throughput
bench_idle
printf 'Exec to ready           %s ms (%s)  aim <= 300  %s\n' "$(median <"$work/attach_ms")" \
	"$(spread <"$work/attach_ms")" "$(verdict "$(median <"$work/attach_ms")" '<' 300)"
