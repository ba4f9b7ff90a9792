// SPDX-License-Identifier: MIT
/*
 * Terminals with 256 colours have a 6x6x6 cube (16-231) and a grey ramp (232-255). Those with 16 or
 * 8 have ANSI's, which are names (red, yellow) more than colours, so they are chosen by hue.
 */
#include "tui/term/color.h"

#include "core/base/util.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int hex_digits(const char *text, size_t n, unsigned *value)
{
	*value = 0;
	for (size_t i = 0; i < n; i++) {
		const char *digits = "0123456789abcdef", *found;
		char lower = (char)(text[i] >= 'A' && text[i] <= 'F' ? text[i] + 32 : text[i]);

		if (!lower || !(found = strchr(digits, lower)))
			return -EINVAL;
		*value = *value * 16 + (unsigned)(found - digits);
	}
	return 0;
}

static struct color from_rgb(unsigned red, unsigned green, unsigned blue)
{
	return (struct color){true, (uint8_t)red, (uint8_t)green, (uint8_t)blue};
}

int color_parse(const char *text, struct color *color, struct error *err)
{
	size_t length = strlen(text);
	unsigned value, red, green, blue;
	char rest;

	*color = (struct color){0};
	if (length == 0)
		return 0;
	if (length == 7 && text[0] == '#' && !hex_digits(text + 1, 6, &value)) {
		*color = from_rgb(value >> 16, value >> 8 & 0xff, value & 0xff);
		return 0;
	}
	if (length == 3 && text[0] == '#' && !hex_digits(text + 1, 2, &value)) {
		*color = from_rgb(value, value, value);
		return 0;
	}
	if (sscanf(text, "%3u %3u %3u%c", &red, &green, &blue, &rest) == 3 && red < 256 &&
	    green < 256 && blue < 256) {
		*color = from_rgb(red, green, blue);
		return 0;
	}
	return error_set(err, -EINVAL, "Invalid colour '%.40s' (#rrggbb, #bw or \"r g b\")", text);
}

struct color color_mix(struct color a, struct color b)
{
	if (!a.set)
		return b;
	if (!b.set)
		return a;
	return from_rgb((a.red + b.red) / 2u, (a.green + b.green) / 2u, (a.blue + b.blue) / 2u);
}

static unsigned distance(struct color color, unsigned red, unsigned green, unsigned blue)
{
	int dr = color.red - (int)red, dg = color.green - (int)green, db = color.blue - (int)blue;

	/* Approximate weights of the eye for red, green and blue. */
	return (unsigned)(2 * dr * dr + 4 * dg * dg + 3 * db * db);
}

static unsigned cube_step(unsigned char channel)
{
	if (channel < 48)
		return 0;
	if (channel < 115)
		return 1;
	return (channel - 35u) / 40u;
}

/* The levels of xterm's cube: 0 95 135 175 215 255. */
static unsigned cube_level(unsigned step)
{
	return step ? 55 + 40 * step : 0;
}

static int index_256(struct color color)
{
	unsigned r = cube_step(color.red), g = cube_step(color.green), b = cube_step(color.blue);
	unsigned cube = distance(color, cube_level(r), cube_level(g), cube_level(b));
	unsigned mean = (color.red + color.green + color.blue) / 3u;
	unsigned step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
	unsigned grey = 8 + 10 * step;

	if (distance(color, grey, grey, grey) < cube)
		return (int)(232 + step);
	return (int)(16 + 36 * r + 6 * g + b);
}

/* The ANSI number of the hue, by sectors of 60 degrees. */
static int hue_index(struct color color, int high, int low)
{
	static const int ansi[] = {1, 3, 2, 6, 4, 5};
	int red = color.red, green = color.green, blue = color.blue;
	int chroma = high - low, degrees;

	if (high == red)
		degrees = 60 * (green - blue) / chroma + 360;
	else if (high == green)
		degrees = 60 * (blue - red) / chroma + 120;
	else
		degrees = 60 * (red - green) / chroma + 240;
	return ansi[(degrees + 30) % 360 / 60];
}

static int greatest(int a, int b, int c)
{
	int most = a > b ? a : b;

	return most > c ? most : c;
}

