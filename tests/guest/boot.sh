#!/bin/bash
# SPDX-License-Identifier: MIT
#
# boot.sh [OPTIONS] SCRIPT: runs a shell script on an emulated arm64 machine that has hardware
# performance counters.
#
# Prints the script's output (both streams), byte for byte, and exits with its status. Status 124:
# it took too long; 125: the machine died. The end of the console is then on standard error. Status
# 77 (skipped): no QEMU, or the guest's packages cannot be downloaded.
#
# One instruction takes 2^SHIFT ns of the guest's time and its cycle counter runs at 1 GHz, so there
# are exactly 1/2^SHIFT instructions per cycle. The guest sees neither the host's clock nor its
# entropy, so that runs are repeatable. It runs at the lowest priority, and its limit is in CPU
# time. With --ssh a run is not repeatable, and the guest's time is never ahead of the host's.
set -euo pipefail

usage() {
	cat <<'END'
usage: boot.sh [OPTIONS] SCRIPT
       boot.sh [OPTIONS] --interactive
  --shift S       1 instruction = 2^S ns: IPC is 1/2^S            (1)
  --cpu MODEL     QEMU's CPU: max, neoverse-n1, cortex-a57 ...    (max)
  --smp N         CPUs                                            (2)
  --memory MIB    memory                                          (1024)
  --timeout SECS  of the host's CPU time                          (600)
  --later N       the script begins N times a moment later        (0)
  --pmctop FILE   a static arm64 pmctop, which becomes /bin/pmctop
  --perf          also perf and setcap (30 MB to unpack)
  --ssh DIR       also dropbear: ssh -F DIR/config guest, or user@guest
  --load DIR      every executable file in DIR goes to /bin (may be repeated)
  --image DIR     the output of image.sh                          (build/guest)
  --interactive   a shell on this terminal; Ctrl-A x ends the machine
With GUEST_SUITE=sid in the environment it boots the kernel of that suite of Debian (image.sh).
The script has SHIFT in $guest_shift, and a user named "user" (su user -c ...).
END
}

here=$(cd "$(dirname "$0")" && pwd)
image=$here/../../build/guest
shift_=1 cpu=max smp=2 memory=1024 timeout=600 later=0 pmctop='' perf='' ssh='' loads=() interactive='' script=''

while [ $# -gt 0 ]; do
	case $1 in
	--interactive)
		interactive=1
		shift
		continue
		;;
	--perf)
		perf=1
		shift
		continue
		;;
	--help | -h)
		usage
		exit 0
		;;
	--*)
		if [ $# -lt 2 ]; then
			usage >&2
			exit 2
		fi
		;;
	esac
	case $1 in
	--shift) shift_=$2 ;;
	--cpu) cpu=$2 ;;
	--smp) smp=$2 ;;
	--memory) memory=$2 ;;
	--timeout) timeout=$2 ;;
	--later) later=$2 ;;
	--pmctop) pmctop=$2 ;;
	--ssh) ssh=$2 ;;
	--load) loads+=("$2") ;;
	--image) image=$2 ;;
	-*)
		usage >&2
		exit 2
		;;
	*)
		script=$1
		shift
		continue
		;;
	esac
	shift 2
done

if [ -z "$script$interactive" ]; then
	usage >&2
	exit 2
fi
for f in $script $pmctop; do
	if [ ! -r "$f" ]; then
		echo "boot.sh: cannot read $f" >&2
		exit 2
	fi
done
for tool in qemu-system-aarch64 cpio ${ssh:+ssh-keygen python3}; do
	if [ -z "$(command -v "$tool")" ]; then
		echo "boot.sh: no $tool; skipped" >&2
		exit 77
	fi
done
"$here/image.sh" "$image"

