// SPDX-License-Identifier: MIT
#include "tests/unit/shared/small_terminal.h"

#include "core/base/text.h"
#include "core/base/text_width.h"
#include "core/base/util.h"
#include "tui/term/paint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS = 16, ESC = 0x1b, BEL = 0x07 };

static struct small_terminal_cell *cell_at(struct small_terminal *terminal, unsigned x, unsigned y)
{
	return &terminal->cells[(size_t)y * terminal->width + x];
}

const struct small_terminal_cell *small_terminal_at(const struct small_terminal *terminal,
						    unsigned x, unsigned y)
{
	return &terminal->cells[(size_t)y * terminal->width + x];
}

static void blank_cells(struct small_terminal *terminal, unsigned x, unsigned y, unsigned n)
{
	for (; n > 0 && x < terminal->width; n--, x++)
		*cell_at(terminal, x, y) = (struct small_terminal_cell){
			" ", 0, -1, terminal->fills_background ? terminal->now.background : -1};
}

void small_terminal_resize(struct small_terminal *terminal, unsigned width, unsigned height)
{
	terminal->width = width;
	terminal->height = height;
	terminal->cells =
		xreallocarray(terminal->cells, (size_t)width * height, sizeof(*terminal->cells));
	terminal->now = (struct small_terminal_cell){"", 0, -1, -1};
	terminal->x = terminal->y = 0;
	terminal->scroll_end = height;
	for (unsigned y = 0; y < height; y++)
		blank_cells(terminal, 0, y, width);
}

void small_terminal_fini(struct small_terminal *terminal)
{
	free(terminal->cells);
	terminal->cells = NULL;
}

static void line_feed(struct small_terminal *terminal)
{
	if (terminal->y + 1 != terminal->scroll_end) {
		terminal->y += terminal->y + 1 < terminal->height;
		return;
	}
	memmove(terminal->cells, terminal->cells + terminal->width,
		sizeof(*terminal->cells) * terminal->width * terminal->y);
	blank_cells(terminal, 0, terminal->y, terminal->width);
	terminal->scrolled++;
}

static void break_wide(struct small_terminal *terminal, unsigned x)
{
	const char broken[] = {SMALL_TERMINAL_BROKEN, '\0'};

	if (x > 0 && !cell_at(terminal, x, terminal->y)->text[0])
		strcpy(cell_at(terminal, x - 1, terminal->y)->text, broken);
	if (x + 1 < terminal->width && !cell_at(terminal, x + 1, terminal->y)->text[0])
		strcpy(cell_at(terminal, x + 1, terminal->y)->text, broken);
}

static void put_character(struct small_terminal *terminal, const char *bytes, size_t n,
			  unsigned width)
{
	if (width == 0) {
		strncat(cell_at(terminal, terminal->last_x, terminal->last_y)->text, bytes, n);
		return;
	}
	assert_true(width <= terminal->width);
	if (terminal->x + width > terminal->width) {
		terminal->x = 0;
		line_feed(terminal);
	}
	terminal->last_x = terminal->x;
	terminal->last_y = terminal->y;
	for (unsigned i = 0; i < width; i++) {
		struct small_terminal_cell *cell = cell_at(terminal, terminal->x + i, terminal->y);

		break_wide(terminal, terminal->x + i);
		*cell = terminal->now;
		memcpy(cell->text, bytes, i ? 0 : n);
		cell->text[i ? 0 : n] = '\0';
	}
	terminal->x += width;
	if (terminal->wraps_at_once && terminal->x == terminal->width) {
		terminal->x = 0;
		line_feed(terminal);
	}
}

static int number_at(const int *numbers, size_t n, size_t at, int otherwise)
{
	return at < n && numbers[at] >= 0 ? numbers[at] : otherwise;
}

/* The colour behind 38 or 48. Returns the parameters used. */
static size_t read_color(const int *numbers, size_t n, int *color)
{
	if (n > 2 && numbers[1] == 5) {
		*color = numbers[2];
		return 3;
	}
	assert_true(n > 4 && numbers[1] == 2);
	*color = SMALL_TERMINAL_DIRECT + (numbers[2] << 16) + (numbers[3] << 8) + numbers[4];
	return 5;
}

static size_t set_graphic(struct small_terminal_cell *now, const int *numbers, size_t n)
{
	int number = numbers[0] < 0 ? 0 : numbers[0];

	if (number == 0)
		*now = (struct small_terminal_cell){"", 0, -1, -1};
	else if (number == 1)
		now->attributes |= ATTRIBUTE_BOLD;
	else if (number == 2)
		now->attributes |= ATTRIBUTE_DIM;
	else if (number == 4)
		now->attributes |= ATTRIBUTE_UNDERLINE;
	else if (number == 7)
		now->attributes |= ATTRIBUTE_REVERSE;
	else if (number == 10) /* the usual font */
		;
	else if (number >= 30 && number <= 37)
		now->foreground = number - 30;
	else if (number >= 40 && number <= 47)
		now->background = number - 40;
	else if (number >= 90 && number <= 97)
		now->foreground = number - 90 + 8;
	else if (number >= 100 && number <= 107)
		now->background = number - 100 + 8;
	else if (number == 39)
		now->foreground = -1;
	else if (number == 49)
		now->background = -1;
	else if (number == 38)
		return read_color(numbers, n, &now->foreground);
	else if (number == 48)
		return read_color(numbers, n, &now->background);
	else
		fail_msg("SGR %d", number);
	return 1;
}

