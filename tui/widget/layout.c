// SPDX-License-Identifier: MIT
/*
 * A screen is divided from the top: title, totals, machine, findings, history, CPUs and note take
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
	FINDING_FROM = 20, /* one */
	FINDINGS_FROM = 24,
	MACHINE_FROM = 22,
	LARGE_FROM = 40,
	FINDING_LINES = 2,
	FINDING_LINES_LARGE = 4,
	CPU_LINES = 3,
	CPU_LINES_LARGE = 8,
	HISTORY_LINES = 3,
	SIDE_PERCENT = 36, /* of the width, right of the list */
	CPUS_PERCENT = 40, /* of the lines of the side, at most */
	GAP = 2,
	LIST_LEAST = 5,    /* lines of the list, though it needs fewer */
	LIST_KEPT = 14,    /* from FINDINGS_FROM on, lines that CPUs do not take: title, 13 rows */
	LIST_LINES = 18,   /* of a wide screen: so many are never taken from the list ... */
	DETAIL_LINES = 15, /* ... by these below it */
	DETAIL_LEAST = 8,  /* fewer free lines below the list stay with it */
};

static struct rect cut_lines(unsigned width, unsigned *y, unsigned lines)
{
	struct rect rect = {.y = *y, .width = lines ? width : 0, .height = lines};

	*y += lines;
	return rect;
}

/* `others`: the lines of all other parts, without the list. */
static unsigned cpu_lines(unsigned height, unsigned wanted, unsigned others)
{
	unsigned most = height >= LARGE_FROM ? CPU_LINES_LARGE : CPU_LINES;

	if (height < CPUS_FROM)
		return 0;
	if (height >= FINDINGS_FROM && height < others + LIST_KEPT + most)
		most = height > others + LIST_KEPT ? height - others - LIST_KEPT : 0;
	return wanted < most ? wanted : most;
}

static unsigned finding_lines(unsigned height)
{
	return height >= LARGE_FROM      ? FINDING_LINES_LARGE
	       : height >= FINDINGS_FROM ? FINDING_LINES
					 : height >= FINDING_FROM;
}

/* Lines of the list; the others go to the detail below it. */
static unsigned list_lines(unsigned height, bool wide, unsigned wanted)
{
	unsigned most = height;

	if (wide)
		most = height > LIST_LINES + DETAIL_LINES ? height - DETAIL_LINES : LIST_LINES;
	if (wanted < LIST_LEAST)
		wanted = LIST_LEAST;
	if (wanted > most)
		wanted = most;
	return height >= wanted + DETAIL_LEAST ? wanted : height;
}

/*
 * Divides the body of a large screen. The detail is below the list, and takes the lines that the
 * list does not need. On a wide screen CPUs and a side are right of both: the CPUs take what they
 * need, up to CPUS_PERCENT.
 */
static void divide_body(struct layout *layout, bool wide, const struct layout_want *want)
{
	struct rect body = layout->body;
	unsigned side = wide ? body.width * SIDE_PERCENT / 100 : 0;
	unsigned lines = list_lines(body.height, wide, want->list_lines);

	layout->body.height = lines;
	layout->body.width -= wide ? side + GAP : 0;
	layout->detail =
		(struct rect){body.x, body.y + lines, layout->body.width, body.height - lines};
	if (!wide)
		return;
	unsigned cpus = want->cpu_lines > 0 ? want->cpu_lines + 1 : 0; /* with a title */
	if (cpus > body.height * CPUS_PERCENT / 100)
		cpus = body.height * CPUS_PERCENT / 100;
	unsigned x = body.x + body.width - side;
	layout->cpus = (struct rect){x, body.y, side, cpus};
	layout->side = (struct rect){x, body.y + cpus, side, body.height - cpus};
}

struct layout layout_screen(unsigned width, unsigned height, const struct layout_want *want)
{
	struct layout layout = {0};
	bool wide = height >= LARGE_FROM && width >= LAYOUT_WIDE, more = wide && want->more;
	unsigned y = 0;

	layout.title = cut_lines(width, &y, height >= TITLE_FROM);
	layout.totals = cut_lines(width, &y, height >= TOTALS_FROM);
	layout.machine = cut_lines(width, &y, want->machine && height >= MACHINE_FROM);
	layout.findings = cut_lines(width, &y, want->findings ? finding_lines(height) : 0);
	layout.history = cut_lines(width, &y, wide && want->history ? HISTORY_LINES : 0);

	unsigned bottom = height >= BOTTOM_FROM || (want->prompt && height > 0) ? 1 : 0;
	unsigned banner = want->banner && height >= BANNER_FROM ? 1 : 0;

	layout.cpus = (struct rect){
		.y = y,
		.width = width,
		.height = more ? 0 : cpu_lines(height, want->cpu_lines, y + banner + bottom),
	};
	y += layout.cpus.height;
	layout.banner = cut_lines(width, &y, banner);
	layout.body = (struct rect){.y = y, .width = width, .height = height - y - bottom};
	layout.bottom = (struct rect){.y = height - bottom, .width = width, .height = bottom};
	if (want->more && height >= LARGE_FROM)
		divide_body(&layout, wide, want);
	return layout;
}
