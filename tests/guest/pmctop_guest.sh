#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pmctop inside the emulated machine. Each part is a line "== NAME" and the output of commands.
# pmctop_check.py checks it outside.

echo "== busy"
# The witness counts the same, with its own descriptors.
counts -i 100 >/tmp/counts &
spin -c 0 &
spin -c 1 &
sleep 0.5
pmctop --format json -n 8 -d 1
sleep 0.3
killall counts spin
echo "== witness"
cat /tmp/counts
wait

echo "== idle"
pmctop --format json -n 2 -d 1

echo "== pingpong"
pmctop --format json -n 6 -d 0.5 >/tmp/pingpong &
while ! [ -s /tmp/pingpong ]; do sleep 0.1; done
pingpong -c 0 3000
wait
cat /tmp/pingpong

echo "== hotplug"
spin -c 0 &
pmctop --format json -n 8 -d 0.5 >/tmp/hotplug &
while ! [ -s /tmp/hotplug ]; do sleep 0.1; done
echo 0 >/sys/devices/system/cpu/cpu1/online
sleep 1
echo 1 >/sys/devices/system/cpu/cpu1/online
wait %2
killall spin
wait
cat /tmp/hotplug

echo "== taken"
spin -c 0 &
hog 6 &
sleep 0.3
pmctop --format json -n 5 -d 0.5
killall hog spin
wait

echo "== shared"
spin -c 0 &
hog 6 shared &
sleep 0.3
pmctop --format json -n 6 -d 0.5
killall hog spin
wait

echo "== swarm"
pmctop --format json -d 1 >/tmp/swarm.json &
pmctop_pid=$!
while ! [ -s /tmp/swarm.json ]; do sleep 0.1; done
swarm "${swarm_children:-1000}" 1 >/tmp/swarm
sleep 1.5
kill -TERM $pmctop_pid
wait $pmctop_pid
echo "{\"status\":$?}" >>/tmp/swarm
cat /tmp/swarm /tmp/swarm.json

echo "== lists"
one_line() {
	tr -s '\n' ';' | tr -d '"\\'
}
echo "{\"pmu\":\"$(pmctop --list pmus armv8 | one_line)\"," \
	"\"kernel\":\"$(dmesg | grep 'counters available' | one_line)\"," \
	"\"events\":\"$(pmctop --list events 'c[ya]c*s' | one_line)\"," \
	"\"metrics\":\"$(pmctop --list metrics 'c[ap]*i' | one_line)\"}"

echo "== user, paranoid 2"
echo 2 >/proc/sys/kernel/perf_event_paranoid
su user -c 'pmctop --format json -n 2 -d 0.5'
# Seven counters. One of them counts cycles alone.
for left in none two; do
	hog $([ $left = none ] && echo 6 || echo 4) &
	su user -c 'exec spin' &
	sleep 0.3
	echo "== user, counters left: $left"
	su user -c 'pmctop --format json -n 4 -d 0.5'
	killall hog spin
	wait
done
echo "== user, paranoid 3"
echo 3 >/proc/sys/kernel/perf_event_paranoid
su user -c 'pmctop --format json -n 2 -d 0.5'
echo "== user, paranoid 0"
echo 0 >/proc/sys/kernel/perf_event_paranoid
su user -c 'pmctop --format json -n 2 -d 0.5'
echo -1 >/proc/sys/kernel/perf_event_paranoid
