# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034 # many variables are for those who source this
#
# What the benchmark's cells are made of, sourced by `cell`: devices of a
# chosen speed, a limited cgroup on v1 or v2, samples over time, and what the
# loads in loads/*.sh call.  A load file defines
#
#	load_describe   one line: what it does, with its sizes
#	load_limit_mb   prints the group's limit
#	load_needs      prints a reason and returns 4 if it cannot run here
#	load_prepare    files below $BENCH_FILES, not yet throttled; what is left
#	                in the page cache afterwards is dropped
#	load_run        the measured work; sets time_s and detail_json
#	load_clean      stops what it started; also after a failure
#
# and uses bench_in_group, bench_measure, bench_start_shift, bench_make_file,
# bench_seconds, bench_now_ms, bench_fail, $BENCH_GROUP, $BENCH_FILES (of the
# chosen speed), $BENCH_TMP (scratch) and $BENCH_CACHE (stays between runs),
# both on the machine's disk, $BENCH_LIMIT_MB, and on_exit, guest_end and
# wait_until of tests/lib/guest.sh.

# shellcheck source=tests/lib/guest.sh
. tests/lib/guest.sh
guest_finished=1 # no test: no TAP

LOAD_SHIFT=${LOAD_SHIFT:-build/tests/load_shift}
BENCH_DIR=${BENCH_DIR:-build/bench}
# 100 is the benchmark; less is for trying that it works.
BENCH_TIME_PCT=${BENCH_TIME_PCT:-100}
BENCH_CGROUP=${BENCH_CGROUP:-auto}
BENCH_SWAP_MB=${BENCH_SWAP_MB:-1024}
BENCH_FILE_MB=${BENCH_FILE_MB:-4096}
SSD_IOPS=15000
HDD_IOPS=300
# Above every other swap, so that it is this one that is used.
SWAP_PRIORITY=32767
DEFAULT_SWAPPINESS=60

bench_note() { echo "${bench_name:-bench}: $*" >&2; }

bench_fail() {
	bench_note "failed: ${bench_what:-}${bench_what:+: }$*"
	exit 1
}

# Whatever the policy is.
bench_skip() {
	local what=${bench_what:-}

	bench_note "skipped: ${what% *}${what:+: }$*"
	exit 4
}

# What tests/lib/guest.sh says when this machine cannot.
guest_skip_all() { bench_skip "$1: $2"; }

bench_now_ms() { guest_now_ms; }

# bench_seconds N: N seconds, fewer when only tried out, never less than 1.
bench_seconds() {
	local s=$(($1 * BENCH_TIME_PCT / 100))

	echo $((s > 0 ? s : 1))
}

# --- undoing ---

# Everything that outlives a process is noted in $bench_state/undo before it
# is made, so that the next cell can undo what a killed one left behind.

# bench_undoable KIND WHAT
bench_undoable() {
	echo "$1 $2" >>"$bench_state/undo" || bench_fail "cannot write $bench_state/undo"
	on_exit "bench_undo" "$1" "$2"
}

bench_undo() {
	case $1 in
	throttle) bench_throttle_off "$2" ;;
	group) guest_remove_group "$2" ;;
	swap) ! bench_is_swap "$2" || swapoff "$2" ;;
	zram)
		! bench_is_swap "zram$2" || swapoff "/dev/zram$2"
		[ ! -e "/sys/block/zram$2" ] || guest_swap_off "$2"
		;;
	mount) ! mountpoint -q "$2" || umount "$2" ;;
	loop) bench_loop_off "$2" ;;
	run) bench_end_run "$2" ;;
	tmp) [[ $2 != */swaptend-test.* ]] || rm -rf "$2" ;;
	esac
}

# By its last name: what was made in another mount namespace, which has gone
# with the cell that was killed, has another path or only a part of it.
bench_is_swap() { grep -q "^[^ ]*/${1##*/} " /proc/swaps; }

