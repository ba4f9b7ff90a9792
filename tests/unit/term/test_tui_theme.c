// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/util.h"
#include "tests/unit/shared/files.h"
#include "tui/term/theme.h"
#include "tui/term/theme_load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct theme_places no_places;

struct linear {
	double red, green, blue;
};

static double linear_channel(uint8_t channel)
{
	double c = channel / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct linear linear_of(struct color color)
{
	return (struct linear){linear_channel(color.red), linear_channel(color.green),
			       linear_channel(color.blue)};
}

/* WCAG 2: relative luminance and contrast. */
static double luminance(struct color color)
{
	struct linear l = linear_of(color);

	return 0.2126 * l.red + 0.7152 * l.green + 0.0722 * l.blue;
}

static double contrast(struct color a, struct color b)
{
	double la = luminance(a), lb = luminance(b);

	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

/* Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB. */
static const double sight[][3][3] = {
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868},
	 {0.114503, 0.786281, 0.099216},
	 {-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968},
	 {0.280085, 0.672501, 0.047413},
	 {-0.011820, 0.042940, 0.968881}},
	{{1.255528, -0.076749, -0.178779},
	 {-0.078411, 0.930809, 0.147602},
	 {0.004733, 0.691367, 0.303900}},
};
static const char *const sight_names[] = {"full", "protan", "deutan", "tritan"};

struct lab {
	double l, a, b;
};

static double lab_f(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static struct lab lab_seen(struct color color, const double m[3][3])
{
	struct linear in = linear_of(color);
	double r = fmax(0, m[0][0] * in.red + m[0][1] * in.green + m[0][2] * in.blue);
	double g = fmax(0, m[1][0] * in.red + m[1][1] * in.green + m[1][2] * in.blue);
	double b = fmax(0, m[2][0] * in.red + m[2][1] * in.green + m[2][2] * in.blue);
	double x = lab_f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
	double y = lab_f(0.2126 * r + 0.7152 * g + 0.0722 * b);
	double z = lab_f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);

	return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double lab_distance(struct lab a, struct lab b)
{
	return sqrt(pow(a.l - b.l, 2) + pow(a.a - b.a, 2) + pow(a.b - b.b, 2));
}

static struct theme load(const char *name)
{
	struct theme theme;
	struct notes notes = {0};
	struct error err;

	if (theme_load(name, &no_places, &theme, &notes, &err))
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(notes.n, 0);
	return theme;
}

/* Every built-in theme and style. */
static void each_style(void (*check)(const char *name, const struct theme *theme, enum style style))
{
	for (const struct theme_builtin *t = theme_builtins; t->name; t++) {
		struct theme theme = load(t->name);

		for (enum style style = 0; style < STYLE_COUNT; style++)
			check(t->name, &theme, style);
	}
}

/* The colour that xterm shows for a colour number of a depth. */
static struct color color_at(int index, enum color_depth depth)
{
	if (depth == COLOR_DEPTH_RGB)
		return (struct color){true, (uint8_t)(index >> 16), (uint8_t)(index >> 8),
				      (uint8_t)index};
	return color_of_index(index);
}

static bool is_main_text(enum style style)
{
	return style == STYLE_PLAIN || style == STYLE_NAME || style == STYLE_SELECTED ||
	       style == STYLE_HEADER || style == STYLE_HEADER_SORT;
}

/* Contrast on each ground and depth: at least 4.5 for main text, 3 for other text. */
static void check_contrast(const char *name, const struct theme *theme, enum style style)
{
	static const struct color grounds[] = {
		{true, 0, 0, 0}, {true, 0x1e, 0x1e, 0x1e}, {true, 0xff, 0xff, 0xff}};

	for (enum color_depth depth = COLOR_DEPTH_8; depth <= COLOR_DEPTH_RGB; depth++)
		for (int selected = 0; selected < 2; selected++) {
			struct paint paint = theme_paint(theme, style, selected, depth);
			bool main_text = selected || is_main_text(style);
			double least = main_text && depth >= COLOR_DEPTH_256 ? 4.5 : 3;
			bool native = paint.background >= 0; /* else the terminal's own */

			if (paint.foreground < 0) {
				assert_int_equal(paint.background, -1);
				continue;
			}
			if (!native && depth < COLOR_DEPTH_256)
				continue; /* colours 0 to 15 are the user's choice */
			for (size_t g = 0; g < (native ? 1 : ARRAY_SIZE(grounds)); g++) {
				struct color ground =
					native ? color_at(paint.background, depth) : grounds[g];
				double seen = contrast(color_at(paint.foreground, depth), ground);

				if (seen < (native ? least : 3 - (depth < COLOR_DEPTH_RGB) * 0.3))
					fail_msg("%s, style %d, depth %d on #%02x%02x%02x: %.2f",
						 name, (int)style, (int)depth, ground.red,
						 ground.green, ground.blue, seen);
			}
		}
}

static void test_contrast(void **state)
{
	(void)state;
	each_style(check_contrast);
}

static void test_high_contrast(void **state)
{
	struct theme theme = load("high-contrast");

	(void)state;
	for (enum style style = 0; style < STYLE_COUNT; style++)
		assert_true(contrast(theme.styles[style].foreground,
				     theme.styles[style].background) >= 7);
}

/* Styles with different meanings. */
static const enum style pairs[][2] = {
	{STYLE_WARN, STYLE_BAD},
	{STYLE_WARN, STYLE_DIM},
	{STYLE_BAD, STYLE_DIM},
	{STYLE_METER_LOW, STYLE_METER_HIGH},
	{STYLE_METER_LOW, STYLE_METER_MID},
	{STYLE_METER_MID, STYLE_METER_HIGH},
	{STYLE_SCALED, STYLE_WARN},
	{STYLE_SCALED, STYLE_BAD},
	{STYLE_KEY, STYLE_KEY_LABEL},
};

/* The smallest distance of a pair of styles. */
static double least_distance(const struct theme *theme, size_t sight_index,
			     const enum style **nearest)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct lab a = lab_seen(theme->styles[pairs[i][0]].foreground, sight[sight_index]);
		struct lab b = lab_seen(theme->styles[pairs[i][1]].foreground, sight[sight_index]);

		if (lab_distance(a, b) < least) {
			least = lab_distance(a, b);
			*nearest = pairs[i];
		}
	}
	return least;
}

