#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_file_list.sh TOOL PATTERN...: fails if git has a file of one of these patterns that is not
# on standard input, the list of files that TOOL reads. Without git it prints that and succeeds.
tool=$1
shift
tracked=$([ -e .git ] && git -c safe.directory='*' ls-files --cached -- "$@" 2>/dev/null)
if [ -z "$tracked" ]; then
	echo "$tool: no git checkout: not checked that it reads all files"
	exit 0
fi
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT
cat >"$seen"
missed=$(echo "$tracked" | grep -vxFf "$seen" | while read -r path; do
	[ ! -e "$path" ] || echo "$path"
done)
[ -z "$missed" ] || { echo "$tool does not read:" $missed >&2; exit 1; }