# bench_end_run PID:RUN_DIR, of a swaptend.  The number may be somebody else's.
bench_end_run() {
	local pid=${1%%:*}

	tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" |
		grep -qF -- "--run-dir ${1#*:} " || return 0
	kill -TERM "$pid"
	wait_until 5000 guest_is_gone "$pid" || kill -KILL "$pid"
}

bench_forget_state() {
	rm -f "$1/undo"
	[ ! -d "$1/files" ] || rmdir "$1/files"
	rmdir "$1"
}

# Only called by the one that holds the lock.
bench_sweep() {
	local dir line

	for dir in /run/swaptend-bench-*/; do
		dir=${dir%/}
		[ -e "$dir/undo" ] || continue
		! kill -0 "${dir##*-}" 2>/dev/null || continue
		bench_note "undoing what process ${dir##*-} left behind"
		while read -r line; do
			# shellcheck disable=SC2086 # KIND WHAT
			bench_undo $line >&2
		done < <(tac "$dir/undo")
		bench_forget_state "$dir"
	done
}

# bench_lock: one cell at a time, or they would use each other's swap.  Those
# that wait are served in turn; flock locks the open file, which is ours too,
# and of those that we start only those that end with us.
bench_lock() {
	local waiter

	exec 9>>/run/swaptend-bench.lock || bench_fail 'cannot open /run/swaptend-bench.lock'
	if ! flock -n 9; then
		bench_note 'waiting for another cell to end'
		flock 9 &
		waiter=$!
		on_exit guest_end "$waiter"
		wait "$waiter" || bench_fail 'cannot lock /run/swaptend-bench.lock'
	fi
	bench_sweep
	bench_state=/run/swaptend-bench-$$
	mkdir -p "$bench_state/files" || bench_fail "cannot make $bench_state"
	on_exit bench_forget_state "$bench_state"
	: >"$bench_state/undo"
}

# bench_directories: $BENCH_DIR and what is below, on a disk.
bench_directories() {
	mkdir -p "$BENCH_DIR/images" "$BENCH_DIR/cache" "$BENCH_DIR/tmp" ||
		bench_fail "cannot make directories below $BENCH_DIR"
	BENCH_DIR=$(cd "$BENCH_DIR" && pwd)
	case $(stat -f -c %T "$BENCH_DIR") in
	tmpfs | ramfs)
		bench_skip "$BENCH_DIR is in memory; set BENCH_DIR to a directory on a disk"
		;;
	esac
	BENCH_CACHE=$BENCH_DIR/cache
	TMPDIR=$BENCH_DIR/tmp guest_temp
	BENCH_TMP=$GUEST_TMP
	# It goes by itself; this is for when this process is killed.
	[ -z "${bench_state:-}" ] || echo "tmp $BENCH_TMP" >>"$bench_state/undo"
	chmod 0711 "$BENCH_TMP"
}

# --- devices ---

# bench_image NAME SIZE_MB: $BENCH_IMAGE, written throughout, since the first
# write of a block would cost more than the next.
bench_image() {
	local size

	BENCH_IMAGE=$BENCH_DIR/images/$1.img
	size=$(stat -c %s "$BENCH_IMAGE" 2>/dev/null)
	[ "${size:-0}" != $(($2 << 20)) ] || return 0
	rm -f "$BENCH_IMAGE"
	bench_note "writing $BENCH_IMAGE, $2 MB, once"
	dd if=/dev/zero of="$BENCH_IMAGE.part" bs=1M count="$2" conv=fsync \
		status=none || bench_fail "cannot write $BENCH_IMAGE.part: is there room for $2 MB in $BENCH_DIR?"
	mv "$BENCH_IMAGE.part" "$BENCH_IMAGE"
}

