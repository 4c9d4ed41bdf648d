# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# More hot memory than the group may have, anonymous and file alike: whatever
# is evicted comes back, and what counts is which of the two comes back faster.

ANON_MB=150
ANON_HOT_PCT=50
FILE_MB=60
NOMINAL_OPS=500000

load_describe() {
	echo "random 4 KB reads of a file of $FILE_MB MB beside $ANON_MB MB of anonymous memory with $ANON_HOT_PCT % of the accesses"
}

load_limit_mb() { echo 100; }

load_needs() { :; }

load_prepare() { bench_make_file file $FILE_MB; }

load_run() {
	bench_measure 5 15 $NOMINAL_OPS $ANON_HOT_PCT --anon-mb $ANON_MB \
		--file "$BENCH_FILES/file" --warm
}

load_clean() { :; }
