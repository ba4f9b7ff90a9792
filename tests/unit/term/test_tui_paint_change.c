// SPDX-License-Identifier: MIT
/* The sequences between two paints, on a terminal with 24 bits of colour and on one without. */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/term/paint_change.h"

#include <stdlib.h>
#include <string.h>

enum { OWN = -1, ANY = -2, RED = 0xff0000, BRICK = 0xa1b2c3 };

#define BOLD    ATTRIBUTE_BOLD
#define REVERSE ATTRIBUTE_REVERSE

struct change_row {
	const char *name;
	struct paint from; /* foreground ANY: unknown */
	struct paint to;
	enum color_depth depth;
	const char *bytes;
};

static const struct change_row rows[] = {
	{"the same", {1, OWN, BOLD}, {1, OWN, BOLD}, COLOR_DEPTH_RGB, ""},
	{"plain from any", {ANY}, {OWN, OWN, 0}, COLOR_DEPTH_RGB, "\033[m"},
	{"a paint from any", {ANY}, {RED, OWN, BOLD}, COLOR_DEPTH_RGB, "\033[0;1;38;5;196m"},
	{"one colour more", {OWN, OWN, 0}, {RED, OWN, 0}, COLOR_DEPTH_RGB, "\033[38;5;196m"},
	{"a colour beyond the palette",
	 {OWN, OWN, 0},
	 {OWN, BRICK, 0},
	 COLOR_DEPTH_RGB,
	 "\033[48;2;161;178;195m"},
	{"an attribute more", {RED, OWN, 0}, {RED, OWN, BOLD}, COLOR_DEPTH_RGB, "\033[1m"},
	{"an attribute less", {RED, OWN, BOLD}, {RED, OWN, 0}, COLOR_DEPTH_RGB, "\033[0;38;5;196m"},
	{"its own colour again", {RED, BRICK, 0}, {OWN, BRICK, 0}, COLOR_DEPTH_RGB, "\033[39m"},
	{"no colour again", {RED, OWN, BOLD}, {OWN, OWN, 0}, COLOR_DEPTH_RGB, "\033[m"},
	{"no colours", {OWN, OWN, BOLD}, {OWN, OWN, BOLD | REVERSE}, COLOR_DEPTH_MONO, "\033[7m"},
	{"eight colours", {OWN, OWN, 0}, {2, OWN, 0}, COLOR_DEPTH_8, "\033[32m"},
};

static char *bytes_of_change(const struct terminfo *terminfo, const struct change_row *row)
{
	struct text_buffer buffer = {0};

	text_buffer_add_text(&buffer, "");
	paint_change(terminfo, row->from.foreground == ANY ? NULL : &row->from, &row->to, &buffer);
	return buffer.bytes;
}

static void change_is_short(void **state)
{
	const struct change_row *row = *state;
	struct terminfo terminfo = {
		.depth = row->depth,
		.plain = "\033(B\033[m",
		.bold = "\033[1m",
		.reverse = "\033[7m",
		.foreground = "\033[3%p1%dm",
		.background = "\033[4%p1%dm",
		.own_colors = "\033[39;49m",
	};
	char *bytes = bytes_of_change(&terminfo, row);

	assert_string_equal(bytes, row->bytes);
	free(bytes);
	terminfo.plain = NULL;
	bytes = bytes_of_change(&terminfo, row);
	assert_string_equal(bytes, "");
	free(bytes);
}

int main(void)
{
	static const struct cases tables[] = {CASES(change_is_short, rows)};

	return cases_run("paint_change", tables, ARRAY_SIZE(tables), NULL, 0);
}
