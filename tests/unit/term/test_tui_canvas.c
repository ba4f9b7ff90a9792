// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "core/base/util.h"
#include "tests/unit/shared/stage.h"
#include "tui/term/canvas.h"
#include "tui/widget/segments.h"
#include "tui/widget/widget_meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of all cells of a line. Valid until the next call. */
static const char *line_text(const struct canvas *canvas, unsigned y)
{
	static char line[512];

	line[0] = '\0';
	for (unsigned x = 0; x < canvas->width; x++)
		strcat(line, canvas_at(canvas, x, y)->text);
	return line;
}

/* Each wide character has its right half. No cell contains control characters. */
static void assert_sound(const struct canvas *canvas)
{
	for (unsigned y = 0; y < canvas->height; y++)
		for (unsigned x = 0; x < canvas->width; x++) {
			const char *text = canvas_at(canvas, x, y)->text;
			struct text_scan scan = {.at = text};
			unsigned width = text_width(text);

			if (width == 0) {
				assert_true(x > 0);
				assert_int_equal(text_width(canvas_at(canvas, x - 1, y)->text), 2);
			} else if (width == 2) {
				assert_true(x + 1 < canvas->width);
				assert_string_equal(canvas_at(canvas, x + 1, y)->text, "");
			}
			while (text_scan_next(&scan)) {
				assert_false(scan.replaced);
				assert_int_equal(scan.width, width); /* its marks have 0 */
				width = 0;
			}
		}
}

static void test_text(void **state)
{
	static const struct {
		const char *name, *text;
		unsigned x, width;
		bool ascii;
		const char *expected;
		unsigned used;
	} rows[] = {
		{"plain", "abc", 0, 10, false, "abc       ", 3},
		{"clipped by width", "abcdef", 2, 3, false, "  abc     ", 3},
		{"clipped by canvas", "abcdef", 7, 99, false, "       abc", 3},
		{"outside", "abc", 10, 5, false, "          ", 0},
		{"two bytes", "äö", 0, 10, false, "äö        ", 2},
		{"wide", "编译x", 0, 10, false, "编译x     ", 5},
		{"wide at the edge is left out", "编译", 7, 9, false, "       编 ", 2},
		{"combining marks take no cell", "e\xcc\x81x", 0, 10, false, "e\xcc\x81x        ",
		 2},
		{"combining marks on wide characters", "\xe6\xbc\xa2\xcc\x81x", 0, 10, false,
		 "\xe6\xbc\xa2\xcc\x81x       ", 3},
		{"at most two marks", "e\xcc\x81\xcc\x82\xcc\x83x", 0, 10, false,
		 "e\xcc\x81\xcc\x82\xef\xbf\xbdx       ", 3},
		{"a mark without a character", "\xcc\x81x", 0, 10, false, "\xef\xbf\xbdx        ",
		 2},
		{"joiners and selectors are replaced", "e\xe2\x80\x8dx\xef\xb8\x8f", 0, 10, false,
		 "e\xef\xbf\xbdx\xef\xbf\xbd      ", 4},
		{"ASCII: no marks", "e\xcc\x81x", 0, 10, true, "ex        ", 2},
		{"escape sequence", "\033[31mx", 0, 10, false, "\xef\xbf\xbd[31mx    ", 6},
		{"C1 control", "\xc2\x9bx", 0, 10, false, "\xef\xbf\xbdx        ", 2},
		{"bidirectional override", "\xe2\x80\xaex", 0, 10, false, "\xef\xbf\xbdx        ",
		 2},
		{"broken UTF-8", "\xff\xe7\xbcx", 0, 10, false,
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx      ", 4},
		{"ASCII: one for one column", "äx", 0, 10, true, "?x        ", 2},
		{"ASCII: two for two columns", "编x", 0, 10, true, "??x       ", 3},
		{"ASCII: controls", "\001\nx", 0, 10, true, "??x       ", 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct canvas canvas;

		canvas_init(&canvas, rows[i].ascii);
		canvas_resize(&canvas, 10, 1);
		unsigned used = canvas_text(&canvas, rows[i].x, 0, rows[i].width, STYLE_PLAIN,
					    rows[i].text);
		if (used != rows[i].used || strcmp(line_text(&canvas, 0), rows[i].expected) != 0)
			fail_msg("%s: [%s] used %u", rows[i].name, line_text(&canvas, 0), used);
		assert_sound(&canvas);
		canvas_fini(&canvas);
	}
}

static void test_wide_overwritten(void **state)
{
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 6, 1);
	for (unsigned x = 0; x < 6; x++) {
		canvas_clear(&canvas);
		canvas_text(&canvas, 0, 0, 6, STYLE_PLAIN, "编译器");
		canvas_text(&canvas, x, 0, 1, STYLE_PLAIN, "x");
		assert_sound(&canvas);
		canvas_text(&canvas, x, 0, 2, STYLE_PLAIN, "译");
		assert_sound(&canvas);
	}
	canvas_fini(&canvas);
}

static void test_ellipsis_and_right(void **state)
{
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 8, 1);
	canvas_text_ellipsis(&canvas, 0, 0, 8, STYLE_PLAIN, "12345678");
	assert_string_equal(line_text(&canvas, 0), "12345678");
	canvas_text_ellipsis(&canvas, 0, 0, 8, STYLE_PLAIN, "123456789");
	assert_string_equal(line_text(&canvas, 0), "1234567…");
	canvas_clear(&canvas);
	canvas_text_right(&canvas, 1, 0, 5, STYLE_PLAIN, "42");
	assert_string_equal(line_text(&canvas, 0), "    42  ");
	canvas.ascii = true;
	canvas_text_ellipsis(&canvas, 0, 0, 8, STYLE_PLAIN, "123456789");
	assert_string_equal(line_text(&canvas, 0), "12345...");
	canvas_text_ellipsis(&canvas, 0, 0, 2, STYLE_PLAIN, "abc");
	assert_string_equal(line_text(&canvas, 0), "ab345...");
	canvas_fini(&canvas);
}

