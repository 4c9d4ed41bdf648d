#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What loads on another kernel than this one, with cgroup v2 and MGLRU: a part of
# `make check-vm` that `make check` has, within the time of tests/run.
BOOT_S=15 SCENARIO_S=30 S='load swap foreign' exec tests/vm/cell 6.12
