#!/bin/bash
# SPDX-License-Identifier: MIT
# Events in turns.
exec "$(dirname "$0")/run_check.sh" "groups 3 --smp 1 --cpu neoverse-n1"