/* The styles differ in full sight; in the promised themes also in colour-blind sight. */
static void test_color_blind(void **state)
{
	static const char *const promised[] = {"default", "light", "high-contrast"};

	(void)state;
	for (const struct theme_builtin *t = theme_builtins; t->name; t++) {
		struct theme theme = load(t->name);
		bool promises = false;

		for (size_t i = 0; i < ARRAY_SIZE(promised); i++)
			promises |= strcmp(t->name, promised[i]) == 0;
		for (size_t s = 0; s < (promises ? ARRAY_SIZE(sight) : 1); s++) {
			const enum style *nearest = pairs[0];

			if (theme.styles[STYLE_KEY].foreground.set &&
			    least_distance(&theme, s, &nearest) < 12)
				fail_msg("%s, styles %d and %d, %s: %.1f", t->name, (int)nearest[0],
					 (int)nearest[1], sight_names[s],
					 least_distance(&theme, s, &nearest));
		}
	}
}

static bool paints_alike(const struct theme *theme, enum style a, enum style b,
			 enum color_depth depth)
{
	struct paint left = theme_paint(theme, a, false, depth);
	struct paint right = theme_paint(theme, b, false, depth);

	return left.foreground == right.foreground && left.background == right.background &&
	       left.attributes == right.attributes;
}

