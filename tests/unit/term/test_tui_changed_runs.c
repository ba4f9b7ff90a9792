// SPDX-License-Identifier: MIT
/* The runs of a line of 40 columns that has changed. */
#include "core/base/util.h"
#include "tests/unit/shared/cases.h"
#include "tui/term/changed_runs.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 40 };

struct runs_row {
	const char *name, *before, *after;
	const char *runs; /* "COLUMN+COLUMNS" each; k: blanks alone, c: cleared */
};

static const struct runs_row rows[] = {
	{"nothing", "a b", "a b", ""},
	{"a character", "a b", "a c", "2+1"},
	{"neighbours", "a b", "b c", "0+3"},
	{"a short gap", "a1234b", "b1234c", "0+6"},
	{"a long gap", "a12345b", "b12345c", "0+1 6+1"},
	{"a wide character", "a", "\xE6\xBC\xA2", "0+2"},
	{"half of a wide character", "\xE6\xBC\xA2", "a", "0+2"},
	{"a blank", "a b", "a", "2+1k"},
	{"many blanks at the end", "a long text of words", "a", "2+38c"},
	{"many blanks inside", "a1234567890b", "a          b", "1+10c"},
	{"few blanks inside", "a12345678b", "a        b", "1+8k"},
};

static void print_runs(const struct changed_runs *runs, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < runs->n; i++) {
		const struct changed_run *run = &runs->items[i];

		n += (size_t)snprintf(text + n, size - n, "%s%u+%u%s", i ? " " : "", run->x,
				      run->columns,
				      run->cleared ? "c"
				      : run->blank ? "k"
						   : "");
	}
}

static void runs_are_found(void **state)
{
	const struct runs_row *row = *state;
	const struct terminfo terminfo = {
		.clear_line = "\033[K", .erase = "\033[%p1%dX", .fills_background = true};
	const struct paints paints = {0};
	struct changed_runs runs = {0};
	struct canvas before, after;
	char text[64];

	canvas_init(&before, false);
	canvas_init(&after, false);
	canvas_resize(&before, WIDTH, 2);
	canvas_resize(&after, WIDTH, 2);
	canvas_text(&before, 0, 1, WIDTH, STYLE_PLAIN, row->before);
	canvas_text(&after, 0, 1, WIDTH, STYLE_PLAIN, row->after);
	changed_runs_find(&runs, &terminfo, &paints, &before, &after);
	print_runs(&runs, text, sizeof(text));
	assert_string_equal(text, row->runs);
	assert_int_equal(runs.lines[1], 0);
	assert_int_equal(runs.lines[2], runs.n);
	changed_runs_fini(&runs);
	canvas_fini(&before);
	canvas_fini(&after);
}

int main(void)
{
	static const struct cases tables[] = {CASES(runs_are_found, rows)};

	return cases_run("changed_runs", tables, ARRAY_SIZE(tables), NULL, 0);
}
