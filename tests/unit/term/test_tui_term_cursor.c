// SPDX-License-Identifier: MIT
/* The shortest way of the cursor, on a terminal like xterm, and about how many bytes it has. */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/term/term_cursor.h"

#include <stdlib.h>
#include <string.h>

struct way_row {
	const char *name;
	struct term_cursor from;
	unsigned x, y;
	const char *bytes;
	unsigned estimate;
};

static const struct way_row rows[] = {
	{"from an unknown cell", {.x = -1, .y = -1}, 9, 4, "\033[5;10H", 7},
	{"up", {.x = 9, .y = 4, .exact = true}, 9, 3, "\033[4;10H", 7},
	{"a step to the left", {.x = 9, .y = 4, .exact = true}, 8, 4, "\b", 1},
	{"a step down", {.x = 9, .y = 4, .exact = true}, 9, 5, "\033[1B", 3},
	{"down to the first column", {.x = 9, .y = 4, .exact = true}, 0, 6, "\n\n\r", 6},
	{"far to the left", {.x = 80, .y = 4, .exact = true}, 2, 4, "\033[3G", 4},
	{"to the right", {.x = 9, .y = 4, .exact = true}, 14, 4, "\033[5C", 4},
	{"not exact", {.x = 9, .y = 4}, 11, 4, "\033[12G", 5},
	{"beyond the end of a line", {.x = -1, .y = 4}, 11, 4, "\033[12G", 5},
	{"far down", {.x = 9, .y = 4, .exact = true}, 9, 30, "\033[26B", 8},
};

static const struct terminfo xterm = {
	.move = "\033[%i%p1%d;%p2%dH",
	.column = "\033[%i%p1%dG",
	.right = "\033[%p1%dC",
	.down_lines = "\033[%p1%dB",
	.carriage_return = "\r",
	.down = "\n",
	.left = "\b",
};

static void way_is_short(void **state)
{
	const struct way_row *row = *state;
	struct term_cursor cursor = row->from;
	struct text_buffer bytes = {0};

	assert_int_equal(term_cursor_estimate(&cursor, row->x, row->y), row->estimate);
	term_cursor_move(&cursor, &xterm, row->x, row->y, &bytes);
	assert_string_equal(bytes.bytes, row->bytes);
	assert_int_equal(cursor.x, row->x);
	assert_int_equal(cursor.y, row->y);
	assert_true(cursor.exact);
	term_cursor_move(&cursor, &xterm, row->x, row->y, &bytes);
	assert_int_equal(bytes.length, strlen(row->bytes));
	free(bytes.bytes);
}

/* A terminal that can go to a cell only. */
static void other_sequences_may_be_missing(void **state)
{
	const struct terminfo poor = {.move = xterm.move};
	struct term_cursor cursor = {.x = 9, .y = 4, .exact = true};
	struct text_buffer bytes = {0};

	(void)state;
	term_cursor_move(&cursor, &poor, 8, 4, &bytes);
	assert_string_equal(bytes.bytes, "\033[5;9H");
	free(bytes.bytes);
}

int main(void)
{
	static const struct cases tables[] = {CASES(way_is_short, rows)};
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_sequences_may_be_missing),
	};

	return cases_run("term_cursor", tables, ARRAY_SIZE(tables), tests, ARRAY_SIZE(tests));
}
