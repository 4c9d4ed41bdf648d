#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `swaptend tlb` on a kernel with 4 CPUs that flush by interrupts, whose own
# count of them is there to compare with.
#	K=5.10|6.1|6.12 tests/vm/tlb.sh
. tests/lib/guest.sh
. tests/lib/vm.sh
K=${K:-6.12}
CPUS=4
BOOT_S=90
need_command jq mke2fs
vm_need
vm_kernel "$K"
vm_root
vm_add "$SWAPTEND" /usr/sbin
vm_add build/tests/tlb_load /bin
vm_add "$(command -v mke2fs)" /sbin
vm_modules lzo-rle zram

vm_boot $BOOT_S $CPUS <<'SCENARIO'
group=/sys/fs/cgroup/limited
mglru=/sys/kernel/mm/lru_gen/enabled
use_mglru() { [ ! -e $mglru ] || echo $1 >$mglru; }

# The kernel's line, read by somebody else than the tool.
tlb_line() {
	awk 'NR == 1 { n = NF } $1 == "TLB:" { for (i = 1; i <= n; i++) printf "%d ", $(i + 1); print "" }' /proc/interrupts
}
vmstat() { awk -v name=$1 '$1 == name { print $2 }' /proc/vmstat; }
# In the group: what reclaim of its limit looked at, and swapped out.
scanned() { awk '/^pgscan / { n += $2 } END { print n + 0 }' $group/memory.stat; }

measure() { # NAME COMMAND...
	name=$1
	shift
	lines=$(tlb_line) scan=$(scanned) out=$(vmstat pswpout)
	swaptend tlb --json -o /tmp/json -- "$@" >/tmp/said 2>/tmp/err
	status=$?
	lines="$lines
$(tlb_line)" scan=$(($(scanned) - scan)) out=$(($(vmstat pswpout) - out))
	say begin $name.json
	cat /tmp/json >$OUT
	say begin $name.lines
	echo "$lines" >$OUT
	say begin $name.facts
	echo "status=$status scan=$scan pswpout=$out said=$(tail -n 1 /tmp/said)" >$OUT
	say begin $name.err
	cat /tmp/err >$OUT
}
limited() { # NAME COMMAND: entered by who is measured, not by the tool
	measure $1 sh -c "echo \$\$ >$group/cgroup.procs; $2"
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
echo 32M >$group/memory.max
say begin mglru
cat $mglru >$OUT

measure native tlb_load --threads 4 --seconds 3 --spin

# A hole is read through the page cache, 64 MB of it.
echo 16M >/sys/block/zram0/disksize
/sbin/mke2fs -q -t ext2 /dev/zram0
mount -t ext2 /dev/zram0 /mnt
truncate -s 64M /mnt/hole
reads='tlb_load --threads 2 --seconds 3 --touch-mb 12 & cat /mnt/hole /mnt/hole >/dev/null; wait $!'
use_mglru y
[ ! -e $mglru ] || limited noswap_mglru "$reads"
use_mglru n
limited noswap "$reads"
umount /mnt
echo 1 >/sys/block/zram0/reset

echo 128M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
load='exec tlb_load --threads 4 --seconds 3 --touch-mb 64'
limited swap "$load"
use_mglru y
[ ! -e $mglru ] || limited swap_mglru "$load"
SCENARIO
booted=$?
is "Linux $K boots and gets to the end" "$booted" 0
[ $booted = 0 ] || finish

# What the kernel of this series does not tell: whose shootdown it is that is
# received (v5.13), and which list MGLRU evicts from (v6.12).  Before v5.13 the
# sender calls the same function, and its line counts that too.
knows_sender=true
evicts_mglru=evicting_anon
receivers=3
case $K in
5.10) knows_sender=false receivers=4 ;;
6.1) evicts_mglru=other_reclaim ;;
esac

# jq's: within 1 %, where there is anything.
# shellcheck disable=SC2016 # dollars are jq's
NEAR='def near($a; $b): ([$a, $b] | max) as $m | $m > 0 and ($a - $b | fabs) * 100 <= $m;'

