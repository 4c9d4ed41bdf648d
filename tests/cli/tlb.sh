#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# `tlb` on file trees that stand for machines: what it counts, what it refuses,
# what it ends with.  No BPF here.
. tests/lib/guest.sh
need_command jq
guest_temp
out=$GUEST_TMP/out
err=$GUEST_TMP/err
root=$GUEST_TMP/root
fixtures=tests/fixtures/interrupts

usage() { # NAME WANT_TEXT ARGS...
	local name=$1 text=$2 code
	shift 2
	timeout 5 "$SWAPTEND" tlb --no-bpf "$@" >"$out" 2>&1
	code=$?
	if [ $code = 2 ] && [ "$(wc -l <"$out")" = 1 ] && grep -qe "$text" "$out"; then
		ok "$name"
	else
		not_ok "$name" "code $code: $(head -c 1000 "$out")"
	fi
}
usage 'no time' "'0'" --duration 0
usage 'a time that is none' "'1x'" --duration 1x
usage 'a time without digits' "'.'" --duration .
usage 'a negative time' "'-1'" --duration=-1
usage 'a time finer than a millisecond' "'0.0001'" --duration 0.0001
usage 'a time that is too long' "'10000001'" --duration 10000001
usage 'an interval that is too short' "'0.05'" --every 0.05
usage 'too many senders' "'65'" --top 65
usage 'an unknown way to time' "'loud'" --receive loud
usage 'an unknown option' 'frobnicate' --frobnicate
usage 'one side to compare' 'two sides' --compare a
usage 'three sides to compare' 'two sides' --compare a b c
usage 'to compare and save' 'measures nothing' --compare a b --save c
usage 'a time and a command' "'true'" --duration 1 -- true
usage 'a file without a name' 'name of no letters' --compare a,, b

new_root() { # INTERRUPTS
	rm -rf "$root"
	mkdir -p "$root/proc"
	cp "$fixtures/$1" "$root/proc/interrupts"
	cp tests/fixtures/stat/before.txt "$root/proc/stat"
	cp tests/fixtures/swap/swaps-none.txt "$root/proc/swaps"
}
# The command under measurement makes the machine go on to AFTER.
measure() { # BEFORE AFTER OPTIONS...
	local before=$1 after=$2
	shift 2
	new_root "$before"
	"$SWAPTEND" tlb --no-bpf --root "$root" "$@" -- sh -c \
		"cp $fixtures/$after $root/proc/interrupts
		cp tests/fixtures/stat/after-iowait-went-back.txt $root/proc/stat" \
		>"$out" 2>"$err"
}
json() { measure "$1" "$2" --json; jq -c "$3" "$out"; }
has() { # NAME PATTERN
	if grep -qe "$2" "$out"; then ok "$1"; else not_ok "$1" "$(cat "$out" "$err")"; fi
}

measure x86-4cpu.before.txt x86-4cpu.after.txt
is 'a measured command ends with 0' $? 0
has 'the counts of each CPU, and their sum' '^TLB  *900  *1000  *0  *776  *2676$'
has 'iowait that went back is 0' '^  *60  *0  *20  *700  *0  *0  *2  *2  *40  *0  *784$'
has 'what is missing is said' '^missing: no BPF programs'
is 'nothing is said twice' "$(cat "$err")" ''
is 'the same as JSON' "$(json x86-4cpu.before.txt x86-4cpu.after.txt '[.hsum, .hsum_is_partial, [.per_cpu[].tlb], .cpu_ticks.total]')" \
	'[2676,false,[900,1000,0,776],784]'
is 'the keys of the JSON' "$(jq -c '[has("per_cpu", "hsum", "phases", "senders", "cpu_ticks", "cost_ns", "verdict")] | all' "$out")" true
is 'unknown is null' "$(jq -c '[.sent, .phases, .senders, .cost_ns.total, .anon_aged_without_swap_pages, .overhead, .verdict.reclaim_permille]' "$out")" '[null,null,null,null,null,null,null]'

is 'a CPU that went offline is unknown' \
	"$(json hotplug.1-all-online.txt hotplug.2-cpu2-offline.txt '[.hsum, .hsum_is_partial, [.per_cpu[].tlb], .per_cpu[2].why_unknown]')" \
	'[210,true,[60,40,null,110],"went offline"]'
is 'a CPU that came back has no baseline' \
	"$(json hotplug.2-cpu2-offline.txt hotplug.3-cpu2-back.txt '[.hsum_is_partial, [.per_cpu[].tlb]]')" \
	'[true,[20,20,null,80]]'
is 'both ends are enough' \
	"$(json hotplug.1-all-online.txt hotplug.3-cpu2-back.txt '[.hsum, .hsum_is_partial, [.per_cpu[].tlb]]')" \
	'[335,false,[80,60,5,190]]'