/* Roles look different at every depth. */
static void test_roles(void **state)
{
	static const enum style roles[][2] = {
		{STYLE_WARN, STYLE_BAD},     {STYLE_WARN, STYLE_PLAIN},
		{STYLE_BAD, STYLE_PLAIN},    {STYLE_KEY, STYLE_KEY_LABEL},
		{STYLE_HEADER, STYLE_PLAIN}, {STYLE_HEADER, STYLE_HEADER_SORT},
		{STYLE_BANNER, STYLE_PLAIN}, {STYLE_TITLE, STYLE_PLAIN},
		{STYLE_DIM, STYLE_PLAIN},    {STYLE_METER_LOW_FIGURE, STYLE_PLAIN},
	};

	(void)state;
	for (const struct theme_builtin *t = theme_builtins; t->name; t++) {
		struct theme theme = load(t->name);

		for (enum color_depth depth = COLOR_DEPTH_MONO; depth <= COLOR_DEPTH_RGB; depth++) {
			struct paint row = theme_paint(&theme, STYLE_PLAIN, true, depth);
			struct paint plain = theme_paint(&theme, STYLE_PLAIN, false, depth);

			for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
				if (paints_alike(&theme, roles[i][0], roles[i][1], depth))
					fail_msg("%s, depth %d: styles %d and %d", t->name,
						 (int)depth, (int)roles[i][0], (int)roles[i][1]);
			if (row.background == plain.background &&
			    !(row.attributes & ATTRIBUTE_REVERSE))
				fail_msg("%s, depth %d: the selected row", t->name, (int)depth);
		}
	}
}

/* All built-in themes are listed by name and described. */
static void test_builtins(void **state)
{
	static const char *const some[] = {"default", "light", "mono", "high-contrast"};
	struct theme_list list;

	(void)state;
	theme_list_read(&no_places, &list);
	assert_true(list.n >= 12);
	for (size_t i = 0; i < list.n; i++) {
		assert_true(strlen(list.items[i].about) > 10);
		assert_true(i == 0 || strcmp(list.items[i - 1].name, list.items[i].name) < 0);
	}
	theme_list_fini(&list);
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		assert_non_null(theme_builtin_find(some[i]));
	assert_null(theme_builtin_find("nonsense"));
}

/* The theme "mono" uses attributes alone at every depth. */
static void test_mono(void **state)
{
	struct theme theme = load("mono"), other = load("default");

	(void)state;
	for (enum style style = 0; style < STYLE_COUNT; style++)
		for (int selected = 0; selected < 2; selected++) {
			struct paint paint = theme_paint(&theme, style, selected, COLOR_DEPTH_RGB);
			struct paint poor = theme_paint(&other, style, selected, COLOR_DEPTH_MONO);

			assert_int_equal(paint.foreground, -1);
			assert_int_equal(paint.background, -1);
			assert_int_equal(paint.attributes, poor.attributes);
		}
}

static void assert_color(struct color color, bool set, unsigned rgb)
{
	assert_int_equal(color.set, set);
	if (set)
		assert_int_equal(color.red << 16 | color.green << 8 | color.blue, rgb);
}

/* The syntax of themes for btop. */
static void test_parse_btop(void **state)
{
	static const char text[] = "#Bashtop theme\n"
				   "\n"
				   "theme[main_bg]=\"#00\"\r\n"
				   "theme[main_fg]='#cc'\n"
				   "  theme[hi_fg]=\"20 30 255\" # trailing\n"
				   "theme[selected_bg]=#ABCDEF  \n"
				   "theme[inactive_fg]=\"\"\n"
				   "theme[cpu_start]=\"#000000\"\n"
				   "theme[cpu_mid]=\"\"\n"
				   "theme[cpu_end]=\"#ffffff\"\n"
				   "theme[net_box]=\"not a colour, not our key\"\n"
				   "theme[broken\n"
				   "theme[also]\n"
				   "something else\n"
				   "theme[title]=\"#123456\"";
	struct notes notes = {0};
	struct theme theme;
	struct error err;

	(void)state;
	assert_int_equal(theme_parse("t", text, &theme, &notes, &err), 0);
	notes_fini(&notes);
	assert_color(theme.styles[STYLE_PLAIN].background, true, 0x000000);
	assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0xcccccc);
	assert_color(theme.styles[STYLE_KEY].foreground, true, 0x141eff);
	assert_color(theme.styles[STYLE_SELECTED].background, true, 0xabcdef);
	assert_color(theme.styles[STYLE_DIM].foreground, false, 0);
	assert_color(theme.styles[STYLE_METER_MID].foreground, true, 0x7f7f7f);
	assert_color(theme.styles[STYLE_BAD].foreground, true, 0xffffff);
	assert_color(theme.styles[STYLE_TITLE].foreground, true, 0x123456);
}

