# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# Hot anonymous memory that just fits beside a part of the file: meant for slow
# swap and fast files, where evicting any of it costs much.

ANON_MB=150
ANON_HOT_PCT=50
FILE_MB=100
NOMINAL_OPS=2000000

load_describe() {
	echo "random 4 KB reads of a file of $FILE_MB MB beside $ANON_MB MB of anonymous memory with $ANON_HOT_PCT % of the accesses"
}

load_limit_mb() { echo 200; }

load_needs() { :; }

load_prepare() { bench_make_file file $FILE_MB; }

load_run() {
	bench_measure 5 20 $NOMINAL_OPS $ANON_HOT_PCT --anon-mb $ANON_MB \
		--file "$BENCH_FILES/file" --warm
}

load_clean() { :; }