is 'a quiet time of many CPUs is known, some of them absent' \
	"$(json x86-256cpu-offline.txt x86-256cpu-offline.txt '[.hsum, (.per_cpu | length), .per_cpu[10].cpu, .hsum_since_boot]')" \
	'[0,245,20,64699978407]'
is 'no line is not available' \
	"$(json arm64-8cpu.txt arm64-8cpu.txt '[.hsum, .per_cpu[0].tlb, .verdict.kind]')" '[null,null,"no_line"]'
measure arm64-8cpu.txt arm64-8cpu.txt
has 'no line is called not available' '^TLB: not available'
is 'a single CPU' "$(json x86-up-no-tlb-line.txt x86-up-no-tlb-line.txt '[.hsum, .verdict.kind]')" '[null,"one_cpu"]'
is 'a line that stays 0 while calls grow is not believed' \
	"$(json x86-pv-guest-tlb-zero.before.txt x86-pv-guest-tlb-zero.after.txt '[.verdict.kind, .verdict.is_count_trusted, (.verdict.sentence | contains("%"))]')" \
	'["hypercall",false,false]'
is 'nor are the few of Hyper-V' "$(json x86-hyperv.txt x86-hyperv.txt .verdict.kind)" '"hypercall"'

new_root x86-4cpu.before.txt
mkdir -p "$root/sys/kernel/mm/lru_gen"
echo 0x0007 >"$root/sys/kernel/mm/lru_gen/enabled"
printf 'processor\t: 0\nflags\t\t: fpu invlpgb hypervisor\n' >"$root/proc/cpuinfo"
"$SWAPTEND" tlb --no-bpf --root "$root" --json -- cp "$fixtures/x86-4cpu.after.txt" "$root/proc/interrupts" >"$out"
is 'a CPU that broadcasts is not believed' \
	"$(jq -c '[.verdict.kind, .verdict.is_count_trusted, .machine.is_guest, .machine.has_mglru, (.verdict.sentence | contains("%"))]' "$out")" \
	'["broadcast",false,true,true,false]'
printf 'CPU0 CPU1\n TLB: 5 TLB shootdowns\n' >"$root/proc/interrupts"
"$SWAPTEND" tlb --no-bpf --root "$root" -- true >"$out"
has 'a line without all its columns is left out' '^TLB: not available'
has 'and that is said' '^missing: /proc/interrupts: its columns'

new_root empty.txt
"$SWAPTEND" tlb --no-bpf --root "$root" -- touch "$GUEST_TMP/ran" >"$out" 2>&1
is 'nothing to count: the kernel cannot' "$?, $(wc -l <"$out")" '3, 1'
check 'and the command is not run' test ! -e "$GUEST_TMP/ran"

# --- the command ---

ends() { # NAME WANT COMMAND...
	local name=$1 want=$2
	shift 2
	"$SWAPTEND" tlb --no-bpf "$@" >"$out" 2>"$err"
	is "$name" $? "$want"
}
ends 'the status of true' 0 true
ends 'the status of false' 1 false
ends 'the status of a command with options' 7 sh -c 'exit 7'
ends 'a signal, as shells tell it' 143 -- sh -c 'kill -TERM $$'
ends 'no such command' 127 "$GUEST_TMP/none"
is 'is named, without a report' "$(cat "$out" "$err")" "swaptend: cannot run '$GUEST_TMP/none': No such file or directory"
ends 'a command that may not be run' 126 /etc/passwd
export TLB_TEST=kept
ends 'the command has its environment' 0 -- sh -c 'test "$TLB_TEST" = kept'
ends 'no signal is blocked in it' 0 grep -q '^SigBlk:	0000000000000000$' /proc/self/status
"$SWAPTEND" tlb --no-bpf -o "$GUEST_TMP/report" echo said >"$out"
is 'with --output, only the command prints' "$(cat "$out")" said
check 'and the report is in the file' grep -q '^TLB' "$GUEST_TMP/report"

passes() { # SIGNAL WANT
	rm -f "$GUEST_TMP/up"
	env --default-signal=INT "$SWAPTEND" tlb --no-bpf -- sh -c "echo \$\$ >$GUEST_TMP/pid; touch $GUEST_TMP/up; exec sleep 60" >"$out" 2>&1 &
	local pid=$! code
	on_exit guest_end $pid
	wait_until 5000 test -e "$GUEST_TMP/up"
	kill -"$1" $pid
	wait $pid
	code=$?
	is "$1 ends the command, then swaptend" "$code, $(grep -c '^TLB shootdowns' "$out")" "$2, 1"
	check "$1 leaves no command behind" guest_is_gone "$(cat "$GUEST_TMP/pid")"
}
passes TERM 143
passes INT 130

env --default-signal=INT "$SWAPTEND" tlb --no-bpf --every 0.1 >"$out" 2>&1 &
pid=$!
on_exit guest_end $pid
wait_until 5000 grep -q '^ *[0-9]' "$out"
kill -INT $pid
wait $pid
is 'Ctrl-C ends it, with a report' "$?, $(grep -c '^TLB shootdowns' "$out")" '0, 1'
has 'the live table has a header' 'most from$'

