#!/bin/bash
# SPDX-License-Identifier: MIT
# Recordings, read by perf in the machine and replayed outside.
exec "$(dirname "$0")/run_check.sh" "record 3 --perf"