/* Each invalid line has a note. The other lines are valid. */
static void test_parse_notes(void **state)
{
	static const struct {
		const char *text, *notes;
	} rows[] = {
		{"theme[title]=\"#00\"\n\n\t\n # x\n#y\r\n\r\n", ""},
		{"\n\ntheme[main_fg]=\"#12345\"\ntheme[title]=\"#00\"",
		 "t:3: Invalid colour '#12345' (#rrggbb, #bw or \"r g b\").\n"},
		{"theme[title]=\"#00\"\ntheme[main_fg]=\"1 2 256\"",
		 "t:2: Invalid colour '1 2 256' (#rrggbb, #bw or \"r g b\").\n"},
		{"theme[hi_fg]=red\ntheme[main_fg]=\"blue\"\ntheme[title]=\"0 0 0\"",
		 "t:1: Invalid colour 'red' (#rrggbb, #bw or \"r g b\").\n"
		 "t:2: Invalid colour 'blue' (#rrggbb, #bw or \"r g b\").\n"},
		{"  theme[broken\ntheme[title]=\"\"\nwhat\ntheme[net_box]=\"not ours\"",
		 "t:1: Neither theme[KEY]=\"COLOUR\" nor a # comment.\n"
		 "t:3: Neither theme[KEY]=\"COLOUR\" nor a # comment.\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct notes notes = {0};
		struct theme theme;
		struct error err;
		char text[512] = "";

		assert_int_equal(theme_parse("t", rows[i].text, &theme, &notes, &err), 0);
		for (size_t k = 0; k < notes.n; k++) {
			strcat(text, notes.items[k].text);
			strcat(text, "\n");
		}
		assert_string_equal(text, rows[i].notes);
		notes_fini(&notes);
	}
}

static void test_parse_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"theme[unknown]=\"#00\"\n",
		"theme[main_fg]=\"red\"",
		"\n#!/bin/sh\nexit\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct notes notes = {0};
		struct theme theme;
		struct error err;

		assert_int_equal(theme_parse("t", rows[i], &theme, &notes, &err), -EINVAL);
		assert_string_equal(err.text, "'t' is no theme: it has no line like "
					      "theme[main_fg]=\"#cccccc\".");
		assert_int_equal(notes.n, 0);
	}
}

