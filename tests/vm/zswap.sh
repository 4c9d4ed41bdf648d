#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The price of zswap by its own functions, beside what the kernel's counters and
# its function tracer say of the same calls.
#	K=5.10-generic|6.1-generic|6.12-generic tests/vm/zswap.sh
# On kernels without zswap, K=5.10|6.1|6.12: that nothing breaks.
. tests/lib/guest.sh
. tests/lib/vm.sh
K=${K:-6.12-generic}
BOOT_S=90
need_command jq
vm_need
vm_kernel "$K"
vm_root
vm_add "$SWAPTEND" /usr/sbin
vm_add "$LOAD" /bin
vm_modules lzo-rle zram

vm_boot $BOOT_S 2 <<'SCENARIO'
zswap=/sys/module/zswap/parameters/enabled
tracing=/sys/kernel/tracing
vmstat() { awk -v name=$1 '$1 == name { print $2 }' /proc/vmstat; }
# until TENTHS COMMAND: 1, too late
until_() {
	tenths=$1
	shift
	while ! eval "$@"; do
		[ $tenths -gt 0 ] || return 1
		tenths=$((tenths - 1))
		usleep 100000
	done
}
look() { # NAME
	say begin $1.json
	swaptend status --json >$OUT
	say begin $1.vmstat
	grep -E '^(zswp|pswp)' /proc/vmstat >$OUT
}
start_load() { # GROUP
	mkdir $1
	echo 48M >$1/memory.max
	sh -c "echo \$\$ >$1/cgroup.procs; exec load --anon-mb 72 --anon-hot-pct 100 --seconds 100" >/tmp/load &
}
end_load() { # PID
	kill -CONT $1
	kill $1
	wait $1
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
echo 192M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
# What it has on the device now, zswap will be asked for in vain.
start_load /sys/fs/cgroup/limited
load=$!
until_ 200 '[ $(vmstat pswpout) -gt 5000 ]'
kill -STOP $load
[ ! -e $zswap ] || echo Y >$zswap
say begin zswap
cat $zswap >$OUT
say begin uname
uname -r >$OUT
say begin check
swaptend check --json >$OUT

swaptend run --law cost --verbose >/tmp/log 2>&1 &
pid=$!
until_ 300 'grep -q ready: /tmp/log || [ ! -d /proc/$pid ]'
echo 8192 >$tracing/buffer_size_kb
for name in zswap_load zswap_store zswap_frontswap_load zswap_frontswap_store; do
	echo $name >>$tracing/set_ftrace_filter
done 2>/dev/null
if grep -q zswap $tracing/set_ftrace_filter; then
	echo function_graph >$tracing/current_tracer
fi
look before
kill -CONT $load
usleep 6000000
kill -STOP $load
look timed
echo 0 >$tracing/tracing_on
say begin graph
# Of each function: calls, and their mean time.
awk -F'[|]' '/zswap_/ { name = $2; gsub(/[ ();]/, "", name); n[name]++
	for (i = split($1, word, " "); i > 1; i--) if (word[i] == "us") { us[name] += word[i - 1]; break } }
	END { for (name in n) print name, n[name], us[name] / n[name] * 1000 }' $tracing/trace >$OUT
echo nop >$tracing/current_tracer

# Off is noticed while something reclaims.  What zswap has by then is the
# load's, which gets it back afterwards.
[ ! -e $zswap ] || {
	echo N >$zswap
	start_load /sys/fs/cgroup/other
	other=$!
	until_ 200 'grep -q "zswap is off" /tmp/log'
	end_load $other
	look off
	kill -CONT $load
	usleep 2000000
	look later
}
end_load $load
kill -TERM $pid
wait $pid
say begin exit
echo $? >$OUT
say begin log
cat /tmp/log >$OUT
say begin dmesg
dmesg | grep -E 'BUG|WARNING|Oops' >$OUT
SCENARIO
booted=$?
is "Linux $K boots and gets to the end" "$booted" 0
[ $booted = 0 ] || finish

for part in check timed.json off.json later.json log graph; do
	vm_part $part >"$GUEST_TMP/$part"
