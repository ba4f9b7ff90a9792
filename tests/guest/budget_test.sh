#!/bin/bash
# SPDX-License-Identifier: MIT
# Windows where switches come too fast.
exec "$(dirname "$0")/boots.sh" "budget 3 --smp 1"
