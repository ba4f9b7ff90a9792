#!/bin/bash
# SPDX-License-Identifier: MIT
#
# sysroot.sh DIR ARCH: makes DIR of the Debian packages of another architecture: the headers and .a
# files of the libraries, for a cross compiler that has the C library. Does nothing if this script has
# made it already. The folder of DIR gets the lock: .lock. Exit status 77, with a sentence on stderr:
# the packages cannot be had here.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$(dirname "$1")"
out=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
arch=$2
packages="libncurses-dev libpfm4 libpfm4-dev libinih-dev libzstd-dev liblzma-dev libjansson-dev libiberty-dev"

skip() {
	echo "No static program for $arch is built: $1." >&2
	exit 77
}
# shellcheck source=.package/foreign_apt.sh
. "$here/foreign_apt.sh"

# Two makes at once must not make the same one.
exec 9>"$(dirname "$out")/.lock"
flock 9
stamp=$(cat "$here/sysroot.sh" "$here/foreign_apt.sh" | sha256sum)
if [ "$(cat "$out/.stamp" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

# Perhaps left by an interrupted run: the lock proves that no other one uses it.
new=$out.new
rm -rf "$new"
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/root"
foreign_apt "$new" "$arch"
apt_update
# shellcheck disable=SC2086 # words
apt_download $packages
for package in $packages; do
	apt_unpack "$package" "$new/root"
done
echo "$stamp" >"$new/root/.stamp"
rm -rf "$out"
mv "$new/root" "$out"
