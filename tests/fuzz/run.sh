#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds every fuzzer with clang's libFuzzer and the sanitizers, and runs each for FUZZ_SECONDS, as
# many at a time as there are CPUs. What they find stays in BUILD/found, what breaks in BUILD/crashes.
#
#   tests/fuzz/run.sh BUILD [NAME...]   all of them, or those named (record, attrib ...)
#   tests/fuzz/run.sh --probe           whether clang can build a fuzzer here
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2

probe() {
	local program status
	program=$(mktemp)
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
		clang -x c -fsanitize=fuzzer,address,undefined - -o "$program" 2>/dev/null
	status=$?
	rm -f "$program"
	return $status
}

# One fuzzer, in one line: how fast it was, and how far it came from its seeds.
fuzz() {
	local name=$1 log=$build/$1.log status line
	mkdir -p "$build/found/$name" "$build/crashes"
	"$build/fuzz_$name" -max_total_time="$FUZZ_SECONDS" -timeout=10 -print_final_stats=1 \
		-artifact_prefix="$build/crashes/$name-" "$build/found/$name" \
		"tests/fuzz/corpus/$name" >"$log" 2>&1
	status=$?
	line=$(awk '/INITED/ { for (i = 1; i < NF; i++) if ($i == "cov:") first = $(i + 1) }
		{ for (i = 1; i < NF; i++) if ($i == "cov:") last = $(i + 1) }
		/average_exec_per_sec/ { speed = $2 }
		/number_of_executed_units/ { units = $2 }
		END { printf "%d runs, %d/s, coverage %d to %d", units, speed, first, last }' "$log")
	if [ $status -ne 0 ]; then
		printf 'FAIL  %s: %s; see %s\n' "$name" "$line" "$log"
		return 1
	fi
	printf 'ok    %s: %s\n' "$name" "$line"
}

if [ "${1:-}" = --probe ]; then
	probe
	exit
fi
export FUZZ_SECONDS=${FUZZ_SECONDS:-60} build=$1
shift
if ! probe; then
	echo "skip  fuzz: clang cannot build a fuzzer here (on Debian: libclang-rt-VERSION-dev)"
	exit 0
fi
make --no-print-directory CC=clang SANITIZE=fuzzer-no-link,address,undefined BUILD="$build" \
	CFLAGS="-O1 -g" -j"$(nproc)" fuzzers || exit
if [ $# -eq 0 ]; then
	for entry in tests/fuzz/fuzz_*.c; do
		name=${entry##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi
export -f fuzz
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME bash -c 'fuzz NAME'
