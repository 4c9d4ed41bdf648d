# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # sourced by loads that set the sizes
#
# What the loads of random reads share: a file beside anonymous memory.  The
# load sets LIMIT_MB, ANON_MB, ANON_HOT_PCT (share of the accesses), FILE_MB,
# MEASURED_S (after 5 s of warm-up) and NOMINAL_OPS.

load_describe() {
	echo "random 4 KB reads of a file of $FILE_MB MB beside $ANON_MB MB of anonymous memory with $ANON_HOT_PCT % of the accesses"
}

load_limit_mb() { echo "$LIMIT_MB"; }

load_needs() { :; }

load_prepare() { bench_make_file file "$FILE_MB"; }

load_run() {
	bench_measure 5 "$MEASURED_S" "$NOMINAL_OPS" "$ANON_HOT_PCT" --anon-mb "$ANON_MB" \
		--file "$BENCH_FILES/file" --warm
}

load_clean() { :; }
