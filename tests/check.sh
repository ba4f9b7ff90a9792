#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The slow part of the gate. Each PART is a target of make. All parts run, each prints its duration,
# and one that fails decides.
#
#   MAKE=make tests/check.sh PART...
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

failed=
for part; do
	began=$SECONDS
	${MAKE:-make} "$part" || failed="$failed $part"
	echo "check: $part took $((SECONDS - began)) s"
done
echo "check: $SECONDS s in all"
if [ -n "$failed" ]; then
	echo "check: failed:$failed" >&2
	exit 1
fi
