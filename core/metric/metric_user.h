// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_USER_H
#define PMCTOP_METRIC_USER_H

#include "core/base/error.h"
#include "core/metric/metric_def.h"

#include <stdbool.h>

/*
 * A user's own metric, from -m and from the configuration:
 *
 *     NAME = EXPRESSION [; SETTING = VALUE]...
 *     llc_pki = 1000 * LLC-load-misses / instructions; unit=/ki; title=LLCpki; warn=1; bad=10
 *
 *   NAME       letters, digits and _, a letter first; no name of a built-in metric or column
 *   EXPRESSION at most 4096 bytes: metric.h
 *   title      column header of at most 10 columns; default: the name, shortened
 *   unit, help one line each; default: no unit, and the expression
 *   warn, bad  both or none, and different: the thresholds of the colours. If bad > warn, higher
 *              figures are worse, else lower ones
 *   decimals   0 to 4; default: 2
 *
 * Fills *def, which owns its strings (metric_def_fini). Checks the grammar of the expression only:
 * metric_compile() resolves the events. Returns -EINVAL, or -E2BIG from metric_check(), with a
 * sentence; *def is zeroed then.
 */
int metric_def_parse(const char *text, struct metric_def *def, struct error *err);

/* Returns whether a name is in use: in formulas, in outputs, or by a built-in metric. */
bool metric_name_is_taken(const char *name);

#endif
