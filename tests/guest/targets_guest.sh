#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pmctop and perf stat on the same commands and processes, and the modes of each privilege, on real
# counters. Run on one CPU, because the emulated counters count the whole machine. targets_check.py
# checks the output outside.

events=cycles:u,instructions:u
only="--format json -S none -e $events"

# as USER COMMAND: runs it, prints its output and its status
as() {
	case $1 in
	root) sh -c "$2" ;;
	*) su "$1" -c "$2" ;;
	esac
	echo "{\"status\":$?}"
}

paranoid() {
	echo "$1" >/proc/sys/kernel/perf_event_paranoid
}

paranoid 2
for user in root user; do
	echo "== launch, perf, $user"
	as $user "perf stat -j -e $events -- tree -s 7 300000 2>&1"
	echo "== launch, $user"
	as $user "pmctop $only -d 0.5 -- tree -s 7 300000"
done

# Both tools run before the threads continue, and until they are stopped: both count the same time.
for user in root user; do
	rm -f /tmp/ready
	su user -c 'exec crowd -b 64' >/tmp/ready &
	crowd=$!
	while ! grep -q ready /tmp/ready; do sleep 0.1; done
	sleep 0.2
	kill -STOP $crowd
	as $user "perf stat -j -e $events -p $crowd sleep 4 2>&1" >/tmp/perf.$user &
	perf=$!
	as $user "pmctop $only -H -n 8 -d 0.5 -p $crowd" >/tmp/attach.$user &
	pmctop=$!
	sleep 1.5
	kill -CONT $crowd
	sleep 1
	kill -STOP $crowd
	wait $perf $pmctop
	kill -KILL $crowd
	echo "== attach, perf, $user"
	cat /tmp/perf.$user
	echo "== attach, $user"
	cat /tmp/attach.$user
done

# The children that a process starts after pmctop has attached are followed, to the last orphan. The
# tree runs with nice: else an ordinary user's pmctop has a 200th of the CPU, and scans too late.
for user in root user; do
	echo "== follow, $user"
	su user -c 'sleep 1; tree -n -s 7 300000; sleep 1' >/tmp/tree &
	as $user "pmctop $only -n 7 -d 0.5 -p $!"
	cat /tmp/tree
	wait
done

echo "== crowd"
# shellcheck disable=SC3045 # busybox has it
ulimit -u 20000
rm -f /tmp/ready
su user -c 'exec crowd -s 5000 -b 50' >/tmp/ready &
crowd=$!
while ! grep -q ready /tmp/ready; do sleep 0.2; done
as user "ulimit -n 256; pmctop $only -H -n 8 -d 1 -p $crowd"
echo "== crowd, no target"
as user "ulimit -n 256; pmctop $only -H -n 3 -d 2"
kill -KILL $crowd

# The mode of each privilege: a user's busy loop, without a target and with -p. "capable" has the
# capabilities of make install-caps, "admin" those that the doctor recommends if they are not
# enough.
cp /bin/pmctop /bin/pmctop-capable
setcap cap_perfmon,cap_ipc_lock=ep /bin/pmctop-capable
cp /bin/pmctop /bin/pmctop-admin
setcap cap_sys_admin,cap_ipc_lock=ep /bin/pmctop-admin
su user -c 'exec spin' &
spin=$!
for row in root:3 user:-1 user:0 user:1 user:2 user:3 capable:2 capable:3 admin:3; do
	user=${row%:*}
	paranoid "${row#*:}"
	case $user in
	capable | admin) run=user program=pmctop-$user ;;
	*) run=$user program=pmctop ;;
	esac
	echo "== may, $row"
	as "$run" "$program --format json -n 2 -d 0.5"
	echo "== may, $row, attached"
	as "$run" "$program --format json -n 2 -d 0.5 -p $spin"
done
paranoid 2
for count in user kernel all; do
	echo "== count, $count"
	as root "pmctop --format json -n 2 -d 0.5 --count $count -p $spin"
done
kill -KILL $spin
paranoid -1
