#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tools.sh [OUTDIR=build/monitoring]: OUTDIR/bin/{prometheus,promtool,prometheus-node-exporter}
#
# Links to this machine's programs if it has them. Else from Debian's packages, which are unpacked
# and not installed: an installation would add users and start daemons. The programs need only libc.
# Exit status 77: they cannot be downloaded, skip what needs them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/monitoring}
mkdir -p "$out"
out=$(cd "$out" && pwd)

packages="prometheus prometheus-node-exporter"
programs="prometheus promtool prometheus-node-exporter"

# Two tests at once must not unpack into the same place.
exec 9>"$out/.lock"
flock 9

complete() {
	local program
	for program in $programs; do
		[ -x "$out/bin/$program" ] || return 1
	done
}
complete && exit 0

skip() {
	echo "tools.sh: $1" >&2
	exit 77
}

# Left by an interrupted run: the lock proves that no other one uses it.
rm -rf "$out"/.new.* "$out/bin"
new=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir "$new/bin" "$new/root"

for program in $programs; do
	if [ -n "$(command -v "$program")" ]; then
		ln -s "$(command -v "$program")" "$new/bin/$program"
	fi
done
if [ "$(find "$new/bin" -type l | wc -l)" -lt 3 ]; then
	[ -n "$(command -v apt-get)" ] && [ -n "$(command -v dpkg)" ] ||
		skip "no prometheus, and no apt-get to download it; skipped"
	# apt's own user cannot write into this directory, which would be a warning. Only root can renew
	# old lists.
	# shellcheck disable=SC2086 # a list of words
	(cd "$new" && { apt-get -q -q -o APT::Sandbox::User=root download $packages ||
		{ apt-get -q -q update &&
			apt-get -q -q -o APT::Sandbox::User=root download $packages; }; }) \
		>"$new/log" 2>&1 || {
		cat "$new/log" >&2
		skip "Debian's prometheus could not be downloaded; skipped"
	}
	for deb in "$new"/*.deb; do
		dpkg -x "$deb" "$new/root"
	done
	for program in $programs; do
		[ -e "$new/bin/$program" ] || [ ! -e "$new/root/usr/bin/$program" ] ||
			mv "$new/root/usr/bin/$program" "$new/bin/$program"
	done
fi
mv "$new/bin" "$out/bin"
complete || skip "Debian's packages do not have all of $programs; skipped"
