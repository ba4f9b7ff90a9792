// SPDX-License-Identifier: MIT
/* The paints of the theme as SGR sequences. */
#include "tui/term/canvas_ansi.h"

#include "core/base/text.h"
#include "core/base/util.h"

enum {
	SGR_FRONT = 30,
	SGR_BACK = 40,
	SGR_BRIGHT = 60, /* added for colours 8 to 15 */
	SGR_EXTENDED = 8,
	ANSI_COLORS = 8,
};

static const struct paint no_look = {.foreground = -1, .background = -1};

/* `ground` is SGR_FRONT or SGR_BACK. */
static void print_color(int index, int ground, enum color_depth depth, FILE *out)
{
	if (index < 0)
		return;
	switch (depth) {
	case COLOR_DEPTH_MONO:
		break;
	case COLOR_DEPTH_8:
	case COLOR_DEPTH_16:
		fprintf(out, ";%d",
			ground + (index < ANSI_COLORS ? index : SGR_BRIGHT + index - ANSI_COLORS));
		break;
	case COLOR_DEPTH_256:
		fprintf(out, ";%d;5;%d", ground + SGR_EXTENDED, index);
		break;
	case COLOR_DEPTH_RGB:
		fprintf(out, ";%d;2;%d;%d;%d", ground + SGR_EXTENDED, index >> 16,
			index >> 8 & 0xff, index & 0xff);
		break;
	}
}

static void print_look(const struct paint *paint, enum color_depth depth, FILE *out)
{
	static const struct {
		enum paint_attribute attribute;
		const char *sgr;
	} attributes[] = {
		{ATTRIBUTE_BOLD, ";1"},
		{ATTRIBUTE_DIM, ";2"},
		{ATTRIBUTE_UNDERLINE, ";4"},
		{ATTRIBUTE_REVERSE, ";7"},
	};

	fputs("\033[0", out);
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (paint->attributes & attributes[i].attribute)
			fputs(attributes[i].sgr, out);
	print_color(paint->foreground, SGR_FRONT, depth, out);
	print_color(paint->background, SGR_BACK, depth, out);
	fputc('m', out);
}

static void print_cell(const struct canvas_cell *cell, FILE *out)
{
	char shown[4];

	for (struct text_scan scan = {.at = cell->text}; text_scan_next(&scan);) {
		size_t n = text_scan_shown(&scan, shown);

		fwrite(shown, 1, n, out);
	}
}

/* Whether a blank of that paint cannot be seen. */
static bool is_invisible(const struct canvas_cell *cell, const struct paint *paint)
{
	return canvas_cell_is_blank(cell) && paint->background < 0 && paint_is_bare(paint);
}

struct ansi {
	const struct canvas *canvas;
	enum color_depth depth;
	struct paints paints;
	FILE *out;
};

static void print_line(const struct ansi *ansi, unsigned y)
{
	const struct paint *last = &no_look;
	unsigned end = ansi->canvas->width;

	for (; end > 0; end--) {
		const struct canvas_cell *cell = canvas_at(ansi->canvas, end - 1, y);

		if (!is_invisible(cell, paints_of_cell(&ansi->paints, cell)))
			break;
	}
	for (unsigned x = 0; x < end; x++) {
		const struct canvas_cell *cell = canvas_at(ansi->canvas, x, y);
		const struct paint *paint = paints_of_cell(&ansi->paints, cell);

		if (!paint_equals(paint, last))
			print_look(paint, ansi->depth, ansi->out);
		last = paint;
		print_cell(cell, ansi->out);
	}
	if (!paint_equals(last, &no_look))
		fputs("\033[0m", ansi->out);
	fputc('\n', ansi->out);
}

void canvas_print_ansi(const struct canvas *canvas, const struct theme *theme,
		       enum color_depth depth, FILE *out)
{
	struct ansi ansi = {
		.canvas = canvas,
		.depth = depth,
		.paints = theme_paints(theme, depth),
		.out = out,
	};

	for (unsigned y = 0; y < canvas->height; y++)
		print_line(&ansi, y);
}
