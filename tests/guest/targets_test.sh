#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/run: long
# Some tasks only, with other rights, and commands.
exec "$(dirname "$0")/boots.sh" "targets 1 --smp 1 --perf"
