// SPDX-License-Identifier: MIT
/* The hottest functions of the row, if the snapshot has samples of code. */
#include "tui/panel/detail_internal.h"

#include "core/base/util.h"
#include "core/view/code_hottest.h"
#include "core/view/code_view.h"
#include "tui/panel/code_cells.h"

#include <stdio.h>

enum { FUNCTIONS_MOST = 10 };

static void draw_function(struct detail_pen *pen, const struct code_line *line, unsigned event)
{
	unsigned x = pen->rect.x, module = code_module_width(pen->rect.width);
	char share[64];

	code_share_text(&line->events[event], pen->canvas->ascii, share, sizeof(share));
	detail_pen_right(pen, &x, CODE_SHARE_WIDTH, STYLE_PLAIN, share);
	code_cell_module(pen->canvas, (struct rect){x, pen->y, module, 1}, line->function);
	x += module + 1;
	unsigned end = pen->rect.x + pen->rect.width;
	if (x < end)
		code_cell_function(pen->canvas, (struct rect){x, pen->y, end - x, 1},
				   line->function);
	pen->y++;
}

void detail_draw_functions(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	struct code_index *index = code_index_new(page->snapshot);
	struct code_view view;
	char rest[160];

	if (!index)
		return;
	const struct code_subject subject = {.key = page->subject->key};
	unsigned event = code_time_event(page->snapshot->code);
	code_view_init(index, &subject, event, &view);
	snprintf(rest, sizeof(rest), "%% of %llu samples of %.60s (w: all, with callers)",
		 (unsigned long long)view.totals[event].samples, view.profile->events[event].name);
	detail_pen_heading(pen, "Functions", rest);
	for (size_t i = 0; i < size_min(view.n, FUNCTIONS_MOST); i++)
		if (view.lines[i].events[event].samples > 0)
			draw_function(pen, &view.lines[i], event);
	pen->y++;
	code_view_fini(&view);
	code_index_free(index);
}
