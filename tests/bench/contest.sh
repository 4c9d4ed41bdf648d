# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # sourced by loads/contest_*.sh
#
# After the method of Con Kolivas' contest, not its code: how long does a real
# compile take while something else goes on beside it, in the same limited
# cgroup?  A file loads/contest_NAME.sh defines
#
#	contest_does     what goes on, in words
#	contest_once     one repetition, in $1, the limit in MB is $2; or
#	contest_beside   arguments of build/tests/beside, which counts itself
#	contest_prepare  optional: files that it needs, in $1
#
# and neither of the two for no load at all.

BESIDE=${BESIDE:-build/tests/beside}
# Those of a `make bench` are not meant for the compile.
unset MAKEFLAGS MFLAGS MAKELEVEL

# Found with static:60 and zram, before any law was measured: the compile alone
# takes 23.9 s without a limit and with 192 or 256 MB, 24.7 s with 160, 25.8
# with 128, 28.8 with 96.  Its peak is 272 MB with what it caches, so 256 MB is
# just not too little: alone it swaps nothing, and anything beside it is felt.
CONTEST_LIMIT_MB=256
CONTEST_JOBS=2
CONTEST_CFLAGS='-g -O2 -w'
# Of the compile alone, on two CPUs; ten times as long is the end.
CONTEST_NOMINAL_S=25
CONTEST_HEAD_START_S=2
# What of the source the loads pack, unpack and list: about as large as the
# limit, 25,000 files.
CONTEST_TREE='bfd opcodes include binutils libiberty ld gas'
# Both are only included by others; the rest of elf*.c stands alone.
CONTEST_NOT='elfnn-*.c elf-s390-common.c elf64-ia64-vms.c'

contest_describe() {
	echo "gcc -O2 -j$CONTEST_JOBS of the ELF back ends of binutils' bfd in $CONTEST_LIMIT_MB MB, beside it: $contest_does"
}
load_describe() { contest_describe; }

load_limit_mb() { echo $CONTEST_LIMIT_MB; }

load_needs() {
	local tool

	for tool in gcc make tar xz timeout setsid; do
		command -v "$tool" >/dev/null && continue
		echo "$tool is missing; tests/deps bench"
		return 4
	done
	if [ ! -x "$BESIDE" ]; then
		echo "$BESIDE is not built; make tests"
		return 4
	fi
	! contest_is_cached "$BENCH_DIR/cache" || return 0
	[ -z "${BENCH_CONTEST_TAR:-}" ] || return 0
	command -v apt-get dpkg-deb >/dev/null && return
	echo 'no apt-get for the package binutils-source; set BENCH_CONTEST_TAR to a binutils-*.tar.xz'
	return 4
}

# --- the source, once ---

# contest_fetch DIR: $contest_tar, from the package, which is not installed.
contest_fetch() {
	contest_tar=${BENCH_CONTEST_TAR:-}
	[ -z "$contest_tar" ] || return 0
	(cd "$1" && apt-get -qq download binutils-source) >&2 2>"$BENCH_TMP/apt" ||
		bench_skip "the package binutils-source cannot be had ($(tail -n 1 "$BENCH_TMP/apt")); set BENCH_CONTEST_TAR to a binutils-*.tar.xz"
	dpkg-deb -x "$1"/binutils-source_*.deb "$1/package" ||
		bench_fail 'the package binutils-source cannot be unpacked'
	contest_tar=$(echo "$1"/package/usr/src/binutils/binutils-*.tar.xz)
	[ -e "$contest_tar" ] || bench_fail 'no binutils-*.tar.xz in the package binutils-source'
}

# contest_configure SOURCE BUILD: for all targets, so that all back ends
# compile; only the headers are made.
contest_configure() {
	mkdir -p "$2" || return
	(
		cd "$2" &&
			"$1/bfd/configure" -q --disable-nls --disable-werror \
				--disable-plugins --disable-shared \
				--enable-targets=all --enable-64-bit-bfd \
				--with-system-zlib &&
			make -s headers bfd.h elf32-target.h elf64-target.h \
				targmatch.h
	) >"$BENCH_TMP/configure.log" 2>&1
}

