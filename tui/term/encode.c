// SPDX-License-Identifier: MIT
/*
 * What has changed is a set of runs: cells of a line with one look. All runs of one look are sent,
 * the nearest one next, then those of another look, because a change of colours has ten bytes and
 * the way to the same column of the next line has four. A blank needs the background alone, so it
 * belongs to the text before it. Unchanged cells between two runs are sent again if they have
 * fewer bytes than a move.
 *
 * Each call begins with an absolute position and a complete look, because another program may have
 * written on the terminal. Positions after other characters than ASCII are absolute too: terminals
 * disagree about their width. So are columns after "\n": the terminal in which QEMU shows a serial
 * console adds "\r" to it, and so may any program that changes the line settings.
 */
#include "tui/term/encode.h"

#include "core/base/util.h"
#include "tui/term/look_change.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	GAP_MAX = 4,   /* bytes of unchanged cells that are sent again */
	ERASE_MIN = 9, /* blanks for which an erase and a move are shorter */
	REACH = 3,     /* lines below the cursor in which the next run is looked for */
	STEPS_MAX = 4, /* single steps of the cursor in a row */
};

struct encode_run {
	unsigned x, y, columns;
	const struct look *look;
	bool blank;   /* has blanks alone: another look with this background will do */
	bool cleared; /* by erasing */
	bool sent;
};

void encode_init(struct encoder *encoder, struct terminfo terminfo)
{
	*encoder = (struct encoder){.terminfo = terminfo};
	encode_begin(encoder);
}

void encode_fini(struct encoder *encoder)
{
	free(encoder->output.bytes);
	free(encoder->runs);
	free(encoder->lines);
	*encoder = (struct encoder){0};
}

void encode_begin(struct encoder *encoder)
{
	encoder->output.length = 0;
	encoder->x = encoder->y = -1;
	encoder->exact = false;
	encoder->now = NULL;
}

void encode_string(struct encoder *encoder, const char *string)
{
	struct sequence sequence = {.n = 0};

	sequence_add(&sequence, string);
	text_buffer_add(&encoder->output, sequence.bytes, sequence.n);
}

/* Moves */

/* The shorter one of the best way and `lines`, then a string, `times` in a row. */
static void try_way(struct sequence *best, const struct sequence *lines, const char *string,
		    unsigned times)
{
	struct sequence way = *lines;

	if (!string || times > STEPS_MAX)
		return;
	for (unsigned i = 0; i < times; i++)
		sequence_add(&way, string);
	if (way.n < best->n)
		*best = way;
}

/* A string of terminfo with its parameter; NULL: the terminal has none. */
static const char *with_number(const char *string, unsigned number)
{
	return string ? tiparm(string, (int)number) : NULL;
}

/* Ways from column to column in a line. `lines` is the way to the line. */
static void try_columns(const struct encoder *encoder, struct sequence *best,
			const struct sequence *lines, bool keeps_column, unsigned x)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	unsigned from = (unsigned)encoder->x;

	try_way(best, lines, with_number(terminfo->column, x), 1);
	if (terminfo->carriage_return) {
		struct sequence start = *lines;

		sequence_add(&start, terminfo->carriage_return);
		try_way(best, &start, x == 0 ? "" : with_number(terminfo->right, x), 1);
	}
	if (encoder->x < 0 || !encoder->exact || !keeps_column)
		return;
	if (x <= from)
		try_way(best, lines, terminfo->left, from - x);
	else
		try_way(best, lines, with_number(terminfo->right, x - from), 1);
}

/* Ways to a line by a string, `times` in a row, and from there to the column. */
static void try_lines(const struct encoder *encoder, struct sequence *best, const char *string,
		      unsigned times, bool keeps_column, unsigned x)
{
	struct sequence lines = {.n = 0};

	if (!string || times > STEPS_MAX)
		return;
	for (unsigned i = 0; i < times; i++)
		sequence_add(&lines, string);
	try_columns(encoder, best, &lines, keeps_column, x);
}