static void test_about(void **state)
{
	static const struct {
		const char *text, *about;
	} rows[] = {
		{"", ""},
		{"#Bashtop theme with nord\r\n#by x\n", "Bashtop theme with nord"},
		{"# # a\n", "a"},
		{"# one that is a good deal too long", "one that is a good deal too l"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char about[30];

		theme_about(rows[i].text, about, sizeof(about));
		assert_string_equal(about, rows[i].about);
	}
}

static int load_from(const char *name, const char *dir, struct theme *theme, struct error *err)
{
	struct notes notes = {0};
	int rc = theme_load(name, &(struct theme_places){.dir = dir}, theme, &notes, err);

	notes_fini(&notes);
	return rc;
}

static void test_load(void **state)
{
	char dir[] = "/tmp/pmctop-theme-XXXXXX", path[64], nord[64], empty[64], pipe[64];
	struct theme_list list;
	struct theme theme;
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/mine.theme", dir);
	snprintf(nord, sizeof(nord), "%s/nord.theme", dir);
	snprintf(empty, sizeof(empty), "%s/empty", dir);
	write_file(path, "# All mine\ntheme[main_fg]=\"#010203\"\n");
	write_file(nord, "theme[main_fg]=\"#030201\"\n");
	write_file(empty, "");
	snprintf(pipe, sizeof(pipe), "%s/pipe.theme", dir);
	assert_int_equal(mkfifo(pipe, 0600), 0); /* has no writer: open() must not wait */

	assert_int_equal(load_from("mine", dir, &theme, &err), 0);
	assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0x010203);
	assert_int_equal(load_from("nord", dir, &theme, &err), 0);
	assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0x030201);
	assert_int_equal(load_from(path, NULL, &theme, &err), 0);
	assert_int_equal(load_from("mine", NULL, &theme, &err), -ENOENT);
	assert_string_equal(err.text, "Unknown theme 'mine' (did you mean 'mono'?). See 'pmctop "
				      "--list themes', or name a file.");
	assert_int_equal(load_from("mein", dir, &theme, &err), -ENOENT);
	assert_string_equal(err.text, "Unknown theme 'mein' (did you mean 'mine'?). See 'pmctop "
				      "--list themes', or name a file.");
	assert_int_equal(load_from("../mine", dir, &theme, &err), -ENOENT);
	assert_int_equal(load_from(empty, NULL, &theme, &err), -EINVAL);
	assert_int_equal(load_from(dir, NULL, &theme, &err), -EISDIR);
	assert_int_equal(load_from("pipe", dir, &theme, &err), -EINVAL);

	/* Files that others may write are ignored: "mine" is refused, "nord" is the built-in one.
	 */
	assert_int_equal(chmod(path, 0602), 0);
	assert_int_equal(chmod(nord, 0602), 0);
	assert_int_equal(load_from("mine", dir, &theme, &err), -EPERM);
	assert_non_null(strstr(err.text, "is ignored"));
	assert_int_equal(load_from("nord", dir, &theme, &err), 0);
	assert_int_not_equal(theme.styles[STYLE_PLAIN].foreground.red, 0x03);
	assert_int_equal(load_from(path, NULL, &theme, &err), 0);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(chmod(nord, 0600), 0);

	size_t found = 0, twice = 0;

	theme_list_read(&(struct theme_places){.dir = dir}, &list);
	for (size_t i = 0; i < list.n; i++) {
		found += !strcmp(list.items[i].name, "mine") &&
			 !strcmp(list.items[i].about, "All mine");
		assert_string_not_equal(list.items[i].name, "pipe");
		twice += !strcmp(list.items[i].name, "nord");
	}
	assert_int_equal(found, 1);
	assert_int_equal(twice, 1);
	theme_list_fini(&list);
	remove_tree(dir);
}

/* Sent themes hide themes of the same name, and need no directory. */
static void test_sent(void **state)
{
	static char mine[] = "mine", nord[] = "nord", path[] = "/home/me/own.theme",
		    text[] = "# Sent\ntheme[main_fg]=\"#010203\"\n";
	const struct theme_text texts[] = {{mine, text}, {nord, text}, {path, text}};
	const struct theme_places places = {.sent = texts, .n_sent = ARRAY_SIZE(texts)};
	struct notes notes = {0};
	struct theme_list list;
	struct theme theme;
	struct error err;
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(theme_load(texts[i].name, &places, &theme, &notes, &err), 0);
		assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0x010203);
	}
	assert_int_equal(theme_load("dracula", &places, &theme, &notes, &err), 0);
	assert_int_equal(theme_load("own", &places, &theme, &notes, &err), -ENOENT);
	theme_list_read(&places, &list);
	for (size_t i = 0; i < list.n; i++)
		found += strcmp(list.items[i].about, "Sent") == 0;
	assert_int_equal(found, ARRAY_SIZE(texts));
	theme_list_fini(&list);
	notes_fini(&notes);
}

static void assert_same_color(struct color a, struct color b)
{
	assert_memory_equal(&a, &b, sizeof(a));
}

