// SPDX-License-Identifier: MIT
/*
 * CPU lines around the list. All CPUs are sorted by number if there is room, else the worst come
 * first, and with many CPUs one line per socket stands in front. A table has titles. Fewer than
 * TABLE_FROM lines have labelled figures, unless there is a line for the titles.
 */
#include "tui/panel/frame.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"
#include "core/view/cpu_stall.h"
#include "core/view/view.h"
#include "tui/widget/widget_meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FOLD_BEYOND = 32,
	TABLE_FROM = 5, /* lines */
	NUMBER_WIDTH = 4,
	LOST_WIDTH = 6,
};

struct cpu_lines {
	const struct snapshot *snapshot;
	struct cpu_units sockets;
	struct snapshot_cpu *items; /* sockets first, then CPUs; their tallies are borrowed */
	size_t n_sockets, n;
	size_t left; /* number of CPUs without a line */
};

static int by_number(const void *a, const void *b)
{
	return ((const struct snapshot_cpu *)a)->cpu - ((const struct snapshot_cpu *)b)->cpu;
}

static int by_loss(const void *a, const void *b, void *columns)
{
	return cpu_compare_worst(columns, a, b);
}

static void lines_init(struct cpu_lines *lines, const struct snapshot *snapshot, size_t room)
{
	size_t n_cpus = snapshot->n_cpus;

	*lines = (struct cpu_lines){.snapshot = snapshot};
	if (n_cpus > FOLD_BEYOND && n_cpus > room) {
		rollup_cpus(snapshot, ROLLUP_SOCKET, &lines->sockets);
		qsort(lines->sockets.items, lines->sockets.n, sizeof(*lines->sockets.items),
		      by_number);
		/* One socket equals the totals; too many sockets leave no room for CPUs. */
		if (lines->sockets.n > 1 && lines->sockets.n < room)
			lines->n_sockets = lines->sockets.n;
	}
	lines->items = xcalloc(lines->n_sockets + n_cpus, sizeof(*lines->items));
	for (size_t i = 0; i < lines->n_sockets; i++)
		lines->items[i] = lines->sockets.items[i];
	struct snapshot_cpu *cpus = lines->items + lines->n_sockets;
	for (size_t i = 0; i < n_cpus; i++)
		cpus[i] = snapshot->cpus[i];
	if (n_cpus > room)
		qsort_r(cpus, n_cpus, sizeof(*cpus), by_loss, snapshot->columns);
	else
		qsort(cpus, n_cpus, sizeof(*cpus), by_number);
	lines->n = size_min(lines->n_sockets + n_cpus, room);
	lines->left = lines->n_sockets + n_cpus - lines->n;
}

static void lines_fini(struct cpu_lines *lines)
{
	cpu_units_fini(&lines->sockets);
	free(lines->items);
}

static struct shown_figures figures_of_line(const struct cpu_lines *lines, size_t index)
{
	const struct snapshot_cpu *cpu = &lines->items[index];

	return (struct shown_figures){
		.snapshot = lines->snapshot, .figures = cpu->figures, .tally = cpu->tally};
}

/* Draws "S0" or "12" and the meter. Returns the column behind the meter. */
static unsigned draw_meter(const struct cpu_lines *lines, size_t index, struct canvas *canvas,
			   struct rect line, unsigned meter)
{
	const struct snapshot_cpu *cpu = &lines->items[index];
	double busy = cpu_busy(cpu);
	char text[24];

	snprintf(text, sizeof(text), "%s%d", index < lines->n_sockets ? "S" : "", cpu->cpu);
	canvas_text_right(canvas, line.x, line.y, NUMBER_WIDTH, STYLE_ID,
			  index < lines->n_sockets && cpu->cpu < 0 ? "S?" : text);
	if (meter == 0)
		return NUMBER_WIDTH;
	text_copy(text, sizeof(text), "-");
	if (busy >= 0)
		text_percent(text, sizeof(text), busy);
	meter_draw(canvas, line.x + NUMBER_WIDTH + 1, line.y, meter, busy, text,
		   busy >= 0 ? STYLE_PLAIN : STYLE_DIM);
	return NUMBER_WIDTH + 1 + meter;
}

/* Draws "+60 more: Tab" at the end of *line and shortens *line by it. */
static void draw_hidden_cpus(const struct cpu_lines *lines, struct canvas *canvas,
			     struct rect *line)
{
	char more[40];

	snprintf(more, sizeof(more), "  +%zu more: Tab", lines->left);
	unsigned n = text_width(more);
	if (lines->left == 0 || n >= line->width)
		return;
	line->width -= n;
	canvas_text(canvas, line->x + line->width, line->y, n, STYLE_LABEL, more);
}

/* 0 for a profile, which does not have the busy time of CPUs. */
static unsigned meter_width(const struct columns *columns, unsigned width)
{
	unsigned meter = width * 2 / 5;

	if (columns_of_profile(columns))
		return 0;
	if (meter > 40)
		meter = 40;
	return meter < 14 && width >= 20 ? 14 : meter;
}

