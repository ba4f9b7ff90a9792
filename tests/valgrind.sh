#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# pmctop itself, on this kernel, under valgrind's memcheck. It finds reads of bytes that were never
# written, which sanitizers do not. The units run under it in `make valgrind`. TAP, and "N passed, N
# failed" at the end.
#
#   BUILD=build tests/valgrind.sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8

passed=0 failed=0

# memcheck NAME COMMAND...: it ends with status 0, and valgrind reports nothing.
memcheck() {
	local name=$1 log
	shift
	log=$(mktemp -d -p "$work")
	valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
		--errors-for-leak-kinds=definite,indirect --trace-children=no \
		--suppressions=tests/valgrind.supp --log-file="$log/said" "$@" >"$log/out" 2>&1 </dev/null
	local status=$?
	# Valgrind writes "--PID--" before a remark on itself.
	if [ $status = 0 ] && ! grep -qv '^--' "$log/said"; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $name"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $name: exit status $status"
		tail -n 20 "$log/out" "$log/said" | cut -c 1-300 | sed 's/^/# /'
	fi
}

memcheck "pmctop --doctor" "$BUILD/pmctop" --doctor
memcheck "pmctop --list events" "$BUILD/pmctop" --list events 'task*'
memcheck "pmctop -b, the whole system" "$BUILD/pmctop" -b -n 2 -d 0.3 --record "$work/record"
memcheck "pmctop -b, threads as json" "$BUILD/pmctop" --format json -H -n 2 -d 0.3
memcheck "pmctop -b, a command" "$BUILD/pmctop" -b -- sh -c 'true; true'
memcheck "pmctop --replay, of what was recorded" "$BUILD/pmctop" -b --replay "$work/record"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
