#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# install.sh ACTION FROM=TO...: installs each file FROM as $INTO/TO, or removes it. The first one is
# the program.
#
#   install        all users may run the program
#   install-caps   the same, with the capabilities that let it count all tasks. With $ONLY_GROUP, only
#                  that group may run it
#   uninstall      removes the files, and folders that are empty then. Those of the system stay, if
#                  $BELOW is /usr or /usr/local
#
# $INTO may have any character in it.
set -u
action=$1
shift

fail() {
	echo "$1" >&2
	exit 1
}

# install_file FROM=TO OPTION...: install(1) unlinks the old file, so a running program goes on.
install_file() {
	local from=${1%%=*} to=$INTO/${1#*=} message
	shift
	message=$(install -D -T "$@" -- "$from" "$to" 2>&1) ||
		fail "$message: try it as root, or with a PREFIX of your own"
	printf '  INST %s\n' "$to"
}

# install_files OPTIONS_OF_PROGRAM FROM=TO...
install_files() {
	local options=$1 program=$2 file
	shift 2
	# shellcheck disable=SC2086 # words
	install_file "$program" $options
	for file; do
		install_file "$file" -m 644
	done
}

# These two suffice (tests/live/rights_test.py). Linux before 5.8 has no cap_perfmon.
set_capabilities() {
	local program=$1 caps=cap_perfmon,cap_ipc_lock=ep
	[ "$(cat /proc/sys/kernel/cap_last_cap)" -ge 38 ] || caps=cap_sys_admin,cap_ipc_lock=ep
	echo "  setcap $caps $program"
	setcap "$caps" "$program" ||
		fail "$program is there, but counts only what its user may: run this as root, with libcap2-bin installed, or choose a PREFIX on a file system that keeps capabilities."
}

# All paths begin with ./, so that an absolute one (ZSH_DIR) stays below $INTO.
uninstall_files() {
	local file folder kept=
	[ -d "$INTO/" ] || return 0
	CDPATH='' cd -- "$INTO/" || exit 1
	rm -f "${@/#*=/./}" || exit 1
	case $(realpath -ms -- "$BELOW") in
	/usr | /usr/local) kept='^./(bin|share/man/man[17])$' ;;
	esac
	for file; do
		dirname "./${file#*=}"
	done | sort -u | grep -vE "${kept:-^\$}" | while read -r folder; do
		rmdir -p "$folder" 2>/dev/null
	done
	return 0
}

case $action in
install)
	install_files "-m 755" "$@"
	;;
install-caps)
	options="-m 755"
	if [ -n "${ONLY_GROUP:-}" ]; then
		getent group "$ONLY_GROUP" >/dev/null ||
			fail "There is no group $ONLY_GROUP: groupadd $ONLY_GROUP"
		options="-g $ONLY_GROUP -m 750"
	fi
	install_files "$options" "$@"
	# Last, because chgrp removes capabilities.
	set_capabilities "$INTO/bin/pmctop"
	;;
uninstall)
	uninstall_files "$@"
	;;
esac
