#!/bin/bash
# SPDX-License-Identifier: MIT
#
# run_check.sh "NAME SHIFT [OPTION...]"...: tests pmctop on real counters. Builds the emulated
# machine and pmctop for it. For each argument a machine runs NAME_guest.sh, all at once, and
# NAME_check.py checks the output. Prints TAP. Exit status 77: skipped.
#
# With LATER=N the scripts begin N moments later, so that a boot takes another course. A SHIFT
# larger by one halves the work in a second of the guest's time, and so the host's cost of it.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
BUILD=${BUILD:-build}
image=$BUILD/guest

tests/guest/prepare.sh || exit

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

# boot NAME SHIFT [OPTION...]
boot() {
	local name=$1 shift_=$2
	shift 2
	tests/guest/boot.sh --image "$image" --shift "$shift_" --timeout 1200 --later "${LATER:-0}" \
		--load "$BUILD/arm64/load" --pmctop "$BUILD/arm64/pmctop" "$@" \
		"tests/guest/${name}_guest.sh" >"$work/$name.$shift_" 2>"$work/err.$name.$shift_"
}

for each in "$@"; do
	# shellcheck disable=SC2086 # words
	boot $each &
done
wait

result=0
for each in "$@"; do
	read -r name shift_ _ <<<"$each"
	cat "$work/err.$name.$shift_" >&2
	python3 "tests/guest/${name}_check.py" "$shift_" "$work/$name.$shift_" || result=1
done
exit $result
