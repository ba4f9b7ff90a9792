#!/bin/bash
# SPDX-License-Identifier: MIT
# Beside perf's own figures, which does not keep up at 3.
exec "$(dirname "$0")/boots.sh" "perf 1 --perf"
