// SPDX-License-Identifier: MIT
/*
 * Cells with the same paint become one element with a position of its own, so that no font moves a
 * column. Two blanks end a run. Bars and graphs are drawn as boxes, since many fonts have no glyph
 * for them, or one of another width. For the same reason a character outside of Latin and of line
 * drawing is a run of its own, which also keeps letters that are written from right to left in
 * their cells.
 *
 * All lengths are tenths of a pixel, so no number depends on the locale.
 */
#include "tui/term/canvas_svg.h"

#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

enum {
	CELL_WIDTH = 84,
	CELL_HEIGHT = 180,
	BASELINE = 135, /* of a line, from its top */
	PADDING = 120,
	CORNER = 80,
	OVERLAP = 3,     /* hides the seam of two boxes */
	BAR_MARGIN = 20, /* above and below a bar of a meter */
	FULL_BLOCK =
		0x2588, /* smaller characters are parts from below, larger ones from the left */
	TENTHS = 10,
};

enum {
	DARK_GROUND = 0x101418,
	DARK_TEXT = 0xd6dae0,
	LIGHT_GROUND = 0xffffff,
	MIDDLE_GREY = 128,
};

/* A character of DejaVu Sans Mono and of Menlo is 0.602 of it wide: as a cell. */
#define FONT_SIZE "139.5"
#define FONTS     "ui-monospace,'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,monospace"

struct svg {
	const struct canvas *canvas;
	struct paints paints;
	int ground, text; /* colours where a paint has none */
	FILE *out;
};

/* The colours of a cell, both known, and its attributes without reverse. */
struct ink {
	int front, back;
	unsigned attributes;
};

enum glyph_kind {
	GLYPH_BLANK,
	GLYPH_TEXT,
	GLYPH_ALONE,  /* a run of its own */
	GLYPH_BAR,    /* fills its cell from the left: U+2588 to U+258F */
	GLYPH_COLUMN, /* fills its cell from below: U+2581 to U+2587 */
	GLYPH_BRAILLE,
	GLYPH_RIGHT_HALF,
};

static bool is_dark(int color)
{
	int red = color >> 16, green = color >> 8 & 0xff, blue = color & 0xff;

	return (2 * red + 5 * green + blue) / 8 < MIDDLE_GREY;
}

/* A theme that sets the text alone relies on the terminal's ground. */
static void choose_ground(struct svg *svg)
{
	struct paint plain = svg->paints.of[STYLE_PLAIN][false];

	svg->text = plain.foreground >= 0 ? plain.foreground : DARK_TEXT;
	if (plain.background >= 0)
		svg->ground = plain.background;
	else
		svg->ground = is_dark(svg->text) ? LIGHT_GROUND : DARK_GROUND;
}

static struct ink ink_at(const struct svg *svg, unsigned x, unsigned y)
{
	struct paint paint = *paints_of_cell(&svg->paints, canvas_at(svg->canvas, x, y));
	int front = paint.foreground >= 0 ? paint.foreground : svg->text;
	int back = paint.background >= 0 ? paint.background : svg->ground;
	bool reverse = paint.attributes & ATTRIBUTE_REVERSE;

	return (struct ink){
		.front = reverse ? back : front,
		.back = reverse ? front : back,
		.attributes = paint.attributes & ~(unsigned)ATTRIBUTE_REVERSE,
	};
}

static bool same_ink(struct ink a, struct ink b)
{
	return a.front == b.front && a.back == b.back && a.attributes == b.attributes;
}

/* The first character of a cell; 0 in the right half of a wide one. */
static uint32_t character_at(const struct svg *svg, unsigned x, unsigned y)
{
	uint32_t character = 0;

	text_decode(canvas_at(svg->canvas, x, y)->text, &character);
	return character;
}

static enum glyph_kind kind_of(uint32_t character)
{
	if (character == 0)
		return GLYPH_RIGHT_HALF;
	if (character == ' ')
		return GLYPH_BLANK;
	if (character >= 0x2588 && character <= 0x258F)
		return GLYPH_BAR;
	if (character >= 0x2581 && character < 0x2588)
		return GLYPH_COLUMN;
	if (character >= 0x2800 && character <= 0x28FF)
		return GLYPH_BRAILLE;
	/* Line drawing and shades: a frame is one run. */
	if (character < 0x0300 || (character >= 0x2500 && character < 0x25A0))
		return GLYPH_TEXT;
	return GLYPH_ALONE;
}

