# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2034 # many variables are for those who source this
#
# For system tests, sourced.  A good guest: whatever a test makes (cgroups,
# zram devices, processes, temporary files, settings) is gone when it ends,
# also when it fails or is interrupted.  Results are TAP:
#
#	. tests/lib/guest.sh
#	guest_bpffs "$@"          # first: re-executes the test
#	guest_cgroup db $((64 << 20)); guest_swap 256M; guest_save_sysctl
#	start_swaptend --target "$GUEST_CGROUP"
#	if wait_until 200 test "$(cat ...)" -gt 60; then ok ...; else not_ok ...; fi
#	finish

set -uo pipefail

SWAPTEND=${SWAPTEND:-build/swaptend}
# How long it may take to get ready; longer where CPUs are emulated.
GUEST_READY_MS=${GUEST_READY_MS:-5000}
LOAD=${LOAD:-build/tests/load}
GUEST_MEMORY=/sys/fs/cgroup/memory
PATH=$PATH:/usr/sbin:/sbin

tap_count=0
tap_failures=0
SWT_PID=
SWT_LOG=
SWT_STATUS=

# --- results ---

ok() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s\n' "$tap_count" "$1"
}

# not_ok NAME [DETAIL]
not_ok() {
	tap_count=$((tap_count + 1))
	tap_failures=$((tap_failures + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

skip() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

# is NAME GOT WANT
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "got  '$2'
want '$3'"
	fi
}

# check NAME COMMAND...: ok if it succeeds, else its output is the detail.
# Not in a subshell: the command may set variables.
check() {
	local name=$1

	shift
	guest_temp
	if "$@" >"$guest_tmp/check.out" 2>&1; then
		ok "$name"
	else
		not_ok "$name" "$* failed: $(cat "$guest_tmp/check.out")"
	fi
}

finish() {
	printf '1..%d\n' "$tap_count"
	guest_finished=1
	[ "$tap_failures" = 0 ] && [ "$tap_count" -gt 0 ]
	exit
}

# --- cleaning up ---

guest_stack=()
guest_finished=

# on_exit COMMAND...: run when the test ends, the last one first.
on_exit() {
	# A subshell would forget it, and what it is to clean up would stay.
	if [ "$BASHPID" != $$ ]; then
		echo "# on_exit in a subshell: $*" >&2
		kill -TERM $$
		exit 1
	fi
	guest_stack+=("$(printf '%q ' "$@")")
}

guest_clean() {
	local status=$? i

	trap '' INT TERM HUP
	trap - EXIT
	set +e
	for ((i = ${#guest_stack[@]} - 1; i >= 0; i--)); do
		eval "${guest_stack[i]}" >&2 ||
			echo "# cleaning up failed: ${guest_stack[i]}" >&2
	done
	# A test that stopped halfway has not passed.
	if [ -z "$guest_finished" ]; then
		echo "Bail out! ended before finish (status $status)"
		[ "$status" != 0 ] || status=1
	fi
	exit "$status"
}
trap guest_clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# wait_until DEADLINE_MS COMMAND...: polls until it succeeds; 1: too late.
# Use a function or `eval '...'` for a condition that must be read anew.
wait_until() {
	local deadline_ms=$1 ends

	shift
	ends=$(($(guest_now_ms) + deadline_ms))
	while :; do
		"$@" >/dev/null 2>&1 && return 0
		[ "$(guest_now_ms)" -lt "$ends" ] || return 1
		sleep 0.005
	done
}

guest_now_ms() {
	local t=${EPOCHREALTIME/[.,]/}

	echo "${t%???}"
}

guest_is_gone() { ! kill -0 "$1" 2>/dev/null || guest_is_zombie "$1"; }
guest_is_zombie() { grep -q '^State:[[:space:]]*Z' "/proc/$1/status"; }

guest_is_child() {
	grep -q "^PPid:[[:space:]]*$$\$" "/proc/$1/status" 2>/dev/null
}

# guest_end PID [SIGNAL]: SIGTERM, then SIGKILL after 5 s; reaped.  A child
# that has ended before is left in peace, and so is whoever has its number.
guest_end() {
	local signal=${2:-TERM}

	guest_is_child "$1" || return 0
	kill -"$signal" "$1" 2>/dev/null
	wait_until 5000 guest_is_gone "$1" || kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

guest_tmp=
# guest_temp: $GUEST_TMP, a directory that goes with the test.
guest_temp() {
	[ -z "$guest_tmp" ] || return 0
	[ "$BASHPID" = $$ ] || on_exit guest_temp # refused, before it makes one
	guest_tmp=$(mktemp -d "${TMPDIR:-/tmp}/swaptend-test.XXXXXX") || exit 1
	GUEST_TMP=$guest_tmp
	on_exit rm -rf "$guest_tmp"
}

# --- what a test may need; `need_...` ends the test with one loud skip ---

guest_skip_all() {
	skip "${1}" "${2}"
	finish
}

need_root() {
	[ "$(id -u)" = 0 ] || guest_skip_all "${0##*/}" 'needs root'
}

need_command() {
	local command

	for command; do
		command -v "$command" >/dev/null ||
			guest_skip_all "${0##*/}" "$command is missing; tests/deps test"
	done
}

# --- mounts ---

# guest_bpffs "$@": re-executes the test in a mount namespace of its own with
# its own bpffs (and tracefs, where the kernel has it): no pin stays behind.
guest_bpffs() {
	if [ "${GUEST_INSIDE:-}" != "$$-$0" ]; then
		need_root
		need_command unshare
		# exec keeps the process id, so no other test can inherit this.
		GUEST_INSIDE="$$-$0"
		export GUEST_INSIDE
		unshare -m --propagation private true 2>/dev/null ||
			guest_skip_all "${0##*/}" 'no mount namespace can be made here'
		trap - EXIT
		exec unshare -m --propagation private bash "$0" "$@"
	fi
	mount -t bpf bpf /sys/fs/bpf ||
		guest_skip_all "${0##*/}" 'no bpffs can be mounted here'
	[ ! -d /sys/kernel/tracing ] || [ -e /sys/kernel/tracing/events ] ||
		mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
}

# --- cgroups ---

guest_kill_group() {
	local pid

	# Only what entered this group, and the group is ours alone.
	while read -r pid; do
		[ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null
	done <"$1/cgroup.procs"
}

guest_group_is_empty() { ! read -r <"$1/cgroup.procs"; }

guest_remove_group() {
	[ -d "$1" ] || return 0
	guest_kill_group "$1"
	wait_until 5000 guest_group_is_empty "$1"
	# What its pages hold is given back now rather than by and by.
	echo 0 2>/dev/null >"$1/memory.force_empty"
	wait_until 5000 rmdir "$1"
}

# guest_cgroup NAME LIMIT_BYTES: $GUEST_CGROUP is the new group's directory.
guest_cgroup() {
	[ -e "$GUEST_MEMORY/memory.swappiness" ] ||
		guest_skip_all "$1" 'no cgroup v1 memory hierarchy'
	GUEST_CGROUP=$GUEST_MEMORY/swaptend-test-$$-$1
	mkdir "$GUEST_CGROUP" || guest_skip_all "$1" 'no cgroup can be made'
	on_exit guest_remove_group "$GUEST_CGROUP"
	echo "$2" >"$GUEST_CGROUP/memory.limit_in_bytes" || exit 1
}

# in_cgroup DIR COMMAND...: the command becomes a member first.
in_cgroup() {
	# shellcheck disable=SC2016 # meant for the inner shell
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"
}

# start_in_cgroup DIR COMMAND...: in the background; $GUEST_PID is the command
# itself, and ends with the test.
start_in_cgroup() {
	# shellcheck disable=SC2016 # meant for the inner shell
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@" >/dev/null &
	GUEST_PID=$!
	on_exit guest_end "$GUEST_PID"
}

# --- swap ---

guest_swap_off() {
	local device=/dev/zram$1

	! grep -q "^$device " /proc/swaps || swapoff "$device" || return
	wait_until 5000 eval "echo 1 >/sys/block/zram$1/reset" || return
	echo "$1" >/sys/class/zram-control/hot_remove
}

# guest_zram SIZE: $GUEST_SWAP is a new zram device, formatted, not yet on.
guest_zram() {
	local number

	[ "$BASHPID" = $$ ] || on_exit guest_zram # refused, before it makes one
	if [ ! -r /sys/class/zram-control/hot_add ]; then
		modprobe zram 2>/dev/null || true
	fi
	# Reading makes a device and yields its number; others are not touched.
	number=$(cat /sys/class/zram-control/hot_add 2>/dev/null) ||
		guest_skip_all 'zram swap' 'zram cannot be had on this kernel'
	on_exit guest_swap_off "$number"
	GUEST_SWAP=/dev/zram$number
	if ! echo "$1" >"/sys/block/zram$number/disksize" ||
		! wait_until 2000 test -b "$GUEST_SWAP" ||
		! mkswap "$GUEST_SWAP" >/dev/null 2>&1; then
		guest_skip_all 'zram swap' "$GUEST_SWAP cannot be set up"
	fi
}

# guest_swap SIZE [PRIORITY]: the same, and on.
guest_swap() {
	guest_zram "$1"
	swapon -p "${2:-1000}" "$GUEST_SWAP" ||
		guest_skip_all 'zram swap' "swapon $GUEST_SWAP failed"
}

# --- settings ---

guest_put_sysctl() {
	[ "$(cat "$1")" = "$2" ] || echo "$2" >"$1"
}

# guest_save_sysctl: vm.swappiness comes back when the test ends.
guest_save_sysctl() {
	GUEST_SWAPPINESS=$(cat /proc/sys/vm/swappiness) || exit 1
	on_exit guest_put_sysctl /proc/sys/vm/swappiness "$GUEST_SWAPPINESS"
}

# --- swaptend ---

swaptend_is_up() { grep -q ready "$SWT_LOG" || guest_is_gone "$SWT_PID"; }

# start_swaptend ARGS...: in the background, $SWT_PID, its stderr in $SWT_LOG,
# its journal below $SWT_RUN_DIR.  Ready, or 1 and the log as comment.
# SWT_WRAP=(command ...) runs it under a wrapper that must exec.
start_swaptend() {
	guest_temp
	[ "$BASHPID" = $$ ] || on_exit start_swaptend # refused, before it starts
	SWT_RUN_DIR=${SWT_RUN_DIR:-$guest_tmp/run}
	SWT_LOG=$(mktemp "$guest_tmp/log.XXXXXX") || exit 1
	# A shell's background jobs ignore SIGINT unless told otherwise.
	env --default-signal=INT ${SWT_WRAP[@]+"${SWT_WRAP[@]}"} "$SWAPTEND" run \
		--run-dir "$SWT_RUN_DIR" "$@" 2>"$SWT_LOG" >/dev/null &
	SWT_PID=$!
	SWT_STATUS=
	on_exit guest_end "$SWT_PID"
	wait_until "$GUEST_READY_MS" swaptend_is_up
	if grep -q ready "$SWT_LOG"; then
		return 0
	fi
	echo "# $SWAPTEND run $* did not get ready:"
	sed 's/^/# /' "$SWT_LOG"
	return 1
}

# stop_swaptend [SIGNAL]: its exit status is $SWT_STATUS; 1: had to be killed.
stop_swaptend() {
	local late=0

	kill -"${1:-TERM}" "$SWT_PID" 2>/dev/null
	wait_until 5000 guest_is_gone "$SWT_PID" || {
		late=1
		kill -KILL "$SWT_PID"
	}
	SWT_STATUS=0
	wait "$SWT_PID" 2>/dev/null || SWT_STATUS=$?
	return "$late"
}

# swaptend COMMAND ARGS...: another subcommand, with the same run directory
# where it takes one.  Before start_swaptend that is an empty one.
swaptend() {
	local command=$1 options=()

	shift
	case $command in
	run | status | restore)
		options=(--run-dir "${SWT_RUN_DIR:-${guest_tmp:-/tmp/swaptend-test-$$}/run}")
		;;
	esac
	"$SWAPTEND" "$command" ${options[@]+"${options[@]}"} "$@"
}
