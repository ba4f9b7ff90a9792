// SPDX-License-Identifier: MIT
/*
 * Strings, numbers and flags are read by the names of terminfo(5). Padding is a delay for terminals
 * of the time before flow control.
 */
#include "tui/term/terminfo.h"

#include "tui/term/paint.h"

#include <curses.h>
#include <string.h>

const char *terminfo_string(const char *name)
{
	const char *string = tigetstr(name);

	return string == (const char *)-1 ? NULL : string;
}

size_t terminfo_copy(char *to, size_t size, const char *string)
{
	size_t n = 0;

	while (*string && n < size) {
		const char *end = string[0] == '$' && string[1] == '<' ? strchr(string, '>') : NULL;

		if (end)
			string = end + 1;
		else
			to[n++] = *string++;
	}
	return *string ? 0 : n;
}

void sequence_add(struct sequence *sequence, const char *string)
{
	if (string)
		sequence->n += terminfo_copy(sequence->bytes + sequence->n,
					     sizeof(sequence->bytes) - sequence->n, string);
}

static enum color_depth read_depth(bool color, bool direct_color)
{
	int colors = tigetnum("colors");

	if (!color || colors < 8 || !terminfo_string("setaf") || !terminfo_string("setab"))
		return COLOR_DEPTH_MONO;
	if (colors > 256 || (colors == 256 && direct_color))
		return COLOR_DEPTH_RGB;
	if (colors == 256)
		return COLOR_DEPTH_256;
	return colors >= 16 ? COLOR_DEPTH_16 : COLOR_DEPTH_8;
}

static unsigned read_attributes(const struct terminfo *terminfo)
{
	if (tigetnum("xmc") > 0) /* a change of attributes takes a cell */
		return 0;
	return (terminfo->bold ? ATTRIBUTE_BOLD : 0) | (terminfo->dim ? ATTRIBUTE_DIM : 0) |
	       (terminfo->underline ? ATTRIBUTE_UNDERLINE : 0) |
	       (terminfo->reverse ? ATTRIBUTE_REVERSE : 0);
}

/* Returns the attributes of ncv (terminfo(5)), which this terminal cannot show in colour. */
static unsigned attributes_without_color(void)
{
	int bits = tigetnum("ncv");

	if (bits < 0)
		return 0;
	return (bits & 2 ? ATTRIBUTE_UNDERLINE : 0) | (bits & 4 ? ATTRIBUTE_REVERSE : 0) |
	       (bits & 16 ? ATTRIBUTE_DIM : 0) | (bits & 32 ? ATTRIBUTE_BOLD : 0);
}

struct terminfo terminfo_read(bool color, bool direct_color)
{
	struct terminfo terminfo = {
		.move = terminfo_string("cup"),
		.column = terminfo_string("hpa"),
		.row = terminfo_string("vpa"),
		.right = terminfo_string("cuf"),
		.down_lines = terminfo_string("cud"),
		.carriage_return = terminfo_string("cr"),
		.down = terminfo_string("cud1"),
		.left = terminfo_string("cub1"),
		.clear = terminfo_string("clear"),
		.scrolled_lines = terminfo_string("csr"),
		.clear_line = terminfo_string("el"),
		.erase = terminfo_string("ech"),
		.plain = terminfo_string("sgr0"),
		.bold = terminfo_string("bold"),
		.dim = terminfo_string("dim"),
		.underline = terminfo_string("smul"),
		.reverse = terminfo_string("rev"),
		.foreground = terminfo_string("setaf"),
		.background = terminfo_string("setab"),
		.own_colors = terminfo_string("op"),
		.hide_cursor = terminfo_string("civis"),
		.show_cursor = terminfo_string("cnorm"),
		.depth = read_depth(color, direct_color),
		.fills_background = tigetflag("bce") == 1,
		.wraps_at_once = tigetflag("am") == 1 && tigetflag("xenl") != 1,
	};

	terminfo.attributes = read_attributes(&terminfo);
	terminfo.attributes_in_color = terminfo.attributes & ~attributes_without_color();
	return terminfo;
}
