#!/bin/sh
# SPDX-License-Identifier: MIT
#
# seen.sh TOOL PATTERN...: standard input has the files that TOOL is about to see. Fails if git has a
# file of one of these patterns that is not among them. Without git it only says so.
tool=$1
shift
tracked=$([ -e .git ] && git -c safe.directory='*' ls-files --cached -- "$@" 2>/dev/null)
if [ -z "$tracked" ]; then
	echo "$tool: no git checkout here: not checked that it sees every file"
	exit 0
fi
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
cat >"$seen"
missed=$(echo "$tracked" | grep -vxFf "$seen" | while read -r path; do
	[ ! -e "$path" ] || echo "$path"
done)
[ -z "$missed" ] || { echo "$tool does not see:" $missed >&2; exit 1; }
