// SPDX-License-Identifier: MIT
#ifndef PMCTOP_VARIABLES_H
#define PMCTOP_VARIABLES_H

#include <stddef.h>

/* The variables of the environment that pmctop reads. No other code calls getenv. */
enum variable {
	VARIABLE_PMCTOPRC,
	VARIABLE_XDG_CONFIG_HOME,
	VARIABLE_HOME,
	VARIABLE_NO_COLOR,
	VARIABLE_COLORTERM,
	VARIABLE_TERM,
	VARIABLE_LINES,
	VARIABLE_COLUMNS,
	VARIABLE_ESCDELAY,
	VARIABLE_LC_ALL, /* these three are read by the C library */
	VARIABLE_LC_CTYPE,
	VARIABLE_LANG,
	VARIABLE_TMPDIR,
	VARIABLE_PATH,
	VARIABLE_PERF_BUILDID_DIR,
};

struct variable_row {
	const char *name, *help;
};

/* Indexed by enum variable. */
extern const struct variable_row variable_table[];
extern const size_t variable_table_n;

/* The value, owned by the environment; NULL: not set. */
const char *variable_value(enum variable variable);

#endif
