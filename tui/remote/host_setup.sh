# SPDX-License-Identifier: MIT
#
# Sets pmctop up on a host (tui/remote/host_setup.c). /bin/sh reads it from standard input, where
# this precedes it:
#
#   token=TOKEN   begins each line that it prints (tui/remote/host_reply.h)
#   name=NAME     end of the folder's name
#
# It then reads lines and files from standard input. They are sent only when it has asked for them,
# because a shell or a head(1) may read ahead. At the end of standard input it removes what is left,
# and the program ends with it. If no dot arrives, the program ends it.
# It is one command in braces, so a shell has read all of it before it runs.
{
LC_ALL=C
export LC_ALL
umask 077
folder=

say() {
	printf '%s %s\n' "$token" "$*"
}

# The names are relative: another user may have given the folder's name to a link meanwhile. A cat
# that waits for the writer of the recording ends when the pipe was opened once.
clean() {
	[ -n "$folder" ] || return 0
	[ -p recording ] && : <>recording
	rm -f pmctop parcel recording alive trial
	cd /
	rmdir "$folder" 2>/dev/null
	folder=
}

trap 'clean; exit 0' HUP INT TERM PIPE
trap clean EXIT

# Folders of this user that their shell has left: it was killed. Their names have its number.
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
	*[!A-Za-z0-9/._-]*) say refused "name $1"; return 1 ;;
	esac
	[ -d "$1" ] || return 1
	remove_stale "$1"
	new=$1/pmctop-ssh-$user-$$-$name
	mkdir "$new" 2>/dev/null || { say refused "denied $1"; return 1; }
	cd "$new" || return 1
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
	say refused "$reason $1"
	return 1
}

# Receives a file, after the line with its bytes.
receive() {
	read -r bytes || exit 0
	case $bytes in '' | *[!0-9]*) exit 0 ;; esac
	head -c "$bytes" >"$1" 2>/dev/null
	say sum "$(cksum <"$1" 2>/dev/null || wc -c <"$1")"
}

say begin
user=$(id -u)
installed=$(command -v pmctop)
case $installed in /*) ;; *) installed= ;; esac
say machine "$(uname -m)"
say kernel "$(uname -sr)"
say cpu "$(sed -n -e '/^$/q' -e '/^vendor_id/p' -e '/^cpu family/p' -e '/^model/p' -e '/^stepping/p' \
	-e '/^CPU /p' /proc/cpuinfo 2>/dev/null | tr '\n\t' '; ')"
say installed "$([ -z "$installed" ] || "$installed" --version </dev/null 2>/dev/null | head -n 1)"
say facts

# How the program comes there (copy, link), KiB of all files, whether there is a recording (yes, no).
read -r way kib recorded || exit 0
case $kib in '' | *[!0-9]*) exit 0 ;; esac
for place in "$TMPDIR" /tmp "$XDG_RUNTIME_DIR" /dev/shm "$HOME"; do
	try_place "$place" && break
done
if [ -z "$folder" ]; then
	say nowhere
	exit 0
fi
say folder "$folder"
if [ "$way" = link ]; then
	ln -s "$installed" pmctop
else
	receive pmctop
	chmod 700 pmctop
fi
receive parcel
[ "$recorded" != yes ] || mkfifo recording
say runs "$(./pmctop --version </dev/null 2>&1 | head -n 1)"
# The program gets SIGIO when the last writer of this pipe has gone: this shell.
mkfifo alive && exec 9<>alive || exit 0
say ready
# The lines that arrive, a dot every 10 s as long as there is a link, are for link_watch.c.
while read -r line; do
	printf %s "$line" >&9
	echo .
done
[ ! -e parcel ] || say unused
exit 0
}
