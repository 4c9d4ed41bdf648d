# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# A load that changes its character, so that no fixed value is right all the
# time: cold anonymous memory and hot files; hot anonymous memory and streaming
# files; both hot; and all again.

ANON_MB=150
FILE_MB=160
STREAM_MB=400
ROUNDS=2
PHASE_S=${BENCH_PHASE_S:-$(bench_seconds 60)}
# Per phase: its name, share of anonymous accesses, how files are read, and
# the nominal work.  That makes each weigh about the same with swappiness 60,
# fast swap and fast files, though a cached page is read in a microsecond.
PHASES='
cold_anon  2  random 2000000
streaming  50 stream 20000000
both_hot   50 random 700000
'

load_describe() {
	echo "$ANON_MB MB of anonymous memory, a file of $FILE_MB MB read at random, one of $STREAM_MB MB read in sequence; every $PHASE_S s another of three mixes, $ROUNDS times"
}

load_limit_mb() { echo 200; }

load_needs() { :; }

load_prepare() {
	bench_make_file file $FILE_MB
	bench_make_file stream $STREAM_MB
}

phase_rows() {
	local round

	for ((round = 0; round < ROUNDS; round++)); do
		awk NF <<<"$PHASES"
	done
}

load_run() {
	local name anon_pct how rest options=()

	while read -r name anon_pct how rest; do
		options+=(--phase "$PHASE_S:$anon_pct:$how")
	done < <(phase_rows)
	bench_in_group "$LOAD_SHIFT" --anon-mb $ANON_MB \
		--file "$BENCH_FILES/file" --warm \
		--stream "$BENCH_FILES/stream" "${options[@]}" \
		>"$BENCH_TMP/load" 2>"$BENCH_TMP/load.err" ||
		bench_fail "the load failed: $(bench_why "$BENCH_TMP/load.err")"
	detail_json=$(paste -d ' ' <(phase_rows) <(grep '^phase ' "$BENCH_TMP/load") |
		jq -Rsc --argjson phase_s "$PHASE_S" '
		[split("\n")[] | select(length > 0) | [splits(" +")]
			| {phase: .[0], nominal_ops: (.[3] | tonumber),
			   measured_ms: (.[6] | tonumber),
			   ops: (.[7] | tonumber), slow_ops: (.[8] | tonumber),
			   max_us: (.[9] | tonumber)}
			| .ops_per_s = .ops * 1000 / .measured_ms]
		| {$phase_s, phases: .}') || bench_fail 'the phases cannot be read'
	time_s=$(jq '[.phases[] | .nominal_ops / .ops_per_s] | add' <<<"$detail_json")
}

load_clean() { :; }
