#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What this kernel can have is loaded and attached, and `check` names the rest.
# What it can have is read from its BTF by bpftool and from tracefs, not from
# the tool.
. tests/lib/guest.sh
guest_temp
TRACEFS=/sys/kernel/tracing/events

# Each program, its tracepoint or function, and how many arguments it takes; -
# any.  Functions are attached only while they are of use: tests/vm/zswap.sh.
PROGRAMS='
on_shrink_inact vmscan/mm_vmscan_lru_shrink_inactive  6
on_shrink_act   vmscan/mm_vmscan_lru_shrink_active    7
on_isolate_7    vmscan/mm_vmscan_lru_isolate          7
on_isolate_8    vmscan/mm_vmscan_lru_isolate          8
on_direct_begin vmscan/mm_vmscan_direct_reclaim_begin -
on_direct_end   vmscan/mm_vmscan_direct_reclaim_end   -
on_memcg_begin  vmscan/mm_vmscan_memcg_reclaim_begin  -
on_memcg_end    vmscan/mm_vmscan_memcg_reclaim_end    -
on_kswapd_wake  vmscan/mm_vmscan_kswapd_wake          -
on_kswapd_sleep vmscan/mm_vmscan_kswapd_sleep         -
on_bio_queue_1  block/block_bio_queue                 1
on_bio_queue_2  block/block_bio_queue                 2
on_bio_complete block/block_bio_complete              2
on_rq_complete  block/block_rq_complete               3
on_zload_in     function/zswap_load                   1
on_zload_out    function/zswap_load                   1
on_zstore_in    function/zswap_store                  1
on_zstore_out   function/zswap_store                  1
on_fload_in     function/zswap_frontswap_load         3
on_fload_out    function/zswap_frontswap_load         3
on_fstore_in    function/zswap_frontswap_store        3
on_fstore_out   function/zswap_frontswap_store        3
'

# "NAME ARGUMENTS" of each tracepoint, without the leading data pointer, and of
# zswap's functions.
btf_arguments() {
	bpftool btf dump file /sys/kernel/btf/vmlinux format raw | awk '
		$2 == "FUNC" && $3 ~ /^\047zswap_/ {
			sub(/.*=/, "", $4)
			function_of[substr($3, 2, length($3) - 2)] = $4
		}
		$2 != "PTR" && $2 != "FUNC_PROTO" && $3 !~ /^\047btf_trace_/ { next }
		{ id = substr($1, 2, length($1) - 2); sub(/.*=/, "", $NF) }
		$2 == "TYPEDEF" { of[substr($3, 12, length($3) - 12)] = $NF }
		$2 == "PTR" { to[id] = $NF }
		$2 == "FUNC_PROTO" { count[id] = $NF - 1 }
		END {
			for (name in of) print name, count[to[of[name]]]
			for (name in function_of)
				print name, count[function_of[name]] + 1
		}'
}

# can_have: the programs that fit, sorted; the others go to $GUEST_TMP/cannot.
can_have() {
	local program event wanted found

	while read -r program event wanted; do
		[ -n "$program" ] || continue
		found=$(awk -v name="${event#*/}" '$1 == name { print $2 }' "$GUEST_TMP/btf")
		if { [ "${event%/*}" = function ] || [ -e "$TRACEFS/$event/format" ]; } && { [ "$wanted" = - ] || [ "$wanted" = "$found" ]; }; then
			echo "$program"
		else
			echo "$program" >>"$GUEST_TMP/cannot"
		fi
	done < <(echo "$PROGRAMS") | sort
}
events_of() {
	local program

	for program in $1; do
		awk -v name="$program" '$1 == name && sub("^[^f].*/", "", $2) { print $2 }' <<<"$PROGRAMS"
	done | sort | paste -s -d ' '
}
lines() { sort "$@" | paste -s -d ' '; }

