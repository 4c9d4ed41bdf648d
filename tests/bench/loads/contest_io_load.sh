# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='a file as large as the limit is written'

contest_once() {
	dd if=/dev/zero of="$1/written" bs=1M count="$2" status=none
}
