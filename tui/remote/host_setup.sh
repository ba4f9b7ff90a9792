# SPDX-License-Identifier: MIT
#
# Sets pmctop up on a host (tui/remote/host_setup.c). /bin/sh reads it from standard input, where
# this precedes it:
#
#   token=TOKEN   begins each line that it prints (tui/remote/host_reply.h)
#   name=NAME     end of the folder's name
#
# It then reads lines and files from standard input. They are sent only when it waits for them,
# because a shell or a head(1) may read ahead. At the end of standard input it removes what is left
# and ends, and with it the program. If no dots arrive, the program ends this shell (link_watch.h).
# All is one command in braces, so a shell has read all of it before it runs.
{
LC_ALL=C
export LC_ALL
umask 077
folder=
new=

reply() {
	printf '%s %s\n' "$token" "$*"
}

# Removes the files and the folder. The names are relative: another user may have given the folder's
# name to a link meanwhile. A cat that waits for a writer of the recording ends, because the pipe is
# opened and closed once. A signal may arrive between mkdir and cd.
clean() {
	if [ -n "$folder" ]; then
		[ -p recording ] && : <>recording
		rm -f pmctop parcel recording alive trial
		cd /
		folder=
	fi
	[ -z "$new" ] || rmdir "$new" 2>/dev/null
	new=
}

trap 'clean; exit 0' HUP INT QUIT TERM PIPE
trap clean EXIT

# Removes the folders of this user that a killed shell has left. A folder's name has its shell's number.
remove_stale() {
	for old in "$1"/pmctop-ssh-"$user"-*; do
		[ -d "$old" ] && [ ! -L "$old" ] && [ -O "$old" ] || continue
		pid=${old#"$1/pmctop-ssh-$user-"}
		pid=${pid%%-*}
		case $pid in '' | *[!0-9]*) continue ;; esac
		[ -d "/proc/$pid" ] || rm -rf "$old"
	done
}

# Makes the folder in a place, if a program can be written and executed there.
try_place() {
	case $1 in
	[!/]*) return 1 ;;
	*[!A-Za-z0-9/._-]*) reply refused "name $1"; return 1 ;;
	esac
	[ -d "$1" ] || return 1
	remove_stale "$1"
	new=$1/pmctop-ssh-$user-$$-$name
	mkdir "$new" 2>/dev/null || { new=; reply refused "denied $1"; return 1; }
	cd "$new" || { clean; return 1; }
	folder=$new
	if ! printf '#!/bin/sh\nexit 7\n' >trial || ! dd if=/dev/zero of=pmctop bs=1024 count="$kib"; then
		reason=full
	else
		reason=
		chmod 700 trial
		./trial
		[ $? = 7 ] || [ "$way" = link ] || reason=noexec
	fi 2>/dev/null
	rm -f trial pmctop
	[ -n "$reason" ] || return 0
	clean
	reply refused "$reason $1"
	return 1
}

# Receives a file, after the line with its bytes.
receive() {
	read -r bytes || exit 0
	case $bytes in '' | *[!0-9]*) exit 0 ;; esac
	head -c "$bytes" >"$1" 2>/dev/null
	reply sum "$(cksum <"$1" 2>/dev/null || wc -c <"$1")"
}

reply begin
user=$(id -u)
installed=$(command -v pmctop)
case $installed in /*) ;; *) installed= ;; esac
reply machine "$(uname -m)"
reply kernel "$(uname -sr)"
reply cpu "$(sed -n -e '/^$/q' -e '/^vendor_id/p' -e '/^cpu family/p' -e '/^model/p' -e '/^stepping/p' \
	-e '/^CPU /p' /proc/cpuinfo 2>/dev/null | tr '\n\t' '; ')"
reply installed "$([ -z "$installed" ] || "$installed" --version </dev/null 2>/dev/null | head -n 1)"
reply facts

# How the program is made (copy, link), KiB of all files, and whether there is a recording (yes, no).
read -r way kib recorded || exit 0
case $kib in '' | *[!0-9]*) exit 0 ;; esac
for place in "$TMPDIR" /tmp "$XDG_RUNTIME_DIR" /dev/shm "$HOME"; do
	try_place "$place" && break
done
if [ -z "$folder" ]; then
	reply nowhere
	exit 0
fi
reply folder "$folder"
if [ "$way" = link ]; then
	ln -s "$installed" pmctop
else
	receive pmctop
	chmod 700 pmctop
fi
receive parcel
[ "$recorded" != yes ] || mkfifo recording
reply runs "$(./pmctop --version </dev/null 2>&1 | head -n 1)"
# This shell is the last writer of the pipe: when it ends, the program gets SIGIO.
mkfifo alive && exec 9<>alive || exit 0
reply ready
# Passes the lines that arrive to link_watch.c: a dot every 10 s, an i or a t. Answers each with a dot.
while read -r line; do
	printf %s "$line" >&9
	echo .
done
[ ! -e parcel ] || reply unused
exit 0
}
