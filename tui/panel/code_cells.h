// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_CELLS_H
#define PMCTOP_CODE_CELLS_H

#include "core/code/code_function.h"
#include "core/metric/metric_def.h"
#include "core/view/code_view.h"
#include "tui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cells of functions, for the list of them and for the callers and callees of one. */
enum {
	CODE_SHARE_WIDTH = 11,
	CODE_DIFFERENCE_WIDTH = 12,
	CODE_SAMPLES_WIDTH = 7,
	CODE_ERROR_WIDTH = 6, /* " ±0.07", behind a metric */
	CODE_WIDE_FROM = 120, /* from this width on modules have more columns */
};

/* Columns of a module on a rect of that width. */
unsigned code_module_width(unsigned width);

/*
 * "62.1 ±1.4" in percent, in ASCII "62.1+-1.4", as wide as its column if right-aligned. "<0.1": a
 * share that rounds to 0.0. An error that rounds to 0.0 is left out. Nothing of it is longer than
 * 60 bytes.
 */
void code_share_text(const struct code_share *share, bool ascii, char *text, size_t size);
/* "+12.3 ±1.4", "-0.5", "0.0": the same for a difference. */
void code_difference_text(const struct code_share *difference, bool ascii, char *text, size_t size);

/*
 * " ±0.07" behind a metric, in its unit and with at most its decimals, CODE_ERROR_WIDTH columns.
 * Blanks if it rounds to zero.
 */
void code_error_text(const struct metric_def *def, double error, bool ascii, char *text,
		     size_t size);

/* Each draws on one line: the number grouped, or in thousands if there is no room. */
void code_cell_samples(struct canvas *canvas, struct rect place, uint64_t samples);
void code_cell_module(struct canvas *canvas, struct rect place,
		      const struct code_function *function);
/* A function without a name of its own is dim. */
void code_cell_function(struct canvas *canvas, struct rect place,
			const struct code_function *function);

#endif
