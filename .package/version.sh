#!/bin/sh
# SPDX-License-Identifier: MIT
#
# version.sh NUMBER: prints the version of these sources, in a form that Debian sorts correctly.
#
#   0.1.0                  a clone at the tag v0.1.0
#   0.1.0+12.gda45510      12 commits after that tag
#   NUMBER+gda45510        a clone without a tag; +gda45510.dirty if files were changed
#   .package/version       sources from make dist: the content of that file
#   NUMBER                 other sources
number=$1

# safe.directory: the clone may belong to another user, as under su.
describe() {
	git -c safe.directory='*' describe --tags --match 'v[0-9]*' --always --dirty 2>/dev/null |
		sed -e 's/^v//; t tag' -e "s/^/$number-g/; : tag" -e 's/-rc/~rc/; s/-/+/; s/-/./g'
}

if [ -e .git ]; then
	version=$(describe)
else
	version=$(cat .package/version 2>/dev/null)
fi
echo "${version:-$number}"