/* Each colour that a terminal has is its own nearest, and all others have a number. */
static void test_color_index(void **state)
{
	(void)state;
	for (enum color_depth depth = COLOR_DEPTH_MONO; depth <= COLOR_DEPTH_RGB; depth++)
		assert_int_equal(color_index((struct color){0}, depth), -1);
	for (int index = 16; index < 256; index++) {
		const struct color color = color_of_index(index);

		assert_same_color(color_of_index(color_index(color, COLOR_DEPTH_256)), color);
	}
	for (unsigned rgb = 0; rgb < 1 << 24; rgb += 4099) {
		struct color color = {true, (uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8),
				      (uint8_t)rgb};
		int at_8 = color_index(color, COLOR_DEPTH_8);
		int at_16 = color_index(color, COLOR_DEPTH_16);
		int at_256 = color_index(color, COLOR_DEPTH_256);

		assert_true(at_8 >= 0 && at_8 < 8 && at_16 >= 0 && at_16 < 16);
		assert_true(at_256 >= 16 && at_256 < 256);
		assert_int_equal(color_index(color, COLOR_DEPTH_MONO), -1);
		assert_int_equal(color_index(color, COLOR_DEPTH_RGB), (int)rgb);
	}
}

/* The poorest terminals show the hue, whatever the brightness: ANSI's red, yellow, green ... */
static void test_hues(void **state)
{
	static const struct {
		struct color color;
		int at_16;
	} rows[] = {
		{{true, 0, 0, 0}, 0},          {{true, 0x80, 0x80, 0x80}, 8},
		{{true, 0xc0, 0xc0, 0xc0}, 7}, {{true, 0xff, 0xff, 0xff}, 15},
		{{true, 0xd2, 0x4a, 0x5c}, 1}, {{true, 0xb5, 0x89, 0x00}, 3},
		{{true, 0x2f, 0xa0, 0x40}, 2}, {{true, 0x2f, 0x8f, 0xd0}, 6},
		{{true, 0x9a, 0x78, 0xd0}, 4}, {{true, 0xc0, 0x30, 0xc0}, 5},
		{{true, 0xff, 0x60, 0x60}, 9},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int at_16 = rows[i].at_16;

		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_16), at_16);
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_8),
				 at_16 == 8 ? 7 : at_16 % 8);
	}
}

/* At few colours white text on a light ground becomes black. */
static void test_color_index_on(void **state)
{
	static const struct color white = {true, 0xff, 0xff, 0xff};
	static const struct color cyan = {true, 0x2f, 0x8f, 0xd0}, blue = {true, 0x2a, 0x5f, 0xae};
	struct theme theme = load("default");
	struct theme_style header = theme.styles[STYLE_HEADER], row = theme.styles[STYLE_SELECTED];

	(void)state;
	assert_int_equal(color_index_on(white, cyan, COLOR_DEPTH_8), 0);
	assert_int_equal(color_index_on(white, blue, COLOR_DEPTH_8), 7);
	assert_int_equal(color_index_on(white, cyan, COLOR_DEPTH_256), 231);
	assert_int_equal(color_index_on(white, (struct color){0}, COLOR_DEPTH_16), 15);
	for (enum color_depth depth = COLOR_DEPTH_8; depth <= COLOR_DEPTH_RGB; depth++)
		assert_int_not_equal(color_index(header.background, depth),
				     color_index(row.background, depth));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contrast),       cmocka_unit_test(test_high_contrast),
		cmocka_unit_test(test_color_blind),    cmocka_unit_test(test_roles),
		cmocka_unit_test(test_builtins),       cmocka_unit_test(test_mono),
		cmocka_unit_test(test_parse_btop),     cmocka_unit_test(test_parse_notes),
		cmocka_unit_test(test_parse_refused),  cmocka_unit_test(test_about),
		cmocka_unit_test(test_load),           cmocka_unit_test(test_sent),
		cmocka_unit_test(test_color_index),    cmocka_unit_test(test_hues),
		cmocka_unit_test(test_color_index_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