# contest_make_cache DIR: job/ is what is compiled, tree.tar what the loads
# archive and unpack.
contest_make_cache() {
	local source

	bench_note "unpacking binutils, once"
	contest_fetch "$1"
	tar -xf "$contest_tar" -C "$1" || bench_fail "cannot unpack $contest_tar"
	source=$(echo "$1"/binutils-*/)
	[ -e "$source/bfd/elflink.c" ] || bench_fail "$contest_tar holds no bfd/elflink.c"
	# shellcheck disable=SC2086 # a list of words
	tar -cf "$1/tree.tar" -C "$source" $CONTEST_TREE || return
	contest_configure "${source%/}" "$1/configured" ||
		bench_fail "binutils cannot be configured: $(tail -n 1 "$BENCH_TMP/configure.log")"
	mkdir -p "$1/job/build" "$1/job/opcodes" &&
		cp "$1"/configured/*.h "$1/job/build" &&
		cp "$source"/opcodes/*.h "$1/job/opcodes" &&
		mv "$source/bfd" "$source/include" "$1/job" || return
	basename "$source" >"$1/version"
	rm -rf "$source" "$1/configured" "$1/package" "$1"/*.deb
}

# contest_is_cached CACHE: $contest_home is where it is or will be; another
# choice of files never meets an old one.
contest_is_cached() {
	local recipe

	recipe=$(echo "$CONTEST_TREE" | cksum)
	contest_home=$1/contest-${recipe%% *}
	[ -e "$contest_home/version" ]
}

contest_cache() {
	local part=$BENCH_CACHE/contest.part

	! contest_is_cached "$BENCH_CACHE" || return 0
	rm -rf "$part" "$contest_home"
	mkdir -p "$part" && contest_make_cache "$part" &&
		mv "$part" "$contest_home"
}

# --- the job ---

# contest_files DIR: the sources, each on a line; fewer when only tried out.
contest_files() {
	local file name skip count

	for file in "$1"/bfd/elf*.c; do
		name=${file##*/}
		for skip in $CONTEST_NOT; do
			# shellcheck disable=SC2053 # a pattern
			[[ $name != $skip ]] || continue 2
		done
		echo "$name"
	done >"$BENCH_TMP/files"
	count=$(($(wc -l <"$BENCH_TMP/files") * BENCH_TIME_PCT / 100))
	head -n $((count > 1 ? count : 1)) "$BENCH_TMP/files"
}

# The compiler proper lies on the file device, too: its text competes with
# everything else, and is read from there when it was given up.
contest_makefile() {
	printf 'export TMPDIR := ../tmp\nOBJECTS := %s\nall: $(OBJECTS)\n' "$*"
	printf '%%.o: ../bfd/%%.c\n\tgcc -B ../bin/ -DHAVE_CONFIG_H '
	printf -- "-DDEBUGDIR='\"/usr/lib/debug\"' -I. -I../bfd -I../include "
	printf -- '%s -c $< -o $@\n' "$CONTEST_CFLAGS"
}