static void draw_labelled(const struct snapshot *snapshot, struct canvas *canvas, struct rect rect)
{
	unsigned meter = meter_width(snapshot->columns, rect.width);
	struct cpu_lines lines;

	lines_init(&lines, snapshot, rect.height);
	for (size_t i = 0; i < lines.n; i++) {
		struct rect line = {rect.x, rect.y + (unsigned)i, rect.width, 1};
		struct segments segments = {0};

		if (i + 1 == lines.n)
			draw_hidden_cpus(&lines, canvas, &line);
		unsigned x = draw_meter(&lines, i, canvas, line, meter) + 2;
		if (x >= line.width)
			continue;
		const struct shown_figures of = figures_of_line(&lines, i);
		frame_add_figures(&segments, &of, true);
		segments_draw(&segments, canvas,
			      (struct rect){line.x + x, line.y, line.width - x, 1});
	}
	lines_fini(&lines);
}

static void draw_cpu_title(struct canvas *canvas, struct rect line, unsigned x, unsigned width,
			   const char *title)
{
	canvas_text_right(canvas, line.x + x, line.y, width, STYLE_HEADER, title);
}

static void draw_cpu_cell(struct canvas *canvas, struct rect line, unsigned x, unsigned width,
			  const struct cell *cell)
{
	canvas_text_right(canvas, line.x + x, line.y, width, style_of_cell(cell->role), cell->text);
}

static void draw_stall(const struct cpu_lines *lines, size_t index, struct canvas *canvas,
		       struct rect line, unsigned x)
{
	const struct snapshot_cpu *cpu = &lines->items[index];
	struct cell cell;

	figure_format(&cpu_stall_def,
		      index < lines->n_sockets
			      ? cpu_stall_in_unit(lines->snapshot, ROLLUP_SOCKET, cpu->cpu)
			      : cpu_stall(lines->snapshot->columns, cpu),
		      &cell);
	draw_cpu_cell(canvas, line, x, LOST_WIDTH, &cell);
}

/* Draws the metrics that fit from column x on; their titles if index is SIZE_MAX. */
static void draw_metrics(const struct cpu_lines *lines, size_t index, struct canvas *canvas,
			 struct rect line, unsigned x)
{
	const struct columns *columns = lines->snapshot->columns;

	for (size_t i = 0; i < columns->n_shown; i++) {
		const struct metric *metric = &columns->metrics[i];
		unsigned title = text_width(metric->title), width = metric->def->width + 1;

		if (metric->def->machine || metric_facts(metric) ||
		    strcmp(metric->def->name, "cpu_percent") == 0 ||
		    !frame_cpus_have(columns, metric))
			continue;
		width = title > width ? title : width;
		if (x + 1 + width > line.width)
			return;
		if (index == SIZE_MAX) {
			draw_cpu_title(canvas, line, x + 1, width, metric->title);
		} else {
			const struct shown_figures of = figures_of_line(lines, index);
			struct cell cell;

			figure_show(&of, i, &cell);
			draw_cpu_cell(canvas, line, x + 1, width, &cell);
		}
		x += 1 + width;
	}
}

static void draw_table(const struct snapshot *snapshot, struct canvas *canvas, struct rect rect)
{
	bool loses = columns_metric(snapshot->columns, "ipc") >= 0;
	unsigned meter = meter_width(snapshot->columns, rect.width * 3 / 5);
	unsigned x = NUMBER_WIDTH + (meter ? 1 + meter : 0);
	struct rect line = {rect.x, rect.y, rect.width, 1};
	struct cpu_lines lines;

	lines_init(&lines, snapshot, rect.height - 1);
	if (lines.left > 0) { /* the last line then has their number: all columns have titles */
		lines_fini(&lines);
		lines_init(&lines, snapshot, rect.height - 2);
	}
	canvas_fill(canvas, line, STYLE_HEADER);
	draw_cpu_title(canvas, line, 0, NUMBER_WIDTH, "CPU");
	if (meter)
		draw_cpu_title(canvas, line, NUMBER_WIDTH + 1, meter, "busy ");
	if (loses && x + 1 + LOST_WIDTH <= line.width)
		draw_cpu_title(canvas, line, x + 1, LOST_WIDTH, cpu_stall_def.title);
	draw_metrics(&lines, SIZE_MAX, canvas, line, x + (loses ? 1 + LOST_WIDTH : 0));
	for (size_t i = 0; i < lines.n; i++) {
		line.y++;
		x = draw_meter(&lines, i, canvas, line, meter);
		if (loses && x + 1 + LOST_WIDTH <= line.width)
			draw_stall(&lines, i, canvas, line, x + 1);
		draw_metrics(&lines, i, canvas, line, x + (loses ? 1 + LOST_WIDTH : 0));
	}
	line.y++;
	draw_hidden_cpus(&lines, canvas, &line);
	lines_fini(&lines);
}

void frame_draw_cpus(const struct frame *frame, struct canvas *canvas, struct rect rect)
{
	if (!frame->snapshot || rect.height == 0 || rect.width == 0)
		return;
	if (rect.height < TABLE_FROM && rect.height <= frame->snapshot->n_cpus)
		draw_labelled(frame->snapshot, canvas, rect);
	else
		draw_table(frame->snapshot, canvas, rect);
}
