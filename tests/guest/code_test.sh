#!/bin/bash
# SPDX-License-Identifier: MIT
# Counts and functions while the counting members of groups sample, and while they do not.
exec "$(dirname "$0")/run_check.sh" "code 1"
