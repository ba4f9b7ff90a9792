#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Runs the fuzzers that make has built, as many at once as there are CPUs, until FUZZ_LIMIT: an
# option of libFuzzer, -max_total_time=SECONDS or -runs=INPUTS. BUILD/fuzz/found has new inputs,
# BUILD/fuzz/crashes inputs that fail, and the output is beside them. With a FUZZ_SEED other than 0
# each run tries the same inputs in the same order. dict/NAME.dict has words.
#
#   tests/fuzz/run.sh BUILD [NAME...]     all fuzzers, or these (record, attrib ...)
#   tests/fuzz/run.sh BUILD --each NAME   this one, for each file of its corpus alone
#   tests/fuzz/run.sh --probe             whether clang can build a fuzzer
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

# fuzz NAME: runs a fuzzer. Prints a line with its speed and its coverage at start and end.
fuzz() {
	local name=$1 log=$work/$1.log found=$work/found/$1 dict=tests/fuzz/dict/$1.dict status line
	[ "$FUZZ_SEED" = 0 ] || rm -rf "$found"
	mkdir -p "$found" "$work/crashes"
	# Inputs take milliseconds: an input that takes a minute hangs, on any machine.
	"$build/fuzz_$name" "$FUZZ_LIMIT" -seed="$FUZZ_SEED" -timeout=60 -print_final_stats=1 \
		$([ -f "$dict" ] && echo -dict="$dict") -artifact_prefix="$work/crashes/$name-" \
		"$found" "tests/fuzz/corpus/$name" >"$log" 2>&1
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

# each NAME FILE: runs a fuzzer that begins with that file alone.
each() {
	local name=$1 file=$2 seeds log line
	log=$work/$name-${file##*/}.log
	seeds=$(mktemp -d) && cp "$file" "$seeds" || return 1
	mkdir -p "$work/crashes"
	if ! "$build/fuzz_$name" "$FUZZ_LIMIT" -seed="$FUZZ_SEED" -timeout=60 -print_final_stats=1 \
		-artifact_prefix="$work/crashes/$name-" "$seeds" >"$log" 2>&1; then
		printf 'FAIL  %s from %s; see %s\n' "$name" "${file##*/}" "$log"
		rm -rf "$seeds"
		return 1
	fi
	rm -rf "$seeds"
	line=$(awk '/number_of_executed_units/ { print $2 " runs" }' "$log")
	printf 'ok    %s from %s: %s\n' "$name" "${file##*/}" "$line"
}

if [ "${1:-}" = --probe ]; then
	probe
	exit
fi
export FUZZ_LIMIT=${FUZZ_LIMIT:--max_total_time=60} FUZZ_SEED=${FUZZ_SEED:-0} build=$1 work=$1/fuzz
shift
if [ "${1:-}" = --each ]; then
	export -f each
	printf '%s\n' "tests/fuzz/corpus/$2"/* | xargs -P "$(nproc)" -I FILE bash -c "each $2 FILE"
	exit
fi
if [ $# -eq 0 ]; then
	for entry in tests/fuzz/fuzz_*.c; do
		name=${entry##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi
export -f fuzz
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME bash -c 'fuzz NAME'
