#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks that the guest has what other tests rely on. Runs inside it, with the programs of
# tests/load in /bin:
#   boot.sh --shift 1 --load DIR machine_guest.sh
# Prints "ok NAME" or "not ok NAME" for each check, and "N passed, N failed" at the end.

passed=0
failed=0

# check NAME COMMAND...
check() {
	name=$1
	shift
	if "$@"; then
		echo "ok $name"
		passed=$((passed + 1))
	else
		echo "not ok $name"
		failed=$((failed + 1))
	fi
}

# field NAME: the last number of that name in lines of JSON.
field() {
	sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" | tail -n 1
}

# between LOW VALUE HIGH
between() {
	awk -v low="$1" -v value="$2" -v high="$3" 'BEGIN {
		inside = value != "" && value + 0 >= low && value + 0 <= high
		if (!inside)
			printf "# %s is not in %s .. %s\n", value, low, high
		exit !inside
	}'
}

# ipc: of 0.2 s, over all CPUs. The load starts in the first interval, which does not count.
ipc() {
	counts -i 100 -n 3 >/tmp/counts
	awk -v i="$(field instructions </tmp/counts)" -v c="$(field cycles </tmp/counts)" \
		'BEGIN { printf "%.5f", i / c }'
}

# shellcheck disable=SC2154 # guest_shift: boot.sh's
cycles=$((1 << guest_shift))
low=$(awk -v cycles=$cycles 'BEGIN { print 0.99 / cycles }')
high=$(awk -v cycles=$cycles 'BEGIN { print 1.01 / cycles }')

check "a PMU" test -d /sys/bus/event_source/devices/armv8_pmuv3
check "two CPUs" test "$(cat /sys/devices/system/cpu/online)" = 0-1
check "tracepoints" test -r /sys/kernel/tracing/events/sched/sched_switch/id
check "cgroups" test -r /sys/fs/cgroup/cgroup.procs
check "pseudo terminals" test -c /dev/ptmx
for t in xterm-256color vt100 linux screen dumb; do
	check "terminfo $t" test -s "/lib/terminfo/$(echo $t | cut -c 1)/$t"
done

spin -c 1 &
got=$(ipc)
kill $!
check "IPC $got with one busy CPU" between "$low" "$got" "$high"
check "the counters were on the PMU all the time" \
	test "$(field enabled_ns </tmp/counts)" = "$(field running_ns </tmp/counts)"

spin -n 2 &
got=$(ipc)
kill $!
check "IPC $got with both busy" between "$low" "$got" "$high"

check "almost no instruction when idle" between 0 "$(ipc)" 0.02

counts -s -i 1000 -n 1 >/tmp/counts &
pingpong -c 1 2000 >/tmp/pingpong
wait $!
check "pingpong prints its count" test "$(cat /tmp/pingpong)" = "2000 round trips"
check "two switches a round trip" between 4000 "$(field context-switches </tmp/counts)" 4400
check "the clock runs on both CPUs" between 1.98e9 "$(field cpu-clock </tmp/counts)" 2.3e9

swarm 50 2 >/tmp/swarm
check "swarm's children" between 50 "$(field children </tmp/swarm)" 50
check "swarm's CPU time" between 100e6 "$(field cpu_ns </tmp/swarm)" 140e6

check "a user may count" su user -c "counts -n 1 >/dev/null"
echo 3 >/proc/sys/kernel/perf_event_paranoid
check "paranoid 3 forbids it" \
	test -n "$(su user -c "counts -n 1 2>&1 >/dev/null" | grep 'Permission denied')"
echo -1 >/proc/sys/kernel/perf_event_paranoid

echo 0 >/sys/devices/system/cpu/cpu1/online
check "a CPU goes offline" between 99e6 "$(counts -n 1 | field enabled_ns)" 115e6
echo 1 >/sys/devices/system/cpu/cpu1/online
check "and comes back" between 198e6 "$(counts -n 1 | field enabled_ns)" 230e6

echo "$passed passed, $failed failed"
test "$failed" = 0
