// SPDX-License-Identifier: MIT
#include "color.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
	return error_set(err, -EINVAL, "'%.40s' is no colour: write #rrggbb, #bw or \"r g b\"",
			 text);
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

	/* The eye's weights, roughly. */
	return (unsigned)(2 * dr * dr + 4 * dg * dg + 3 * db * db);
}

static unsigned cube_step(unsigned char channel)
{
	/* xterm's levels: 0 95 135 175 215 255 */
	if (channel < 48)
		return 0;
	if (channel < 115)
		return 1;
	return (channel - 35u) / 40u;
}

static int index_256(struct color color)
{
	static const unsigned levels[] = {0, 95, 135, 175, 215, 255};
	unsigned r = cube_step(color.red), g = cube_step(color.green), b = cube_step(color.blue);
	unsigned cube = distance(color, levels[r], levels[g], levels[b]);
	unsigned mean = (color.red + color.green + color.blue) / 3u;
	unsigned step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
	unsigned grey = 8 + 10 * step;

	if (distance(color, grey, grey, grey) < cube)
		return (int)(232 + step);
	return (int)(16 + 36 * r + 6 * g + b);
}

/* Red, yellow, green, cyan, blue, magenta by sectors of 60 degrees, as ANSI numbers them. */
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

static int index_16(struct color color)
{
	int high = greatest(color.red, color.green, color.blue);
	int low = -greatest(-color.red, -color.green, -color.blue);

	if ((high - low) * 4 <= high) { /* a grey */
		if (high < 64)
			return 0;
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

int color_index_on(struct color color, struct color background, enum color_depth depth)
{
	int index = color_index(color, depth), ground = color_index(background, depth);

	if (depth != COLOR_DEPTH_8 && depth != COLOR_DEPTH_16)
		return index;
	/* Of the eight, black, red, blue and magenta are dark; ground is -1 where it is not set. */
	bool light = ground > 8 || ground == 2 || ground == 3 || ground == 6 || ground == 7;

	return light && (index == 7 || index == 15) ? 0 : index;
}
