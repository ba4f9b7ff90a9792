// SPDX-License-Identifier: MIT
/*
 * All attributes and colours are parameters of one sequence, SGR (\e[...m). Either the parameters
 * that differ are sent, or a reset (0) and all that the paint has.
 */
#include "tui/term/paint_change.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

/* Adds the parameters of \e[...m. Returns false if the string is another one. */
static bool parameters_add(struct sequence *parameters, const char *string)
{
	struct sequence sequence = {.n = 0};
	const char *bytes = sequence.bytes;

	sequence_add(&sequence, string);
	if (sequence.n < 4 || bytes[0] != '\033' || bytes[1] != '[' ||
	    bytes[sequence.n - 1] != 'm' || parameters->n + sequence.n > sizeof(parameters->bytes))
		return false;
	if (parameters->n > 0)
		parameters->bytes[parameters->n++] = ';';
	memcpy(parameters->bytes + parameters->n, bytes + 2, sequence.n - 3);
	parameters->n += sequence.n - 3;
	return true;
}

static void add_attributes(const struct terminfo *terminfo, struct sequence *parameters,
			   unsigned attributes)
{
	if (attributes & ATTRIBUTE_BOLD)
		parameters_add(parameters, terminfo->bold);
	if (attributes & ATTRIBUTE_DIM)
		parameters_add(parameters, terminfo->dim);
	if (attributes & ATTRIBUTE_UNDERLINE)
		parameters_add(parameters, terminfo->underline);
	if (attributes & ATTRIBUTE_REVERSE)
		parameters_add(parameters, terminfo->reverse);
}

/* The number in xterm's palette, of the 6x6x6 cube or the grey ramp; -1: it has no such colour. */
static int palette_number(int rgb)
{
	int red = rgb >> 16 & 0xff, green = rgb >> 8 & 0xff, blue = rgb & 0xff;
	struct color color = {true, (uint8_t)red, (uint8_t)green, (uint8_t)blue};
	int index = color_index(color, COLOR_DEPTH_256);
	struct color nearest = color_of_index(index);

	return memcmp(&color, &nearest, sizeof(color)) == 0 ? index : -1;
}

/*
 * A colour that is not the terminal's own. All terminals with 24 bits understand
 * ISO 8613-6's form with semicolons. Numbers of the palette are shorter.
 */
static void add_color(const struct terminfo *terminfo, struct sequence *parameters, int number,
		      bool back)
{
	const char *string = back ? terminfo->background : terminfo->foreground;
	char direct[32];
	int palette;

	if (terminfo->depth != COLOR_DEPTH_RGB) {
		if (string)
			parameters_add(parameters, tiparm(string, number));
		return;
	}
	palette = palette_number(number);
	if (palette >= 0)
		snprintf(direct, sizeof(direct), "\033[%d;5;%dm", back ? 48 : 38, palette);
	else
		snprintf(direct, sizeof(direct), "\033[%d;2;%d;%d;%dm", back ? 48 : 38,
			 number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
	parameters_add(parameters, direct);
}

/* Returns false if no sequence sets this colour alone. */
static bool add_color_change(const struct terminfo *terminfo, struct sequence *parameters, int from,
			     int to, bool back)
{
	if (from == to)
		return true;
	if (to >= 0) {
		add_color(terminfo, parameters, to, back);
		return true;
	}
	if (!terminfo->own_colors || strcmp(terminfo->own_colors, "\033[39;49m") != 0)
		return false;
	return parameters_add(parameters, back ? "\033[49m" : "\033[39m");
}

/* From any paint. */
static void complete_look(const struct terminfo *terminfo, const struct paint *to,
			  struct sequence *parameters)
{
	add_attributes(terminfo, parameters, to->attributes);
	if (to->foreground >= 0)
		add_color(terminfo, parameters, to->foreground, false);
	if (to->background >= 0)
		add_color(terminfo, parameters, to->background, true);
}

/* Returns false if an attribute must be taken away. */
static bool change_look(const struct terminfo *terminfo, const struct paint *from,
			const struct paint *to, struct sequence *parameters)
{
	if (from->attributes & ~to->attributes)
		return false;
	add_attributes(terminfo, parameters, to->attributes & ~from->attributes);
	return add_color_change(terminfo, parameters, from->foreground, to->foreground, false) &&
	       add_color_change(terminfo, parameters, from->background, to->background, true);
}

/* Whether the terminal resets paints with \e[m, or with that at the end (\e(B\e[m). */
static bool has_reset(const struct terminfo *terminfo)
{
	return terminfo->plain && strstr(terminfo->plain, "\033[");
}

void paint_change(const struct terminfo *terminfo, const struct paint *from, const struct paint *to,
		  struct text_buffer *bytes)
{
	struct sequence change = {.n = 0}, complete = {.n = 0};
	bool changed;

	if (!has_reset(terminfo) || (from && paint_equals(from, to)))
		return;
	changed = from && change_look(terminfo, from, to, &change);
	complete_look(terminfo, to, &complete);
	if (changed && change.n == 0)
		return;
	text_buffer_add_text(bytes, "\033[");
	if (changed && change.n <= complete.n + (complete.n ? 2 : 0)) {
		text_buffer_add(bytes, change.bytes, change.n);
	} else if (complete.n > 0) {
		text_buffer_add_text(bytes, "0;");
		text_buffer_add(bytes, complete.bytes, complete.n);
	}
	text_buffer_add_text(bytes, "m");
}
