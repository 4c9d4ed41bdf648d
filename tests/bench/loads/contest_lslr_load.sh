# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='ls -lR of 30,000 files'

# Only their inodes are looked at, so they may be empty.
contest_prepare() {
	(
		cd "$1" && seq -f "list/%03g" 0 299 | xargs mkdir -p &&
			printf "%s\n" list/*/ | while read -r dir; do
				seq -f "${dir}file_%03g.c" 0 99
			done | xargs touch
	)
}

contest_once() { ls -lR "$1/list"; }
