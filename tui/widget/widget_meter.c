// SPDX-License-Identifier: MIT
/*
 * A bar is drawn column by column. Each column is filled by eighths, and coloured by its place. The
 * figure hides the end of the bar, so its characters are reversed as far as the bar reaches: a bar
 * of 85 % and a full one differ.
 */
#include "tui/widget/widget_meter.h"

#include "core/base/text.h"

const unsigned meter_mid = 60, meter_high = 85;

static enum style bar_style(unsigned i, unsigned width)
{
	if (i * 100 < width * meter_mid)
		return STYLE_METER_LOW;
	return i * 100 < width * meter_high ? STYLE_METER_MID : STYLE_METER_HIGH;
}

static enum style figure_style_at(unsigned i, unsigned width)
{
	if (i * 100 < width * meter_mid)
		return STYLE_METER_LOW_FIGURE;
	return i * 100 < width * meter_high ? STYLE_METER_MID_FIGURE : STYLE_METER_HIGH_FIGURE;
}

static const char *bar_glyph(const struct canvas *canvas, unsigned eighths)
{
	static const char *const blocks[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

	if (canvas->ascii)
		return eighths >= 4 ? "#" : " ";
	return blocks[eighths];
}

static unsigned filled_eighths(double share, unsigned width)
{
	double clamped = share > 1 ? 1 : share > 0 ? share : 0;

	return (unsigned)(clamped * width * 8 + 0.5);
}

static const char *glyph_at(const struct canvas *canvas, unsigned eighths, unsigned i)
{
	unsigned here = eighths > i * 8 ? eighths - i * 8 : 0;

	return bar_glyph(canvas, here < 8 ? here : 8);
}

void bar_draw(struct canvas *canvas, unsigned x, unsigned y, unsigned width, double share)
{
	unsigned eighths = filled_eighths(share, width);

	for (unsigned i = 0; i < width; i++)
		canvas_text(canvas, x + i, y, 1, STYLE_METER_LOW, glyph_at(canvas, eighths, i));
}

void meter_draw(struct canvas *canvas, unsigned x, unsigned y, unsigned width, double share,
		const char *figure, enum style figure_style)
{
	if (width < 3)
		return;

	unsigned inner = width - 2, text = text_width(figure);
	unsigned eighths = filled_eighths(share, inner);

	canvas_text(canvas, x, y, 1, STYLE_METER_EMPTY, "[");
	for (unsigned i = 0; i < inner; i++)
		canvas_text(canvas, x + 1 + i, y, 1, bar_style(i, inner),
			    glyph_at(canvas, eighths, i));
	for (unsigned i = inner - text; text < inner && i < inner; i++)
		canvas_text(canvas, x + 1 + i, y, 1,
			    eighths >= i * 8 + 4 ? figure_style_at(i, inner) : figure_style,
			    &figure[i - (inner - text)]);
	canvas_text(canvas, x + 1 + inner, y, 1, STYLE_METER_EMPTY, "]");
}
