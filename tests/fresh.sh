#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# fresh.sh SUITE DIR: runs the README's two commands on a minimal Debian of that suite (debootstrap
# with make and git) in DIR/SUITE, in a clean clone of the last commit. `make run ARGS='-b -n 1'`
# must print rows, then `make test` must pass.
#
# The packages come from this machine's apt sources, the kernel is this machine's. Prints the
# duration of each step. Without root, debootstrap or a Debian source it prints the reason and
# skips.
set -euo pipefail

skip() {
	echo "fresh: skipped: $1"
	exit 0
}

if [ $# != 2 ]; then
	echo "usage: make fresh SUITE=bookworm|trixie" >&2
	exit 2
fi
suite=$1 root=$2/$1 source=$(cd "$(dirname "$0")/.." && pwd)

[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || skip "needs debootstrap: sudo apt-get install debootstrap"
unshare --mount true 2>/dev/null || skip "needs the right to make a mount namespace"
# shellcheck disable=SC2016 # the variables are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' |
	head -n 1)
[ -n "$mirror" ] || skip "needs a Debian source in this machine's apt configuration"

# step NAME COMMAND...: runs it and prints its duration.
step() {
	local name=$1 began=$SECONDS status=0
	shift
	"$@" || status=$?
	echo "fresh: $suite: $name took $((SECONDS - began)) s"
	return $status
}

# inside COMMAND...: runs it in the new system. Its mounts and processes end with it.
inside() {
	# shellcheck disable=SC2016 # expanded inside
	unshare --mount --pid --fork --kill-child sh -c '
		mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
		root=$1 && shift && exec chroot "$root" env -i HOME=/root TERM="${TERM:-xterm}" LC_ALL=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' sh "$root" "$@"
}

install_debian() {
	rm -rf --one-file-system "$root"
	mkdir -p "$root"
	debootstrap --variant=minbase --include=make,git "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
		tail -n 5 "$root.log" >&2
		return 1
	}
	# The new system uses this machine's proxy and mirrors.
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$root/etc/apt/apt.conf.d/90fresh" || true
	cp /etc/resolv.conf /etc/hosts "$root/etc/"
}

# At least one row: a number first, below the line of titles.
prints_rows() {
	inside make -C /root/pmctop --no-print-directory run ARGS='-b -n 1' >"$root.rows" 2>&1 &&
		sed -n '/COMMAND/,$p' "$root.rows" | grep -qE '^ *[0-9]+ ' || {
		tail -n 30 "$root.rows" >&2
		return 1
	}
}

step "installing Debian" install_debian
git clone --quiet "$source" "$root/root/pmctop"
step "make run, until it had printed rows," prints_rows
sed -n '/COMMAND/,+2p' "$root.rows"
step "make test, with its packages," inside make -C /root/pmctop --no-print-directory test
