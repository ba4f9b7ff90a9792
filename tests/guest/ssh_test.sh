#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pmctop --ssh from this machine to the emulated one: another architecture, dropbear and busybox.
# Exit status 77: skipped.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
BUILD=${BUILD:-build}
shift_=1

for tool in ssh tmux; do
	if [ -z "$(command -v $tool)" ]; then
		echo "ssh_test.sh: no $tool; skipped" >&2
		exit 77
	fi
done
tests/guest/prepare.sh static-arm64 || exit

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

# One CPU: the emulator runs two in turns of 0.1 s, and each packet would wait for that of a busy loop.
tests/guest/boot.sh --image "$BUILD/guest" --shift $shift_ --smp 1 --timeout 1200 \
	--later "${LATER:-0}" --load "$BUILD/arm64/load" --ssh "$work" tests/guest/ssh_guest.sh &
python3 tests/guest/ssh_check.py $shift_ "$work/config"