static unsigned limited(int from_one, unsigned end)
{
	return from_one < 1 ? 0 : (unsigned)from_one > end ? end - 1 : (unsigned)from_one - 1;
}

static void clear_all(struct small_terminal *terminal)
{
	for (unsigned y = 0; y < terminal->height; y++)
		blank_cells(terminal, 0, y, terminal->width);
}

static void control(struct small_terminal *terminal, char letter, const int *numbers, size_t n)
{
	unsigned x = terminal->x < terminal->width ? terminal->x : terminal->width - 1;
	int first = number_at(numbers, n, 0, 1);

	switch (letter) {
	case 'H':
		terminal->y = limited(first, terminal->height);
		terminal->x = limited(number_at(numbers, n, 1, 1), terminal->width);
		break;
	case 'G':
		terminal->x = limited(first, terminal->width);
		break;
	case 'd':
		terminal->y = limited(first, terminal->height);
		break;
	case 'B':
		terminal->y = limited((int)terminal->y + 1 + first, terminal->height);
		break;
	case 'C':
		terminal->x = limited((int)x + 1 + first, terminal->width);
		break;
	case 'D':
		terminal->x = x < (unsigned)first ? 0 : x - (unsigned)first;
		break;
	case 'K':
		assert_true(number_at(numbers, n, 0, 0) == 0);
		break_wide(terminal, x);
		blank_cells(terminal, x, terminal->y, terminal->width - x);
		break;
	case 'X':
		break_wide(terminal, x);
		break_wide(terminal, limited((int)x + first, terminal->width));
		blank_cells(terminal, x, terminal->y, (unsigned)first);
		break;
	case 'J': /* only used at the origin */
		assert_true(number_at(numbers, n, 0, 0) == 2 ||
			    (terminal->x == 0 && terminal->y == 0));
		clear_all(terminal);
		break;
	case 'm':
		for (size_t at = 0; at < (n ? n : 1);)
			at += set_graphic(&terminal->now, numbers + at, n - at);
		break;
	case 't':
		if (first == 22 && number_at(numbers, n, 1, 0) == 2) {
			assert_int_equal(terminal->saved_titles++, 0);
			strcpy(terminal->saved_title, terminal->title);
		} else if (first == 23 && number_at(numbers, n, 1, 0) == 2) {
			assert_int_equal(terminal->saved_titles--, 1);
			strcpy(terminal->title, terminal->saved_title);
		}
		break;
	case 'r':
		assert_int_equal(first, 1);
		terminal->scroll_end =
			limited(number_at(numbers, n, 1, (int)terminal->height), terminal->height) +
			1;
		terminal->x = terminal->y = 0;
		break;
	case 'n':
		assert_int_equal(first, 5);
		terminal->queries++;
		break;
	case 'l':
	case 'h':
		break;
	default:
		fail_msg("control sequence %c", letter);
	}
}

static size_t read_control(struct small_terminal *terminal, const char *bytes, size_t n)
{
	int numbers[NUMBERS] = {-1};
	size_t at = 0, used = 0;
	bool private = n > 0 && bytes[0] == '?';

	for (at = private; at < n && (unsigned char)bytes[at] < 0x40; at++) {
		if (bytes[at] == ';') {
			numbers[++used] = -1;
		} else if (bytes[at] >= '0' && bytes[at] <= '9') {
			numbers[used] =
				(numbers[used] < 0 ? 0 : numbers[used]) * 10 + bytes[at] - '0';
		}
		assert_true(used + 1 < NUMBERS);
	}
	assert_true(at < n);
	if (private && numbers[0] == 25)
		terminal->cursor_hidden = bytes[at] == 'l';
	else if (!private)
		control(terminal, bytes[at], numbers, used + (numbers[used] >= 0 || used > 0));
	return at + 1;
}

/* The bytes behind ESC that belong to it. */
static size_t read_escape(struct small_terminal *terminal, const char *bytes, size_t n)
{
	size_t at = 0;

	assert_true(n > 0);
	switch (bytes[0]) {
	case '[':
		return 1 + read_control(terminal, bytes + 1, n - 1);
	case ']':
		while (at < n && bytes[at] != BEL)
			at++;
		assert_true(at < n && at > 3 && at - 3 < sizeof(terminal->title));
		memcpy(terminal->title, bytes + 3, at - 3);
		terminal->title[at - 3] = '\0';
		return at + 1;
	case '(':
	case ')':
		return 2;
	default:
		assert_non_null(strchr("=>78", bytes[0]));
		return 1;
	}
}

void small_terminal_write(struct small_terminal *terminal, const char *bytes, size_t n)
{
	while (n > 0) {
		unsigned char first = (unsigned char)bytes[0];
		size_t used = 1;

		if (first == ESC) {
			used += read_escape(terminal, bytes + 1, n - 1);
		} else if (first == '\r') {
			terminal->x = 0;
		} else if (first == '\b') {
			assert_true(terminal->x > 0 && terminal->x < terminal->width);
			terminal->x--;
		} else if (first == '\n') {
			if (terminal->returns)
				terminal->x = 0;
			line_feed(terminal);
		} else if (first == 0x0e || first == 0x0f) { /* the character sets of vt100 */
			;
		} else {
			char text[8] = "";
			uint32_t code;

			memcpy(text, bytes, n < 4 ? n : 4);
			used = text_decode(text, &code);
			assert_true(used > 0 && text_char_width(code) >= 0);
			put_character(terminal, bytes, used, (unsigned)text_char_width(code));
		}
		bytes += used;
		n -= used;
	}
}
