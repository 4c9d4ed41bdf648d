#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Bad input: one line that names it and the remedy, exit 2, nothing written.
. tests/lib/guest.sh
guest_temp
out=$GUEST_TMP/out
usage() { # NAME WANT_TEXT ARGS...
	local name=$1 text=$2 code
	shift 2
	timeout 5 "$SWAPTEND" "$@" >"$out" 2>&1
	code=$?
	if [ $code = 2 ] && [ "$(wc -l <"$out")" = 1 ] && grep -qe "$text" "$out"; then
		ok "$name"
	else
		not_ok "$name" "code $code: $(head -c 1000 "$out")"
	fi
}
# A run that wrongly got further would leave its journal here.
run() { local name=$1 text=$2; shift 2; usage "$name" "$text" run --run-dir "$GUEST_TMP/run" "$@"; }

usage 'unknown command' "'frobnicate'" frobnicate
run 'unknown option' 'frobnicate' --frobnicate
run 'missing value' 'law' --law
run 'stray argument' "'60'" 60
run 'unknown law' 'nosuch' --law nosuch
run 'static out of range' '201' --law static:201
run 'static without number' 'static' --law static:
run 'min out of range' '201' --min 201
run 'min negative' '-1' --min=-1
run 'min with junk' '10x' --min 10x
run 'min empty' 'min' --min=
run 'max out of range' '201' --max 201
run 'min above max' 'min' --min 100 --max 50
run 'base with junk' 'high' --base high
run 'interval too short' '9' --interval-ms 9
run 'interval too long' '60001' --interval-ms 60001
run 'swap-out budget negative' '-1' --swap-out-budget-kib-s=-1
run 'swap-out budget out of range' '1073741825' --swap-out-budget-kib-s 1073741825
run 'zram weight of nothing' "'0'" --zram-cpu-weight-pct 0
run 'zram weight out of range' '10001' --zram-cpu-weight-pct 10001
run 'law with a number that it does not take' 'cost:60' --law cost:60
run 'target without slash' 'db' --target db
run 'target with dots' '\.\.' --target /a/../b
run 'target with unknown key' 'colour' --target /a,colour=1
run 'target with bad number' '300' --target /a,min=300
run 'the same target twice' '/a' --target /a --target /a
run 'missing configuration file' "$GUEST_TMP/none" --config "$GUEST_TMP/none"
printf '[swaptend]\nmin = 10\nmxa = 20\n' >"$GUEST_TMP/conf"
run 'unknown key, with its place' "conf:3" --config "$GUEST_TMP/conf"
printf '[swaptend]\nmin = 190\nmax = 180\n' >"$GUEST_TMP/conf"
run 'min above max in the file' 'conf' --config "$GUEST_TMP/conf"
printf '[swaptend]\nguards = maybe\n' >"$GUEST_TMP/conf"
run 'guards neither on nor off' 'maybe' --config "$GUEST_TMP/conf"
printf '[swaptend]\nprobe = 2\n' >"$GUEST_TMP/conf"
run 'probe neither on nor off' "'2'" --config "$GUEST_TMP/conf"
usage 'explain without value' 'explain' explain
usage 'explain out of range' '201' explain 201
usage 'explain junk' 'junk' explain junk
usage 'status with argument' "'x'" status x
usage 'check with argument' 'x' check x
usage 'restore with argument' 'x' restore x
is 'nothing was written' "$(ls "$GUEST_TMP" | tr '\n' ' ')" 'conf out '

"$SWAPTEND" >"$out" 2>&1
is 'no command is a usage error' $? 2
"$SWAPTEND" --help >"$out" 2>&1
is '--help succeeds' $? 0
for command in run status check restore explain tlb; do
	"$SWAPTEND" $command --help >"$out" 2>&1
	is "$command --help succeeds" "$?, $(head -n 1 "$out" | grep -c "Usage: swaptend $command")" '0, 1'
done
check '--version' "$SWAPTEND" --version
finish
