// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FIGURE_MARK_H
#define PMCTOP_FIGURE_MARK_H

#include "core/base/figure.h"

/* The texts of a state. */
struct figure_mark {
	const char *name;    /* in machine-readable output: "valid", "scaled" ... */
	const char *mark;    /* before a known number, and in place of an unknown one */
	const char *text;    /* how 1.2 is printed on the screen: "~1.2", "n/a"; "blank" */
	const char *meaning; /* in the help and --list marks */
};

/* Indexed by enum figure_state. */
extern const struct figure_mark figure_marks[];
extern const size_t figure_marks_n;

/*
 * Returns "" if VALID, "~" or "?" before another known number. Of an unknown one "-", "n/a" or "!",
 * or "" if there is no such figure (UNDEFINED).
 */
const char *figure_mark(enum figure_state state);
/* The name of the state in machine-readable output. */
const char *figure_state_name(enum figure_state state);

#endif
