#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two tasks wake each other on CPU 0 of the emulated machine, alone and beside each tool. Run by
# part_emulated.py. CPU time is in instructions. Prints "== NAME", then lines of pingpong; then the
# same without tracefs, where pmctop counts with the software event.

events=cycles,instructions,instructions:u,instructions:k,page-faults
sampled="{context-switches,$events}:S"

pair() {
	pingpong -c 0 -t 0.25 1000000000 >/tmp/pair &
	pair=$!
	while [ "$(wc -l </tmp/pair)" -lt 10 ]; do sleep 0.1; done
	kill $pair
	wait $pair 2>/dev/null
	# The first lines are from before the rate is stable.
	sed -n 3,10p /tmp/pair
}

beside() {
	echo "== $1"
	shift
	"$@" >/tmp/out 2>/tmp/err &
	tool=$!
	sleep 3
	if ! kill -0 $tool; then
		head -n 1 /tmp/err
		return
	fi
	pair
	kill $tool
	wait $tool 2>/dev/null
}

# beside_ours NAME [ID]: ID of the tracepoint, or none.
beside_ours() {
	beside "one record, $1" one_record $events $2
	beside "floor, $1" floor $events
	beside "pmctop, $1" pmctop --format json --budget 0 -S none -m cpu_percent -e $events -d 1
}

echo "== bare"
pair
beside_ours tracepoint "$(cat /sys/kernel/tracing/events/sched/sched_switch/id)"
beside "per-thread counters" per_thread $events
beside "perf record -a :S" perf record -q -a -m 1024 -c 1 -o /dev/null -e "$sampled"
umount /sys/kernel/tracing
beside_ours "software event"
