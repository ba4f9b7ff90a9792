// SPDX-License-Identifier: MIT
/* A canvas printed as SVG and as text with colours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/util.h"
#include "tests/unit/shared/golden.h"
#include "tests/unit/shared/markup.h"
#include "tui/term/canvas_ansi.h"
#include "tui/term/canvas_svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct theme theme_of(const char *name)
{
	struct notes notes = {0};
	struct theme theme;
	struct error err;

	if (theme_parse(name, theme_builtin_find(name), &theme, &notes, &err) || notes.n > 0)
		fail_msg("%s is broken", name);
	return theme;
}

static char *print_svg(const struct canvas *canvas, const char *name, bool color, const char *title)
{
	struct theme theme = theme_of(name);
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	canvas_print_svg(canvas, &theme, color, title, out);
	fclose(out);
	return text;
}

static char *print_ansi(const struct canvas *canvas, const char *name, enum color_depth depth)
{
	struct theme theme = theme_of(name);
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	canvas_print_ansi(canvas, &theme, depth, out);
	fclose(out);
	return text;
}

/* What a cell can have only if canvas_text() is broken, too. */
static const struct {
	const char *name, *text;
	const char *shown; /* in SVG */
} hostile[] = {
	{"a tag", "<", "&lt;"},
	{"the end of a tag", ">", "&gt;"},
	{"an entity", "&", "&amp;"},
	{"a quote", "\"", "\""},
	{"an apostrophe", "'", "'"},
	{"CDATA", "]]>", "]]&gt;"},
	{"a control character", "\001", "\xef\xbf\xbd"},
	{"a line break", "\n", "\xef\xbf\xbd"},
	{"an escape sequence", "\033[2J", "\xef\xbf\xbd[2J"},
	{"DEL", "\x7f", "\xef\xbf\xbd"},
	{"a C1 control", "\xc2\x9b", "\xef\xbf\xbd"},
	{"invalid UTF-8", "\xff", "\xef\xbf\xbd"},
	{"half a character", "\xe7\xbc", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"an overlong form", "\xc0\xbc", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"a surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"U+FFFE", "\xef\xbf\xbe", "\xef\xbf\xbd"},
	{"U+FFFF", "\xef\xbf\xbf", "\xef\xbf\xbd"},
	{"U+1FFFE", "\xf0\x9f\xbf\xbe", "\xef\xbf\xbd"},
	{"beyond Unicode", "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"a mark alone", "\xcc\x81", "\xef\xbf\xbd"},
	{"a change of direction", "\xe2\x80\xae", "\xef\xbf\xbd"},
	{"a letter with a mark", "e\xcc\x81", "e\xcc\x81"},
	{"a wide character", "\xe7\xbc\x96", "\xe7\xbc\x96"},
};

static void check_hostile(const struct canvas *canvas, const char *name, const char *title,
			  const char *shown)
{
	for (unsigned color = 0; color < 2; color++) {
		char *svg = print_svg(canvas, "default", color, title);
		const char *fault = xml_fault(svg);

		if (fault || !strstr(svg, shown))
			fail_msg("%s: %s in\n%s", name, fault ? fault : "missing", svg);
		free(svg);
	}
	for (enum color_depth depth = COLOR_DEPTH_MONO; depth <= COLOR_DEPTH_RGB; depth++) {
		char *text = print_ansi(canvas, "default", depth);
		const char *fault = sgr_fault(text);

		if (fault)
			fail_msg("%s: %s", name, fault);
		free(text);
	}
}

static void test_hostile(void **state)
{
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 5, 1);
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		for (unsigned x = 0; x < canvas.width; x++) {
			canvas_clear(&canvas);
			for (unsigned other = 0; other < canvas.width; other++)
				strcpy(canvas.cells[other].text, "x");
			strcpy(canvas.cells[x].text, hostile[i].text);
			check_hostile(&canvas, hostile[i].name, "t", hostile[i].shown);
		}
		canvas_clear(&canvas);
		check_hostile(&canvas, hostile[i].name, hostile[i].text, hostile[i].shown);
	}
	canvas_fini(&canvas);
}

/* The readers find the faults that hostile cells would make. */
static void test_readers(void **state)
{
	static const char *const faulty[] = {
		"",
		"<a>",
		"<a></b>",
		"<a/><a/>",
		"<a>&</a>",
		"<a>\001</a>",
		"<a b=\"1\" b=\"2\"/>",
		"<a>\xff</a>",
		"<a>\xef\xbf\xbe</a>",
		"x<a/>",
		"<a b=\"<\"/>",
		"<a b/>",
	};

	(void)state;
	assert_null(xml_fault("<a b=\"1\" c=\"&amp;\"><d/>x &lt;</a>\n"));
	for (size_t i = 0; i < ARRAY_SIZE(faulty); i++)
		if (!xml_fault(faulty[i]))
			fail_msg("no fault: %s", faulty[i]);
	assert_null(sgr_fault("\033[0;1mx\033[0m\n"));
	assert_non_null(sgr_fault("\033[2J"));
	assert_non_null(sgr_fault("\r"));
	assert_non_null(sgr_fault("\xc2\x9b"));
}