work=$(mktemp -d)
qemu=''
trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# cpio archives can follow each other: only the files of this run are archived. Uncompressed,
# because the emulated machine would have to unpack them.
mkdir -p "$work/over/bin" "$work/over/etc"
# The emulated cost of a switch means nothing: no budget, except in tests of it.
printf '[pmctop]\nbudget = 0\n' >"$work/over/etc/pmctop.conf"
install -m 755 "$here/init.sh" "$work/over/init"
[ -z "$script" ] || install -m 755 "$script" "$work/over/test.sh"
[ -z "$pmctop" ] || install -m 755 "$pmctop" "$work/over/bin/pmctop"
for load in "${loads[@]}"; do
	for f in "$load"/*; do
		if [ -f "$f" ] && [ -x "$f" ]; then
			install -m 755 "$f" "$work/over/bin/"
		fi
	done
done
if [ -n "$ssh" ]; then
	mkdir -p "$ssh"
	rm -f "$ssh/key"
	ssh-keygen -q -t ed25519 -N '' -f "$ssh/key"
	for home in root home/user; do
		install -D -m 644 "$ssh/key.pub" "$work/over/$home/.ssh/authorized_keys"
	done
	port=$(python3 -c 'import socket
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    print(free.getsockname()[1])')
	# The guest makes a new host key in each run.
	cat >"$ssh/config" <<-END
		Host guest
		HostName 127.0.0.1
		Port $port
		User root
		IdentityFile $(realpath "$ssh")/key
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile /dev/null
		LogLevel ERROR
	END
fi
find "$work/over" -exec touch -h -d @0 {} +
for dir in "$image/root" ${perf:+"$image/perf"} \
	${ssh:+"$image/ssh" "$image/modules${GUEST_SUITE:+-$GUEST_SUITE}"} "$work/over"; do
	(cd "$dir" && find . | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet)
done >"$work/initrd"

# Without pauth-impdef the signatures of pointers, which the kernel makes at each call, cost more
# than everything else.
[ "$cpu" != max ] || cpu=max,pauth-impdef=on

# An idle machine jumps to its next timer instead of waiting for it, except in interactive use. A busy
# one may be faster than the host, and so may not wait for it.
clock=sleep=off
[ -z "$interactive" ] || clock=sleep=on
[ -z "$ssh" ] || clock=sleep=on,align=on

# shellcheck disable=SC2054 # the commas are QEMU's
args=(-machine virt -cpu "$cpu" -smp "$smp" -m "$memory" -icount "shift=$shift_,$clock"
	-seed 1 -rtc base=2025-01-01,clock=vm -nodefaults -no-reboot -display none
	-kernel "$image/vmlinuz${GUEST_SUITE:+-$GUEST_SUITE}" -initrd "$work/initrd")
# The kernel's tests of its ciphers and its signing keys are three quarters of its instructions
# before /init.
append="console=ttyAMA0 loglevel=1 nokaslr panic=-1 cryptomgr.notests"
append+=" initcall_blacklist=load_system_certificate_list guest_shift=$shift_"
append+=" guest_later=$later"
if [ -n "$ssh" ]; then
	args+=(-device "vmxnet3,netdev=net,romfile="
		-netdev "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:$port-:22")
	append+=" guest_ssh=1"
fi

if [ -n "$interactive" ]; then
	read -r rows cols < <(stty size 2>/dev/null || echo 24 80)
	term=${TERM:-vt100}
	[ -e "$image/root/lib/terminfo/${term:0:1}/$term" ] || term=xterm-256color
	append+=" guest_interactive=1 guest_rows=$rows guest_cols=$cols guest_term=$term"
	qemu-system-aarch64 "${args[@]}" -chardev stdio,id=tty,mux=on,signal=off \
		-serial chardev:tty -mon chardev=tty -append "$append"
	exit
fi

status=0
console=$work/console
(
	ulimit -S -c 0 -t "$timeout"
	exec nice -n 19 qemu-system-aarch64 "${args[@]}" -serial "file:$console" -monitor none \
		-append "$append" </dev/null >"$work/qemu" 2>&1
) &
qemu=$!
wait "$qemu" || status=$?
qemu=''

# offset head|tail MARKER: the byte where the first or last such line starts.
offset() {
	{ LC_ALL=C grep -abo "^=== guest output $2" "$console" 2>/dev/null || true; } |
		"$1" -n 1 | cut -d : -f 1
}

begin=$(offset head 'begins ===$')
end=$(offset tail 'ends, status [0-9]* ===$')
if [ -n "$begin" ] && [ -n "$end" ]; then
	begin=$((begin + 28)) # the line's length
	# The newline before the marker belongs to it.
	tail -c +$((begin + 1)) "$console" | head -c $((end - 1 - begin))
	exit "$(tail -c +$((end + 1)) "$console" | sed -n '1s/[^0-9]*\([0-9]*\).*/\1/p')"
fi

{
	if [ "$status" = $((128 + $(kill -l XCPU))) ]; then
		status=124
		echo "boot.sh: no end after $timeout s of CPU time; the end of the console:"
	else
		echo "boot.sh: the machine died (QEMU's status: $status); the end of the console:"
		status=125
	fi
	cat "$work/qemu"
	tail -n 40 "$console" 2>/dev/null | tr -d '\r'
} >&2
exit $status
