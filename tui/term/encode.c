// SPDX-License-Identifier: MIT
/*
 * All runs of one paint are sent, the nearest one next, then runs of another paint, because a
 * change of colours has ten bytes and the way to the same column of the next line has four.
 *
 * Each call begins with an absolute position and a complete paint, because another program may have
 * written on the terminal.
 */
#include "tui/term/encode.h"

#include "tui/term/paint_change.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

enum {
	REACH = 3,     /* lines below the cursor in which the nearest run is searched */
	FAR_BYTES = 6, /* a run with such a way is not preferred to the first one of its paint */
};

void encode_init(struct encoder *encoder, struct terminfo terminfo)
{
	*encoder = (struct encoder){.terminfo = terminfo};
	encode_begin(encoder);
}

void encode_fini(struct encoder *encoder)
{
	free(encoder->output.bytes);
	changed_runs_fini(&encoder->runs);
	*encoder = (struct encoder){0};
}

void encode_begin(struct encoder *encoder)
{
	encoder->output.length = 0;
	term_cursor_forget(&encoder->cursor);
	encoder->now = NULL;
}

void encode_string(struct encoder *encoder, const char *string)
{
	struct sequence sequence = {.n = 0};

	sequence_add(&sequence, string);
	text_buffer_add(&encoder->output, sequence.bytes, sequence.n);
}

void encode_move(struct encoder *encoder, unsigned x, unsigned y)
{
	term_cursor_move(&encoder->cursor, &encoder->terminfo, x, y, &encoder->output);
}

static void set_look(struct encoder *encoder, const struct paint *paint)
{
	paint_change(&encoder->terminfo, encoder->now, paint, &encoder->output);
	encoder->now = paint;
}

void encode_plain(struct encoder *encoder)
{
	encode_string(encoder, encoder->terminfo.plain);
	encode_string(encoder, encoder->terminfo.own_colors);
	encoder->now = NULL;
}

static const struct paint *look_of(const struct encoder *encoder, const struct canvas_cell *cell)
{
	return paints_of_cell(&encoder->paints, cell);
}

/* The paint for blanks: only the background matters. */
static void set_blank_look(struct encoder *encoder, const struct paint *paint)
{
	if (!encoder->now || !paint_has_blanks_of(encoder->now, paint))
		set_look(encoder, paint);
}

/* The lower right corner would scroll a terminal that wraps at once. */
static bool is_corner(const struct encoder *encoder, const struct canvas *canvas, unsigned end,
		      unsigned y)
{
	return encoder->terminfo.wraps_at_once && end == canvas->width && y + 1 == canvas->height;
}

static void append_cell(struct encoder *encoder, const struct canvas *canvas, unsigned x,
			unsigned y)
{
	const struct canvas_cell *cell = canvas_at(canvas, x, y);
	unsigned columns = canvas_columns(canvas, x, y);
	size_t length = strlen(cell->text);

	if (is_corner(encoder, canvas, x + columns, y))
		return;
	encode_move(encoder, x, y);
	if (canvas_cell_is_blank(cell))
		set_blank_look(encoder, look_of(encoder, cell));
	else
		set_look(encoder, look_of(encoder, cell));
	text_buffer_add(&encoder->output, length ? cell->text : " ", length ? length : 1);
	encoder->cursor.x += (int)columns;
	if (length > 1)
		encoder->cursor.exact = false;
	if (x + columns < canvas->width)
		return;
	/* The next character is in the next line, but not always the cursor. */
	encoder->cursor.x = -1;
	if (encoder->terminfo.wraps_at_once)
		encoder->cursor.y = -1;
}

static void append_run(struct encoder *encoder, struct changed_run *run,
		       const struct canvas *canvas)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	unsigned end = run->x + run->columns;

	run->sent = true;
	if (run->cleared) {
		encode_move(encoder, run->x, run->y);
		set_blank_look(encoder, run->paint);
		encode_string(encoder, end == canvas->width && terminfo->clear_line
					       ? terminfo->clear_line
					       : tiparm(terminfo->erase, (int)run->columns));
		return;
	}
	if (!run->blank) { /* the blanks before its first character may have another one */
		encode_move(encoder, run->x, run->y);
		set_look(encoder, run->paint);
	}
	for (unsigned x = run->x; x < end; x += canvas_columns(canvas, x, run->y))
		append_cell(encoder, canvas, x, run->y);
}

