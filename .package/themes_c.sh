#!/bin/sh
# SPDX-License-Identifier: MIT
#
# themes_c.sh THEME...: prints the themes as C strings, the content of theme_builtins
# (tui/term/theme.h). So pmctop is one file.
echo '#include "tui/term/theme.h"'
echo 'const struct theme_builtin theme_builtins[] = {'
for theme; do
	echo "{\"$(basename "$theme" .theme)\","
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' "$theme"
	echo '},'
done
echo '{0, 0},'
echo '};'
