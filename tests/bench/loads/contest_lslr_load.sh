# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # sourced by tests/bench/cell

# shellcheck source=tests/bench/contest.sh
. tests/bench/contest.sh

contest_does='ls -lR of 25,000 files'

contest_prepare() { tar -xf "$contest_home/tree.tar" -C "$1"; }

contest_once() { ls -lR "$1"; }
