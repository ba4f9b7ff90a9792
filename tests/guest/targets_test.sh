#!/bin/bash
# SPDX-License-Identifier: MIT
# Targets, privileges, and commands.
exec "$(dirname "$0")/run_check.sh" "targets 1 --smp 1 --perf"
