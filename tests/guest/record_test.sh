#!/bin/bash
# SPDX-License-Identifier: MIT
# Recordings: read by perf there, replayed here.
exec "$(dirname "$0")/boots.sh" "record 3 --perf"
