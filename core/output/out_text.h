// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_TEXT_H
#define PMCTOP_OUT_TEXT_H

#include "core/view/view.h"

#include <stdio.h>

/*
 * One refresh as text to be read in a pager or a log, like `top -b`: a short summary, the notes,
 * an aligned table of every row of the view, and an empty line; of the summary of a run what
 * out_counts (core/output/out_counts.h) adds. Bytes that could do something to a terminal do not
 * get through. Times are UTC. Errors stay in the FILE (ferror).
 */
void out_text(const struct view *view, FILE *out);

#endif
