#!/bin/bash
# SPDX-License-Identifier: MIT
# What a fleet asks, of known figures.
exec "$(dirname "$0")/boots.sh" "monitoring 3"
