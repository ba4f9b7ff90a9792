#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs pmctop on this kernel under valgrind's memcheck, which finds reads of uninitialized bytes,
# which sanitizers do not. `make valgrind` runs the units under it. Prints TAP, then "N passed, N
# failed".
#
#   BUILD=build tests/valgrind.sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

passed=0 failed=0

# memcheck NAME COMMAND...: the command has status 0, and valgrind reports nothing.
memcheck() {
	local name=$1 log
	shift
	log=$(mktemp -d -p "$work")
	valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
		--errors-for-leak-kinds=definite,indirect --trace-children=no \
		--suppressions=tests/valgrind.supp --log-file="$log/report" "$@" >"$log/out" 2>&1 </dev/null
	local status=$?
	# Valgrind writes "--PID--" before messages about itself.
	if [ $status = 0 ] && ! grep -qv '^--' "$log/report"; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $name"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $name: exit status $status"
		tail -n 20 "$log/out" "$log/report" | cut -c 1-300 | sed 's/^/# /'
	fi
}

memcheck "pmctop --doctor" "$BUILD/pmctop" --doctor
memcheck "pmctop --list events" "$BUILD/pmctop" --list events 'task*'
memcheck "pmctop -b, the whole system" "$BUILD/pmctop" -b -n 2 -d 0.3 --record "$work/record"
memcheck "pmctop -b, threads as json" "$BUILD/pmctop" --format json -H -n 2 -d 0.3
memcheck "pmctop -b, a command" "$BUILD/pmctop" -b -- sh -c 'true; true'
memcheck "pmctop --replay of that recording" "$BUILD/pmctop" -b --replay "$work/record"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
