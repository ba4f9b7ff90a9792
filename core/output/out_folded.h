// SPDX-License-Identifier: MIT
#ifndef PMCTOP_OUT_FOLDED_H
#define PMCTOP_OUT_FOLDED_H

#include "core/view/view.h"

#include <stddef.h>
#include <stdio.h>

/*
 * Stacks as flame graph tools read them (flamegraph.pl, inferno, speedscope), the sums of a run:
 *
 *     command;outermost;...;innermost weight
 *
 * One line a stack of the time event (core/view/code_hottest.h), sorted by its bytes. The weight is
 * in the unit of that event: cycles, or ns of cpu-clock. So the sum of the weights of a function is
 * its share of time, also if the samples stand for different times. If the time event changes
 * between refreshes, the stacks of the new one begin with "EVENT;".
 *
 * The command is the name of the process, or of the thread in a view by thread; "[unknown]" for
 * samples of a task without a row. A target and a filter leave out the others. Functions of the
 * kernel end with "_[k]". Names are printable UTF-8, with "_" for blanks and ":" for semicolons.
 *
 * Memory is bounded: beyond FOLDED_BYTES of lines, a new stack is added to "command;[other]", and
 * at last the stack of a new command to "[other]".
 */
struct folded;

enum { FOLDED_BYTES = 64 << 20 };

/* At most `bytes` of lines; 0: FOLDED_BYTES. */
struct folded *folded_new(size_t bytes);
void folded_free(struct folded *folded); /* NULL is fine */

/*
 * Adds the samples of a refresh. A summary (snapshot->run) has the samples of its refreshes: they
 * are added if no refresh was.
 */
void folded_add(struct folded *folded, const struct view *view);
/* Prints the lines. Errors stay in the FILE (ferror). */
void out_folded(const struct folded *folded, FILE *out);

#endif
