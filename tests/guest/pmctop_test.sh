#!/bin/bash
# SPDX-License-Identifier: MIT
# The whole program, at two rates of instructions per cycle.
exec "$(dirname "$0")/run_check.sh" "pmctop 2" "pmctop 3"