# bench_loop NAME SIZE_MB: $BENCH_LOOP, past the page cache of the machine.  Two
# devices, one on the other: a throttled bio waits before the kernel says that
# it was queued, so that the throttled device would not look slow to those who
# time it.  The one on top of it does, as a slow disk would.
bench_loop() {
	local lower

	bench_image "$1" "$2"
	bench_loop_on "$BENCH_IMAGE"
	lower=$BENCH_LOOP
	[ "$(cat "/sys/block/${lower#/dev/}/loop/dio")" = 1 ] ||
		bench_skip "no direct I/O on $BENCH_DIR; set BENCH_DIR to another disk"
	bench_loop_on "$lower"
}
bench_loop_on() {
	BENCH_LOOP=$(losetup -f --show --direct-io=on "$1") ||
		bench_skip 'no loop device can be had'
	bench_undoable loop "$BENCH_LOOP:$1"
}
bench_backing() { cat "/sys/block/${1#/dev/}/loop/backing_file" 2>/dev/null; }

# bench_loop_off DEVICE:BACKING.  The number may be somebody else's by now.
bench_loop_off() {
	local backing

	backing=$(bench_backing "${1%%:*}")
	[ "${backing##*/}" != "${1##*/}" ] || losetup -d "${1%%:*}"
}

bench_device_id() { cat "/sys/class/block/${1#/dev/}/dev"; }

bench_iops() {
	case $1 in
	ssd) echo $SSD_IOPS ;;
	hdd) echo $HDD_IOPS ;;
	esac
}

# bench_file_device KIND: an empty file system on it, at $BENCH_FILES.
bench_file_device() {
	bench_loop files "$BENCH_FILE_MB"
	file_device=$BENCH_LOOP
	# What is initialized late would be I/O during the measurement, and a
	# discard would punch holes into the image.
	mkfs.ext4 -q -F -i 16384 -m 0 \
		-E lazy_itable_init=0,lazy_journal_init=0,nodiscard \
		"$file_device" >&2 || bench_fail "mkfs.ext4 $file_device failed"
	BENCH_FILES=$bench_state/files
	bench_undoable mount "$BENCH_FILES"
	bench_mount_files
}

bench_mount_files() {
	mount -t ext4 -o noatime "$file_device" "$BENCH_FILES" ||
		bench_fail "cannot mount $file_device"
}

# bench_swap_device KIND
bench_swap_device() {
	[ "$(wc -l </proc/swaps)" -le 1 ] ||
		bench_note "warning: this machine has swap of its own: $(awk 'NR > 1 { printf "%s ", $1 }' /proc/swaps)"
	if [ "$1" = zram ]; then
		guest_zram "${BENCH_SWAP_MB}M"
		swap_device=$GUEST_SWAP
		# It ends by itself; this is for when this process is killed.
		echo "zram ${swap_device#/dev/zram}" >>"$bench_state/undo"
	else
		bench_loop swap "$BENCH_SWAP_MB"
		swap_device=$BENCH_LOOP
		bench_undoable swap "$swap_device"
		mkswap "$swap_device" >/dev/null 2>&1 ||
			bench_fail "mkswap $swap_device failed"
	fi
	swapon -p $SWAP_PRIORITY "$swap_device" ||
		bench_fail "swapon $swap_device failed"
}

# bench_throttle DEVICE IOPS: what is below it.  On v1 in the root group:
# reclaim's bios and writeback are charged there.  The rule is for our own device
# only.
bench_throttle() {
	local id

	id=$(bench_device_id "$(bench_backing "$1")")
	bench_undoable throttle "$id"
	if [ "$bench_cgroup" = v2 ]; then
		echo "$id riops=$2 wiops=$2" >"$BENCH_GROUP/io.max" ||
			bench_fail "cannot throttle $1 by io.max"
		return
	fi
	for way in read write; do
		echo "$id $2" >$BLKIO/blkio.throttle.${way}_iops_device ||
			bench_fail "cannot throttle $1 by blkio.throttle"
	done
}

