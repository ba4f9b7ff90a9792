#!/bin/bash
# SPDX-License-Identifier: MIT
#
# machine_test.sh [IMAGE=build/guest]: checks that boot.sh boots the machine that other tests rely
# on. Builds the load programs for arm64 and runs machine_guest.sh at two shifts, with IPCs that
# differ by a factor of two. Output and status of a script must leave the machine unchanged. Prints
# "ok NAME" or "not ok NAME" for each check, and "N passed, N failed" at the end. Exit status 77:
# skipped.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
BUILD=${BUILD:-build}
image=${1:-$BUILD/guest}

"$here/prepare.sh"
"$here/image.sh" "$image"
load=$BUILD/arm64/load

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

passed=0
failed=0

# check NAME COMMAND...
check() {
	local name=$1
	shift
	if "$@"; then
		echo "ok $name"
		passed=$((passed + 1))
	else
		echo "not ok $name"
		failed=$((failed + 1))
	fi
}

boot() {
	"$here/boot.sh" --image "$image" --later "${LATER:-0}" "$@"
}

# An emulated machine is one thread of the host.
for s in 1 2; do
	boot --shift $s --load "$load" "$here/machine_guest.sh" \
		>"$work/machine.$s" 2>"$work/err.$s" &
done
wait

for s in 1 2; do
	cat "$work/err.$s" >&2
	sed -n "/ passed, /!p" "$work/machine.$s" | sed "s/^\(not \)\{0,1\}ok /&shift $s: /"
	counted=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/machine.$s")
	read -r p f <<<"${counted:-0 0}"
	passed=$((passed + p))
	failed=$((failed + f))
	check "shift $s: the checks ran to their end" [ "$p" -gt 0 ]
done

# Long lines, bytes that a terminal would change, no newline at the end, a status, and a program
# that is left running.
cat >"$work/bytes.sh" <<'END'
awk 'BEGIN { printf "["; for (i = 0; i < 20000; i++) printf "%d,", i; print "0]" }'
printf '\001\003\004\r\n\021\023\177\377\033[2J\000end'
spin &
exit 42
END
{
	awk 'BEGIN { printf "["; for (i = 0; i < 20000; i++) printf "%d,", i; print "0]" }'
	printf '\001\003\004\r\n\021\023\177\377\033[2J\000end'
} >"$work/bytes.want"
cat >"$work/hang.sh" <<'END'
echo before
spin
END

status=0
used=$( (TIMEFORMAT=%0U && time boot --load "$load" "$work/bytes.sh" \
	>"$work/bytes" 2>"$work/bytes.err") 2>&1) || status=$?
cat "$work/bytes.err" >&2
check "a line of $(head -n 1 "$work/bytes.want" | wc -c) bytes and special bytes are unchanged" \
	cmp "$work/bytes" "$work/bytes.want"
check "and so is the status" [ $status = 42 ]

status=0
# Long enough to boot, also if stolen time counts.
boot --load "$load" --timeout $((used * 4 + 10)) "$work/hang.sh" >"$work/hang" 2>"$work/hang.err" || status=$?
check "a script that hangs has status 124" [ $status = 124 ]
check "and its console is printed" grep -q '^before$' "$work/hang.err"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