done
count() { vm_part "$1.vmstat" | awk -v name="$2" '$1 == name { print $2 }'; }
# grown FROM TO NAME: from one look to the other; 0 where nobody counts it.
grown() {
	local from to

	from=$(count "$1" "$3") to=$(count "$2" "$3")
	echo $((${to:-0} - ${from:-0}))
}
row() { # LOOK FILTER: of zswap's, {} if there is none
	jq -c "([.devices[] | select(.device == \"zswap\")][0] // {}) | $2" "$GUEST_TMP/$1.json"
}
found() { jq -r --arg id "$1" '.findings[] | select(.id == $id) | .state + ": " + .what' "$GUEST_TMP/check"; }

is 'run ends well' "$(vm_part exit)" 0
is 'the kernel has nothing to say' "$(vm_part dmesg)" ''
check 'all programs load and attach' \
	eval "! grep 'did not load\\|refused to attach' '$GUEST_TMP/log'"
if [ "$(vm_part zswap)" != Y ]; then
	check 'pages were swapped out' test "$(grown before timed pswpout)" -gt 1000
	is 'zswap that this kernel does not have has no row' "$(row timed .)" '{}'
	is 'nor a finding' "$(found zswap)" ''
	finish
fi

# near NAME A B PCT: they differ by so much of the larger at most.
near() {
	local small=$2 large=$3

	[ "$small" -le "$large" ] || small=$3 large=$2
	if [ "$small" -gt 0 ] && [ $((small * 100)) -ge $((large * (100 - $4))) ]; then
		ok "$1"
	else
		not_ok "$1" "$2, $3"
	fi
}
# Of the row: pages of all calls.
pages() { row timed ".$1 | .bios_estimate * .sampled_pages / .sampled_bios | round"; }
# ns a page.  Of the function tracer: the mean of all calls.
row_ns() { row timed ".$1 | .sampled_ns / .sampled_pages | round"; }
graph_ns() { awk -v end="_$1" 'substr($1, length($1) - length(end) + 1) == end { print int($3) }' "$GUEST_TMP/graph"; }

echo "# $(vm_part uname): a load: $(row_ns swap_in) ns of $(row timed .swap_in.sampled_bios) sampled, traced $(graph_ns load);" \
	"a store: $(row_ns swap_out) of $(row timed .swap_out.sampled_bios), traced $(graph_ns store);" \
	"the price: $(jq '.targets[0].prices.swap_in_ns' "$GUEST_TMP/timed.json")"
check 'check says that zswap will be timed' eval "found zswap | grep 'ok: on; run will time'"
check 'zswap was asked in vain, too' test "$(grown before timed pswpin)" -gt 2000
check 'loads were sampled' test "$(row timed .swap_in.sampled_bios)" -ge 100
check 'stores were sampled' test "$(row timed .swap_out.sampled_bios)" -ge 100
if [ -n "$(count before zswpin)" ]; then
	near 'as many loads as /proc/vmstat has pages from zswap' \
		"$(pages swap_in)" "$(grown before timed zswpin)" 10
	near 'as many stores as it has pages to zswap' \
		"$(pages swap_out)" "$(grown before timed zswpout)" 10
else
	skip 'as many as /proc/vmstat has' 'nobody counts them before v5.19'
fi
# The tracer's time has that of the programs in it.
if [ -n "$(graph_ns load)" ]; then
	near 'a load takes what the function tracer says' "$(row_ns swap_in)" "$(graph_ns load)" 50
	near 'so does a store' "$(row_ns swap_out)" "$(graph_ns store)" 50
else
	skip 'the function tracer says the same' 'on v5.10 it does not see what fentry sees'
fi
price=$(jq '.targets[0].prices.swap_in_ns' "$GUEST_TMP/timed.json")
is 'the price is measured' "$(jq -r '.targets[0].prices.swap_in_source' "$GUEST_TMP/timed.json")" measured
check 'it is no less than half a load' test $((price * 2)) -ge "$(row_ns swap_in)"
check 'and no more than twice a load and a store' \
	test "$price" -le $((2 * ($(row_ns swap_in) + $(row_ns swap_out))))

[ -z "$(count before zswpin)" ] ||
	check 'zswap still has pages after it was switched off' test "$(grown off later zswpin)" -gt 100
is 'none is timed as of zswap' "$(row later '[.swap_in, .swap_out]')" "$(row off '[.swap_in, .swap_out]')"
[ "$tap_failures" = 0 ] || { sed 's/^/# /' "$GUEST_TMP/log" "$GUEST_TMP/graph"; vm_console; }
finish