btf_arguments >"$GUEST_TMP/btf"
can=$(can_have | paste -s -d ' ')
cannot=$(lines "$GUEST_TMP/cannot")
# So that a mistake in what is above does not go with one of the tool's.
# Debian's cloud kernels have no zswap before 7.0.
frontswap='on_fload_in on_fload_out on_fstore_in on_fstore_out'
zswap='on_zload_in on_zload_out on_zstore_in on_zstore_out'
case $K in
5.10) known="on_bio_queue_1 $frontswap on_isolate_7 $zswap" ;;
6.1) known="on_bio_queue_2 $frontswap on_isolate_7 $zswap" ;;
6.12) known="on_bio_queue_2 $frontswap on_isolate_8 $zswap" ;;
*) known="on_bio_queue_2 $frontswap on_isolate_8" ;;
esac
is "what Linux $K cannot have is what is known of it" "$cannot" "$known"
has_mode=$(grep -c 'field:.*isolate_mode' $TRACEFS/vmscan/mm_vmscan_lru_isolate/format)
is 'the argument that left lru_isolate is a field of its event, too' "$has_mode" \
	"$(grep -c isolate_7 <<<"$cannot")"

# --- check ---

swaptend check >"$GUEST_TMP/text" 2>"$GUEST_TMP/errors"
is 'check says that control is possible (0)' $? 0
is 'check complains of nothing' "$(cat "$GUEST_TMP/errors")" ''
swaptend check --json >"$GUEST_TMP/check.json"
found() { jq -r "$1" "$GUEST_TMP/check.json" | lines; }
state() { jq -r --arg id "$1" '.findings[] | select(.id == $id) | .state' "$GUEST_TMP/check.json"; }
said() { jq -r --arg id "$1" '.findings[] | select(.id == $id) | .what' "$GUEST_TMP/check.json"; }
is 'check has all programs that fit' "$(found '.signals[] | select(.is_on) | .program')" "$can"
is 'check names exactly the rest' "$(found '.signals[] | select(.is_on | not) | .program')" "$cannot"
is 'and why, for each' "$(found '.signals[] | select(.is_on | not) | select(.why | test("has [0-9]+ arguments here, not [0-9]+$|has no such function$")) | .program')" "$cannot"
is 'in its text, too' "$(awk '$1 == "off" && $2 ~ /^on_/ { print $2 }' "$GUEST_TMP/text" | lines)" "$cannot"
is 'it counts the arguments that BTF has' "$(found '.signals[] | "\(.tracepoint):\(.arguments)"')" \
	"$(while read -r program event _; do
		[ -z "$program" ] || awk -v name="${event#*/}" '$1 == name { found = $2 }
			END { print name ":" (found == "" ? "null" : found) }' "$GUEST_TMP/btf"
	done <<<"$PROGRAMS" | lines)"
is 'it names the kernel' "$(said kernel)" "$(uname -r) $(uname -m)"
check "it tells cgroup $CGROUP" grep -q "^$CGROUP " <<<"$(said cgroup)"
case $MGLRU in
on) lru_state=warn ;;
*) lru_state=ok ;;
esac
is "it tells the LRU (MGLRU: $MGLRU)" "$(state mglru)" $lru_state
is 'PSI is on' "$(cat /proc/pressure/memory >/dev/null && state psi)" ok
is 'no lockdown' "$(state lockdown)" ok

# --- run ---

began=$(guest_now_ms)
check 'run gets ready' start_swaptend
echo "# | ready after $(($(guest_now_ms) - began)) ms"
is 'the programs that fit are loaded, no others' \
	"$(bpftool prog list --json | jq -r '.[] | select(.name // "" | startswith("on_")) | .name' | lines)" "$can"
is 'and attached' "$(bpftool link list --json | jq -r '.[] | .tp_name // empty' | lines)" "$(events_of "$can")"
is 'it warns of nothing that it loads' "$(grep -c 'cannot\|refused' "$SWT_LOG")" 0
stop_swaptend TERM
is 'it ends well' "$SWT_STATUS" 0
# The kernel frees them by and by.
nothing_is_loaded() { [ "$(bpftool prog list --json | jq '[.[] | select(.name // "" | startswith("on_"))] | length')" = 0 ]; }
check 'and nothing stays loaded' wait_until 5000 nothing_is_loaded
if [ "$CGROUP" = v2 ]; then
	swaptend run --target /x >"$GUEST_TMP/out" 2>&1
	is 'a group of cgroup v2 cannot be controlled (3)' $? 3
	is 'in one line' "$(wc -l <"$GUEST_TMP/out")" 1
fi
finish
