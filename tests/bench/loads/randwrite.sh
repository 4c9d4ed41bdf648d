# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # sourced by tests/bench/cell
#
# Buffered random writes beside an idle daemon: what is swapped out of the
# daemon gathers more dirty pages before they must go to the disk.

FILE_MB=300
IDLE_ANON_MB=100
WARMUP_S=5
MEASURED_S=20
NOMINAL_OPS=200000

load_describe() {
	echo "4 KB random writes by fio to a file of $FILE_MB MB beside an idle process with $IDLE_ANON_MB MB, one page touched in 10 ms"
}

load_limit_mb() { echo 200; }

load_needs() {
	command -v fio >/dev/null && return
	echo 'fio is missing; tests/deps test'
	return 4
}

load_prepare() { bench_make_file file $FILE_MB; }

run_fio() {
	bench_in_group fio --name=randwrite --filename="$BENCH_FILES/file" \
		--size=${FILE_MB}M --rw=randwrite --bs=4k --ioengine=psync \
		--numjobs=1 --direct=0 --randrepeat=1 --norandommap \
		--time_based --ramp_time="$(bench_seconds $WARMUP_S)" \
		--runtime="$(bench_seconds $MEASURED_S)" \
		--output-format=json --output="$BENCH_TMP/fio.json" \
		>"$BENCH_TMP/fio.err" 2>&1
}

load_run() {
	bench_start_shift idle --anon-mb $IDLE_ANON_MB \
		--phase 86400:100:random --burst 1 --pause-us 10000
	run_fio || bench_fail "fio failed: $(bench_why "$BENCH_TMP/fio.err")"
	guest_end "$bench_shift_pid"
	# fio puts its notes before the object.
	detail_json=$(sed -n '/^{/,$p' "$BENCH_TMP/fio.json" | jq -c \
		--argjson nominal_ops $NOMINAL_OPS '.jobs[0] | {
			ops_per_s: .write.iops, ops: .write.total_ios,
			measured_ms: .write.runtime, nominal_ops: $nominal_ops,
			p99_us: (.write.clat_ns.percentile["99.000000"] / 1000),
			cpu_pct: (.usr_cpu + .sys_cpu)}') ||
		bench_fail 'fio printed no JSON'
	time_s=$(bench_time $NOMINAL_OPS "$(jq .ops_per_s <<<"$detail_json")")
}

load_clean() { :; }
