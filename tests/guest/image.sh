#!/bin/bash
# SPDX-License-Identifier: MIT
#
# image.sh [OUTDIR=build/guest]: makes the parts of the emulated arm64 machine from Debian packages.
#
#   OUTDIR/root      files of all guests: busybox, terminfo, the C.UTF-8 locale
#   OUTDIR/perf      perf and setcap with their libraries (boot.sh --perf)
#   OUTDIR/ssh       dropbear with its libraries (boot.sh --ssh)
#   OUTDIR/modules   the kernel's module for the network (boot.sh --ssh)
#   OUTDIR/vmlinuz   the kernel, for QEMU's -kernel
#
# With GUEST_SUITE=sid in the environment (or forky, trixie-backports ...) also OUTDIR/vmlinuz-sid and
# OUTDIR/modules-sid, of the kernel of that suite of Debian. The rest of the image remains.
#
# Packages come as .package/foreign_apt.sh has it. The stamp has the checksum of both scripts and is
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

foreign_apt=$here/../../.package/foreign_apt.sh
stamp=$(cat "$here/image.sh" "$foreign_apt" | sha256sum)
stamp_file=$out/stamp${suite:+-$suite}

# Two makes at once must not build the same cache.
exec 9>"$out/.lock"
flock 9
if [ "$(cat "$stamp_file" 2>/dev/null)" = "$stamp" ]; then
	exit 0
fi

skip() {
	echo "image.sh: no emulated machine: $1; skipped" >&2
	exit 77
}
# shellcheck source=.package/foreign_apt.sh
. "$foreign_apt"

[ -n "$(command -v readelf)" ] || skip "there is no readelf"

# Left by an interrupted run: the lock proves that no other one uses it.
rm -rf "$out"/.new.*
new=$(mktemp -d "$out/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
foreign_apt "$new" arm64
if [ -n "$suite" ]; then
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [signed-by=$key] http://deb.debian.org/debian $suite main" >"$apt/suite.list"
	cat >>"$apt/apt.conf" <<-CONF
		Dir::Etc::SourceList "$apt/suite.list";
		Dir::Etc::SourceParts "/dev/null";
	CONF
fi

apt_update

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
	skip "no apt source of ${suite:-this machine} has a linux-image-*-cloud-arm64"
fi
# Since 6.19 that package is empty, and depends on two others.
parts=$(apt_cache depends "$kernel" 2>/dev/null |
	sed -n 's/^ *Depends: \(linux-\(binary\|modules\)-[0-9].*\)$/\1/p')
parts=${parts:-$kernel}

# shellcheck disable=SC2086 # a list of words
apt_download $parts

# /boot/vmlinuz-VERSION, since 6.19 /usr/lib/modules/VERSION/vmlinuz. Of the modules the guest loads
# vmxnet3 alone. virtio_net would need five others.
mkdir -p "$new/modules/lib/modules"
for p in $parts; do
	apt_unpack "$p" "$new/kernel"
done
find "$new/kernel" -name 'vmlinuz*' -type f -exec mv {} "$new/vmlinuz" \;
find "$new/kernel" -name 'vmxnet3.ko*' -exec mv {} "$new/modules/lib/modules/" \;
for f in "$new"/modules/lib/modules/*.xz; do
	[ ! -e "$f" ] || xz -d "$f"
done
rm -rf "$new/kernel"

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
	*) skip "the kernel image has the unknown compression $type" ;;
	esac
	tail -c +$((start + 1)) "$new/vmlinuz" | head -c "$size" | $unpack >"$new/Image"
	mv "$new/Image" "$new/vmlinuz"
fi

# boot.sh's archive must not depend on when the image was made.
reset_times() {
	find "$@" -exec touch -h -d @0 {} +
}

if [ -n "$suite" ]; then
	reset_times "$new/modules"
	rm -rf "$out/modules-$suite"
	mv "$new/modules" "$out/modules-$suite"
	mv "$new/vmlinuz" "$out/vmlinuz-$suite"
	echo "$kernel" >"$out/kernel-$suite"
	printf '%s\n' "$stamp" >"$stamp_file"
	exit
fi

base="busybox-static ncurses-base libc-bin"
tools="linux-perf libcap2-bin dropbear-bin"
# Packages that may have their libraries, but not the libraries of their scripts.
# shellcheck disable=SC2086 # lists of words
libraries=$(apt_cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
	--no-replaces --no-enhances $tools 2>/dev/null |
	grep -E '^(lib|zlib|linux-perf-)[^ ]*$' | sort -u) || true
# shellcheck disable=SC2086
apt_download $base $tools $libraries

mkdir "$new/root" "$new/locale"
for p in busybox-static ncurses-base; do
	apt_unpack "$p" "$new/root"
done

# glibc reads UTF-8 locales from files, also in a static program. The rest of libc-bin needs a
# libc.so.
apt_unpack libc-bin "$new/locale"
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

mkdir "$new/tools"
for p in $tools $libraries; do
	apt_unpack "$p" "$new/tools"
done

# copy_programs PART NAME...: dynamic programs. Their libraries, and the libraries of those, are copied
# to /lib, where the loader searches too.
copy_programs() {
	local dir=$new/$1 name f file found todo
	shift
	mkdir -p "$dir/bin" "$dir/lib"
	for name in "$@"; do
		# If /usr/bin/perf is a wrapper, the program's name has the version.
		while read -r f; do
			if [ "$(head -c 4 "$f" | tail -c 3)" = ELF ]; then
				cp -L "$f" "$dir/bin/$name"
			fi
		done < <(find "$new"/tools/usr/bin "$new"/tools/usr/sbin "$new"/tools/sbin \
			-name "$name" -o -name "${name}_[0-9]*" 2>/dev/null)
		[ -e "$dir/bin/$name" ] || skip "$name is not where Debian 12 has it"
	done
	todo=("$dir"/bin/*)
	while [ ${#todo[@]} -gt 0 ]; do
		file=${todo[0]}
		todo=("${todo[@]:1}")
		for name in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
			[ ! -e "$dir/lib/$name" ] || continue
			found=$(find "$new/tools" -name "$name" -print -quit)
			[ -n "$found" ] || skip "${file##*/} needs $name, which no package has"
			cp -L "$found" "$dir/lib/$name"
			todo+=("$dir/lib/$name")
		done
	done
}

copy_programs perf setcap perf
copy_programs ssh dropbear

reset_times "$new/root" "$new/perf" "$new/ssh" "$new/modules"

rm -f "$stamp_file"
for p in root perf ssh modules vmlinuz; do
	rm -rf "${out:?}/$p"
	mv "$new/$p" "$out/"
done
echo "$kernel" >"$out/kernel"
printf '%s\n' "$stamp" >"$stamp_file"
