// SPDX-License-Identifier: MIT
#ifndef PMCTOP_COLOR_H
#define PMCTOP_COLOR_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* A 24-bit colour, and the nearest that poorer terminals have. Pure. */
struct color {
	bool set; /* false: the terminal's own foreground or background */
	uint8_t red, green, blue;
};

/* How many colours there are to draw with. */
enum color_depth {
	COLOR_DEPTH_MONO,
	COLOR_DEPTH_8,
	COLOR_DEPTH_16,
	COLOR_DEPTH_256,
	COLOR_DEPTH_RGB,
};

/* btop's spellings: "#rrggbb", "#bw" (a grey), "red green blue" in 0-255, "" for not set. */
int color_parse(const char *text, struct color *color, struct error *err);

/* The midpoint of two colours; if only one is set, that one. */
struct color color_mix(struct color a, struct color b);

/*
 * The colour's number at a depth; -1 if it is not set or the depth is mono. 256: the nearest of the
 * 6x6x6 cube and the grey ramp (16-255), because users redefine 0-15. 16 and 8: chosen by hue.
 */
int color_index(struct color color, enum color_depth depth);

/*
 * The same for text on a background. If fewer colours lower the contrast (WCAG 2) below 3, it
 * returns the nearest colour with enough contrast: white text on a colour rounded to cyan would be
 * unreadable.
 */
int color_index_on(struct color color, struct color background, enum color_depth depth);

/* The colour of a number below 256, in xterm's palette. */
struct color color_of_index(int index);

#endif
