#!/bin/bash
# SPDX-License-Identifier: MIT
# CPUs that go and come, and a perf that holds all counters.
exec "$(dirname "$0")/boots.sh" "hotplug 3 --perf"