static void test_meter(void **state)
{
	static const struct {
		double share;
		bool ascii;
		const char *figure, *expected;
	} rows[] = {
		{0, false, "0%", "[      0%]"},
		{0.5, false, "", "[████    ]"},
		{0.5, true, "", "[####    ]"},
		{1, false, "", "[████████]"},
		{0.0625, false, "", "[▌       ]"},
		{0.0625, true, "", "[#       ]"},
		{0.015625, false, "", "[▏       ]"},
		{0.015625, true, "", "[        ]"},
		{-1, false, "n/a", "[     n/a]"},
		{7, true, "100.0%", "[##100.0%]"},
		{1, true, "too long here", "[########]"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct canvas canvas;

		canvas_init(&canvas, rows[i].ascii);
		canvas_resize(&canvas, 10, 1);
		meter_draw(&canvas, 0, 0, 10, rows[i].share, rows[i].figure, STYLE_PLAIN);
		assert_string_equal(line_text(&canvas, 0), rows[i].expected);
		canvas_fini(&canvas);
	}
}

/* On the bar the figure is reversed, so that a full bar differs from one of 85 %. */
static void test_figure_on_meter(void **state)
{
	static const struct {
		double share;
		const char *figure, *styles;
	} rows[] = {
		{0.10, "10.0%", "emmmmmmmmmmmmMMM.....e\n"},
		{0.85, "85.0%", "emmmmmmmmmmmmMMM22...e\n"},
		{1, "100.0%", "emmmmmmmmmmmmMM222333e\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct canvas canvas;

		canvas_init(&canvas, false);
		canvas_resize(&canvas, 22, 1);
		meter_draw(&canvas, 0, 0, 22, rows[i].share, rows[i].figure, STYLE_PLAIN);
		char *styles = canvas_print_styles(&canvas);
		assert_string_equal(styles, rows[i].styles);
		free(styles);
		canvas_fini(&canvas);
	}
}

static void add_segment(struct segments *segments, unsigned weight, const char *label,
			const char *text)
{
	struct segment *segment = segments_add(segments, weight);

	text_copy(segment->label, sizeof(segment->label), label);
	text_copy(segment->text, sizeof(segment->text), text);
}

static void test_segments(void **state)
{
	static const struct {
		unsigned width;
		const char *expected;
	} rows[] = {
		{21, "host  a 1  b 22  c 33"},
		{20, "host  a 1  c 33     "},
		{15, "host  a 1  c 33"},
		{14, "host  c 33    "},
		{10, "host  c 33"},
		{9, "host  a 1"}, /* no room for c, but for the lighter a */
		{3, "hos"},
		{1, "h"},
	};
	struct segments segments = {0};

	(void)state;
	add_segment(&segments, 9, "host", "");
	add_segment(&segments, 3, "a", "1");
	add_segment(&segments, 2, "b", "22");
	add_segment(&segments, 8, "c", "33");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct canvas canvas;

		canvas_init(&canvas, false);
		canvas_resize(&canvas, rows[i].width, 1);
		segments_draw(&segments, &canvas, (struct rect){0, 0, rows[i].width, 1});
		assert_string_equal(line_text(&canvas, 0), rows[i].expected);
		canvas_fini(&canvas);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_wide_overwritten),
		cmocka_unit_test(test_ellipsis_and_right),
		cmocka_unit_test(test_meter),
		cmocka_unit_test(test_figure_on_meter),
		cmocka_unit_test(test_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