bench_throttle_off() {
	# v2: the rule goes with the group, but cleaning up must not be slow.
	if [ -e "$BLKIO/blkio.throttle.read_iops_device" ]; then
		echo "$1 0" >$BLKIO/blkio.throttle.read_iops_device
		echo "$1 0" >$BLKIO/blkio.throttle.write_iops_device
	elif [ -e "${BENCH_GROUP:-}/io.max" ]; then
		echo "$1 riops=max wiops=max" >"$BENCH_GROUP/io.max"
	fi
}

# bench_forget_files: nothing of $BENCH_FILES stays in the page cache, where
# what was read on behalf of another group would be had for nothing.
bench_forget_files() {
	if umount "$BENCH_FILES" 2>/dev/null; then
		bench_mount_files
		return
	fi
	sync -f "$BENCH_FILES"
	find "$BENCH_FILES" -xdev -type f -size +0 \
		-exec dd if={} iflag=nocache count=0 status=none \;
}

# --- the group ---

BLKIO=/sys/fs/cgroup/blkio
UNIFIED=/sys/fs/cgroup

# bench_hierarchy: $bench_cgroup is v1 or v2.
bench_hierarchy() {
	local has_v1=

	[ ! -e "$GUEST_MEMORY/memory.swappiness" ] || has_v1=1
	case $BENCH_CGROUP:$has_v1 in
	v1: | v2:1) bench_skip "cgroup $BENCH_CGROUP has no memory controller here" ;;
	auto:1 | v1:1) bench_cgroup=v1 ;;
	auto: | v2:) bench_cgroup=v2 ;;
	*) bench_fail "BENCH_CGROUP is '$BENCH_CGROUP', not v1, v2 or auto" ;;
	esac
	if [ $bench_cgroup = v1 ]; then
		[ -e $BLKIO/blkio.throttle.read_iops_device ] ||
			bench_skip 'no blkio.throttle in cgroup v1'
		return
	fi
	bench_enable memory
	bench_enable io
}

# bench_enable CONTROLLER: for the children of the root, undone at the end.
bench_enable() {
	local control=$UNIFIED/cgroup.subtree_control

	! grep -qw "$1" "$control" 2>/dev/null || return 0
	echo "+$1" 2>/dev/null >"$control" ||
		bench_skip "cgroup v2 has no $1 controller to give"
	on_exit eval "echo -$1 >$control"
}

# bench_group LIMIT_MB: $BENCH_GROUP, and $BENCH_KNOB that rules it, at 60.
bench_group() {
	local root=$GUEST_MEMORY limit=memory.limit_in_bytes

	[ "$bench_cgroup" = v1 ] || root=$UNIFIED limit=memory.max
	BENCH_LIMIT_MB=$1
	BENCH_GROUP=$root/swaptend-bench-$$
	bench_undoable group "$BENCH_GROUP"
	mkdir "$BENCH_GROUP" || bench_skip "cannot make $BENCH_GROUP"
	echo $(($1 << 20)) >"$BENCH_GROUP/$limit" ||
		bench_fail "cannot limit $BENCH_GROUP"
	BENCH_KNOB=$BENCH_GROUP/memory.swappiness
	if [ "$bench_cgroup" = v2 ]; then
		BENCH_KNOB=/proc/sys/vm/swappiness
		guest_save_sysctl
	fi
	guest_put_sysctl "$BENCH_KNOB" $DEFAULT_SWAPPINESS ||
		bench_fail "cannot write $BENCH_KNOB"
}

bench_enter_group() {
	echo "$BASHPID" >"$BENCH_GROUP/cgroup.procs" || exit 1
	# The throttle's rule is that of the root group.
	[ "$bench_cgroup" = v2 ] || echo "$BASHPID" >$BLKIO/cgroup.procs
	# It may outlive us, if we are killed; the lock must not.
	exec 9>&-
}

