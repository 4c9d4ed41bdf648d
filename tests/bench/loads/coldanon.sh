# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# A database-like process whose anonymous memory is almost never used: the
# page cache could hold the whole file if that memory were swapped out.

ANON_MB=120
ANON_HOT_PCT=2
FILE_MB=160
NOMINAL_OPS=2000000

load_describe() {
	echo "random 4 KB reads of a file of $FILE_MB MB beside $ANON_MB MB of anonymous memory with $ANON_HOT_PCT % of the accesses"
}

load_limit_mb() { echo 200; }

load_needs() { :; }

load_prepare() { bench_make_file file $FILE_MB; }

load_run() {
	bench_measure 5 15 $NOMINAL_OPS $ANON_HOT_PCT --anon-mb $ANON_MB \
		--file "$BENCH_FILES/file" --warm
}

load_clean() { :; }
