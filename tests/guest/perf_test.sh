#!/bin/bash
# SPDX-License-Identifier: MIT
# Replays compared with perf's own figures. perf is too slow at shift 3.
exec "$(dirname "$0")/run_check.sh" "perf 1 --perf"