void encode_move(struct encoder *encoder, unsigned x, unsigned y)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	struct sequence best = {.n = 0};
	int down = (int)y - encoder->y;

	if (encoder->x == (int)x && down == 0)
		return;
	sequence_add(&best, tiparm(terminfo->move, (int)y, (int)x));
	if (encoder->y >= 0 && down == 0) {
		try_lines(encoder, &best, "", 1, true, x);
	} else if (encoder->y >= 0) {
		if (down > 0) {
			try_lines(encoder, &best, terminfo->down, (unsigned)down, false, x);
			try_lines(encoder, &best, with_number(terminfo->down_lines, (unsigned)down),
				  1, true, x);
		}
		try_lines(encoder, &best, with_number(terminfo->row, y), 1, true, x);
	}
	text_buffer_add(&encoder->output, best.bytes, best.n);
	encoder->x = (int)x;
	encoder->y = (int)y;
	encoder->exact = true;
}

static unsigned digits(unsigned number)
{
	return number < 10 ? 1 : number < 100 ? 2 : 3;
}

/* About the bytes to a position. The sequences of other terminals than xterm differ a little. */
static unsigned estimate_move(const struct encoder *encoder, unsigned x, unsigned y)
{
	unsigned far = 4 + digits(x + 1) + digits(y + 1);
	unsigned down = y - (unsigned)encoder->y, near = down + 3 + digits(x + 1);

	if (encoder->y < 0 || y < (unsigned)encoder->y || down > STEPS_MAX)
		return far;
	if (encoder->x >= 0 && encoder->exact) {
		unsigned from = (unsigned)encoder->x, same_column = down ? 3 : 0;

		if (x <= from && same_column + from - x < near)
			near = same_column + from - x;
		else if (x > from && x - from < 10 && same_column + 4 < near)
			near = same_column + 4;
	}
	return near < far ? near : far;
}

static void set_look(struct encoder *encoder, const struct look *look)
{
	look_change(&encoder->terminfo, encoder->now, look, &encoder->output);
	encoder->now = look;
}

void encode_plain(struct encoder *encoder)
{
	encode_string(encoder, encoder->terminfo.plain);
	encode_string(encoder, encoder->terminfo.own_colors);
	encoder->now = NULL;
}

/* Cells */

static const struct look *look_of(const struct encoder *encoder, const struct canvas_cell *cell)
{
	return looks_of_cell(&encoder->looks, cell);
}

static bool is_blank(const struct canvas_cell *cell)
{
	return cell->text[0] == ' ' && !cell->text[1];
}

static bool is_same(const struct encoder *encoder, const struct canvas_cell *a,
		    const struct canvas_cell *b)
{
	const struct look *la = look_of(encoder, a), *lb = look_of(encoder, b);

	if (strcmp(a->text, b->text) != 0)
		return false;
	return la == lb || look_equals(la, lb) || (is_blank(a) && look_has_blanks_of(la, lb));
}

/* Whether the cell is a blank that the terminal can make by clearing. */
static bool is_clear(const struct encoder *encoder, const struct canvas_cell *cell)
{
	const struct look *look = look_of(encoder, cell);

	return is_blank(cell) && look_is_bare(look) &&
	       (look->background < 0 || encoder->terminfo.fills_background);
}

/* The look for blanks: only the background matters. */
static void set_blank_look(struct encoder *encoder, const struct look *look)
{
	if (!encoder->now || !look_has_blanks_of(encoder->now, look))
		set_look(encoder, look);
}

static unsigned columns_of(const struct canvas *canvas, unsigned x, unsigned y)
{
	return x + 1 < canvas->width && !canvas_at(canvas, x + 1, y)->text[0] ? 2 : 1;
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
	unsigned columns = columns_of(canvas, x, y);
	size_t length = strlen(cell->text);

	if (is_corner(encoder, canvas, x + columns, y))
		return;
	encode_move(encoder, x, y);
	if (is_blank(cell))
		set_blank_look(encoder, look_of(encoder, cell));
	else
		set_look(encoder, look_of(encoder, cell));
	text_buffer_add(&encoder->output, length ? cell->text : " ", length ? length : 1);
	encoder->x += (int)columns;
	if (length > 1)
		encoder->exact = false;
	if (x + columns < canvas->width)
		return;
	/* The next character is in the next line, but not always the cursor. */
	encoder->x = -1;
	if (encoder->terminfo.wraps_at_once)
		encoder->y = -1;
}

/* Runs */

/* One line, and what is known of it. */
struct line {
	const struct canvas *last; /* NULL: all cells have changed */
	const struct canvas *canvas;
	unsigned y;
};

static bool is_changed(const struct encoder *encoder, const struct line *line, unsigned x)
{
	return !line->last || !is_same(encoder, canvas_at(line->canvas, x, line->y),
				       canvas_at(line->last, x, line->y));
}