# holds NAME RUN FILTER: it yields true; else the facts are shown.
holds() {
	local run=$GUEST_TMP/$2

	if [ "$(jq -c --slurpfile lines "$run.lines" "$NEAR $3" "$run.json" 2>&1)" = true ]; then
		ok "$2: $1"
	else
		not_ok "$2: $1" "$(cat "$run.facts" "$run.err")
$(jq -c --slurpfile lines "$run.lines" '{lines: $lines, per_cpu, sent, hsum, senders, verdict, missing, cost_ns,
		phases: (.phases // {} | map_values([.sent, .received]))}' "$run.json" 2>&1)"
	fi
}

# was_run NAME STATUS: the parts of it, for `holds`.
was_run() {
	local part

	for part in json facts err; do
		vm_part "$1.$part" >"$GUEST_TMP/$1.$part"
	done
	vm_part "$1.lines" | jq -R '[splits(" +") | select(. != "") | tonumber]' >"$GUEST_TMP/$1.lines"
	is "$1: the command ends well" "$(grep -o '^status=[0-9]*' "$GUEST_TMP/$1.facts")" status=0
}
fact() { sed -n "s/.*\<$2=\([0-9]*\).*/\1/p" "$GUEST_TMP/$1.facts"; }

# What has to be so in every run.
SENT_ADDS_UP='([.phases[].sent] | add) == .sent and ([.per_cpu[].sent] | add) == .sent'
RECEIVED_ADDS_UP='([.phases[].received] | add) == .cost_ns.received and ([.per_cpu[].received] | add) == .cost_ns.received'
agrees() {
	was_run "$1"
	# It reads before and after the tool does, and is a process itself.
	holds 'the TLB line is as somebody else reads it, on each CPU' "$1" \
		"[.per_cpu[].tlb] as \$tool | (\$tool | length) == $CPUS and
		([\$lines[1], \$lines[0]] | transpose | map(.[0] - .[1])) as \$own |
		all(range($CPUS); \$tool[.] > 0 and \$own[.] >= \$tool[.] and
			\$own[.] - \$tool[.] <= 5 + \$tool[.] / 100)"
	holds 'as many are received as the TLB line says, on each CPU' "$1" \
		"(.per_cpu | length) == $CPUS and all(.per_cpu[]; near(.tlb; .received)) and .hsum == ([.per_cpu[].tlb] | add)"
	holds 'what is sent is the sum over the phases, and over the CPUs' "$1" "$SENT_ADDS_UP"
	holds 'what is received is the sum over the phases, and over the CPUs' "$1" "$RECEIVED_ADDS_UP"
	holds 'the count is trusted, and nothing is missing' "$1" \
		'.verdict.is_count_trusted and .missing == []'
}

# has_share RUN PHASE: nearly all that is received is of this phase's senders,
# or of unknown ones.
has_share() {
	local phase=$2

	$knows_sender || phase=unknown
	holds "what is received is of $phase" "$1" "(.phases.$phase.received >= .cost_ns.received * 0.9)"
}

agrees native
# Each round of tlb_load protects a page, and unmaps it; starting and ending
# its threads takes a few more.
rounds=$(fact native said)
holds 'two are sent each round' native ".sent >= 2 * $rounds and .sent <= 2 * $rounds + 40"
holds 'all other CPUs receive each' native \
	".hsum >= 0.9 * $receivers * .sent and .hsum <= 1.01 * $receivers * .sent"
holds 'what is sent outside reclaim is so attributed' native \
	'near(.phases.outside_reclaim.sent; .sent) and .phases.unknown.sent == 0'
has_share native outside_reclaim
holds 'the top sender is the load' native \
	'.senders[0].command == "tlb_load" and near(.senders[0].shootdowns; .sent) and .senders[0].reclaim_shootdowns == 0'
holds 'reclaim is not to blame' native '.verdict.kind == "not_reclaim" and .verdict.reclaim_permille == 0'

# swapped RUN PHASE
swapped() {
	agrees "$1"
	check "$1: pages were swapped out" test "$(fact "$1" pswpout)" -gt 0
	# A page that is written out is flushed first, by itself.
	holds "$2 sends one for each page swapped out" "$1" \
		".phases.$2.sent >= 0.9 * $(fact "$1" pswpout) and .phases.$2.sent <= 1.1 * $(fact "$1" pswpout)"
	has_share "$1" "$2"
	holds 'the load sends them' "$1" ".senders[0].command == \"tlb_load\" and
		near([.senders[].reclaim_shootdowns] | add; .sent - .phases.outside_reclaim.sent)"
	holds 'reclaim is to blame' "$1" '.verdict.kind == "reclaim"'
}
swapped swap evicting_anon

was_run noswap
check 'noswap: reclaim looked at pages' test "$(fact noswap scan)" -gt 0
holds 'no anonymous page was aged without swap' noswap '.anon_aged_without_swap_pages == 0 and .has_swap == false'
holds 'what is sent is the sum over the phases' noswap "$SENT_ADDS_UP"

if [ -n "$(vm_part mglru)" ]; then
	swapped swap_mglru $evicts_mglru
	was_run noswap_mglru
	check 'noswap_mglru: reclaim looked at pages' test "$(fact noswap_mglru scan)" -gt 0
	holds 'aging that no event tells is not called 0' noswap_mglru \
		'.machine.has_mglru and .anon_aged_without_swap_pages == null'
fi
[ "$tap_failures" = 0 ] || vm_console
finish
