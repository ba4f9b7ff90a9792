#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recordings of real counters, and perf script's sums of them by task. record_check.py checks them
# outside.

# perf_sums FILE: a line for each task and event.
perf_sums() {
	perf script -i "$1" -F tid,cpu,time,event,period 2>/tmp/perf.err | awk '
		{ sum[$1 " " $5] += $4; lines++ }
		END {
			for (key in sum) {
				split(key, part, " ")
				sub(/:.*/, "", part[2])
				printf "{\"tid\":%d,\"event\":\"%s\",\"sum\":%.0f}\n",
					part[1], part[2], sum[key]
			}
			printf "{\"lines\":%d}\n", lines
		}'
	sed 's/["\\]/ /g; s/.*/{"perf":"&"}/' /tmp/perf.err
}

# record NAME EVENTS
record() {
	spin -c 1 &
	spin=$!
	pingpong -c 0 1000000000 >/dev/null &
	pingpong=$!
	sleep 0.5
	pmctop --format json -H -S none -e "$2" -n 4 -d 0.5 --record "/tmp/$1.data" >/tmp/out
	kill -KILL $spin $pingpong
	echo "== $1"
	cat /tmp/out
	perf_sums "/tmp/$1.data"
	ls -l "/tmp/$1.data" | awk '{ printf "{\"bytes\":%d}\n", $5 }'
	# For a replay outside.
	echo "== $1.data"
	gzip -c "/tmp/$1.data" | base64
}

record together cycles,instructions,page-faults
record turns cycles,instructions,r08,r08:u,r08:k,r11,r11:u,r11:k