/* The end of the blanks from x on that clearing can make at once; x: none. */
static unsigned clear_end(const struct encoder *encoder, const struct line *line, unsigned x)
{
	const struct canvas_cell *first = canvas_at(line->canvas, x, line->y);
	unsigned end = x;

	while (end < line->canvas->width) {
		const struct canvas_cell *cell = canvas_at(line->canvas, end, line->y);

		if (!is_clear(encoder, cell) ||
		    look_of(encoder, cell)->background != look_of(encoder, first)->background)
			break;
		end++;
	}
	return end;
}

static struct encode_run *new_run(struct encoder *encoder, unsigned x, unsigned y,
				  const struct look *look)
{
	encoder->runs = array_reserve(encoder->runs, &encoder->runs_capacity, encoder->n_runs + 1,
				      sizeof(*encoder->runs));
	struct encode_run *run = &encoder->runs[encoder->n_runs++];

	*run = (struct encode_run){.x = x, .y = y, .look = look};
	return run;
}

/*
 * Adds a run of changed blanks from x on that are erased, if that is shorter. Returns where the
 * line continues; x: there is none.
 */
static unsigned add_clear(struct encoder *encoder, const struct line *line, unsigned x)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	unsigned end = clear_end(encoder, line, x), changed = end;
	bool to_end = end == line->canvas->width && terminfo->clear_line;

	while (changed > x && !is_changed(encoder, line, changed - 1))
		changed--;
	if (!to_end && !terminfo->erase)
		return x;
	if (changed - x < (to_end ? strlen(terminfo->clear_line) + 1 : (size_t)ERASE_MIN))
		return x;

	struct encode_run *run =
		new_run(encoder, x, line->y, look_of(encoder, canvas_at(line->canvas, x, line->y)));

	run->columns = (to_end ? end : changed) - x;
	run->cleared = run->blank = true;
	return x + run->columns;
}

/* Whether a cell can be sent in the run's look, or in a look that the run can have. */
static bool run_takes(struct encoder *encoder, struct encode_run *run,
		      const struct canvas_cell *cell)
{
	const struct look *look = look_of(encoder, cell);

	if (!look_equals(look, run->look) &&
	    !((is_blank(cell) || run->blank) && look_has_blanks_of(look, run->look)))
		return false;
	if (run->blank && !is_blank(cell)) {
		run->look = look;
		run->blank = false;
	}
	return true;
}

/* Extends the run by the cells up to x, and the one at x, if they can be sent in its look. */
static bool extend_run(struct encoder *encoder, struct encode_run *run, const struct line *line,
		       unsigned x)
{
	struct encode_run longer = *run;
	size_t bytes = 0;
	unsigned at = run->x + run->columns;

	if (run->cleared || x - at > GAP_MAX)
		return false;
	for (; at <= x; at += columns_of(line->canvas, at, line->y)) {
		const struct canvas_cell *cell = canvas_at(line->canvas, at, line->y);

		bytes += at < x ? strlen(cell->text) : 0;
		if (!run_takes(encoder, &longer, cell))
			return false;
	}
	if (bytes > GAP_MAX)
		return false;
	longer.columns = at - longer.x;
	*run = longer;
	return true;
}

static void add_runs(struct encoder *encoder, const struct line *line)
{
	size_t first = encoder->n_runs;

	for (unsigned x = 0; x < line->canvas->width;) {
		const struct canvas_cell *cell = canvas_at(line->canvas, x, line->y);
		unsigned columns = columns_of(line->canvas, x, line->y);

		if (!is_changed(encoder, line, x) &&
		    (columns == 1 || !is_changed(encoder, line, x + 1))) {
			x += columns;
			continue;
		}
		unsigned cleared = add_clear(encoder, line, x);

		if (cleared > x) {
			x = cleared;
			continue;
		}
		if (encoder->n_runs == first ||
		    !extend_run(encoder, &encoder->runs[encoder->n_runs - 1], line, x)) {
			struct encode_run *run =
				new_run(encoder, x, line->y, look_of(encoder, cell));

			run->columns = columns;
			run->blank = is_blank(cell);
		}
		x += columns;
	}
}

