# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='tar unpacks a source tree about as large as the limit'

contest_prepare() { cp "$contest_home/tree.tar" "$1"; }

contest_once() {
	rm -rf "$1/made" && mkdir "$1/made" &&
		tar -xf "$1/tree.tar" -C "$1/made"
}
