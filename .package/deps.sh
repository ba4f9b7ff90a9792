#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deps.sh install|check TARGET PACKAGE...: the Debian packages that are not installed. TARGET is the
# target of make that installs them.
#
#   install   prints their names and installs them, as root or through a sudo that needs no password.
#             Otherwise prints the command on stderr, with status 1.
#   check     prints their names on stderr, with status 1.
#
# Does nothing on a system without dpkg.
action=$1 target=$2
shift 2

command -v dpkg-query >/dev/null || exit 0
missing=
for package; do
	# shellcheck disable=SC2016 # the variable is dpkg's
	dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$action" = check ]; then
	echo "Packages are missing:$missing. Install them with: make $target" >&2
	exit 1
fi
if [ "$(id -u)" = 0 ]; then
	root=
elif sudo -n true 2>/dev/null; then
	root=sudo
else
	echo "Packages are missing. Install them with:" >&2
	echo "    sudo apt-get install$missing" >&2
	exit 1
fi
echo "Installing these packages with apt-get:$missing"
# shellcheck disable=SC2086 # words
$root apt-get -qq update &&
	DEBIAN_FRONTEND=noninteractive $root apt-get -qq install -y --no-install-recommends $missing \
		>/dev/null