static void print_text(const char *text, FILE *out)
{
	char shown[4];

	for (struct text_scan scan = {.at = text}; text_scan_next(&scan);) {
		size_t n = text_scan_shown(&scan, shown);

		if (n == 1 && shown[0] == '&')
			fputs("&amp;", out);
		else if (n == 1 && shown[0] == '<')
			fputs("&lt;", out);
		else if (n == 1 && shown[0] == '>')
			fputs("&gt;", out);
		else
			fwrite(shown, 1, n, out);
	}
}

static void print_box(const struct svg *svg, struct rect box, struct ink ink)
{
	fprintf(svg->out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"#%06x\"",
		box.x, box.y, box.width, box.height, (unsigned)ink.front);
	fputs(ink.attributes & ATTRIBUTE_DIM ? " opacity=\"0.65\"/>\n" : "/>\n", svg->out);
}

static unsigned left_of(unsigned x)
{
	return PADDING + x * CELL_WIDTH;
}

static unsigned top_of(unsigned y)
{
	return PADDING + y * CELL_HEIGHT;
}

/* Draws the backgrounds of a line, where they differ from the ground. */
static void print_backgrounds(const struct svg *svg, unsigned y)
{
	for (unsigned x = 0, end; x < svg->canvas->width; x = end) {
		int back = ink_at(svg, x, y).back;

		end = x + 1;
		while (end < svg->canvas->width && ink_at(svg, end, y).back == back)
			end++;
		if (back != svg->ground)
			print_box(svg,
				  (struct rect){left_of(x), top_of(y),
						(end - x) * CELL_WIDTH + OVERLAP, CELL_HEIGHT},
				  (struct ink){.front = back});
	}
}

static enum glyph_kind kind_at(const struct svg *svg, unsigned x, unsigned y)
{
	return x < svg->canvas->width ? kind_of(character_at(svg, x, y)) : GLYPH_BLANK;
}

/*
 * Whether cells x to end are a part of a graph. Bars and columns both have full blocks. A bar ends
 * in a part of a block, or begins behind a bracket or a word; a column begins behind a blank or
 * another column.
 */
static bool is_graph(const struct svg *svg, unsigned x, unsigned end, unsigned y)
{
	if (kind_at(svg, x, y) == GLYPH_COLUMN || kind_at(svg, end, y) == GLYPH_COLUMN)
		return true;
	while (kind_at(svg, end, y) == GLYPH_BAR)
		end++;
	if (character_at(svg, end - 1, y) > FULL_BLOCK)
		return false;
	while (x > 0 && kind_at(svg, x - 1, y) == GLYPH_BAR)
		x--;

	enum glyph_kind before = x > 0 ? kind_at(svg, x - 1, y) : GLYPH_BLANK;

	return before == GLYPH_BLANK || before == GLYPH_COLUMN;
}

/* Draws cells x to end, which have the same character, as a bar or a column of a graph. */
static void print_block(const struct svg *svg, unsigned x, unsigned end, unsigned y)
{
	uint32_t character = character_at(svg, x, y);
	struct rect box = {left_of(x), top_of(y), (end - x) * CELL_WIDTH + OVERLAP, CELL_HEIGHT};

	if (!is_graph(svg, x, end, y)) {
		unsigned missing = (character - FULL_BLOCK) * CELL_WIDTH / 8;

		box.width -= missing;
		box.y += BAR_MARGIN;
		box.height -= 2 * BAR_MARGIN;
	} else {
		box.height = CELL_HEIGHT * (character < FULL_BLOCK ? character - 0x2580 : 8) / 8;
		box.y += CELL_HEIGHT - box.height;
	}
	print_box(svg, box, ink_at(svg, x, y));
}

