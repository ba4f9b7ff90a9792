// SPDX-License-Identifier: MIT
#include "layout.h"

/* From how many lines on a part is shown: the list must keep the greater share. */
enum {
	TITLE_FROM = 4,
	TOTALS_FROM = 7,
	BOTTOM_FROM = 8,
	BANNER_FROM = 10,
	CPUS_FROM = 14,
	LARGE_FROM = 40,
	CPU_LINES = 3,
	CPU_LINES_LARGE = 8,
};

static struct rect take_line(unsigned width, unsigned *y, bool wanted)
{
	if (!wanted)
		return (struct rect){.y = *y};
	return (struct rect){.y = (*y)++, .width = width, .height = 1};
}

static unsigned cpu_lines(unsigned height, unsigned wanted)
{
	unsigned most = height >= LARGE_FROM ? CPU_LINES_LARGE : CPU_LINES;

	if (height < CPUS_FROM)
		return 0;
	return wanted < most ? wanted : most;
}

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want)
{
	struct layout layout = {0};
	unsigned y = 0;

	layout.title = take_line(width, &y, height >= TITLE_FROM);
	layout.totals = take_line(width, &y, height >= TOTALS_FROM);
	layout.cpus =
		(struct rect){.y = y, .width = width, .height = cpu_lines(height, want->cpu_lines)};
	y += layout.cpus.height;
	layout.banner = take_line(width, &y, want->banner && height >= BANNER_FROM);

	unsigned bottom = height >= BOTTOM_FROM || (want->prompt && height > 0) ? 1 : 0;

	layout.body = (struct rect){.y = y, .width = width, .height = height - y - bottom};
	layout.bottom = (struct rect){.y = height - bottom, .width = width, .height = bottom};
	return layout;
}
