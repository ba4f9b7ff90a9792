#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Inside the emulated machine. code_check.py checks the output outside.

# An interrupt takes long here, and the kernel would lower perf_event_max_sample_rate until three
# samples without a tick stop a group: the cycles of an idle CPU, which has no ticks, go on.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

rate=/proc/sys/kernel/perf_event_max_sample_rate
echo "== machine"
echo "{\"cpus\":$(nproc),\"rate before\":$(cat $rate)}"

ticks >/tmp/ticks &
until [ -s /tmp/ticks ]; do sleep 0.1; done

echo "== rows"
code_rows

echo "== sandbox"
sandbox

# hotspots sets the length of its turns by the clock, which goes on while the emulator runs another
# CPU. So its shares are those of an interval with one CPU only.
if [ "$(nproc)" = 1 ]; then
	for mode in split recursive library kernel jit; do
		echo "== $mode, notes"
		rm -f /tmp/truth
		hotspots $mode >/tmp/truth &
		pid=$!
		while kill -0 $pid && ! [ -s /tmp/truth ]; do sleep 0.1; done
		# The symbols of the kernel are read in the first interval, and meanwhile no samples.
		pmctop --code -p $pid --format json -n 2 -d 2 --frequency 499 >/tmp/json
		pmctop --code -p $pid --format folded -n 1 -d 2 --frequency 499 >/tmp/folded
		kill $pid
		wait $pid
		echo "== $mode"
		cat /tmp/truth /tmp/json
		echo "== $mode, stacks"
		cat /tmp/folded
	done
fi

echo "== end"
echo "{\"rate after\":$(cat $rate)}"
