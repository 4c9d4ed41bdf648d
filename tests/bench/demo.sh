#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Half a minute of swaptend at work: a database-like load (mostly cold
# anonymous memory, file reads a little too large for what is left) in a
# limited cgroup, controlled; for some seconds hard pressed by a neighbour.
# Swap is a zram device if the machine has none.  Nothing is left behind, also
# on ^C.
# Exit status: 0, 1 failure, 4 this machine cannot show it.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/guest.sh
. tests/lib/guest.sh
guest_finished=1 # no test: no TAP

CALM_S=8
SQUEEZE_S=7
AFTER_S=10
LIMIT_MB=200
ANON_MB=120
ANON_HOT_PCT=2
FILE_MB=160
HOG_MB=300
SWAP_MB=768

guest_skip_all() {
	echo "demo: $1: $2" >&2
	exit 4
}

fail() {
	echo "demo: $*" >&2
	exit 1
}

guest_bpffs "$@"
for binary in "$SWAPTEND" "$LOAD"; do
	[ -x "$binary" ] || fail "$binary is not built; make demo builds it"
done

# On v2 the group only has the limit; what is shown is the system's decision.
make_group() {
	if [ -e "$GUEST_MEMORY/memory.swappiness" ]; then
		is_v2=
		guest_cgroup demo $((LIMIT_MB << 20))
		knob=$GUEST_CGROUP/memory.swappiness
		run_options=(--target "$GUEST_CGROUP")
		return
	fi
	is_v2=1
	echo 'cgroup v2 only: per-group swappiness needs cgroup v1, so this run is with --observe, which decides and writes nothing'
	grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null ||
		guest_skip_all demo 'no cgroup hierarchy with the memory controller'
	GUEST_CGROUP=/sys/fs/cgroup/swaptend-demo-$$
	mkdir "$GUEST_CGROUP" || fail "cannot make $GUEST_CGROUP"
	on_exit guest_remove_group "$GUEST_CGROUP"
	echo $((LIMIT_MB << 20)) >"$GUEST_CGROUP/memory.max" ||
		fail "cannot limit $GUEST_CGROUP"
	knob=/proc/sys/vm/swappiness
	run_options=(--target system --observe)
}

# The file must be on a disk: a file in memory is never read again.
make_directory() {
	local dir

	for dir in "${TMPDIR:-/tmp}" /var/tmp build; do
		case $(stat -f -c %T "$dir" 2>/dev/null) in
		'' | tmpfs | ramfs) ;;
		*)
			TMPDIR=$dir guest_temp
			return
			;;
		esac
	done
	guest_skip_all demo '/tmp, /var/tmp and build are all in memory; set TMPDIR to a directory on a disk'
}

start_load() {
	"$LOAD" --cgroup "$GUEST_CGROUP" --anon-mb $ANON_MB \
		--anon-hot-pct $ANON_HOT_PCT --file "$GUEST_TMP/file" \
		--file-mb $FILE_MB --seconds 300 --report-ms 200 \
		>"$GUEST_TMP/load" 2>"$GUEST_TMP/load.err" &
	load_pid=$!
	on_exit guest_end "$load_pid"
	echo "filling $ANON_MB MB of anonymous memory and a file of $FILE_MB MB in a cgroup limited to $LIMIT_MB MB ..."
	wait_until 120000 load_has_begun
	[ -s "$GUEST_TMP/load" ] || fail "the load failed: $(cat "$GUEST_TMP/load.err")"
}
load_has_begun() { [ -s "$GUEST_TMP/load" ] || guest_is_gone "$load_pid"; }

# The first number of that name; `-` while there is none.
field() {
	local number

	number=$(grep -oE "\"$1\": *-?[0-9]+" <<<"$status" | head -n 1)
	echo "${number##*[ :]}"
}

# Reads each second since the last call, in $reads: the load counts all
# accesses, the anonymous ones with them.
last_ms=0 last_ops=0
measure_reads() {
	local t ops

	read -r t ops < <(grep -E '^[0-9]+ [0-9]+$' "$GUEST_TMP/load" | tail -n 1)
	reads=-
	if [ "$t" -gt "$last_ms" ]; then
		reads=$(((ops - last_ops) * 10 * (100 - ANON_HOT_PCT) /
			(t - last_ms)))
	fi
	last_ms=$t last_ops=$ops
}

row() { printf '%4s %9s %9s %7s %9s %11s %11s %9s\n' "$@"; }

show_second() {
	local passes new=-

	measure_reads
	status=$(swaptend status --json 2>/dev/null)
	swappiness=$(swappiness_now)
	[ "$swappiness" -ge "${lowest:=$swappiness}" ] || lowest=$swappiness
	[ "$swappiness" -le "${highest:=$swappiness}" ] || highest=$swappiness
	passes=$(field passes)
	[ -z "$passes" ] || new=$((passes - ${last_passes:-0}))
	last_passes=$passes
	row "$1" "$new" "$(percent distress_pct)" "$(percent mapped_ratio_pct)" \
		"$(percent tendency_pct)" "$(permille state_permille)" \
		"$swappiness" "$reads"
}
percent() { local n; n=$(field "$1"); echo "${n:-"-"}${n:+ %}"; }
permille() { local n; n=$(field "$1"); echo "${n:-"-"}${n:+/1000}"; }
# What the group really has; what would be set where nothing is written.
swappiness_now() {
	local n=

	[ -z "$is_v2" ] || n=$(field swappiness)
	echo "${n:-$(cat "$knob")}"
}

# Rows each second, counted on in $second, for that many seconds.
watch() {
	local seconds=$1 next_ms

	next_ms=$(guest_now_ms)
	for ((; seconds > 0; seconds--)); do
		next_ms=$((next_ms + 1000))
		while [ "$(guest_now_ms)" -lt "$next_ms" ]; do sleep 0.02; done
		guest_is_gone "$load_pid" && fail 'the load ended early'
		if guest_is_gone "$SWT_PID"; then
			fail "swaptend ended early: $(tail -n 1 "$SWT_LOG")"
		fi
		second=$((second + 1))
		show_second "$second"
	done
}

# A second process that wants more than the group has left, flat out.
squeeze() {
	"$LOAD" --cgroup "$GUEST_CGROUP" --hog-mb $HOG_MB --seconds 300 \
		>/dev/null 2>&1 &
	hog_pid=$!
	on_exit guest_end "$hog_pid"
}

make_directory
# /proc/swaps has a heading even when there is none.
[ "$(wc -l </proc/swaps)" -gt 1 ] || guest_swap ${SWAP_MB}M
make_group
original=$(cat "$knob")
start_load
measure_reads
start_swaptend "${run_options[@]}" || fail 'swaptend did not start'
echo "$SWAPTEND run ${run_options[*]}"

second=0
row s passes distress mapped tendency state swappiness reads/s
watch "$CALM_S"
echo "---- beside it a process that touches $HOG_MB MB again and again, in the same cgroup"
squeeze
watch "$SQUEEZE_S"
echo '---- it has gone'
guest_end "$hog_pid"
watch "$AFTER_S"
writes=$(field writes)
stop_swaptend TERM || fail 'swaptend did not end on SIGTERM'

echo
now=$(cat "$knob")
echo "swaptend changed swappiness ${writes:-0} times, between $lowest and $highest; it has ended, and swappiness is $now, as before"
[ "$now" = "$original" ] ||
	fail "swappiness was $original and is $now now: not restored"
