// SPDX-License-Identifier: MIT
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

/* Which columns stand before the metrics. */
struct thread_columns {
	bool pid, user, here;
	size_t n_metrics; /* so many of the first ones fit */
};

static unsigned metric_width(const struct columns *columns, size_t metric)
{
	unsigned number = columns->metrics[metric].def->width + 1;
	unsigned title = text_width(columns->metrics[metric].title);

	return title > number ? title : number;
}

static void fit_threads(const struct output_buffer *buffer, struct thread_columns *fit)
{
	const struct columns *columns = buffer->page->snapshot->columns;
	const struct detail_subject *subject = buffer->page->subject;
	unsigned used;

	*fit = (struct thread_columns){
		.pid = subject->key.kind != HISTORY_PROCESS,
		.user = detail_subject_is_of_cpus(subject) || subject->key.kind == HISTORY_CGROUP,
		.here = detail_subject_is_of_cpus(subject),
	};
	used = (fit->pid ? ID_WIDTH + 1 : 0) + ID_WIDTH + 1 + (fit->user ? USER_WIDTH + 1 : 0) +
	       (fit->here ? SHEET_SHARE_WIDTH + 1 : 0) + COMMAND_WIDTH;
	while (fit->n_metrics < columns->n_metrics) {
		if (!columns->metrics[fit->n_metrics].def->machine)
			used += metric_width(columns, fit->n_metrics) + 1;
		if (used > buffer->rect.width)
			return;
		fit->n_metrics++;
	}
}

static void draw_threads_header(struct output_buffer *buffer, const struct thread_columns *fit)
{
	const struct columns *columns = buffer->page->snapshot->columns;
	unsigned x = buffer->rect.x;

	canvas_fill(buffer->canvas, (struct rect){x, buffer->y, buffer->rect.width, 1},
		    STYLE_HEADER);
	if (fit->pid)
		sheet_put_right(buffer, &x, ID_WIDTH, STYLE_HEADER, "PID");
	sheet_put_right(buffer, &x, ID_WIDTH, STYLE_HEADER, "TID");
	if (fit->user)
		sheet_put_left(buffer, &x, USER_WIDTH, STYLE_HEADER, "USER");
	if (fit->here)
		sheet_put_right(buffer, &x, SHEET_SHARE_WIDTH, STYLE_HEADER, "%HERE");
	for (size_t i = 0; i < fit->n_metrics; i++)
		if (!columns->metrics[i].def->machine)
			sheet_put_right(buffer, &x, metric_width(columns, i), STYLE_HEADER,
					columns->metrics[i].title);
	sheet_put_left(buffer, &x, buffer->rect.width, STYLE_HEADER, "COMMAND");
	buffer->y++;
}

static void draw_thread(struct output_buffer *buffer, const struct thread_columns *fit,
			const struct detail_thread *thread)
{
	const struct snapshot *snapshot = buffer->page->snapshot;
	const struct columns *columns = snapshot->columns;
	const struct row *row = &snapshot->threads.items[thread->row];
	const struct figure *figures = rows_figures(columns, &snapshot->threads, thread->row);
	unsigned x = buffer->rect.x;
	char text[24];

	snprintf(text, sizeof(text), "%d", (int)row->pid);
	if (fit->pid)
		sheet_put_right(buffer, &x, ID_WIDTH, STYLE_ID, text);
	snprintf(text, sizeof(text), "%d", (int)row->tid);
	sheet_put_right(buffer, &x, ID_WIDTH, STYLE_ID, text);
	if (fit->user)
		sheet_put_left(buffer, &x, USER_WIDTH, STYLE_PLAIN, row->user);
	text_fixed(text, sizeof(text), 100 * (double)thread->ns / (double)snapshot->interval_ns, 1);
	if (fit->here)
		sheet_put_right(buffer, &x, SHEET_SHARE_WIDTH, STYLE_PLAIN, text);
	for (size_t i = 0; i < fit->n_metrics; i++) {
		struct cell cell;

		if (columns->metrics[i].def->machine)
			continue;
		figure_format(columns->metrics[i].def, figures[i], &cell);
		sheet_put_right(buffer, &x, metric_width(columns, i), style_of_cell(cell.role),
				cell.text);
	}
	sheet_put_left(buffer, &x, buffer->rect.width,
		       row->flags & ROW_EXITED ? STYLE_DIM : STYLE_NAME, row->comm);
	buffer->y++;
}

void detail_draw_threads(struct output_buffer *buffer)
{
	const struct detail *detail = buffer->page->detail;
	struct thread_columns fit;
	char text[64] = "";

	if (buffer->page->subject->key.kind == HISTORY_THREAD || detail->n_threads == 0)
		return;
	if (detail->n_threads > THREADS_MAX)
		snprintf(text, sizeof(text), "the %d busiest of %zu", THREADS_MAX,
			 detail->n_threads);
	sheet_heading(buffer,
		      detail_subject_is_of_cpus(buffer->page->subject) ? "Who ran here" : "Threads",
		      text);
	fit_threads(buffer, &fit);
	draw_threads_header(buffer, &fit);
	for (size_t i = 0; i < detail->n_threads && i < THREADS_MAX; i++)
		draw_thread(buffer, &fit, &detail->threads[i]);
	buffer->y++;
}