# bench_in_group COMMAND...: inside the group.  `bench_in_group ... &` leaves
# the command itself in $!.  In the foreground it is waited for in a way that
# SIGTERM interrupts: a shell that waits for a foreground child does not.
bench_in_group() {
	if [ "$BASHPID" != $$ ]; then
		bench_enter_group
		exec "$@"
	fi
	(
		bench_enter_group
		exec "$@"
	) <&0 &
	wait $!
}

# bench_drop_group_cache: what the group holds of files is gone; its anonymous
# memory goes to swap with them.
bench_drop_group_cache() {
	if [ "$bench_cgroup" = v1 ]; then
		echo 0 2>/dev/null >"$BENCH_GROUP/memory.force_empty"
	else
		echo "${BENCH_LIMIT_MB}M" 2>/dev/null >"$BENCH_GROUP/memory.reclaim"
	fi
	return 0
}

# bench_oom_kills: how many the kernel killed in the group.
bench_oom_kills() {
	# v1 has the one file, v2 the other.
	cat "$BENCH_GROUP/memory.oom_control" "$BENCH_GROUP/memory.events" \
		2>/dev/null | awk '$1 == "oom_kill" { n = $2 } END { print n + 0 }'
}

# --- samples over time ---

# bench_value NAME TEXT DEFAULT: of a "name value" list, without a fork.
bench_value() {
	local rest=$'\n'$2

	case $rest in
	*$'\n'"$1 "*)
		rest=${rest#*$'\n'"$1 "}
		bench_value=${rest%%$'\n'*}
		;;
	*) bench_value=$3 ;;
	esac
}

# bench_counter NAME: of the group where it has it, else of the machine.
bench_counter() {
	bench_value "$1" "$bench_vmstat" null
	bench_value "$1" "$bench_memory_stat" "$bench_value"
	bench_value "total_$1" "$bench_memory_stat" "$bench_value"
}

bench_stall_us() {
	local text='' file=$BENCH_GROUP/memory.pressure

	[ -e "$file" ] || file=/proc/pressure/memory
	bench_value=null
	read -r text 2>/dev/null <"$file" || return 0
	bench_value=${text##*total=}
}

# One row: t_ms swappiness refault_anon refault_file pswpin pswpout pgmajfault
# stall_us.
bench_sample() {
	local name row bench_memory_stat bench_vmstat bench_value

	IFS= read -rd '' bench_memory_stat <"$BENCH_GROUP/memory.stat"
	IFS= read -rd '' bench_vmstat </proc/vmstat
	read -r row <"$BENCH_KNOB"
	for name in workingset_refault_anon workingset_refault_file pswpin \
		pswpout pgmajfault; do
		bench_counter $name
		row+=" $bench_value"
	done
	bench_stall_us
	echo "$(($(bench_now_ms) - $1)) $row $bench_value"
}

# bench_start_series: twice a second into $BENCH_TMP/series.
bench_start_series() {
	local began_ms

	began_ms=$(bench_now_ms)
	while kill -0 $$ && bench_sample "$began_ms" && sleep 0.5; do :; done \
		>"$BENCH_TMP/series" 2>/dev/null 9>&- &
	series_pid=$!
	on_exit guest_end "$series_pid"
	bench_series_began_ms=$began_ms
}

bench_stop_series() {
	guest_end "$series_pid"
	bench_sample "$bench_series_began_ms" >>"$BENCH_TMP/series"
}

# At most 240 rows, the last among them; counters from 0 at the first.
bench_series_json() {
	jq -Rsc '
		[split("\n")[] | select(length > 0) | split(" ")
			| map(if . == "null" then null else tonumber end)
			| select(length == 8)]
		| (length / 239 | ceil) as $step
		| [to_entries[] | select(.key % ([$step, 1] | max) == 0) | .value]
			+ (if $step > 1 then .[-1:] else [] end)
		| .[0] as $first
		| map([.[0:2][], (range(2; 8) as $i
			| if .[$i] == null or $first[$i] == null then null
			  else .[$i] - $first[$i] end)])' "$BENCH_TMP/series"
}

# --- what loads share ---

# bench_rate FILE WARMUP_MS: of its "t_ms ops" lines after the warm-up, as
# "ops_per_s ops measured_ms".
bench_rate() {
	awk -v warm="$2" 'NF == 2 && $1 ~ /^[0-9]+$/ {
		if ($1 <= warm || !n++) { t = $1; ops = $2 }
		last_t = $1; last_ops = $2
	} END {
		if (last_t <= t || last_ops <= ops) exit 1
		printf "%.3f %d %d\n", (last_ops - ops) * 1000 / (last_t - t),
			last_ops - ops, last_t - t
	}' "$1"
}

