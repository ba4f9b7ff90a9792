// SPDX-License-Identifier: MIT
/*
 * The processes behind the count of an event. A count is split among tasks that ran, so the shares
 * need not add up to 100 %.
 */
#include "tui/panel/event_rows.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"
#include "core/view/view.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ID_WIDTH = 7,
	COUNT_WIDTH = 9, /* a number and its mark */
	SHARE_WIDTH = 7,
	GAP = 2,
};

/* A process and its count. */
struct event_row {
	const struct row *row;
	struct figure count;
};

static int compare_counts(const void *item_a, const void *item_b)
{
	const struct event_row *a = item_a, *b = item_b;

	if (a->count.value != b->count.value)
		return a->count.value > b->count.value ? -1 : 1;
	return a->row->pid < b->row->pid ? -1 : a->row->pid > b->row->pid;
}

static void draw_row(const struct event_row *row, const struct metric_def *def, double whole,
		     struct canvas *canvas, struct rect line)
{
	unsigned x = line.x, end = line.x + line.width;
	struct cell cell;
	char text[64];

	snprintf(text, sizeof(text), "%d", (int)row->row->pid);
	canvas_text_right(canvas, x, line.y, ID_WIDTH, STYLE_ID, text);
	x += ID_WIDTH + 1;
	figure_format(def, row->count, &cell);
	canvas_text_right(canvas, x, line.y, COUNT_WIDTH, style_of_cell(cell.role), cell.text);
	x += COUNT_WIDTH + 1;
	text_percent(text, sizeof(text), row->count.value / whole);
	canvas_text_right(canvas, x, line.y, SHARE_WIDTH, STYLE_PLAIN, text);
	x += SHARE_WIDTH + GAP;
	text_printable(text, sizeof(text), row->row->comm, sizeof(row->row->comm));
	if (x < end)
		canvas_text_ellipsis(canvas, x, line.y, end - x, STYLE_NAME, text);
}

void event_rows_draw(const struct snapshot *snapshot, size_t event, struct figure whole,
		     struct canvas *canvas, struct rect rect)
{
	const struct columns *columns = snapshot->columns;
	const struct event *its = &columns->events.items[event];
	const struct metric_def def = {.width = 7, .decimals = its->scale == 1 ? 0 : 2};
	struct rows rows;
	size_t n = 0;
	char title[128];

	if (rect.height < 2 || !figure_known(whole) || whole.value <= 0)
		return;
	rollup_tallies(snapshot, ROLLUP_PROCESS, &rows);
	struct event_row *counted = xcalloc(rows.n + 1, sizeof(*counted));
	for (size_t i = 0; i < rows.n; i++) {
		const struct metric_input input = {
			.events = &columns->events,
			.plan = columns->plan,
			.tally = rows_tally(columns, &rows, i),
			.lost = rows.items[i].flags & ROW_LOST,
		};
		struct figure count =
			metric_read_one(&columns->event_readings.items[event], &input);
		if (figure_known(count) && count.value > 0)
			counted[n++] = (struct event_row){&rows.items[i], count};
	}
	qsort(counted, n, sizeof(*counted), compare_counts);
	snprintf(title, sizeof(title), "%.100s by process", event_label(its));
	canvas_text_ellipsis(canvas, rect.x, rect.y, rect.width, STYLE_TITLE, title);
	for (size_t i = 0; i < n && i + 1 < rect.height; i++)
		draw_row(&counted[i], &def, whole.value, canvas,
			 (struct rect){rect.x, rect.y + 1 + (unsigned)i, rect.width, 1});
	free(counted);
	rows_fini(&rows);
}
