// SPDX-License-Identifier: MIT
#include "layout.h"

/* From how many lines on a part is shown: the list must keep the greater share. */
enum {
	TITLE_FROM = 4,
	TOTALS_FROM = 7,
	BOTTOM_FROM = 8,
	BANNER_FROM = 10,
	CPUS_FROM = 14,
	VERDICT_FROM = 20,
	LARGE_FROM = 40,
	BANNER_LINES = 2,
	CPU_LINES = 3,
	CPU_LINES_LARGE = 8,
};

static struct rect take_lines(unsigned width, unsigned *y, unsigned lines)
{
	struct rect rect = {.y = *y, .width = lines ? width : 0, .height = lines};

	*y += lines;
	return rect;
}

static unsigned cpu_lines(unsigned height, unsigned wanted)
{
	unsigned most = height >= LARGE_FROM ? CPU_LINES_LARGE : CPU_LINES;

	if (height < CPUS_FROM)
		return 0;
	return wanted < most ? wanted : most;
}

static unsigned banner_lines(unsigned height, unsigned wanted)
{
	unsigned most = height >= CPUS_FROM ? BANNER_LINES : height >= BANNER_FROM ? 1 : 0;

	return wanted < most ? wanted : most;
}

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want)
{
	struct layout layout = {0};
	unsigned y = 0;

	layout.title = take_lines(width, &y, height >= TITLE_FROM);
	layout.totals = take_lines(width, &y, height >= TOTALS_FROM);
	layout.verdict = take_lines(width, &y, want->verdict && height >= VERDICT_FROM);
	layout.cpus =
		(struct rect){.y = y, .width = width, .height = cpu_lines(height, want->cpu_lines)};
	y += layout.cpus.height;
	layout.banner = take_lines(width, &y, banner_lines(height, want->banner));

	unsigned bottom = height >= BOTTOM_FROM || (want->prompt && height > 0) ? 1 : 0;

	layout.body = (struct rect){.y = y, .width = width, .height = height - y - bottom};
	layout.bottom = (struct rect){.y = height - bottom, .width = width, .height = bottom};
	return layout;
}
