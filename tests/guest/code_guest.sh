#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Inside the emulated machine. code_check.py checks the output outside.

# An interrupt takes long here, and the kernel would lower perf_event_max_sample_rate until three
# samples without a tick stop a group: the cycles of an idle CPU, which has no ticks, go on.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

echo "== rows"
code_rows
