# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# A database-like process whose anonymous memory is almost never used: the
# page cache could hold the whole file if that memory were swapped out.

ANON_MB=120
ANON_HOT_PCT=2
FILE_MB=160
NOMINAL_OPS=2000000
LIMIT_MB=200
MEASURED_S=15

# shellcheck source=tests/bench/random_reads.sh
. tests/bench/random_reads.sh
