#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Inside the emulated machine: recordings of hardware counters, printed as text. make_guest.py
# unpacks them outside.

echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
export HOME=/tmp
seconds=0.5

# record NAME OPTION...: also as a pipe if NAME ends with +
record() {
	name=${1%+}
	pipe=${1#"$name"}
	shift
	if perf record -q -o /tmp/profile "$@" >/dev/null 2>/tmp/perf.err; then
		echo "== $name.data"
		gzip -c /tmp/profile | base64
	else
		echo "## $name: $(head -n 3 /tmp/perf.err | tr '\n' ' ')"
	fi
	if [ -n "$pipe" ]; then
		if perf record -q -o - "$@" >/tmp/profile 2>/tmp/perf.err; then
			echo "== $name.pipe.data"
			gzip -c /tmp/profile | base64
		else
			echo "## $name.pipe: $(head -n 3 /tmp/perf.err | tr '\n' ' ')"
		fi
	fi
	rm -f /tmp/profile*
}

cycles() {
	name=$1
	shift
	record "$name" -F 997 -e cycles "$@"
}

cycles file+ hotspots split $seconds
cycles chain+ -g hotspots recursive $seconds
cycles zstd+ -g -z hotspots split $seconds
record multi+ -F 997 -e cycles,instructions,page-faults hotspots faults $seconds
record group -F 997 -e '{cycles,instructions}' -g hotspots split $seconds
record group-leader -F 997 -e '{cycles,instructions,cache-misses}:S' hotspots split $seconds
record count+ -c 1000003 -e instructions hotspots split $seconds
record user -F 997 -e cycles:u hotspots split $seconds
record kernel -F 997 -e cycles:k -g hotspots kernel $seconds
cycles no-time --no-timestamp hotspots split $seconds
cycles mmap-build-ids --buildid-mmap hotspots split $seconds
cycles sample-cpu --sample-cpu hotspots split $seconds
cycles fork swarm 30 2
cycles exec+ sh -c "hotspots split 0.2; exec hotspots recursive 0.2"
record dwarf -F 199 -e cycles --call-graph dwarf,4096 hotspots split $seconds

hotspots split >/dev/null &
load=$!
server >/dev/null 2>&1 &
sleep 0.3
cycles machine+ -g -a sleep $seconds
record machine-multi -F 499 -e cycles -e instructions -e cpu-clock -a sleep $seconds
cycles machine-zstd -g -z -a sleep $seconds
cycles cgroups -a --all-cgroups sleep $seconds
cycles attached -g -p $load sleep $seconds
kill -KILL %1 %2 2>/dev/null

echo "== kallsyms"
gzip -c /proc/kallsyms | base64
echo "== debug.tar"
tar -C /tmp -cf - .debug 2>/dev/null | gzip -c | base64
echo "== end"
