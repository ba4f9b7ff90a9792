#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pmctop_test.sh: pmctop on real counters. Builds the emulated machine and pmctop for it, boots it
# five times side by side, and judges what pmctop printed there. TAP; exit status 77: skipped.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
BUILD=${BUILD:-build}
image=$BUILD/guest

for tool in aarch64-linux-gnu-gcc qemu-system-aarch64 cpio; do
	if [ -z "$(command -v $tool)" ]; then
		echo "pmctop_test.sh: no $tool here; skipped" >&2
		exit 77
	fi
done
tests/guest/image.sh "$image" || exit
make -s guest BUILD="$BUILD" >/dev/null || exit

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

# boot NAME SHIFT SCRIPT [OPTION...]
boot() {
	local name=$1 shift_=$2 script=$3
	shift 3
	tests/guest/boot.sh --image "$image" --shift "$shift_" --timeout 1200 "$@" \
		--load "$BUILD/arm64/load" --pmctop "$BUILD/arm64/pmctop" "$script" \
		>"$work/$name" 2>"$work/err.$name"
}

boot 0 0 tests/guest/pmctop_guest.sh &
boot 1 1 tests/guest/pmctop_guest.sh &
boot groups 1 tests/guest/groups_guest.sh --smp 1 --cpu neoverse-n1 &
boot targets 1 tests/guest/targets_guest.sh --smp 1 --perf &
boot record 1 tests/guest/record_guest.sh --perf &
wait

result=0
for name in 0 1 groups targets record; do
	cat "$work/err.$name" >&2
	case $name in
	groups | targets | record)
		python3 "tests/guest/${name}_check.py" 1 "$work/$name" || result=1
		;;
	*) python3 tests/guest/pmctop_check.py "$name" "$work/$name" || result=1 ;;
	esac
done
exit $result
