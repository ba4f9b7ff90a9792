// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/util.h"
#include "tui/theme.h"
#include "tui/theme_load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- colour science, as far as it takes */

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

/* ---- the themes */

static struct theme load_default(void)
{
	struct theme theme;
	struct error err;

	if (theme_load(NULL, NULL, &theme, &err))
		fail_msg("%s", err.text);
	return theme;
}

/* Where the background is the terminal's own, a style must read on dark and on light ones. */
static void test_contrast(void **state)
{
	static const struct color grounds[] = {
		{true, 0, 0, 0}, {true, 0x1e, 0x1e, 0x1e}, {true, 0xff, 0xff, 0xff}};
	struct theme theme = load_default();

	(void)state;
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct color front = theme.styles[i].foreground, back = theme.styles[i].background;

		if (!front.set)
			assert_false(back.set);
		for (size_t g = 0; front.set && g < ARRAY_SIZE(grounds); g++) {
			struct color ground = back.set ? back : grounds[g];
			double least = back.set ? 4.5 : 3.0;

			if (contrast(front, ground) < least)
				fail_msg("style %d on #%02x%02x%02x: %.2f", i, ground.red,
					 ground.green, ground.blue, contrast(front, ground));
		}
	}
}

/* Styles that mean different things stay apart for every kind of sight. */
static void test_color_blind(void **state)
{
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
	struct theme theme = load_default();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t s = 0; s < ARRAY_SIZE(sight); s++) {
			struct lab a = lab_seen(theme.styles[pairs[i][0]].foreground, sight[s]);
			struct lab b = lab_seen(theme.styles[pairs[i][1]].foreground, sight[s]);

			if (lab_distance(a, b) < 12)
				fail_msg("styles %d and %d, %s: %.1f", (int)pairs[i][0],
					 (int)pairs[i][1], sight_names[s], lab_distance(a, b));
		}
}

static void test_builtins(void **state)
{
	(void)state;
	for (const struct theme_builtin *t = theme_builtins; t->name; t++) {
		struct theme theme;
		struct error err;

		if (theme_parse(t->text, &theme, &err))
			fail_msg("%s: %s", t->name, err.text);
	}
	assert_non_null(theme_builtin_find("default"));
	assert_null(theme_builtin_find("nonsense"));
}

static void assert_color(struct color color, bool set, unsigned rgb)
{
	assert_int_equal(color.set, set);
	if (set)
		assert_int_equal(color.red << 16 | color.green << 8 | color.blue, rgb);
}

/* A theme as btop's users write them. */
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
	struct theme theme;
	struct error err;

	(void)state;
	assert_int_equal(theme_parse(text, &theme, &err), 0);
	assert_color(theme.styles[STYLE_PLAIN].background, true, 0x000000);
	assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0xcccccc);
	assert_color(theme.styles[STYLE_KEY].foreground, true, 0x141eff);
	assert_color(theme.styles[STYLE_SELECTED].background, true, 0xabcdef);
	assert_color(theme.styles[STYLE_DIM].foreground, false, 0);
	assert_color(theme.styles[STYLE_METER_MID].foreground, true, 0x7f7f7f);
	assert_color(theme.styles[STYLE_BAD].foreground, true, 0xffffff);
	assert_color(theme.styles[STYLE_TITLE].foreground, true, 0x123456);
}

static void test_parse_refused(void **state)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "no theme: it has no line like theme[main_fg]=\"#cccccc\""},
		{"theme[unknown]=\"#00\"\n",
		 "no theme: it has no line like theme[main_fg]=\"#cccccc\""},
		{"\n\ntheme[main_fg]=\"#12345\"\n",
		 "line 3: '#12345' is no colour: write #rrggbb, #bw or \"r g b\""},
		{"theme[main_fg]=\"1 2 256\"",
		 "line 1: '1 2 256' is no colour: write #rrggbb, #bw or \"r g b\""},
		{"theme[main_fg]=\"red\"",
		 "line 1: 'red' is no colour: write #rrggbb, #bw or \"r g b\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct theme theme;
		struct error err;

		assert_int_equal(theme_parse(rows[i].text, &theme, &err), -EINVAL);
		assert_string_equal(err.text, rows[i].error);
	}
}

