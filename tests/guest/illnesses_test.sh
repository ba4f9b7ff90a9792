#!/bin/bash
# SPDX-License-Identifier: MIT
# Verdicts of waits by /proc alone, and of cgroups of version 2.
exec "$(dirname "$0")/run_check.sh" "illnesses 1"
