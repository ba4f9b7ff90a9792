#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pmctop_test.sh: pmctop on real counters. Builds the emulated machine and pmctop for it, boots it
# at two shifts side by side, and judges what pmctop printed there. TAP; exit status 77: skipped.
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
make -s guest BUILD="$BUILD" || exit

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

for shift in 0 1; do
	tests/guest/boot.sh --image "$image" --shift $shift --timeout 400 \
		--load "$BUILD/arm64/load" --pmctop "$BUILD/arm64/pmctop" \
		tests/guest/pmctop_guest.sh \
		>"$work/$shift" 2>"$work/err.$shift" &
done
wait

result=0
for shift in 0 1; do
	cat "$work/err.$shift" >&2
	python3 tests/guest/pmctop_check.py $shift "$work/$shift" || result=1
done
exit $result
