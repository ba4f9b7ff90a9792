#!/bin/bash
# SPDX-License-Identifier: MIT
# A budget, with very many switches.
exec "$(dirname "$0")/run_check.sh" "budget 3 --smp 1"
