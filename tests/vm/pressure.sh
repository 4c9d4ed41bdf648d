#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A whole machine short of memory, which no test does to this one: the part of
# `make check-vm` that `make check` has, within the time of tests/run.
BOOT_S=15 SCENARIO_S=85 S='pressure' exec tests/vm/cell 6.12-classic
