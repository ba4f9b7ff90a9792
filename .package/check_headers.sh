#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_headers.sh COMPILER_PACKAGE [libmicrohttpd]: checks that the compiler, pkg-config and the
# headers of the libraries exist, before the compiler reports each of them many times. On stderr:
# the packages that are missing, in one line. $COMPILER and $PKG_CONFIG_COMMAND are shell commands,
# $IN_SYSROOT is the root of another machine.
missing=

# has_header LIBRARY HEADER: LIBRARY is a name for pkg-config, or - if the library has none there.
has_header() {
	flags=
	[ "$1" = - ] || flags=$(eval "$PKG_CONFIG_COMMAND --cflags $1") || return
	echo "#include <$2>" | eval "$COMPILER $flags -E -x c -"
}

# check_header LIBRARY HEADER PACKAGE: adds PACKAGE to the missing ones if there is no HEADER.
check_header() {
	has_header "$1" "$2" >/dev/null 2>&1 || missing="$missing $3"
}

eval "$COMPILER --version" >/dev/null 2>&1 || missing=" $1"
eval "$PKG_CONFIG_COMMAND --version" >/dev/null 2>&1 || missing="$missing pkg-config"
if [ -z "$missing" ]; then
	check_header - stdio.h libc6-dev
	check_header - perfmon/pfmlib_perf_event.h libpfm4-dev # Debian ships no .pc file
	check_header inih ini.h libinih-dev
	check_header libzstd zstd.h libzstd-dev
	check_header liblzma lzma.h liblzma-dev
	check_header jansson jansson.h libjansson-dev
	check_header - libiberty/demangle.h libiberty-dev # no .pc file
	check_header ncursesw curses.h libncurses-dev
	[ -z "$2" ] || check_header "$2" microhttpd.h libmicrohttpd-dev
fi
[ -n "$missing" ] || exit 0
echo "pmctop cannot be built without these${IN_SYSROOT:+ in $IN_SYSROOT}: sudo apt-get install$missing" >&2
exit 1
