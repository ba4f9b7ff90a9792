// SPDX-License-Identifier: MIT
/* Shares end in the columns of an error, even without one: so their decimal points are aligned. */
#include "tui/panel/code_cells.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/code_name.h"
#include "core/view/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MODULE_WIDTH = 14,
	MODULE_WIDER = 8,
	NUMBER_BYTES = 40,
	NAME_BYTES = 1024,
};

unsigned code_module_width(unsigned width)
{
	return width < CODE_WIDE_FROM ? MODULE_WIDTH : MODULE_WIDTH + MODULE_WIDER;
}

static void append_error(char *text, size_t size, double error, bool ascii)
{
	size_t length = strlen(text);
	char number[NUMBER_BYTES];

	text_fixed(number, sizeof(number), 100 * error, 1);
	if (strcmp(number, "0.0") == 0)
		snprintf(text + length, size - length, "%6s", "");
	else
		snprintf(text + length, size - length, "%s%-4s", ascii ? "+-" : " ±", number);
}

void code_share_text(const struct code_share *share, bool ascii, char *text, size_t size)
{
	text_fixed(text, size, 100 * share->share, 1);
	if (share->samples > 0 && strcmp(text, "0.0") == 0)
		text_copy(text, size, "<0.1");
	append_error(text, size, share->error, ascii);
}

void code_difference_text(const struct code_share *difference, bool ascii, char *text, size_t size)
{
	char number[NUMBER_BYTES];

	text_fixed(number, sizeof(number), fabs(100 * difference->share), 1);
	snprintf(text, size, "%s%s",
		 strcmp(number, "0.0") == 0 ? ""
		 : difference->share < 0    ? "-"
					    : "+",
		 number);
	append_error(text, size, difference->error, ascii);
}

void code_error_text(const struct metric_def *def, double error, bool ascii, char *text,
		     size_t size)
{
	struct metric_def narrow = *def;
	struct cell cell = {.text = ""};

	narrow.width = CODE_ERROR_WIDTH - 2;
	if (error > 0)
		figure_format(&narrow, figure_exact(error), &cell);
	if (strpbrk(cell.text, "123456789"))
		snprintf(text, size, "%s%-*s", ascii ? "+-" : " ±", CODE_ERROR_WIDTH - 2,
			 cell.text);
	else
		snprintf(text, size, "%*s", CODE_ERROR_WIDTH, "");
}

void code_cell_samples(struct canvas *canvas, struct rect place, uint64_t samples)
{
	char text[NUMBER_BYTES];

	size_t length = text_grouped(text, sizeof(text), samples);
	if (length > place.width) {
		length = text_grouped(text, sizeof(text) - 1, samples / 1000);
		text_copy(text + length, sizeof(text) - length, "k");
	}
	canvas_text_right(canvas, place.x, place.y, place.width, STYLE_PLAIN, text);
}

void code_cell_module(struct canvas *canvas, struct rect place,
		      const struct code_function *function)
{
	char text[NAME_BYTES];

	if (function->module[0]) {
		code_module(function->module, place.width, text, sizeof(text));
		canvas_text_ellipsis(canvas, place.x, place.y, place.width, STYLE_PLAIN, text);
	} else {
		canvas_text(canvas, place.x, place.y, place.width, STYLE_DIM, "-");
	}
}

void code_cell_function(struct canvas *canvas, struct rect place,
			const struct code_function *function)
{
	bool is_named = function->kind == CODE_USER || function->kind == CODE_KERNEL;
	char text[NAME_BYTES];

	code_name(function->name, place.width, text, sizeof(text));
	canvas_text(canvas, place.x, place.y, place.width, is_named ? STYLE_NAME : STYLE_DIM, text);
}
