#!/bin/bash
# SPDX-License-Identifier: MIT
#
# image.sh [OUTDIR=build/guest]: makes the parts of the emulated arm64 machine from Debian packages.
#
#   OUTDIR/sysroot   arm64 headers and .a files, to link the guest's programs -static
#   OUTDIR/root      files of all guests: busybox, terminfo, the C.UTF-8 locale
#   OUTDIR/perf      perf and setcap with their libraries (boot.sh --perf)
#   OUTDIR/vmlinuz   the kernel, for QEMU's -kernel
#
# With GUEST_SUITE=sid in the environment (or forky, trixie-backports ...) also OUTDIR/vmlinuz-sid,
# the kernel of that suite of Debian. The rest of the image remains.
#
# Packages come from this machine's apt sources, with a separate state: the system gets no foreign
# architecture, and its package lists do not change. The stamp has this script's checksum and is
# written last, so an interrupted run does not count. Exit status 77: the packages cannot be
# downloaded, skip what needs the guest.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../build/guest}
mkdir -p "$out"
out=$(cd "$out" && pwd)

suite=${GUEST_SUITE:-}
case $suite in
*[!a-z-]*)
	echo "image.sh: GUEST_SUITE=$suite is no suite of Debian" >&2
	exit 2
	;;
?*) GUEST_SUITE='' "$here/image.sh" "$out" || exit ;;
esac

stamp=$(sha256sum <"$here/image.sh")
stamp_file=$out/stamp${suite:+-$suite}

# Two makes at once must not build the same cache.
exec 9>"$out/.lock"
flock 9
if [ "$(cat "$stamp_file" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

skip() {
	echo "image.sh: $1" >&2
	exit 77
}

for tool in apt-get apt-cache dpkg readelf; do
	[ -n "$(command -v $tool)" ] ||
		skip "no $tool, and the guest is made of Debian packages; skipped"
done
# shellcheck source=/dev/null
if [ "$(. /etc/os-release && echo "${ID:-}")" = ubuntu ]; then
	skip "the guest needs Debian package sources, and this is Ubuntu; skipped"
fi

# Left by an interrupted run: the lock proves that no other one uses it.
rm -rf "$out"/.new.*
new=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
apt=$new/apt
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
: >"$apt/state/status"

# Read after the machine's configuration: proxies stay, hooks that would change the system are
# cleared.
cat >"$apt/apt.conf" <<CONF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
APT::Get::List-Cleanup "false";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State "$apt/state";
Dir::State::Lists "$apt/state/lists";
Dir::State::status "$apt/state/status";
Dir::Cache "$apt/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
CONF
if [ -n "$suite" ]; then
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [signed-by=$key] http://deb.debian.org/debian $suite main" >"$apt/suite.list"
	cat >>"$apt/apt.conf" <<-CONF
		Dir::Etc::SourceList "$apt/suite.list";
		Dir::Etc::SourceParts "/dev/null";
	CONF
fi

apt_get() {
	apt-get -q -q -c "$apt/apt.conf" "$@"
}
apt_cache() {
	apt-cache -c "$apt/apt.conf" "$@"
}

# Another apt source may fail or have no arm64: only the packages below must be there.
apt_get update >"$apt/log" 2>&1 || true

# The metapackage depends on the newest kernel. If a release has none, the highest version is used.
kernel=$(apt_cache depends linux-image-cloud-arm64 2>/dev/null |
	sed -n 's/^ *Depends: \(linux-image-[0-9].*-cloud-arm64\)$/\1/p' |
	sort -V | tail -n 1) || true
if [ -z "$kernel" ]; then
	kernel=$(apt_cache pkgnames linux-image- 2>/dev/null |
		sed -n '/^linux-image-[0-9].*-cloud-arm64\(-unsigned\)\{0,1\}$/p' |
		sort -V | tail -n 1) || true
fi
if [ -z "$kernel" ]; then
	grep '^E:' "$apt/log" >&2 || true
	skip "no apt source of ${suite:-this machine} has a linux-image-*-cloud-arm64; skipped"
fi
# Since 6.19 that package is empty.
binary=$(apt_cache depends "$kernel" 2>/dev/null |
	sed -n 's/^ *Depends: \(linux-binary-[0-9].*\)$/\1/p')
kernel=${binary:-$kernel}

download() {
	if ! (cd "$apt/debs" && apt_get download "$@" >"$apt/log" 2>&1); then
		cat "$apt/log" >&2
		skip "the arm64 packages could not be downloaded; skipped"
	fi
}

deb() {
	set -- "$apt/debs/$1"_*.deb
	echo "$1"
}

download "$kernel"

# /boot/vmlinuz-VERSION, since 6.19 /usr/lib/modules/VERSION/vmlinuz. The modules are nine tenths of
# an older package, and the guest loads none.
mkdir "$new/kernel"
dpkg --fsys-tarfile "$(deb "$kernel")" | tar -xf - -C "$new/kernel" --wildcards '*/vmlinuz*'
find "$new/kernel" -name 'vmlinuz*' -type f -exec mv {} "$new/vmlinuz" \;

# Newer kernels are EFI images that unpack themselves, which QEMU's -kernel cannot start before 8.1.
# They are unpacked here. Format: drivers/firmware/efi/libstub/zboot-header.S ("zimg", payload
# offset and size, type at 24).
if [ "$(dd if="$new/vmlinuz" bs=1 skip=4 count=4 status=none | tr -d '\0')" = zimg ]; then
	read -r start size < <(od -An -t u4 -j 8 -N 8 "$new/vmlinuz")
	type=$(dd if="$new/vmlinuz" bs=1 skip=24 count=6 status=none | tr -d '\0')
	case $type in
	gzip) unpack="gzip -dc" ;;
	xz*) unpack="xz -dc" ;;
	zstd*) unpack="zstd -dcq" ;;
	*) skip "the kernel image has the unknown compression $type; skipped" ;;
	esac
	tail -c +$((start + 1)) "$new/vmlinuz" | head -c "$size" | $unpack >"$new/Image"
	mv "$new/Image" "$new/vmlinuz"
