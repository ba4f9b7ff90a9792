#!/bin/sh
# SPDX-License-Identifier: MIT
#
# perf's recordings of real counters, printed as text. perf_check.py replays them outside.

# record NAME OPTION...
record() {
	perf record -a -e '{context-switches,cycles,instructions,page-faults}:S' -c 1 "$@" \
		sleep 0.2 2>/tmp/perf.err
}

# print_file NAME FILE
print_file() {
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
print_file file /tmp/file
print_file stream /tmp/stream