# bench_time NOMINAL_OPS OPS_PER_S: seconds for the nominal work.
bench_time() { awk -v n="$1" -v r="$2" 'BEGIN { printf "%.4f\n", n / r }'; }

# bench_measure WARMUP_S MEASURED_S NOMINAL_OPS ANON_PCT OPTIONS...: random
# accesses of build/tests/load_shift in the group; sets time_s and detail_json.
bench_measure() {
	local warm_s measured_s nominal_ops=$3 anon_pct=$4 rate ops ms

	warm_s=$(bench_seconds "$1") measured_s=$(bench_seconds "$2")
	shift 4
	bench_in_group "$LOAD_SHIFT" --report-ms 250 \
		--phase $((warm_s + measured_s)):"$anon_pct":random "$@" \
		>"$BENCH_TMP/load" 2>"$BENCH_TMP/load.err" ||
		bench_fail "the load failed: $(bench_why "$BENCH_TMP/load.err")"
	read -r rate ops ms < <(bench_rate "$BENCH_TMP/load" $((warm_s * 1000)))
	[ -n "${ms:-}" ] || bench_fail 'the load did nothing after its warm-up'
	time_s=$(bench_time "$nominal_ops" "$rate")
	detail_json=$(jq -nc --argjson ops_per_s "$rate" --argjson ops "$ops" \
		--argjson measured_ms "$ms" --argjson nominal_ops "$nominal_ops" \
		'$ARGS.named')
}

# bench_start_shift NAME OPTIONS...: the same in the background, its output in
# $BENCH_TMP/NAME; $bench_shift_pid, once its memory is filled.
bench_start_shift() {
	local name=$1

	shift
	[ "$BASHPID" = $$ ] || on_exit bench_start_shift # refused
	bench_in_group "$LOAD_SHIFT" "$@" >"$BENCH_TMP/$name" \
		2>"$BENCH_TMP/$name.err" &
	bench_shift_pid=$!
	on_exit guest_end "$bench_shift_pid"
	# A slow swap device takes minutes to take in what does not fit.
	wait_until 600000 bench_shift_is_ready "$name"
	grep -qs '^ready' "$BENCH_TMP/$name" ||
		bench_fail "the load did not get ready: $(bench_why "$BENCH_TMP/$name.err")"
}

bench_shift_is_ready() {
	grep -q '^ready' "$BENCH_TMP/$1" || guest_is_gone "$bench_shift_pid"
}

# bench_make_file NAME MB: $BENCH_FILES/NAME, half of it noise.
bench_make_file() {
	"$LOAD" --write "$BENCH_FILES/$1" --write-mb "$2" >/dev/null ||
		bench_fail "cannot write $BENCH_FILES/$1"
}

# bench_why FILE: why something in the group ended, in one line.
bench_why() {
	local kills text

	text=$(tail -n 1 "$1" 2>/dev/null)
	kills=$(bench_oom_kills)
	[ "${kills:-0}" = 0 ] || text="the kernel OOM-killed $kills in the group${text:+ ($text)}"
	echo "${text:-no message}"
}
