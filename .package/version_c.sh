#!/bin/sh
# SPDX-License-Identifier: MIT
#
# version_c.sh FILE VERSION KIND LIBRARY...: writes FILE, the C source with the strings of
# core/base/version.h. KIND is added to the architecture (", static, hardened"). LIBRARY is a name
# for pkg-config. $COMPILER and $PKG_CONFIG_COMMAND are shell commands.
#
# A FILE with the same content is not touched, so that a new commit costs one link.
file=$1 version=$2 kind=$3
shift 3

# pfmlib always returns version 4.0, so the name of its file is read. libiberty has no version.
library_versions() {
	readlink -f "$(eval "$COMPILER -print-file-name=libpfm.so")" | sed -n 's/.*[.]so[.]/libpfm /p'
	echo libiberty
	for library; do
		echo "$library $(eval "$PKG_CONFIG_COMMAND --modversion $library")"
	done
}

new=$file.$$
cat >"$new" <<C
#include "core/base/version.h"
const char version[] = "$version";
const char version_build[] = "$(eval "$COMPILER -dumpmachine")$kind"
", with $(library_versions "$@" | paste -sd, | sed 's/,/, /g')";
C
if cmp -s "$new" "$file"; then
	rm "$new"
else
	mv "$new" "$file"
fi