fi

if [ -n "$suite" ]; then
	mv "$new/vmlinuz" "$out/vmlinuz-$suite"
	echo "$kernel" >"$out/kernel-$suite"
	printf '%s\n' "$stamp" >"$stamp_file"
	exit
fi

dev="libncurses-dev libpfm4 libpfm4-dev libinih-dev libzstd-dev liblzma-dev libjansson-dev libiberty-dev"
base="busybox-static ncurses-base libc-bin"
tools="linux-perf libcap2-bin"
# Packages that may have their libraries, without those of their scripts.
# shellcheck disable=SC2086 # lists of words
libraries=$(apt_cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
	--no-replaces --no-enhances $tools 2>/dev/null |
	grep -E '^(lib|zlib|linux-perf-)[^ ]*$' | sort -u) || true
# shellcheck disable=SC2086
download $dev $base $tools $libraries

mkdir "$new/sysroot" "$new/root" "$new/locale"
for p in $dev; do
	dpkg -x "$(deb "$p")" "$new/sysroot"
done
for p in busybox-static ncurses-base; do
	dpkg -x "$(deb "$p")" "$new/root"
done

# glibc reads UTF-8 locales from files, also in a static program. The rest of libc-bin needs a
# libc.so.
dpkg -x "$(deb libc-bin)" "$new/locale"
mkdir -p "$new/root/usr/lib/locale"
cp -r "$new/locale/usr/lib/locale/C.utf8" "$new/root/usr/lib/locale/"

# /bin/busybox and /lib/terminfo as in Debian 12; newer releases have both under /usr. Links for the
# usual directories that a static ncurses searches.
mkdir -p "$new/root/bin" "$new/root/lib"
if [ ! -e "$new/root/bin/busybox" ]; then
	mv "$new/root/usr/bin/busybox" "$new/root/bin/busybox"
fi
for d in lib share; do
	if [ -e "$new/root/usr/$d/terminfo/x/xterm-256color" ]; then
		mv "$new/root/usr/$d/terminfo" "$new/root/lib/terminfo"
	fi
	rm -rf "$new/root/usr/$d/terminfo"
	ln -s /lib/terminfo "$new/root/usr/$d/terminfo"
done
rm -rf "$new/root/usr/share/doc" "$new/root/usr/share/man" "$new/root/usr/share/lintian" \
	"$new/root/usr/share/initramfs-tools" "$new/root/usr/share/bug" "$new/root/usr/share/tabset"

# These programs are dynamic. Their libraries, and the libraries of those, are copied to /lib, where
# the loader searches too.
mkdir -p "$new/tools" "$new/perf/bin" "$new/perf/lib"
for p in $tools $libraries; do
	dpkg -x "$(deb "$p")" "$new/tools"
done
# If /usr/bin/perf is a wrapper, the program's name has the version.
for p in setcap perf; do
	while read -r f; do
		if [ "$(head -c 4 "$f" | tail -c 3)" = ELF ]; then
			cp -L "$f" "$new/perf/bin/$p"
		fi
	done < <(find "$new"/tools/usr/bin "$new"/tools/usr/sbin "$new"/tools/sbin \
		-name "$p" -o -name "${p}_[0-9]*" 2>/dev/null)
	[ -e "$new/perf/bin/$p" ] || skip "$p is not where Debian 12 has it; skipped"
done
todo=("$new"/perf/bin/*)
while [ ${#todo[@]} -gt 0 ]; do
	file=${todo[0]}
	todo=("${todo[@]:1}")
	for name in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
		[ ! -e "$new/perf/lib/$name" ] || continue
		found=$(find "$new/tools" -name "$name" -print -quit)
		[ -n "$found" ] || skip "${file##*/} needs $name, which no package has; skipped"
		cp -L "$found" "$new/perf/lib/$name"
		todo+=("$new/perf/lib/$name")
	done
done

# The guest's archive must not depend on when it was made.
find "$new/root" "$new/perf" -exec touch -h -d @0 {} +

rm -rf "$stamp_file" "$out/sysroot" "$out/root" "$out/perf" "$out/vmlinuz"
mv "$new/sysroot" "$new/root" "$new/perf" "$new/vmlinuz" "$out/"
echo "$kernel" >"$out/kernel"
printf '%s\n' "$stamp" >"$stamp_file"
