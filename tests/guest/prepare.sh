#!/bin/bash
# SPDX-License-Identifier: MIT
#
# prepare.sh [TARGET...]: builds the emulated machine and the programs for it in BUILD, and then these
# targets of make. Exit status 77: a tool is missing, or the packages cannot be downloaded.
set -euo pipefail

cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}

for tool in aarch64-linux-gnu-gcc qemu-system-aarch64 cpio; do
	if [ -z "$(command -v $tool)" ]; then
		echo "prepare.sh: no $tool; skipped" >&2
		exit 77
	fi
done
# make would run both, but not pass their status 77 on.
.package/sysroot.sh "$BUILD/arm64/sysroot" arm64
tests/guest/image.sh "$BUILD/guest"
make -s guest "$@" BUILD="$BUILD" >/dev/null
