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
new=

# A shell's message that no process reads the output any more would reach a terminal with --via.
reply() {
	printf '%s %s\n' "$token" "$*" 2>/dev/null
}

# Removes the files and the folder by relative names: PWD ends with the folder's name from the moment
# that cd has entered it. A cat that waits for a writer of the recording ends, because the pipe is
# opened and closed once.
clean() {
	[ -n "$new" ] || return 0
	case $PWD in
	*/"$new")
		[ -p recording ] && : <>recording
		rm -f pmctop parcel recording trial pipe alive
		cd -P ..
		;;
	esac
	rmdir "$new"
	new=
} 2>/dev/null

trap 'clean; exit 0' HUP INT QUIT TERM PIPE
trap clean EXIT

# Sets the mode and the owner of a directory.
examine() {
	set -- $(ls -ldn "$1" 2>/dev/null)
	mode=$1
	owner=$3
}

# Whether no other user can rename or replace the current directory, NAME, or one that leads to it:
# each belongs to this user or root, and has the sticky bit if others may write it. A directory is
# examined before the one that contains it, so what was found to hold is not changed meanwhile. In a
# user namespace without root, / and /tmp belong to an unknown user, 65534.
is_fixed() {
	up=.
	rest=${1%/}
	while :; do
		examine "$up"
		case $owner:$rest in 0:* | "$user":* | 65534: | 65534:/tmp) ;; *) return 1 ;; esac
		case $mode in d????[!w]??[!w]* | d????????[tT]*) ;; *) return 1 ;; esac
		[ -n "$rest" ] || break
		rest=${rest%/*}
		up=$up/..
	done
	[ "$(env pwd -P)" = "$1" ]
}

# Whether the current directory is a new, empty folder of this user alone. This shell holds it from
# here on, and is the last writer of the pipe (held_folder.h): when it ends, the program gets SIGIO.
hold_folder() {
	examine .
	case $owner-$mode in "$user"-drwx--[-S]---*) ;; *) return 1 ;; esac
	[ -z "$(ls -A)" ] && mkfifo pipe && exec 9<>pipe && mv pipe alive
}

# Makes the folder in a place, enters it, and checks that a program can be written and executed
# there. Else sets the reason; none if there is no such place. Only the way to the place is absolute.
# The name of the folder has no link in it, and host_setup.c takes less than 256 bytes.
try_place() {
	reason=relative
	case $1 in /*) ;; *) return 1 ;; esac
	reason=
	cd -P "$1" || return
	place=$(env pwd -P)
	folder=${place%/}/pmctop-ssh-$user-$origin-$$-$name
	reason=name
	case $place in *[!A-Za-z0-9/._-]* | *..*) return 1 ;; esac
	reason=long
	[ ${#folder} -lt 256 ] || return
	reason=others
	is_fixed "$place" || return
	reason=denied
	new=${folder##*/}
	mkdir -m 700 "$new" && cd -P "./$new" && hold_folder || return
	reason=full
	printf '#!/bin/sh\nexit 7\n' >trial && dd if=/dev/zero of=pmctop bs=1024 count="$kib" || return
	reason=noexec
	chmod 700 trial
	./trial
	[ $? = 7 ] || [ "$way" = link ] || return
	rm -f trial pmctop
} 2>/dev/null

# Receives a file, after the line with its bytes.
receive() {
	read -r bytes || exit 0
	case $bytes in '' | *[!0-9]*) exit 0 ;; esac
	head -c "$bytes" >"$1" 2>/dev/null
	reply sum "$(cksum <"$1" 2>/dev/null || wc -c <"$1")"
}

reply begin
user=$(id -u)
boot=
{ read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
origin=$(printf %.20s "$(uname -n | tr -cd A-Za-z0-9)")-$boot
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
for named in "$TMPDIR" /tmp "$XDG_RUNTIME_DIR" /dev/shm "$HOME"; do
	[ -n "$named" ] || continue
	try_place "$named" && break
	clean
	[ -z "$reason" ] || reply refused "$reason $(printf %.200s "$named")"
done
if [ -z "$new" ]; then
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
reply ready
# Passes the lines that arrive to link_watch.c: a dot every 10 s, an i or a t. Answers each with a dot.
while read -r line; do
	printf %s "$line" >&9
	echo . 2>/dev/null
done
[ ! -e parcel ] || reply unused
exit 0
}