static void test_load(void **state)
{
	char dir[] = "/tmp/pmctop-theme-XXXXXX", path[64], empty[64];
	struct theme theme;
	struct error err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/mine.theme", dir);
	snprintf(empty, sizeof(empty), "%s/empty", dir);

	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("theme[main_fg]=\"#010203\"\n", file);
	fclose(file);
	file = fopen(empty, "w");
	assert_non_null(file);
	fclose(file);

	assert_int_equal(theme_load("mine", dir, &theme, &err), 0);
	assert_color(theme.styles[STYLE_PLAIN].foreground, true, 0x010203);
	assert_int_equal(theme_load(path, NULL, &theme, &err), 0);
	assert_int_equal(theme_load("mine", NULL, &theme, &err), -ENOENT);
	assert_int_equal(theme_load("../mine", dir, &theme, &err), -ENOENT);
	assert_int_equal(theme_load("defualt", dir, &theme, &err), -ENOENT);
	assert_string_equal(err.text, "Unknown theme 'defualt' (did you mean 'default'?): "
				      "neither built in (default) nor a file.");
	assert_int_equal(theme_load(empty, NULL, &theme, &err), -EINVAL);
	assert_int_equal(theme_load(dir, NULL, &theme, &err), -EIO);
	unlink(path);
	unlink(empty);
	rmdir(dir);
}

static void test_color_index(void **state)
{
	static const struct {
		struct color color;
		int at_8, at_16, at_256, at_rgb;
	} rows[] = {
		{{false, 0, 0, 0}, -1, -1, -1, -1},
		{{true, 0, 0, 0}, 0, 0, 16, 0},
		{{true, 0xff, 0xff, 0xff}, 7, 15, 231, 0xffffff},
		{{true, 0x80, 0x80, 0x80}, 7, 8, 244, 0x808080},
		{{true, 0xff, 0, 0}, 1, 1, 196, 0xff0000},
		{{true, 0xb5, 0x89, 0x00}, 3, 3, 136, 0xb58900},
		{{true, 0xd2, 0x4a, 0x5c}, 1, 1, 167, 0xd24a5c},
		{{true, 0x2f, 0x8f, 0xd0}, 6, 6, 32, 0x2f8fd0},
		{{true, 0x9a, 0x78, 0xd0}, 4, 4, 104, 0x9a78d0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_MONO), -1);
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_8), rows[i].at_8);
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_16), rows[i].at_16);
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_256), rows[i].at_256);
		assert_int_equal(color_index(rows[i].color, COLOR_DEPTH_RGB), rows[i].at_rgb);
	}
	for (unsigned rgb = 0; rgb < 1 << 24; rgb += 4099) {
		struct color color = {true, (uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8),
				      (uint8_t)rgb};
		int at_8 = color_index(color, COLOR_DEPTH_8);
		int at_16 = color_index(color, COLOR_DEPTH_16);
		int at_256 = color_index(color, COLOR_DEPTH_256);

		assert_true(at_8 >= 0 && at_8 < 8 && at_16 >= 0 && at_16 < 16);
		assert_true(at_256 >= 16 && at_256 < 256);
	}
}

/* White text must not stand on a light ground when colours are few. */
static void test_color_index_on(void **state)
{
	static const struct color white = {true, 0xff, 0xff, 0xff};
	static const struct color cyan = {true, 0x2f, 0x8f, 0xd0}, blue = {true, 0x2a, 0x5f, 0xae};
	struct theme theme = load_default();
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
		cmocka_unit_test(test_contrast),      cmocka_unit_test(test_color_blind),
		cmocka_unit_test(test_builtins),      cmocka_unit_test(test_parse_btop),
		cmocka_unit_test(test_parse_refused), cmocka_unit_test(test_load),
		cmocka_unit_test(test_color_index),   cmocka_unit_test(test_color_index_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
