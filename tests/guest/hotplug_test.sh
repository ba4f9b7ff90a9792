#!/bin/bash
# SPDX-License-Identifier: MIT
# CPUs that go offline and return, and a perf that has all counters.
exec "$(dirname "$0")/run_check.sh" "hotplug 3 --perf"
