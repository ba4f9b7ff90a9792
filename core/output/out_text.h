// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_TEXT_H
#define PMCTOP_OUT_TEXT_H

#include "core/view/view.h"

#include <stdio.h>

/*
 * One refresh as text for a pager or a log, like `top -b`: a short summary, the notes, an aligned
 * table of all rows of the view, an empty line, and with a profile what out_text_code() prints. A
 * summary of a run has also what out_counts() prints. Control characters are replaced. Times are
 * UTC. Errors stay in the FILE (ferror).
 */
void out_text(const struct view *view, FILE *out);

#endif
