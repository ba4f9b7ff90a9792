#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs each PART (a target of make), the slow part of the gate, and prints its duration. Status 1 if
# one of them fails.
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
