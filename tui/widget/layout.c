// SPDX-License-Identifier: MIT
/*
 * A screen is divided from the top: title, totals, machine, verdict, history, CPUs and note take
 * their lines, the last line is the key bar or prompt, and the rest is the body. Each part has a
 * least height of the screen from which it is shown, so that the list keeps the greater share.
 */
#include "tui/widget/layout.h"

/* Least height of the screen, in lines, for each part. */
enum {
	TITLE_FROM = 4,
	TOTALS_FROM = 7,
	BOTTOM_FROM = 8,
	BANNER_FROM = 10,
	CPUS_FROM = 14,
	VERDICT_FROM = 20,
	MACHINE_FROM = 22,
	LARGE_FROM = 40,
	BANNER_LINES = 2,
	CPU_LINES = 3,
	CPU_LINES_LARGE = 8,
	HISTORY_LINES = 3,
	SIDE_WIDTH = 64,
	GAP = 2,
	LIST_LINES = 18,   /* lines of the list at least; further lines ... */
	DETAIL_LINES = 22, /* ... go to the detail, up to this number */
};

static struct rect cut_lines(unsigned width, unsigned *y, unsigned lines)
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

/* Divides the body of a large screen: CPUs right of the list, the detail below both. */
static void divide_body(struct layout *layout, bool has_cpus)
{
	struct rect body = layout->body;
	unsigned more = body.height > LIST_LINES ? body.height - LIST_LINES : 0;
	unsigned detail = more < DETAIL_LINES ? more : DETAIL_LINES;
	unsigned height = body.height - detail;

	layout->body = (struct rect){body.x, body.y, body.width, height};
	if (has_cpus) {
		layout->body.width -= SIDE_WIDTH + GAP;
		layout->cpus =
			(struct rect){body.x + body.width - SIDE_WIDTH, body.y, SIDE_WIDTH, height};
	}
	layout->detail = (struct rect){body.x, body.y + height, body.width, detail};
}

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want)
{
	struct layout layout = {0};
	bool large = height >= LARGE_FROM && width >= LAYOUT_WIDE, more = large && want->more;
	unsigned y = 0;

	layout.title = cut_lines(width, &y, height >= TITLE_FROM);
	layout.totals = cut_lines(width, &y, height >= TOTALS_FROM);
	layout.machine = cut_lines(width, &y, want->machine && height >= MACHINE_FROM);
	layout.verdict = cut_lines(width, &y, want->verdict && height >= VERDICT_FROM);
	layout.history = cut_lines(width, &y, large && want->history ? HISTORY_LINES : 0);
	layout.cpus = (struct rect){
		.y = y,
		.width = width,
		.height = more ? 0 : cpu_lines(height, want->cpu_lines),
	};
	y += layout.cpus.height;
	layout.banner = cut_lines(width, &y, banner_lines(height, want->banner));

	unsigned bottom = height >= BOTTOM_FROM || (want->prompt && height > 0) ? 1 : 0;

	layout.body = (struct rect){.y = y, .width = width, .height = height - y - bottom};
	layout.bottom = (struct rect){.y = height - bottom, .width = width, .height = bottom};
	if (more)
		divide_body(&layout, want->cpu_lines > 0);
	return layout;
}
