#!/bin/bash
# SPDX-License-Identifier: MIT
# Events in turns, one by one to the last count.
exec "$(dirname "$0")/boots.sh" "groups 3 --smp 1 --cpu neoverse-n1"
