#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recordings that perf makes of real counters, brought out as text: perf_check.py replays them
# outside.

# record NAME OPTION...
record() {
	perf record -a -e '{context-switches,cycles,instructions,page-faults}:S' -c 1 "$@" \
		sleep 0.2 2>/tmp/perf.err
}

# bring NAME FILE
bring() {
	echo "== $1"
	gzip -c "$2" | base64
}

spin -c 1 &
spin=$!
pingpong -c 0 1000000000 >/dev/null &
pingpong=$!
sleep 0.3
record -o /tmp/file
record -o - >/tmp/stream
kill -KILL $spin $pingpong
bring file /tmp/file
bring stream /tmp/stream
