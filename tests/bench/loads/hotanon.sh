# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# More hot memory than the group may have, anonymous and file alike: whatever
# is evicted comes back, and what counts is which of the two comes back faster.

ANON_MB=150
ANON_HOT_PCT=50
FILE_MB=60
NOMINAL_OPS=500000
LIMIT_MB=100
MEASURED_S=15

# shellcheck source=tests/bench/random_reads.sh
. tests/bench/random_reads.sh