/* Whether a run that was not sent needs no change of the paint. */
static bool is_ready(const struct encoder *encoder, const struct changed_run *run)
{
	return !run->sent && encoder->now &&
	       (paint_equals(run->paint, encoder->now) ||
		(run->blank && paint_has_blanks_of(run->paint, encoder->now)));
}

/*
 * The next run: the nearest one of this paint, else the first of this paint, else the first. The
 * runs before `first` were sent. NULL: all were.
 */
static struct changed_run *next_run(struct encoder *encoder, size_t first, unsigned y,
				    unsigned height)
{
	const struct changed_runs *runs = &encoder->runs;
	struct changed_run *best = NULL;
	unsigned end = y + 1 + REACH < height ? y + 1 + REACH : height;
	unsigned least = FAR_BYTES;

	for (size_t i = runs->lines[y]; i < runs->lines[end]; i++) {
		unsigned bytes = is_ready(encoder, &runs->items[i])
					 ? term_cursor_estimate(&encoder->cursor, runs->items[i].x,
								runs->items[i].y)
					 : least;

		if (bytes < least) {
			least = bytes;
			best = &runs->items[i];
		}
	}
	for (size_t i = first; !best && i < runs->n; i++)
		if (is_ready(encoder, &runs->items[i]))
			best = &runs->items[i];
	if (!best && first < runs->n)
		best = &runs->items[first];
	return best;
}

static void append_runs(struct encoder *encoder, const struct canvas *canvas)
{
	const struct changed_runs *runs = &encoder->runs;
	struct changed_run *run = runs->n ? runs->items : NULL;

	for (size_t first = 0; run;) {
		append_run(encoder, run, canvas);
		while (first < runs->n && runs->items[first].sent)
			first++;
		run = next_run(encoder, first, run->y, canvas->height);
	}
}

/* `sent`: the cursor has moved for other bytes. */
static void append_cursor(struct encoder *encoder, const struct canvas *last,
			  const struct canvas *canvas, bool sent)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	bool moved = !last || last->cursor_x != canvas->cursor_x ||
		     last->cursor_y != canvas->cursor_y || !last->cursor;

	if (canvas->cursor && (moved || sent))
		encode_move(encoder, canvas->cursor_x, canvas->cursor_y);
	else if (!canvas->cursor && sent && !terminfo->hide_cursor)
		encode_move(encoder, 0, canvas->height - 1);
	if (canvas->cursor && encoder->cursor.visibility != TERM_CURSOR_SHOWN)
		encode_string(encoder, terminfo->show_cursor);
	if (!canvas->cursor && encoder->cursor.visibility != TERM_CURSOR_HIDDEN)
		encode_string(encoder, terminfo->hide_cursor);
	encoder->cursor.visibility = canvas->cursor ? TERM_CURSOR_SHOWN : TERM_CURSOR_HIDDEN;
}

/*
 * Clears the screen, and makes all its lines the region in which "\n" scrolls: ncurses has set the
 * region from terminfo's size, and another program may have set another. Returns whether all cells
 * are plain blanks now.
 */
static bool append_clear(struct encoder *encoder, unsigned height)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	const struct paint *paint = &encoder->paints.of[STYLE_PLAIN][false];

	if (!terminfo->clear)
		return false;
	if (terminfo->scrolled_lines)
		encode_string(encoder, tiparm(terminfo->scrolled_lines, 0, (int)height - 1));
	encode_plain(encoder);
	if (terminfo->fills_background)
		set_look(encoder, paint);
	encode_string(encoder, terminfo->clear);
	encoder->cursor.x = encoder->cursor.y = 0;
	encoder->cursor.exact = true;
	return paint_is_bare(paint) && (paint->background < 0 || terminfo->fills_background);
}

void encode_canvas(struct encoder *encoder, const struct canvas *last, const struct canvas *canvas)
{
	const struct canvas *shown = last;
	size_t begin = encoder->output.length;
	struct canvas cleared;

	canvas_init(&cleared, false);
	if (!last && append_clear(encoder, canvas->height)) {
		canvas_resize(&cleared, canvas->width, canvas->height);
		shown = &cleared;
	}
	changed_runs_find(&encoder->runs, &encoder->terminfo, &encoder->paints, shown, canvas);
	append_runs(encoder, canvas);
	append_cursor(encoder, last, canvas, encoder->output.length > begin);
	canvas_fini(&cleared);
}
