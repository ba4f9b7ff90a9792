#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A machine that changes while pmctop runs: its second CPU goes offline and returns, pids are
# reused, perf stat takes the counters and returns them. hotplug_check.py checks the output outside.

# A megabyte, so it is packed: the serial line is slow.
exec 3>&1 >/tmp/output 2>&1

cpu1() {
	echo "$1" >/sys/devices/system/cpu/cpu1/online
}

# descriptors PID: the minimum of some counts, because some descriptors are open for a moment only.
descriptors() {
	pid=$1 least=
	for _ in 1 2 3 4; do
		set -- "/proc/$pid/fd/"*
		[ "${least:-$#}" -lt $# ] || least=$#
		sleep 0.02
	done
	echo "$least"
}

# watch NAME USER TIMES SECONDS OPTION...: runs pmctop while CPU 1 goes offline TIMES times, for
# SECONDS. Five refreshes a second notice an absence of 0.3 s, and some of many shorter ones.
watch() {
	name=$1 user=$2 times=$3 absence=$4
	shift 4
	su "$user" -c "exec pmctop --format json -d 0.2 $* >/tmp/$name.json" &
	job=$!
	while ! [ -s "/tmp/$name.json" ]; do sleep 0.1; done
	pid=$(pidof pmctop)
	before=$(descriptors "$pid")
	while [ "$times" -gt 0 ]; do
		times=$((times - 1))
		sleep 0.1
		cpu1 0
		sleep "$absence"
		cpu1 1
	done
	sleep 0.7
	after=$(descriptors "$pid")
	kill -TERM "$pid"
	wait "$job"
	echo "== $name"
	cat "/tmp/$name.json"
	echo "{\"before\":$before,\"after\":$after}"
}

cpu1 0
cpu1 1
spin -c 0 &
spin &
pingpong 1000000000 >/dev/null &
(while :; do
	taskset 2 swarm 2 2
	swarm 2 2
	sleep 0.05
done) >/dev/null 2>&1 &
churn=$!
watch together root 10 0.1 --record /tmp/together.data
kill -KILL $churn
watch turns root 2 0.3 -S none -m ipc -e cycles,instructions,r08,r08:u,r08:k,r11,r11:u,r11:k
killall pingpong
su user -c 'exec spin' &
echo 2 >/proc/sys/kernel/perf_event_paranoid
watch user user 2 0.3
echo -1 >/proc/sys/kernel/perf_event_paranoid
killall spin

echo "== wrap"
before=$(cat /proc/sys/kernel/pid_max)
echo 400 >/proc/sys/kernel/pid_max
pmctop --format json -d 0.3 >/tmp/wrap.json &
pid=$!
while ! [ -s /tmp/wrap.json ]; do sleep 0.1; done
swarm 400 1
sleep 0.7
kill -TERM $pid
wait $pid
echo "$before" >/proc/sys/kernel/pid_max
cat /tmp/wrap.json

# perf_begin NAME: starts a perf stat that has all counters of both CPUs.
perf_begin() {
	rm -f /tmp/hold /tmp/has
	mkfifo /tmp/hold
	perf stat -a -j -e '{cycles,r08,r08,r08,r08,r08,r08}:D' -o "/tmp/stat.$1" \
		sh -c ': >/tmp/has; read -r _ </tmp/hold' &
	perf=$!
	while ! [ -e /tmp/has ]; do sleep 0.1; done
}

perf_end() {
	: >/tmp/hold
	wait $perf
	echo "{\"$1\":\"given back\"}" >>"/tmp/$1.json"
}

pmctop_begin() {
	: >"/tmp/$1.json"
	pmctop --format json -d 0.2 >>"/tmp/$1.json" &
	pmctop=$!
	while ! [ -s "/tmp/$1.json" ]; do sleep 0.1; done
}

# lines NAME MORE WORD: waits until there are MORE more lines, and the last has WORD, or has not for
# "!WORD". Gives up after 20 s.
lines() {
	file=/tmp/$1.json tries=200 least=$(($(wc -l <"/tmp/$1.json") + $2))
	while tries=$((tries - 1)) && [ $tries -gt 0 ]; do
		if [ "$(wc -l <"$file")" -ge $least ]; then
			case $3 in
			!*) tail -n 1 "$file" | grep -q "${3#!}" || return ;;
			*) tail -n 1 "$file" | grep -q "$3" && return ;;
			esac
		fi
		sleep 0.1
	done
}

spin -c 0 &
spin=$!
pmctop_begin meanwhile
lines meanwhile 3 schema
perf_begin meanwhile
echo '{"meanwhile":"taken"}' >>/tmp/meanwhile.json
lines meanwhile 4 'counters taken'
perf_end meanwhile
lines meanwhile 2 '!another profiler'
kill -TERM $pmctop
wait $pmctop
perf_begin before
pmctop_begin before
lines before 4 'counters taken'
perf_end before
lines before 2 '!another profiler'
kill -TERM $pmctop
wait $pmctop
kill -KILL $spin
for part in meanwhile before; do
	echo "== $part"
	cat /tmp/$part.json
	echo "== stat, $part"
	cat /tmp/stat.$part
done

echo "== again"
pmctop --format json --replay /tmp/together.data
gzip -c /tmp/output | base64 >&3
