#!/bin/bash
# SPDX-License-Identifier: MIT
# The monitoring files, with known figures.
exec "$(dirname "$0")/run_check.sh" "monitoring 3"
