#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# The guest's /init: sets up a small but complete system, runs /test.sh and powers off. The script's
# output goes to the serial console between two marker lines, byte for byte. boot.sh reads it from
# there. Set by the kernel command line, as environment: guest_rows, guest_cols, guest_term,
# guest_shift, guest_later, guest_ssh for a network and dropbear, and guest_interactive for a shell
# instead of the script.

# This shell prefers its applets to programs in PATH: programs need other names, or a path.
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root LANG=C.UTF-8 TERM="${guest_term:-vt100}"

# There is no PATH yet: busybox installs links for its applets.
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /home/user /etc /sbin /usr/bin /usr/sbin
/bin/busybox --install -s

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts -o mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -sf /proc/self/fd /dev/fd

hostname guest
echo -1 >/proc/sys/kernel/perf_event_paranoid
# Emergencies only, because the script's output is on the console.
echo 1 >/proc/sys/kernel/printk

cat >/etc/passwd <<END
root:x:0:0:root:/root:/bin/sh
user:x:1000:1000:user:/home/user:/bin/sh
END
cat >/etc/group <<END
root:x:0:
user:x:1000:
END
echo "passwd: files" >/etc/nsswitch.conf
echo "export PS1='\\u@\\h:\\w\\\$ '" >/etc/profile
chown -R 1000:1000 /home/user

if [ -n "${guest_ssh:-}" ]; then
	insmod /lib/modules/vmxnet3.ko
	ip link set lo up
	ip address add 10.0.2.15/24 dev eth0 # the address of QEMU's port forwarding
	ip link set eth0 up
	mkdir /etc/dropbear
	dropbear -R
fi

tty=/dev/ttyAMA0
stty -F $tty rows "${guest_rows:-24}" cols "${guest_cols:-80}"

if [ -n "${guest_interactive:-}" ]; then
	cd /root || exit
	setsid cttyhack sh -l
	poweroff -f
fi

# No carriage returns, no special bytes.
stty -F $tty raw -echo

# A pipe, so that programs do not see the console as their terminal.
mkfifo /run/out
cat /run/out >$tty &
cat=$!
exec 8>/run/out 9>$tty

# Delays the script, so that the boot takes another course.
moments=$((${guest_later:-0} * 1000))
while [ $moments -gt 0 ]; do
	moments=$((moments - 1))
done

printf '\n=== guest output begins ===\n' >&9
cd /root || exit
sh /test.sh </dev/null >&8 2>&1 8>&- 9>&-
status=$?

# Programs that the script left would keep the pipe open. The second round ends those that were
# started during the first.
for _ in 1 2; do
	for p in /proc/[0-9]*; do
		p=${p#/proc/}
		[ "$p" = 1 ] || [ "$p" = $cat ] || kill -9 "$p" 2>/dev/null
	done
done
exec 8>&-
wait $cat
printf '\n=== guest output ends, status %d ===\n' $status >&9

# Setting the terminal waits until the last byte is sent. poweroff would not.
stty -F $tty sane
poweroff -f
