// SPDX-License-Identifier: MIT
/*
 * A way has two parts: to the line, then to the column. The position after another character than
 * ASCII is not exact, so the way from there has no steps: terminals disagree about its width. Nor
 * does a way in the column have "\n": the terminal in which QEMU shows a serial console adds "\r"
 * to it, and so may any program that changes the line settings.
 */
#include "tui/term/term_cursor.h"

#include <curses.h>

enum { STEPS_MAX = 4 }; /* single steps of the cursor in a row */

void term_cursor_forget(struct term_cursor *cursor)
{
	cursor->x = cursor->y = -1;
	cursor->exact = false;
}

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
static void try_columns(const struct term_cursor *cursor, const struct terminfo *terminfo,
			struct sequence *best, const struct sequence *lines, bool keeps_column,
			unsigned x)
{
	unsigned from = (unsigned)cursor->x;

	try_way(best, lines, with_number(terminfo->column, x), 1);
	if (terminfo->carriage_return) {
		struct sequence start = *lines;

		sequence_add(&start, terminfo->carriage_return);
		try_way(best, &start, x == 0 ? "" : with_number(terminfo->right, x), 1);
	}
	if (cursor->x < 0 || !cursor->exact || !keeps_column)
		return;
	if (x <= from)
		try_way(best, lines, terminfo->left, from - x);
	else
		try_way(best, lines, with_number(terminfo->right, x - from), 1);
}

/*
 * Ways to a line by a string, `times` in a row, and from there to the column. The string may be
 * tiparm()'s, which its next call overwrites.
 */
static void try_line(const struct term_cursor *cursor, const struct terminfo *terminfo,
		     struct sequence *best, const char *string, unsigned times, unsigned x)
{
	struct sequence lines = {.n = 0};
	bool keeps_column = string != terminfo->down;

	if (!string || times > STEPS_MAX)
		return;
	for (unsigned i = 0; i < times; i++)
		sequence_add(&lines, string);
	try_columns(cursor, terminfo, best, &lines, keeps_column, x);
}

void term_cursor_move(struct term_cursor *cursor, const struct terminfo *terminfo, unsigned x,
		      unsigned y, struct text_buffer *bytes)
{
	struct sequence best = {.n = 0};
	int down = (int)y - cursor->y;
	unsigned steps = (unsigned)down;

	if (cursor->x == (int)x && down == 0)
		return;
	sequence_add(&best, tiparm(terminfo->move, (int)y, (int)x));
	if (cursor->y >= 0 && down == 0) {
		try_line(cursor, terminfo, &best, "", 1, x);
	} else if (cursor->y >= 0) {
		if (down > 0) {
			try_line(cursor, terminfo, &best, terminfo->down, steps, x);
			try_line(cursor, terminfo, &best, with_number(terminfo->down_lines, steps),
				 1, x);
		}
		try_line(cursor, terminfo, &best, with_number(terminfo->row, y), 1, x);
	}
	text_buffer_add(bytes, best.bytes, best.n);
	cursor->x = (int)x;
	cursor->y = (int)y;
	cursor->exact = true;
}

static unsigned digits(unsigned number)
{
	return number < 10 ? 1 : number < 100 ? 2 : 3;
}

/* Counts xterm's sequences. Other terminals' differ a little. */
unsigned term_cursor_estimate(const struct term_cursor *cursor, unsigned x, unsigned y)
{
	unsigned far = 4 + digits(x + 1) + digits(y + 1);
	unsigned down = y - (unsigned)cursor->y, near = down + 3 + digits(x + 1);

	if (cursor->y < 0 || y < (unsigned)cursor->y || down > STEPS_MAX)
		return far;
	if (cursor->x >= 0 && cursor->exact) {
		unsigned from = (unsigned)cursor->x, same_column = down ? 3 : 0;

		if (x <= from && same_column + from - x < near)
			near = same_column + from - x;
		else if (x > from && x - from < 10 && same_column + 4 < near)
			near = same_column + 4;
	}
	return near < far ? near : far;
}