static bool is_grey(struct color color)
{
	int high = greatest(color.red, color.green, color.blue);
	int low = -greatest(-color.red, -color.green, -color.blue);

	return (high - low) * 4 <= high;
}

static int index_16(struct color color)
{
	enum { DARK = 80 }; /* darker colours are black: their hue would be too bright */
	int high = greatest(color.red, color.green, color.blue);
	int low = -greatest(-color.red, -color.green, -color.blue);

	if (high < DARK)
		return 0;
	if (is_grey(color)) {
		if (high < 160)
			return 8;
		return high < 224 ? 7 : 15;
	}
	return hue_index(color, high, low) + (high > 224 && low > 64 ? 8 : 0);
}

int color_index(struct color color, enum color_depth depth)
{
	if (!color.set)
		return -1;
	switch (depth) {
	case COLOR_DEPTH_MONO:
		return -1;
	case COLOR_DEPTH_8: {
		int index = index_16(color);

		return index == 8 ? 7 : index % 8;
	}
	case COLOR_DEPTH_16:
		return index_16(color);
	case COLOR_DEPTH_256:
		return index_256(color);
	case COLOR_DEPTH_RGB:
		return color.red << 16 | color.green << 8 | color.blue;
	}
	return -1;
}

static double linear(unsigned channel)
{
	double c = channel / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

#define READABLE 3.0

/* WCAG 2's ratio, from 1 to 21. */
static double contrast(struct color a, struct color b)
{
	double la = 0.2126 * linear(a.red) + 0.7152 * linear(a.green) + 0.0722 * linear(a.blue);
	double lb = 0.2126 * linear(b.red) + 0.7152 * linear(b.green) + 0.0722 * linear(b.blue);

	return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

/* xterm's default colours. */
static const struct color xterm_colors[] = {
	{true, 0x00, 0x00, 0x00}, {true, 0xcd, 0x00, 0x00}, {true, 0x00, 0xcd, 0x00},
	{true, 0xcd, 0xcd, 0x00}, {true, 0x00, 0x00, 0xee}, {true, 0xcd, 0x00, 0xcd},
	{true, 0x00, 0xcd, 0xcd}, {true, 0xe5, 0xe5, 0xe5}, {true, 0x7f, 0x7f, 0x7f},
	{true, 0xff, 0x00, 0x00}, {true, 0x00, 0xff, 0x00}, {true, 0xff, 0xff, 0x00},
	{true, 0x5c, 0x5c, 0xff}, {true, 0xff, 0x00, 0xff}, {true, 0x00, 0xff, 0xff},
	{true, 0xff, 0xff, 0xff},
};

struct color color_of_index(int index)
{
	unsigned at = (unsigned)index;

	if (at < ARRAY_SIZE(xterm_colors))
		return xterm_colors[at];
	if (at >= 232)
		return from_rgb(8 + 10 * (at - 232), 8 + 10 * (at - 232), 8 + 10 * (at - 232));
	at -= 16;
	return from_rgb(cube_level(at / 36), cube_level(at / 6 % 6), cube_level(at % 6));
}

int color_index_on(struct color color, struct color background, enum color_depth depth)
{
	static const struct {
		int first, end;
	} ranges[] = {
		[COLOR_DEPTH_8] = {0, 8},
		[COLOR_DEPTH_16] = {0, 16},
		[COLOR_DEPTH_256] = {16, 256},
	};
	int index = color_index(color, depth), ground = color_index(background, depth);

	if (depth == COLOR_DEPTH_RGB || index < 0 || ground < 0)
		return index;

	struct color on = color_of_index(ground);
	double enough = fmin(READABLE, contrast(color, background));
	unsigned least = UINT_MAX;

	if (contrast(color_of_index(index), on) >= enough)
		return index;
	for (int i = ranges[depth].first; i < ranges[depth].end; i++) {
		struct color other = color_of_index(i);
		unsigned far = distance(color, other.red, other.green, other.blue);

		/* A grey remains grey: black or white is readable on every background. */
		if (far < least && contrast(other, on) >= enough &&
		    (!is_grey(color) || is_grey(other))) {
			least = far;
			index = i;
		}
	}
	return index;
}
