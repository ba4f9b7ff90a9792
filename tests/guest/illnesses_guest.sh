#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Sick and healthy processes of an ordinary user at perf_event_paranoid 3, where pmctop has /proc
# alone, and processes of root in cgroups of version 2. illnesses_check.py checks the output outside.

echo 3 >/proc/sys/kernel/perf_event_paranoid
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control

# case_of NAME COMM OWNER COMMAND [READER]: prints the rows that READER, else OWNER, sees while OWNER
# runs COMMAND.
case_of() {
	su "$3" -c "$4" >/tmp/load 2>&1 &
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		pidof "$2" >/dev/null && break
		sleep 0.5
	done
	sleep 0.5
	echo "== $1, $2"
	su "${5:-$3}" -c 'pmctop -b --format json -i -d 1 -n 4'
	killall -9 pingpong pong swarm faults mutex spin vforker server client traced crowd 2>/dev/null
	wait
	sleep 0.2
}

case_of switches pingpong user 'taskset 2 pingpong 1000000000'
case_of faults faults user faults
case_of lock mutex user 'mutex -t 16'
case_of spinners spin user 'for i in 1 2 3 4 5 6 7 8; do spin & done; wait'
# crowd gives its busy threads the nice value 19.
case_of nice crowd user 'taskset 2 spin & exec taskset 2 crowd -b 1'
case_of vfork vforker user vforker
case_of throttled spin root 'confine 2 cpu 10 spin'
case_of idle crowd user 'crowd -p 4 -s 8 -b 0'
case_of server server user 'server -r 500'
case_of stopped spin user 'spin & sleep 0.2; kill -STOP $!; wait'
case_of traced traced user traced
# What an ordinary user sees of another user's processes.
case_of others spin root 'for i in 1 2 3 4 5 6 7 8; do spin & done; wait' user
