# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='a file as large as the limit is read'

contest_prepare() {
	dd if=/dev/zero of="$1/read" bs=1M count=$CONTEST_LIMIT_MB status=none
}

contest_once() { dd if="$1/read" of=/dev/null bs=1M status=none; }