# --- saved runs ---

for run in 1 2 3; do
	new_root x86-4cpu.before.txt
	"$SWAPTEND" tlb --no-bpf --root "$root" --save "$GUEST_TMP/a$run" -o /dev/null -- cp "$fixtures/x86-4cpu.after.txt" "$root/proc/interrupts"
	new_root hotplug.1-all-online.txt
	"$SWAPTEND" tlb --no-bpf --root "$root" --save "$GUEST_TMP/b$run" -o /dev/null -- cp "$fixtures/hotplug.3-cpu2-back.txt" "$root/proc/interrupts"
done
is 'nothing temporary stays' "$(ls "$GUEST_TMP" | grep -c tmp)" 0
a=$GUEST_TMP/a1,$GUEST_TMP/a2,$GUEST_TMP/a3
b=$GUEST_TMP/b1,$GUEST_TMP/b2,$GUEST_TMP/b3
"$SWAPTEND" tlb --compare "$a" "$b" >"$out" 2>"$err"
is 'saved runs are compared' $? 0
# 335 of 2676 is 12.519 %.
has 'before' '^before  *900  *1000  *0  *776  *2676$'
has 'after' '^after  *80  *60  *5  *190  *335$'
has 'and their difference' '^diff %  *-91.1  *-94.0  *-  *-75.5  *-87.5$'
has 'a claim where the ranges are apart' '^TLB HSUM.*less: the ranges do not overlap$'
"$SWAPTEND" tlb --compare "$a" "$GUEST_TMP/a1,$GUEST_TMP/a2" >"$out"
has 'none where they overlap' '^TLB HSUM.*no claim: the ranges overlap$'
"$SWAPTEND" tlb --compare "$GUEST_TMP/a1" "$GUEST_TMP/b1" --json >"$out"
is 'none of one run each, in JSON' "$(jq -c '[.hsum.is_claimed, .per_cpu[2].before, .per_cpu[2].after]' "$out")" '[false,0,5]'
sed 's/"online_cpus": 4/"online_cpus": 8/; s/"release": "[^"]*"/"release": "7.3.0"/' "$GUEST_TMP/b1" >"$GUEST_TMP/other"
"$SWAPTEND" tlb --compare "$GUEST_TMP/a1" "$GUEST_TMP/other" >"$out"
has 'another kernel and number of CPUs are named' "^note: '.*other' differs from .*Linux 7.3.0, 8 CPUs"

refuses() { # NAME FILE WANT
	"$SWAPTEND" tlb --compare "$GUEST_TMP/a1" "$2" >"$out" 2>&1
	is "$1" "$?, $(wc -l <"$out"), $(grep -cFe "'$2': $3" "$out")" '1, 1, 1'
}
head -c 500 "$GUEST_TMP/a1" >"$GUEST_TMP/cut"
refuses 'a saved file that is cut' "$GUEST_TMP/cut" 'cut or not JSON'
echo '{"schema": 1}' >"$GUEST_TMP/foreign"
refuses 'a foreign file' "$GUEST_TMP/foreign" "not a run that 'swaptend tlb' saved"
sed 's/"version": 1/"version": 9/' "$GUEST_TMP/a1" >"$GUEST_TMP/newer"
refuses 'another version' "$GUEST_TMP/newer" 'saved by another version'
refuses 'no file' "$GUEST_TMP/none" 'No such file'
refuses 'what is no plain file' /dev/zero 'not a plain file'

"$SWAPTEND" tlb --no-bpf --save "$GUEST_TMP/none/run" -- touch "$GUEST_TMP/ran" >"$out" 2>&1
is 'no place to save is found out before the run' "$?, $(wc -l <"$out")" '1, 1'
check 'which does not happen' test ! -e "$GUEST_TMP/ran"
"$SWAPTEND" tlb --no-bpf --duration 0.001 >/dev/full 2>"$out"
is 'a report that cannot be written' "$?, $(grep -c 'cannot write' "$out")" '1, 1'

# --- without rights ---

if [ "$(id -u)" != 0 ]; then
	rights=()
elif command -v setpriv >/dev/null; then
	rights=(setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs)
fi
chmod 755 "$GUEST_TMP"
install -m 755 "$SWAPTEND" "$GUEST_TMP/swaptend"
if [ -z "${rights+set}" ]; then
	skip 'without rights /proc still tells' 'no setpriv here'
elif ! "${rights[@]}" "$GUEST_TMP/swaptend" --version >/dev/null 2>&1; then
	skip 'without rights /proc still tells' 'nobody may not run what is in the temporary directory'
else
	"${rights[@]}" "$GUEST_TMP/swaptend" tlb --duration 0.1 >"$out" 2>"$err"
	is 'without rights /proc still tells' "$?, $(grep -c '^missing: no BPF programs' "$out"), $(wc -l <"$err")" '0, 1, 1'
fi
finish