/* The dots in the left or the right column of a braille character, 0 to 4. */
static unsigned count_dots(uint32_t braille, bool right)
{
	uint32_t bits = braille & (right ? 0xB8u : 0x47u);
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

/* Draws braille cells as a graph: each half of a cell is filled from below. */
static void print_graph(const struct svg *svg, unsigned x, unsigned end, unsigned y)
{
	unsigned halves = 2 * (end - x);

	for (unsigned half = 0, next; half < halves; half = next) {
		unsigned dots = count_dots(character_at(svg, x + half / 2, y), half % 2);

		next = half + 1;
		while (next < halves &&
		       count_dots(character_at(svg, x + next / 2, y), next % 2) == dots)
			next++;

		unsigned height = CELL_HEIGHT * dots / 4;

		if (dots > 0)
			print_box(svg,
				  (struct rect){left_of(x) + half * CELL_WIDTH / 2,
						top_of(y) + CELL_HEIGHT - height,
						(next - half) * CELL_WIDTH / 2 + OVERLAP, height},
				  ink_at(svg, x, y));
	}
}

static void print_run(const struct svg *svg, unsigned x, unsigned end, unsigned y)
{
	struct ink ink = ink_at(svg, x, y);

	fprintf(svg->out, "<text x=\"%u\" y=\"%u\"", left_of(x), top_of(y) + BASELINE);
	if (end - x > 1)
		fprintf(svg->out, " textLength=\"%u\"", (end - x) * CELL_WIDTH);
	if (ink.front != svg->text)
		fprintf(svg->out, " fill=\"#%06x\"", (unsigned)ink.front);
	if (ink.attributes & ATTRIBUTE_BOLD)
		fputs(" font-weight=\"bold\"", svg->out);
	if (ink.attributes & ATTRIBUTE_DIM)
		fputs(" opacity=\"0.65\"", svg->out);
	if (ink.attributes & ATTRIBUTE_UNDERLINE)
		fputs(" text-decoration=\"underline\"", svg->out);
	fputc('>', svg->out);
	for (; x < end; x++)
		print_text(canvas_at(svg->canvas, x, y)->text, svg->out);
	fputs("</text>\n", svg->out);
}

/* Whether the cell at x continues a run of that kind and ink. */
static bool continues(const struct svg *svg, unsigned x, unsigned y, enum glyph_kind kind,
		      struct ink ink)
{
	return x < svg->canvas->width && kind_at(svg, x, y) == kind &&
	       same_ink(ink_at(svg, x, y), ink);
}

/* The end of the run that begins at x. One blank between two texts is a part of it. */
static unsigned run_end(const struct svg *svg, unsigned x, unsigned y)
{
	uint32_t character = character_at(svg, x, y);
	enum glyph_kind kind = kind_of(character);
	struct ink ink = ink_at(svg, x, y);
	unsigned end = x + 1;

	switch (kind) {
	case GLYPH_BLANK:
	case GLYPH_RIGHT_HALF:
		break;
	case GLYPH_ALONE:
		end += end < svg->canvas->width && character_at(svg, end, y) == 0;
		break;
	case GLYPH_BAR:
	case GLYPH_COLUMN:
		while (character <= 0x2588 && continues(svg, end, y, kind, ink) &&
		       character_at(svg, end, y) == character)
			end++;
		break;
	case GLYPH_BRAILLE:
		while (continues(svg, end, y, kind, ink))
			end++;
		break;
	case GLYPH_TEXT:
		while (continues(svg, end, y, kind, ink) ||
		       (continues(svg, end, y, GLYPH_BLANK, ink) &&
			continues(svg, end + 1, y, kind, ink)))
			end++;
		break;
	}
	return end;
}

static void print_line(const struct svg *svg, unsigned y)
{
	print_backgrounds(svg, y);
	for (unsigned x = 0, end; x < svg->canvas->width; x = end) {
		enum glyph_kind kind = kind_of(character_at(svg, x, y));

		end = run_end(svg, x, y);
		switch (kind) {
		case GLYPH_BLANK:
		case GLYPH_RIGHT_HALF:
			break;
		case GLYPH_TEXT:
		case GLYPH_ALONE:
			print_run(svg, x, end, y);
			break;
		case GLYPH_BAR:
		case GLYPH_COLUMN:
			print_block(svg, x, end, y);
			break;
		case GLYPH_BRAILLE:
			print_graph(svg, x, end, y);
			break;
		}
	}
}

void canvas_print_svg(const struct canvas *canvas, const struct theme *theme, bool color,
		      const char *title, FILE *out)
{
	struct svg svg = {.canvas = canvas, .out = out};
	unsigned width = canvas->width * CELL_WIDTH + 2 * PADDING;
	unsigned height = canvas->height * CELL_HEIGHT + 2 * PADDING;

	svg.paints = theme_paints(theme, color ? COLOR_DEPTH_RGB : COLOR_DEPTH_MONO);
	choose_ground(&svg);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
		"height=\"%u\" role=\"img\">\n<title>",
		width, height, width / TENTHS, height / TENTHS);
	print_text(title, out);
	fprintf(out,
		"</title>\n<rect width=\"100%%\" height=\"100%%\" rx=\"%d\" fill=\"#%06x\"/>\n"
		"<g font-family=\"" FONTS "\" font-size=\"" FONT_SIZE "\" fill=\"#%06x\">\n",
		CORNER, (unsigned)svg.ground, (unsigned)svg.text);
	for (unsigned y = 0; y < canvas->height; y++)
		print_line(&svg, y);
	fputs("</g>\n</svg>\n", out);
}
