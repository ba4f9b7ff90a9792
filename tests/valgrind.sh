#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# A selection of unit tests, and pmctop itself, under valgrind's memcheck, which knows of every byte
# whether it was ever written: sanitizers don't. Everything else is what `make sanitize` is for, at a
# tenth of the time. TAP, and "N passed, N failed" at the end.
#
#   BUILD=build tests/valgrind.sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export LC_ALL=C.UTF-8

# memcheck NAME COMMAND...: it ends well, and without a complaint.
memcheck() {
	local name=$1 log
	shift
	log=$(mktemp -d -p "$work")
	valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
		--errors-for-leak-kinds=definite,indirect --trace-children=no \
		--suppressions=tests/valgrind.supp --log-file="$log/said" "$@" >"$log/out" 2>&1 </dev/null
	local status=$?
	if [ $status = 0 ] && [ ! -s "$log/said" ]; then
		echo "ok - $name"
	else
		echo "not ok - $name: exit status $status"
		tail -n 20 "$log/out" "$log/said" | cut -c 1-300 | sed 's/^/# /'
	fi
}

# Whole runs on the fake kernel, and what reads, decodes, draws and writes.
units() {
	local unit
	for unit in engine recorder snapshot config perfdata_sample fuzz_record out_json tui_layout; do
		memcheck "test_$unit" "$BUILD/tests/test_$unit"
	done
}

# On the real one.
runs() {
	memcheck "pmctop --doctor" "$BUILD/pmctop" --doctor
	memcheck "pmctop --list events" "$BUILD/pmctop" --list events 'task*'
	memcheck "pmctop -b, the whole system" "$BUILD/pmctop" -b -n 2 -d 0.3 --record "$work/record"
	memcheck "pmctop -b, threads as json" "$BUILD/pmctop" --format json -H -n 2 -d 0.3
	memcheck "pmctop -b, a command" "$BUILD/pmctop" -b -- sh -c 'true; true'
	memcheck "pmctop --replay, of what was recorded" "$BUILD/pmctop" -b --replay "$work/record"
}

units >"$work/units" &
runs >"$work/runs"
wait
cat "$work/units" "$work/runs"
failed=$(cat "$work/units" "$work/runs" | grep -c '^not ok')
echo "$(cat "$work/units" "$work/runs" | grep -c '^ok') passed, $failed failed"
[ "$failed" = 0 ]
