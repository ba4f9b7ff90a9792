// SPDX-License-Identifier: MIT
/*
 * The threads of a detail page, the busiest first. Between the ids and the command stand the
 * metrics that have a graph, in the order of the graphs, as many as fit.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/text.h"
#include "core/view/view.h"

#include <stdio.h>

enum {
	THREADS_MAX = 100,
	ID_WIDTH = 7,
	USER_WIDTH = 8,
	COMMAND_WIDTH = 15,
};

/* Columns in front of the metrics. */
struct thread_columns {
	bool pid, user, here;
	size_t n_metrics; /* number of metrics that fit */
};

static unsigned metric_width(const struct columns *columns, size_t metric)
{
	unsigned number = columns->metrics[metric].def->width + 1;
	unsigned title = text_width(columns->metrics[metric].title);

	return title > number ? title : number;
}

static void fit_threads(const struct detail_pen *pen, struct thread_columns *fit)
{
	const struct columns *columns = pen->page->snapshot->columns;
	const struct detail_subject *subject = pen->page->subject;
	unsigned used;

	*fit = (struct thread_columns){
		.pid = subject->key.kind != HISTORY_PROCESS,
		.user = detail_subject_is_of_cpus(subject) || subject->key.kind == HISTORY_CGROUP,
		.here = detail_subject_is_of_cpus(subject),
	};
	used = (fit->pid ? ID_WIDTH + 1 : 0) + ID_WIDTH + 1 + (fit->user ? USER_WIDTH + 1 : 0) +
	       (fit->here ? DETAIL_SHARE_WIDTH + 1 : 0) + COMMAND_WIDTH;
	while (fit->n_metrics < pen->n_graphs) {
		used += metric_width(columns, pen->graphs[fit->n_metrics]) + 1;
		if (used > pen->rect.width)
			return;
		fit->n_metrics++;
	}
}

static void draw_threads_header(struct detail_pen *pen, const struct thread_columns *fit)
{
	const struct columns *columns = pen->page->snapshot->columns;
	unsigned x = pen->rect.x;

	canvas_fill(pen->canvas, (struct rect){x, pen->y, pen->rect.width, 1}, STYLE_HEADER);
	if (fit->pid)
		detail_pen_right(pen, &x, ID_WIDTH, STYLE_HEADER, "PID");
	detail_pen_right(pen, &x, ID_WIDTH, STYLE_HEADER, "TID");
	if (fit->user)
		detail_pen_left(pen, &x, USER_WIDTH, STYLE_HEADER, "USER");
	if (fit->here)
		detail_pen_right(pen, &x, DETAIL_SHARE_WIDTH, STYLE_HEADER, "%HERE");
	for (size_t i = 0; i < fit->n_metrics; i++)
		detail_pen_right(pen, &x, metric_width(columns, pen->graphs[i]), STYLE_HEADER,
				 columns->metrics[pen->graphs[i]].title);
	detail_pen_left(pen, &x, pen->rect.width, STYLE_HEADER, "COMMAND");
	pen->y++;
}

static void draw_thread(struct detail_pen *pen, const struct thread_columns *fit,
			const struct detail_thread *thread)
{
	const struct snapshot *snapshot = pen->page->snapshot;
	const struct columns *columns = snapshot->columns;
	const struct row *row = &snapshot->threads.items[thread->row];
	const struct shown_figures figures = {
		snapshot, rows_figures(columns, &snapshot->threads, thread->row),
		rows_tally(columns, &snapshot->threads, thread->row), row};
	unsigned x = pen->rect.x;
	char text[24];

	snprintf(text, sizeof(text), "%d", (int)row->pid);
	if (fit->pid)
		detail_pen_right(pen, &x, ID_WIDTH, STYLE_ID, text);
	snprintf(text, sizeof(text), "%d", (int)row->tid);
	detail_pen_right(pen, &x, ID_WIDTH, STYLE_ID, text);
	if (fit->user)
		detail_pen_left(pen, &x, USER_WIDTH, STYLE_PLAIN, row->user);
	text_fixed(text, sizeof(text), 100 * (double)thread->ns / (double)snapshot->interval_ns, 1);
	if (fit->here)
		detail_pen_right(pen, &x, DETAIL_SHARE_WIDTH, STYLE_PLAIN, text);
	for (size_t i = 0; i < fit->n_metrics; i++) {
		size_t metric = pen->graphs[i];
		struct cell cell;

		figure_show(&figures, metric, &cell);
		detail_pen_right(pen, &x, metric_width(columns, metric), style_of_cell(cell.role),
				 cell.text);
	}
	detail_pen_left(pen, &x, pen->rect.width, row->flags & ROW_EXITED ? STYLE_DIM : STYLE_NAME,
			row->comm);
	pen->y++;
}

void detail_draw_threads(struct detail_pen *pen)
{
	const struct detail *detail = pen->page->detail;
	struct thread_columns fit;
	char text[64] = "";

	if (pen->page->subject->key.kind == HISTORY_THREAD || detail->n_threads == 0)
		return;
	if (detail->n_threads > THREADS_MAX)
		snprintf(text, sizeof(text), "the %d busiest of %zu", THREADS_MAX,
			 detail->n_threads);
	detail_pen_heading(
		pen, detail_subject_is_of_cpus(pen->page->subject) ? "Threads here" : "Threads",
		text);
	fit_threads(pen, &fit);
	draw_threads_header(pen, &fit);
	for (size_t i = 0; i < detail->n_threads && i < THREADS_MAX; i++)
		draw_thread(pen, &fit, &detail->threads[i]);
	pen->y++;
}