load_prepare() {
	local job=$BENCH_FILES/job files

	contest_cache || return
	cp -r "$contest_home/job" "$job" && mkdir "$job/bin" "$job/tmp" &&
		cp "$(gcc -print-prog-name=cc1)" "$job/bin" || return
	mapfile -t files < <(contest_files "$job")
	contest_file_count=${#files[@]}
	contest_makefile "${files[@]/%.c/.o}" >"$job/build/Makefile" || return
	mkdir "$BENCH_FILES/beside" || return
	! declare -F contest_prepare >/dev/null ||
		contest_prepare "$BENCH_FILES/beside"
}

# --- the load beside it ---

# In a session of its own, by which its CPU time is found.
contest_start_load() {
	contest_pid=
	if [ -n "${contest_beside:-}" ]; then
		# shellcheck disable=SC2086 # a list of words
		bench_in_group setsid "$BESIDE" $contest_beside \
			>"$BENCH_TMP/loads" 2>"$BENCH_TMP/loads.err" &
	elif declare -F contest_once >/dev/null; then
		bench_in_group setsid bash -c "$(declare -f contest_once)
			while contest_once \"\$1\" \"\$2\" >/dev/null; do echo; done
			exit 1" contest "$BENCH_FILES/beside" "$BENCH_LIMIT_MB" \
			>"$BENCH_TMP/loads" 2>"$BENCH_TMP/loads.err" &
	else
		return 0
	fi
	contest_pid=$!
	on_exit contest_stop_load
	sleep $CONTEST_HEAD_START_S
	contest_check_load
}

contest_check_load() {
	[ -n "$contest_pid" ] || return 0
	! guest_is_gone "$contest_pid" ||
		bench_fail "the load ended early: $(bench_why "$BENCH_TMP/loads.err")"
}

contest_stop_load() {
	[ -n "${contest_pid:-}" ] || return 0
	# beside ends its own, and then counts; a shell waits for its child.
	[ -n "${contest_beside:-}" ] || kill -TERM -- "-$contest_pid" 2>/dev/null
	guest_end "$contest_pid" 2>/dev/null
	contest_pid=
}

# Seconds of CPU time of the load's processes so far, with those that ended.
contest_load_cpu_s() {
	[ -n "$contest_pid" ] || { echo 0; return; }
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v session="$contest_pid" -v hz="$(getconf CLK_TCK)" '
		{ sub(/^.*\) /, "") }
		$4 == session { ticks += $12 + $13 + $14 + $15 }
		END { printf "%.2f\n", ticks / hz }'
}

contest_loads() {
	if [ -n "${contest_beside:-}" ]; then
		awk '$1 == "loads" { n = $2 } END { print n + 0 }' "$BENCH_TMP/loads"
	elif declare -F contest_once >/dev/null; then
		wc -l <"$BENCH_TMP/loads"
	else
		echo 0
	fi
}

# --- the measurement ---

# Sets contest_status, and "wall user system" seconds in $contest_times.
contest_job() {
	local TIMEFORMAT='%3R %3U %3S'

	contest_status=0
	{
		time bench_in_group timeout -k 10 "$1" \
			make -s -j$CONTEST_JOBS -C "$BENCH_FILES/job/build" \
			>"$BENCH_TMP/job.log" 2>&1 || contest_status=$?
	} 2>"$BENCH_TMP/job.time"
	contest_times=$(tail -n 1 "$BENCH_TMP/job.time")
}

# contest_detail LOAD_CPU_S LOADS IS_CUT DONE_FILES
contest_detail() {
	local wall_s user_s system_s

	read -r wall_s user_s system_s <<<"$contest_times"
	jq -nc --argjson wall_s "$wall_s" --argjson user_s "$user_s" \
		--argjson system_s "$system_s" --argjson load_cpu_s "$1" \
		--argjson loads "$2" --argjson is_cut "$3" \
		--argjson compile_files "$contest_file_count" \
		--argjson compiled_files "$4" \
		--arg tree "$(cat "$contest_home/version")" '
		{cpu_pct: (100 * ($user_s + $system_s) / $wall_s * 10 | round / 10),
		 $loads, lcpu_pct: (100 * $load_cpu_s / $wall_s * 10 | round / 10),
		 $compile_files, $compiled_files, $is_cut, $tree}'
}

load_run() {
	local deadline_s=${BENCH_DEADLINE_S:-$((10 * CONTEST_NOMINAL_S))}
	local before_s after_s is_cut=false objects

	contest_start_load
	before_s=$(contest_load_cpu_s)
	contest_job "$deadline_s"
	after_s=$(contest_load_cpu_s)
	contest_check_load
	contest_stop_load
	case $contest_status in
	0) ;;
	124 | 137) is_cut=true ;;
	*)
		grep -m 1 -i error "$BENCH_TMP/job.log" >"$BENCH_TMP/job.why"
		bench_fail "the compile failed: $(bench_why "$BENCH_TMP/job.why")"
		;;
	esac
	objects=("$BENCH_FILES"/job/build/*.o)
	time_s=${contest_times%% *}
	[ $is_cut = false ] || time_s=$deadline_s
	detail_json=$(contest_detail \
		"$(awk -v a="$after_s" -v b="$before_s" 'BEGIN { print a - b }')" \
		"$(contest_loads)" $is_cut ${#objects[@]})
}

load_clean() { contest_stop_load; }
