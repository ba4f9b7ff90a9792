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
 *   NAME       letters, digits and _, a letter first; no built-in metric's and no column's
 *   title      column header of at most 10 columns; else the name, cut to that
 *   unit, help one line each; else none, and the expression
 *   warn, bad  both or none, and not the same: beyond which it is coloured. Higher figures are
 *              worse where bad is more than warn, lower ones where it is less
 *   decimals   0 to 4; else 2
 *
 * Fills *def, which owns its strings (metric_def_fini). Only the grammar of the expression is
 * checked: which events there are is for metric_compile to say. -EINVAL, or -E2BIG from
 * metric_check, and a sentence; *def is zeroed then.
 */
int metric_def_parse(const char *text, struct metric_def *def, struct error *err);

/* Whether a name means something already: to formulas, outputs, or as a built-in metric. */
bool metric_name_is_taken(const char *name);

#endif