static void append_run(struct encoder *encoder, struct encode_run *run, const struct canvas *canvas)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	unsigned end = run->x + run->columns;

	run->sent = true;
	if (run->cleared) {
		encode_move(encoder, run->x, run->y);
		set_blank_look(encoder, run->look);
		encode_string(encoder, end == canvas->width && terminfo->clear_line
					       ? terminfo->clear_line
					       : tiparm(terminfo->erase, (int)run->columns));
		return;
	}
	if (!run->blank) { /* the blanks before its first character may have another one */
		encode_move(encoder, run->x, run->y);
		set_look(encoder, run->look);
	}
	for (unsigned x = run->x; x < end; x += columns_of(canvas, x, run->y))
		append_cell(encoder, canvas, x, run->y);
}

/* Whether a run that was not sent needs no change of the look. */
static bool is_ready(const struct encoder *encoder, const struct encode_run *run)
{
	return !run->sent && encoder->now &&
	       (look_equals(run->look, encoder->now) ||
		(run->blank && look_has_blanks_of(run->look, encoder->now)));
}

/*
 * The next run: the nearest one of this look, else the first of this look, else the first. The runs
 * before `first` were sent. NULL: all were.
 */
static struct encode_run *next_run(struct encoder *encoder, size_t first, unsigned y,
				   unsigned height)
{
	struct encode_run *runs = encoder->runs, *best = NULL;
	unsigned end = y + 1 + REACH < height ? y + 1 + REACH : height, least = 6;

	for (size_t i = encoder->lines[y]; i < encoder->lines[end]; i++) {
		unsigned bytes = is_ready(encoder, &runs[i])
					 ? estimate_move(encoder, runs[i].x, runs[i].y)
					 : least;

		if (bytes < least) {
			least = bytes;
			best = &runs[i];
		}
	}
	for (size_t i = first; !best && i < encoder->n_runs; i++)
		if (is_ready(encoder, &runs[i]))
			best = &runs[i];
	if (!best && first < encoder->n_runs)
		best = &runs[first];
	return best;
}

static void append_runs(struct encoder *encoder, const struct canvas *canvas)
{
	struct encode_run *run = encoder->n_runs ? encoder->runs : NULL;

	for (size_t first = 0; run;) {
		append_run(encoder, run, canvas);
		while (first < encoder->n_runs && encoder->runs[first].sent)
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
	if (canvas->cursor && encoder->cursor != ENCODE_CURSOR_SHOWN)
		encode_string(encoder, terminfo->show_cursor);
	if (!canvas->cursor && encoder->cursor != ENCODE_CURSOR_HIDDEN)
		encode_string(encoder, terminfo->hide_cursor);
	encoder->cursor = canvas->cursor ? ENCODE_CURSOR_SHOWN : ENCODE_CURSOR_HIDDEN;
}

/*
 * Returns whether all cells are plain blanks now. "\n" scrolls at the end of the lines that scroll:
 * ncurses has set those of the size in terminfo, and another program may set others.
 */
static bool append_clear(struct encoder *encoder, unsigned height)
{
	const struct terminfo *terminfo = &encoder->terminfo;
	const struct look *look = &encoder->looks.of[STYLE_PLAIN][false];

	if (!terminfo->clear)
		return false;
	if (terminfo->scrolled_lines)
		encode_string(encoder, tiparm(terminfo->scrolled_lines, 0, (int)height - 1));
	encode_plain(encoder);
	if (terminfo->fills_background)
		set_look(encoder, look);
	encode_string(encoder, terminfo->clear);
	encoder->x = encoder->y = 0;
	encoder->exact = true;
	return look_is_bare(look) && (look->background < 0 || terminfo->fills_background);
}

void encode_canvas(struct encoder *encoder, const struct canvas *last, const struct canvas *canvas)
{
	struct line line = {.last = last, .canvas = canvas};
	size_t begin = encoder->output.length;
	struct canvas cleared;

	canvas_init(&cleared, false);
	if (!last && append_clear(encoder, canvas->height)) {
		canvas_resize(&cleared, canvas->width, canvas->height);
		line.last = &cleared;
	}
	encoder->lines = array_reserve(encoder->lines, &encoder->lines_capacity, canvas->height + 1,
				       sizeof(*encoder->lines));
	encoder->n_runs = 0;
	for (line.y = 0; line.y < canvas->height; line.y++) {
		encoder->lines[line.y] = encoder->n_runs;
		add_runs(encoder, &line);
	}
	encoder->lines[canvas->height] = encoder->n_runs;
	append_runs(encoder, canvas);
	append_cursor(encoder, last, canvas, encoder->output.length > begin);
	canvas_fini(&cleared);
}
