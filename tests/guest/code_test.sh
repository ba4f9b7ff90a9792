#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Counts and functions while the counting members of groups sample, and while they do not. The
# shared library has perf's loader and libc.
dynamic="--perf --load ${BUILD:-build}/arm64/dynamic/load"
exec "$(dirname "$0")/run_check.sh" "code 0 --smp 1 $dynamic" "code 1 --smp 1 $dynamic" "code 2"
