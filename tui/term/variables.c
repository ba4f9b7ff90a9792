// SPDX-License-Identifier: MIT
/*
 * The environment is read here alone, so the table has all variables: --list variables prints it,
 * and the manual is compared with it.
 */
#include "tui/term/variables.h"

#include "core/base/util.h"

#include <stdlib.h>

const struct variable_row variable_table[] = {
	[VARIABLE_PMCTOPRC] = {"PMCTOPRC", "configuration file, if --config names none"},
	[VARIABLE_XDG_CONFIG_HOME] = {"XDG_CONFIG_HOME",
				      "directory of the user's configuration and themes"},
	[VARIABLE_HOME] = {"HOME",
			   "its .config is used if XDG_CONFIG_HOME is not set, its .debug for "
			   "recordings"},
	[VARIABLE_NO_COLOR] = {"NO_COLOR", "not empty: no colours, unless --color always"},
	[VARIABLE_COLORTERM] = {"COLORTERM", "truecolor or 24bit: the terminal has all colours"},
	[VARIABLE_TERM] = {"TERM", "the terminal"},
	[VARIABLE_LINES] = {"LINES", "rows of a terminal that does not report its size"},
	[VARIABLE_COLUMNS] = {"COLUMNS", "columns of a terminal that does not report its size"},
	[VARIABLE_ESCDELAY] = {"ESCDELAY", "milliseconds to wait for what follows Esc"},
	[VARIABLE_LC_ALL] = {"LC_ALL", "character set; ASCII is drawn if it is not UTF-8"},
	[VARIABLE_LC_CTYPE] = {"LC_CTYPE", "character set, if LC_ALL is not set"},
	[VARIABLE_LANG] = {"LANG", "character set, if LC_ALL and LC_CTYPE are not set"},
	[VARIABLE_TMPDIR] =
		{"TMPDIR", "directory of a command's output, and of --ssh's socket; default: /tmp"},
	[VARIABLE_PATH] = {"PATH", "directories of commands"},
	[VARIABLE_PERF_BUILDID_DIR] = {"PERF_BUILDID_DIR",
				       "perf's cache of files; default: .debug in HOME"},
};

const size_t variable_table_n = ARRAY_SIZE(variable_table);

const char *variable_value(enum variable variable)
{
	return getenv(variable_table[variable].name);
}
