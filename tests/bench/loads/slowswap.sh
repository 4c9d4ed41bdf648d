# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell
#
# Hot anonymous memory that just fits beside a part of the file: meant for slow
# swap and fast files, where evicting any of it costs much.

ANON_MB=150
ANON_HOT_PCT=50
FILE_MB=100
NOMINAL_OPS=2000000
LIMIT_MB=200
MEASURED_S=20

# shellcheck source=tests/bench/random_reads.sh
. tests/bench/random_reads.sh
