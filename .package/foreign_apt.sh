# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# foreign_apt.sh: functions for bash scripts that read this file: Debian packages of another
# architecture. They come from this machine's apt sources, with a separate state: the system gets no
# foreign architecture, and its package lists do not change.
#
# The script defines skip REASON, which ends it: such packages cannot be had here.

# foreign_apt DIR ARCH: makes apt's state in DIR/apt. $apt is that folder.
foreign_apt() {
	local tool
	apt=$1/apt
	for tool in apt-get apt-cache dpkg; do
		[ -n "$(command -v $tool)" ] || skip "there is no $tool here, and it is made of Debian packages"
	done
	# shellcheck source=/dev/null
	if [ "$(. /etc/os-release && echo "${ID:-}")" = ubuntu ]; then
		skip "it needs Debian package sources, and this is Ubuntu"
	fi
	mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
	: >"$apt/state/status"

	# Read after the machine's configuration: proxies stay, hooks that would change the system are
	# cleared.
	cat >"$apt/apt.conf" <<-CONF
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear APT::Architectures;
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
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
}

apt_get() {
	apt-get -q -q -c "$apt/apt.conf" "$@"
}

apt_cache() {
	apt-cache -c "$apt/apt.conf" "$@"
}

# Reads the lists. An apt source may fail or not have the architecture: only the packages that are
# downloaded must be there.
apt_update() {
	apt_get update >"$apt/log" 2>&1 || true
}

# apt_download PACKAGE...
apt_download() {
	(cd "$apt/debs" && apt_get download "$@" >"$apt/log" 2>&1) ||
		skip "its Debian packages cannot be downloaded ($(grep -m 1 '^E:' "$apt/log"))"
}

# apt_unpack PACKAGE DIR: of a downloaded one.
apt_unpack() {
	dpkg -x "$(apt_deb "$1")" "$2"
}

# apt_deb PACKAGE: prints the path of a downloaded one.
apt_deb() {
	set -- "$apt/debs/$1"_*.deb
	echo "$1"
}
