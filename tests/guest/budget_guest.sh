#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pmctop's own cost, and its budget, inside the emulated machine. Each part is a line "== NAME" and
# the output of commands. budget_check.py checks it outside.

for access in 1 0; do
	echo $access >/proc/sys/kernel/perf_user_access
	echo "== access $access"
	pmctop --format json -n 2 -d 0.3
	echo "== doctor $access"
	pmctop --doctor --format json
done

for budget in 0 2; do
	pingpong -c 0 -t 0.5 1000000000 >/tmp/trips &
	echo "== budget $budget"
	pmctop --format json --budget $budget -n 5 -d 0.5
	kill -KILL $!
	wait $!
	echo "== trips $budget"
	cat /tmp/trips
done
