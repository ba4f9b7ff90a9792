#!/bin/sh
# SPDX-License-Identifier: MIT
#
# deb.sh BUILD VERSION [OTHER]: makes BUILD/pmctop_VERSION_ARCH.deb of the files that make install put
# into BUILD/deb/root (make deb), and of the static programs: of this architecture, and of OTHER if it
# was built. $DEBFULLNAME and $DEBEMAIL are its maintainer. Two packages of the same commit are
# identical. The package has no maintainer scripts: nothing runs when it is installed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$1 version=$2 other=${3:-}
arch=$(dpkg --print-architecture)
root=$build/deb/root
doc=$root/usr/share/doc/pmctop
maintainer="${DEBFULLNAME:-The pmctop authors} <${DEBEMAIL:-pmctop@localhost}>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null ||
	stat -c %Y "$here/../Makefile")}
export SOURCE_DATE_EPOCH

# For --ssh and --via (tui/remote/static_program.c).
static=$root/usr/lib/pmctop/pmctop-static
install -D -m 644 "$build/static/pmctop" "$static-$arch"
if [ -n "$other" ] && [ -f "$build/$other/static/pmctop" ]; then
	install -m 644 "$build/$other/static/pmctop" "$static-$other"
fi

strip --remove-section=.comment --remove-section=.note "$root/usr/bin/pmctop"

mkdir -p "$build/deb/debian" "$root/DEBIAN"
sed "s/@MAINTAINER@/$maintainer/" "$here/control" >"$build/deb/debian/control"
cat >"$build/deb/debian/changelog" <<CHANGES
pmctop ($version) unstable; urgency=medium

  * As of this version's sources.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
CHANGES

# A Debian package has its licence in the file copyright.
{
	license=$doc/LICENSE
	sed -e "s/@COPYRIGHT@/$(sed -n 's/^Copyright (c) //p' "$license")/" -e '/@LICENSE@/d' "$here/copyright"
	sed -e '1,/^Copyright/d' "$license" | sed -e '1{/^$/d}' -e 's/^$/./' -e 's/^/ /'
} >"$doc/copyright"
rm "$doc/LICENSE"
cp "$here/README.Debian" "$doc/"
gzip -9n <"$build/deb/debian/changelog" >"$doc/changelog.gz"
gzip -9n "$root"/usr/share/man/man?/pmctop*

mkdir -p "$root/usr/share/lintian/overrides"
{
	printf '%s\n' "# Programs that --ssh copies to machines with other libraries." \
		"pmctop: embedded-library *usr/lib/pmctop/*" \
		"pmctop: shared-library-lacks-prerequisites *usr/lib/pmctop/*"
	[ ! -f "$static-$other" ] ||
		echo "pmctop: binary-from-other-architecture *usr/lib/pmctop/*"
	# Without $DEBEMAIL the maintainer has no valid address, which lintian reports.
	[ -n "${DEBEMAIL:-}" ] ||
		printf '%s\n' "# Built without DEBEMAIL, for the machines of the builder." \
			"pmctop: bogus-mail-host" "pmctop: bogus-mail-host-in-debian-changelog"
} >"$root/usr/share/lintian/overrides/pmctop"
find "$root/usr" -type f ! -path '*/bin/*' -exec chmod 644 {} +

(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
(cd "$build/deb" && dpkg-shlibdeps -Tdebian/substvars root/usr/bin/pmctop &&
	dpkg-gencontrol -Tdebian/substvars -Proot)
dpkg-deb --root-owner-group --build "$root" "$build"
