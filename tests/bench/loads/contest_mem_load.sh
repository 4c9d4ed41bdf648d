# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='memory of 110 % of the limit is walked, in order and at random'
contest_beside="walk $((CONTEST_LIMIT_MB * 110 / 100))"
