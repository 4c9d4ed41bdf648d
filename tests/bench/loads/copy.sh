# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # sourced by tests/bench/cell
#
# What a desktop feels while a big file is copied: nothing of its memory
# should be pushed out by pages that are used once.

LIMIT_MB=160
ANON_MB=100
FILE_MB=$((4 * LIMIT_MB))
# 256 pages, then 10 ms of rest: each page about once in a second.
BURST_OPS=256
PAUSE_US=10000
WARMUP_S=5
MEASURED_S=20
NOMINAL_OPS=500000

load_describe() {
	echo "$ANON_MB MB of anonymous memory touched $BURST_OPS pages at a time with pauses of $PAUSE_US us, while cp copies a file of $FILE_MB MB again and again"
}

load_limit_mb() { echo $LIMIT_MB; }

load_needs() { :; }

load_prepare() { bench_make_file source $FILE_MB; }

machine_swap_ins() { awk '$1 == "pswpin" { print $2 }' /proc/vmstat; }

# A line for each copy done.  Its cp ends with it.
start_copying() {
	: >"$BENCH_TMP/copies"
	# shellcheck disable=SC2016 # meant for the inner shell
	bench_in_group bash -c '
		trap "kill \$!; exit" TERM
		while :; do
			cp "$0/source" "$0/copy" & wait $! || exit 1
			echo >>"$1"
		done' "$BENCH_FILES" "$BENCH_TMP/copies" 2>"$BENCH_TMP/cp.err" &
	copying_pid=$!
	on_exit guest_end "$copying_pid"
}

# With the part of the one that was under way.
copies_done() {
	local mb

	mb=$(stat -c %s "$BENCH_FILES/copy" 2>/dev/null)
	awk -v n="$(wc -l <"$BENCH_TMP/copies")" -v bytes="${mb:-0}" \
		-v whole=$((FILE_MB << 20)) \
		'BEGIN { printf "%.3f\n", n + (bytes < whole ? bytes / whole : 0) }'
}

is_phase_over() {
	grep -q "^phase $1" "$BENCH_TMP/touch" || guest_is_gone "$bench_shift_pid"
}

load_run() {
	local before ms ops slow_ops max_us

	bench_start_shift touch --anon-mb $ANON_MB --burst $BURST_OPS \
		--pause-us $PAUSE_US \
		--phase "$(bench_seconds $WARMUP_S):100:random" \
		--phase "$(bench_seconds $MEASURED_S):100:random"
	wait_until 86400000 is_phase_over 1
	before=$(machine_swap_ins)
	start_copying
	wait_until 86400000 is_phase_over 2
	! guest_is_gone "$copying_pid" ||
		bench_fail "cp failed: $(bench_why "$BENCH_TMP/cp.err")"
	read -r _ _ ms ops slow_ops max_us < <(grep '^phase 2' "$BENCH_TMP/touch")
	[ -n "${ops:-}" ] ||
		bench_fail "the load failed: $(bench_why "$BENCH_TMP/touch.err")"
	detail_json=$(jq -nc --argjson ops "$ops" --argjson measured_ms "$ms" \
		--argjson slow_ops "$slow_ops" --argjson max_us "$max_us" \
		--argjson nominal_ops $NOMINAL_OPS \
		--argjson swap_ins $(($(machine_swap_ins) - before)) \
		--argjson copies "$(copies_done)" '$ARGS.named')
	guest_end "$copying_pid"
	time_s=$(bench_time $NOMINAL_OPS "$(jq '.ops * 1000 / .measured_ms' <<<"$detail_json")")
}

load_clean() { :; }
