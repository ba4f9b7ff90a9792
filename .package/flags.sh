#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# flags.sh harden|static COMPILER ARG...: prints the flags of that kind that this compiler accepts
# without a warning beside its ARGs.
#
#   harden   what hardens the compiled code. If $SANITIZE is not empty, without what the sanitizers
#            replace: -fno-strict-overflow and _FORTIFY_SOURCE
#   static   how to link a static program: -static-pie or else -static. A static-pie program has a
#            sixth of its size for relocations, mostly of libpfm4's tables, unless they are packed
#
# Two flags are left out on purpose: -ftrivial-auto-var-init hides uninitialized variables from
# valgrind, and -fno-delete-null-pointer-checks disables -Wnull-dereference.
kind=$1
shift
compiler=("$@")

# first_accepted FLAGS...: prints the first FLAGS that the compiler accepts, or nothing.
first_accepted() {
	local flags
	for flags; do
		# shellcheck disable=SC2086 # FLAGS may be two words
		"${compiler[@]}" -Werror $flags -include features.h -x c -S -o /dev/null /dev/null \
			2>/dev/null && echo "$flags" && return
	done
}

# links PROGRAM FLAG...: the compiler and the linker accept the program with these flags.
links() {
	echo "$1" | "${compiler[@]}" -fPIE -Wl,--fatal-warnings "${@:2}" -x c - -o /dev/null 2>/dev/null
}

case $kind in
harden)
	first_accepted -fstack-protector-strong
	first_accepted -fstack-clash-protection
	first_accepted -fcf-protection -mbranch-protection=standard
	if [ -z "${SANITIZE:-}" ]; then
		first_accepted -fno-strict-overflow
		first_accepted "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3" "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"
	fi
	;;
static)
	program='int main(void) { return 0; }'
	if links "$program" -static-pie; then
		echo -static-pie
		# A program of an older glibc crashes at its start.
		packed=-Wl,-z,pack-relative-relocs
		links "#include <features.h>
			#if !__GLIBC_PREREQ(2, 36)
			#error
			#endif
			$program" -static-pie $packed && echo $packed
	else
		echo -static
	fi
	;;
esac
exit 0