/* Every kind of cell: styles, a selected row, wide and foreign characters, bars and graphs. */
static void draw_all(struct canvas *canvas)
{
	canvas_init(canvas, false);
	canvas_resize(canvas, 40, 9);
	canvas_text(canvas, 0, 0, 40, STYLE_TITLE, "title");
	canvas_text(canvas, 8, 0, 40, STYLE_PLAIN, "one two  three");
	canvas_fill(canvas, (struct rect){0, 1, 40, 1}, STYLE_HEADER);
	canvas_text(canvas, 2, 1, 38, STYLE_HEADER, "PID");
	canvas_text(canvas, 8, 1, 5, STYLE_HEADER_SORT, "%CPU▼");
	canvas_text(canvas, 0, 2, 40, STYLE_ID, "42");
	canvas_text(canvas, 4, 2, 40, STYLE_BAD, "0.31");
	canvas_text(canvas, 10, 2, 40, STYLE_DIM, "n/a");
	canvas_select(canvas, (struct rect){0, 2, 40, 1});
	canvas_text(canvas, 0, 3, 40, STYLE_NAME, "编译a");
	canvas_text(canvas, 8, 3, 40, STYLE_WARN, "שלום");
	canvas_text(canvas, 0, 4, 40, STYLE_PLAIN, "[    ]");
	canvas_text(canvas, 1, 4, 40, STYLE_METER_LOW, "██");
	canvas_text(canvas, 3, 4, 40, STYLE_METER_MID, "█▌");
	canvas_text(canvas, 7, 4, 40, STYLE_METER_MID, "▁▃▇█ █");
	canvas_text(canvas, 14, 4, 40, STYLE_METER_HIGH, "⣀⣠⣶⣿⣿");
	canvas_text(canvas, 0, 5, 40, STYLE_PLAIN, "┌────┐");
	canvas_text(canvas, 0, 6, 40, STYLE_SCALED, "~1.2");
	canvas_text(canvas, 6, 6, 40, STYLE_DIM, "-");
	canvas_text(canvas, 0, 7, 40, STYLE_PLAIN, "2.0 ▎  68.0 ███▌");
	canvas_text(canvas, 0, 8, 40, STYLE_PLAIN, "a <b> & \"c\"");
}

static void test_svg(void **state)
{
	static const struct {
		const char *theme, *golden;
		bool color;
	} rows[] = {
		{"default", "default", true},
		{"default", "mono", false},
		{"solarized-light", "light", true},
	};
	struct canvas canvas;

	(void)state;
	draw_all(&canvas);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *svg = print_svg(&canvas, rows[i].theme, rows[i].color, "a & b");
		char path[64];

		snprintf(path, sizeof(path), "tests/golden/picture_%s.svg", rows[i].golden);
		assert_null(xml_fault(svg));
		golden_check(path, svg);
		free(svg);
	}
	canvas_fini(&canvas);
}

static void test_ansi(void **state)
{
	static const struct {
		enum color_depth depth;
		const char *golden;
	} rows[] = {
		{COLOR_DEPTH_MONO, "mono"}, {COLOR_DEPTH_8, "8"},     {COLOR_DEPTH_16, "16"},
		{COLOR_DEPTH_256, "256"},   {COLOR_DEPTH_RGB, "rgb"},
	};
	struct canvas canvas;

	(void)state;
	draw_all(&canvas);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *text = print_ansi(&canvas, "dracula", rows[i].depth);
		char path[64];

		snprintf(path, sizeof(path), "tests/golden/picture_%s.ansi", rows[i].golden);
		assert_null(sgr_fault(text));
		golden_check(path, text);
		free(text);
	}
	canvas_fini(&canvas);
}

/* A theme that sets a dark text and no ground has a light one. */
static void test_ground(void **state)
{
	static const struct {
		const char *text, *ground;
	} rows[] = {
		{"theme[main_fg]=\"#222222\"", "fill=\"#ffffff\"/>"},
		{"theme[main_fg]=\"#eeeeee\"", "fill=\"#101418\"/>"},
		{"theme[main_bg]=\"#123456\"", "fill=\"#123456\"/>"},
	};
	struct canvas canvas;

	(void)state;
	canvas_init(&canvas, false);
	canvas_resize(&canvas, 1, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct notes notes = {0};
		struct theme theme;
		struct error err;
		char *svg;
		size_t size;
		FILE *out = xopen_memstream(&svg, &size);

		assert_int_equal(theme_parse("t", rows[i].text, &theme, &notes, &err), 0);
		canvas_print_svg(&canvas, &theme, true, "t", out);
		fclose(out);
		if (!strstr(svg, rows[i].ground))
			fail_msg("%s: no %s in\n%s", rows[i].text, rows[i].ground, svg);
		free(svg);
	}
	canvas_fini(&canvas);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_readers),
		cmocka_unit_test(test_svg),     cmocka_unit_test(test_ansi),
		cmocka_unit_test(test_ground),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
