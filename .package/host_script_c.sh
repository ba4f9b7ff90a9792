#!/bin/sh
# SPDX-License-Identifier: MIT
#
# host_script_c.sh FILE: prints a shell script without its comments as a C string, the content of
# host_setup_script (tui/remote/host_script.h).
echo '#include "tui/remote/host_script.h"'
echo 'const char host_setup_script[] ='
sed -e '/^[[:space:]]*#/d' -e '/^$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' "$1"
echo ';'
