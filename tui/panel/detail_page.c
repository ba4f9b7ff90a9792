// SPDX-License-Identifier: MIT
/*
 * A page is drawn from its first line to its last, in one column, or in two if the rect is wide:
 * history on the left, all else on the right. The caller draws the page once on a canvas without
 * size to learn its height. The graphs of two columns grow into free lines of the rect. The graphs
 * of one column do not: the threads below them come and go, and would resize them.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/view/verdict.h"
#include "core/view/view.h"
#include "tui/options/duration.h"
#include "tui/widget/page.h"
#include "tui/widget/segments.h"
#include "tui/widget/widget_graph.h"
#include "tui/widget/widget_meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TWO_COLUMNS_FROM = 150,
	GRAPH_WIDTH = 32, /* at least */
	GRAPH_LINES_MIN = 3,
	GRAPH_LINES_MAX = 10,
	GAP = 2,
	PLACE_WIDTH = 24,
};

void detail_pen_heading(struct detail_pen *pen, const char *title, const char *rest)
{
	unsigned x = pen->rect.x, width = pen->rect.width;
	unsigned used = canvas_text(pen->canvas, x, pen->y, width, STYLE_TITLE, title);

	if (rest[0] && used + 2 < width)
		canvas_text_ellipsis(pen->canvas, x + used + 2, pen->y, width - used - 2, STYLE_DIM,
				     rest);
	pen->y++;
}

void detail_pen_right(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		      const char *text)
{
	canvas_text_right(pen->canvas, *x, pen->y, width, style, text);
	*x += width + 1;
}

void detail_pen_left(struct detail_pen *pen, unsigned *x, unsigned width, enum style style,
		     const char *text)
{
	unsigned left = pen->rect.x + pen->rect.width;

	left = *x < left ? left - *x : 0;
	canvas_text_ellipsis(pen->canvas, *x, pen->y, width < left ? width : left, style, text);
	*x += width + 1;
}

struct segment *detail_add_segment(struct segments *segments, unsigned weight, const char *label,
				   const char *text)
{
	struct segment *segment = segments_add(segments, weight);

	text_copy(segment->label, sizeof(segment->label), label);
	text_copy(segment->text, sizeof(segment->text), text);
	segment->label_style = STYLE_LABEL;
	segment->text_style = STYLE_PLAIN;
	return segment;
}

static void add_number(struct segments *segments, unsigned weight, const char *label, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	detail_add_segment(segments, weight, label, text)->text_style = STYLE_ID;
}

/* How long the thread, or a thread of the process, is held, also if it has no detail. */
static uint64_t held_ms(const struct detail_page *page)
{
	const struct detail_subject *subject = page->subject;
	const struct rows *rows = &page->snapshot->threads;
	uint64_t ms = 0;

	for (size_t i = 0; i < rows->n && detail_subject_is_of_tasks(subject); i++) {
		const struct row *row = &rows->items[i];

		if (row->pid == subject->row.pid && row->held_ms > ms &&
		    (subject->key.kind == HISTORY_PROCESS || row->tid == subject->row.tid))
			ms = row->held_ms;
	}
	return ms;
}

static void add_held(struct segments *segments, const struct detail_page *page, uint64_t ms)
{
	char text[64];

	duration_format_age(ms * NS_PER_MS, text, sizeof(text));
	detail_add_segment(segments, 99,
			   page->subject->ended          ? "zombie for at least"
			   : page->detail->n_threads > 1 ? "a thread held at least"
							 : "held for at least",
			   text)
		->text_style = STYLE_WARN;
}

static void add_state(struct segments *segments, const struct detail_page *page)
{
	const struct detail_subject *subject = page->subject;
	const uint64_t ms = held_ms(page);

	if (ms > 0)
		add_held(segments, page, ms);
	else if (subject->ended)
		detail_add_segment(segments, 99, "", "has ended")->text_style = STYLE_WARN;
	else if (page->detail->sum.n == 0)
		detail_add_segment(
			segments, 99, "",
			columns_of_profile(page->snapshot->columns) ? "no samples in this interval"
			: detail_subject_is_of_cpus(subject) ? "was not counted in this interval"
							     : "did not run in this interval")
			->text_style = STYLE_DIM;
}

/* One line; none if the text is "". */
static void draw_text_line(struct detail_pen *pen, const char *label, const char *text)
{
	unsigned x = pen->rect.x, width = pen->rect.width;

	if (!text[0])
		return;
	unsigned used = canvas_text(pen->canvas, x, pen->y, width, STYLE_LABEL, label);
	canvas_text_ellipsis(pen->canvas, x + used, pen->y, width - used, STYLE_NAME, text);
	pen->y++;
}

static void draw_identity(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	const struct detail_subject *subject = page->subject;
	const struct row *row = &subject->row;
	bool of_profile = columns_of_profile(page->snapshot->columns);
	struct segments segments = {0};
	char text[64];

	if (detail_subject_is_of_tasks(subject)) {
		add_number(&segments, 98, "PID", row->pid);
		if (subject->key.kind == HISTORY_THREAD)
			add_number(&segments, 97, "TID", row->tid);
		if (row->ppid > 0)
			add_number(&segments, 50, "parent", row->ppid);
		if (row->user[0] || !of_profile)
			detail_add_segment(&segments, 90, "user", row->user[0] ? row->user : "-");
		if (row->start_ns && page->snapshot->time_ns > row->start_ns) {
			duration_format_age(page->snapshot->time_ns - row->start_ns, text,
					    sizeof(text));
			detail_add_segment(&segments, 60, "started", text);
			strcat(segments.items[segments.n - 1].text, " ago");
		}
	} else if (subject->key.kind == HISTORY_USER) {
		add_number(&segments, 98, "uid", (long)(int)subject->key.number);
	}
	snprintf(text, sizeof(text), "%zu", page->detail->n_threads);
	if (subject->key.kind != HISTORY_THREAD)
		detail_add_segment(&segments, 80,
				   of_profile                           ? "threads sampled"
				   : detail_subject_is_of_cpus(subject) ? "threads here"
									: "threads that ran",
				   text);
	if (detail_subject_is_of_tasks(subject) && row->comm[0])
		detail_add_segment(&segments, 85, "command", row->comm)->text_style = STYLE_NAME;
	add_state(&segments, page);
	segments_draw(&segments, pen->canvas,
		      (struct rect){pen->rect.x, pen->y++, pen->rect.width, 1});
	if (detail_subject_is_of_tasks(subject))
		draw_text_line(pen, "command line ", subject->cmdline);
	if (detail_subject_is_of_tasks(subject) || subject->key.kind == HISTORY_CGROUP)
		draw_text_line(pen, "cgroup ", subject->cgroup);
}

/* The key that shows more about a verdict than a page below a list has, or "". */
static const char *hint_of(const struct snapshot *snapshot, enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_CPU:
	case VERDICT_KERNEL:
	case VERDICT_SWITCHES:
	case VERDICT_FAULTS:
	case VERDICT_MEMORY:
	case VERDICT_BRANCH:
	case VERDICT_FRONTEND:
	case VERDICT_CORE:
	case VERDICT_BACKEND:
	case VERDICT_STALLED:
		return snapshot->code ? "" : "w: the functions where that happens";
	case VERDICT_MEMORY_PRESSURE:
	case VERDICT_LOCK:
	case VERDICT_DISK:
	case VERDICT_BLOCKED:
	case VERDICT_RUNQ:
		return "Enter: how long single waits take, and where it is blocked";
	case VERDICT_NONE:
	case VERDICT_UNKNOWN:
	case VERDICT_IDLE:
	case VERDICT_FINE:
	case VERDICT_THROTTLED:
	case VERDICT_FORKS:
	case VERDICT_STOPPED:
	case VERDICT_STEAL:
	case VERDICTS:
		break;
	}
	return "";
}

/* The verdict with its rule and figures, or why there is none. */
static void draw_verdict(struct detail_pen *pen)
{
	const struct detail *detail = pen->page->detail;
	char text[512];
	struct judge judge;

	if (detail->sum.n == 0)
		return;
	judge_init(&judge, pen->page->snapshot);
	const struct verdict_subject subject = {
		.figures = detail->sum.figures,
		.row = detail_subject_is_of_cpus(pen->page->subject) ? NULL : detail->sum.items,
		.detail = detail,
	};
	const struct judgement judgement = judge_subject(&judge, &subject);
	verdict_explain(&judge, &judgement, &subject, text, sizeof(text));
	struct pen lines = {
		pen->canvas, {pen->rect.x, pen->y, pen->rect.width, pen->rect.height}, 0, 0};
	pen_wrap(&lines, 0,
		 verdict_is_loss(judgement.verdict)     ? STYLE_WARN
		 : judgement.verdict <= VERDICT_UNKNOWN ? STYLE_DIM
							: STYLE_PLAIN,
		 text);
	pen->y += lines.line;
	if (!pen->page->totals && !pen->page->graph_range->recorded)
		draw_text_line(pen, "", hint_of(pen->page->snapshot, judgement.verdict));
}

static void draw_graph(const struct detail_pen *pen, size_t metric, struct rect rect, float *values,
		       unsigned repeat)
{
	const struct detail_page *page = pen->page;
	const struct columns *columns = page->snapshot->columns;
	const struct metric_def *def = columns->metrics[metric].def;
	struct graph graph = {.n = graph_values(pen->canvas, rect.width), .style = STYLE_METER_LOW};
	struct segments segments = {0};
	const struct rows *sum = &page->detail->sum;
	const struct shown_figures now = {
		page->snapshot, sum->n > 0 ? sum->figures : NULL, sum->tallies,
		detail_subject_is_of_cpus(page->subject) ? NULL : sum->items};
	struct cell cell;

	graph_range_read(page->graph_range, &page->subject->key, def->name, page->step, values,
			 &graph);
	graph.repeat = repeat;
	graph.top = graph_top(values, graph.n, graph_least(def));
	figure_show(&now, metric, &cell);
	struct segment *segment =
		detail_add_segment(&segments, 2, columns->metrics[metric].title, cell.text);
	segment->text_style = style_of_cell(cell.role);
	segment->text_width = def->width + 1;
	segments_draw(&segments, pen->canvas, (struct rect){rect.x, rect.y, rect.width, 1});
	figure_format(def, (struct figure){.value = graph.top, .share = 1}, &cell);
	canvas_text_right(pen->canvas, rect.x + rect.width / 2, rect.y, rect.width - rect.width / 2,
			  STYLE_DIM, cell.text);
	graph_draw(&graph, pen->canvas,
		   (struct rect){rect.x, rect.y + 1, rect.width, rect.height - 1});
}

/* The time axis, below each graph of the last row of graphs. */
static void draw_axis(struct detail_pen *pen, size_t n_values, unsigned n_graphs, unsigned width)
{
	char left[GRAPH_RANGE_END_BYTES], right[GRAPH_RANGE_END_BYTES];

	graph_range_axis(pen->page->graph_range, pen->page->step, n_values, left, right);
	for (unsigned i = 0; i < n_graphs; i++) {
		unsigned x = pen->rect.x + i * (width + GAP);

		canvas_text(pen->canvas, x, pen->y, width, STYLE_DIM, left);
		canvas_text_right(pen->canvas, x + width / 2, pen->y, width - width / 2, STYLE_DIM,
				  right);
	}
	pen->y++;
}

static unsigned graphs_in_row(const struct detail_pen *pen)
{
	unsigned n = (pen->rect.width + GAP) / (GRAPH_WIDTH + GAP);

	return n ? n : 1;
}

/* A hidden time of waiting has a graph if it was ever so long, in percent of the interval. */
#define WAIT_LEAST 1

static bool has_waited(const struct detail_page *page, size_t metric, float *values, size_t n)
{
	const struct metric_def *def = page->snapshot->columns->metrics[metric].def;
	struct graph graph = {.n = n};

	if (strcmp(def->group, "wait") != 0 || strcmp(def->unit, "%") != 0)
		return false;
	graph_range_read(page->graph_range, &page->subject->key, def->name, page->step, values,
			 &graph);
	for (size_t i = 0; i < n; i++)
		if (values[i] >= WAIT_LEAST)
			return true;
	return false;
}

/* Figures of the machine are none of the row's. A state has no height. */
static bool has_graph(const struct metric_def *def)
{
	return !def->machine && def->format != METRIC_FORMAT_LETTER;
}

/* Graphs: columns, and the waits behind them. The caller frees the list. */
static size_t *choose_graphs(const struct detail_page *page, const struct canvas *canvas,
			     size_t *n_graphs)
{
	const struct columns *columns = page->snapshot->columns;
	size_t *graphs = xcalloc(columns->n_metrics, sizeof(*graphs));
	size_t n_values = graph_values(canvas, GRAPH_WIDTH);
	float *values = xcalloc(n_values, sizeof(*values));

	*n_graphs = 0;
	for (size_t i = 0; i < columns->n_metrics; i++)
		if (i < columns->n_shown ? has_graph(columns->metrics[i].def)
					 : has_waited(page, i, values, n_values))
			graphs[(*n_graphs)++] = i;
	free(values);
	return graphs;
}

/*
 * The graphs of a page have one time axis, so the one with the most known values decides. 0: no
 * value is known.
 */
static unsigned common_repeat(const struct detail_pen *pen, float *values, size_t n)
{
	const struct detail_page *page = pen->page;
	struct graph graph = {.n = n};
	unsigned repeat = GRAPH_REPEAT_MOST;
	bool known = false;

	for (size_t i = 0; i < pen->n_graphs; i++) {
		graph_range_read(page->graph_range, &page->subject->key,
				 page->snapshot->columns->metrics[pen->graphs[i]].def->name,
				 page->step, values, &graph);
		unsigned own = graph_range_repeat(page->graph_range, page->step, &graph);
		if (own > 0) {
			known = true;
			repeat = own < repeat ? own : repeat;
		}
	}
	return known ? repeat : 0;
}

static void draw_metric_graphs(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	unsigned n = graphs_in_row(pen), at = 0;
	unsigned width = (pen->rect.width - GAP * (n - 1)) / n;
	size_t n_values = graph_values(pen->canvas, width);
	float *values = xcalloc(n_values, sizeof(*values));
	unsigned repeat = common_repeat(pen, values, n_values);

	detail_pen_heading(pen, "History",
			   repeat == 0    ? "nothing is known yet"
			   : page->totals ? "Left: longer, Right: shorter"
					  : "");
	if (repeat == 0) {
		pen->y++;
		free(values);
		return;
	}
	for (size_t i = 0; i < pen->n_graphs; i++) {
		if (at == n) {
			at = 0;
			pen->y += 1 + pen->graph_lines;
		}
		draw_graph(pen, pen->graphs[i],
			   (struct rect){pen->rect.x + at++ * (width + GAP), pen->y, width,
					 1 + pen->graph_lines},
			   values, repeat);
	}
	pen->y += 1 + pen->graph_lines;
	draw_axis(pen, n_values / repeat, at, width);
	free(values);
}

static void draw_places(struct detail_pen *pen)
{
	const struct detail_page *page = pen->page;
	const struct detail *detail = page->detail;
	unsigned n = (pen->rect.width + GAP) / (PLACE_WIDTH + GAP);

	if (page->subject->key.kind == HISTORY_CPU || detail->sum.n == 0)
		return;
	if (detail->n_places == 0 && !detail_subject_is_of_cpus(page->subject)) {
		detail_pen_heading(pen, "CPUs",
				   "unknown: threads are counted one by one, not by CPU");
		pen->y++;
		return;
	}
	detail_pen_heading(pen, "CPUs",
			   detail_subject_is_of_cpus(page->subject) ? "busy with tasks"
								    : "where it ran");
	n = n ? n : 1;
	for (size_t i = 0; i < detail->n_places; i++) {
		double share = (double)detail->places[i].ns / (double)page->snapshot->interval_ns;
		unsigned x = pen->rect.x + (unsigned)(i % n) * (PLACE_WIDTH + GAP);
		char number[16], text[24];

		snprintf(number, sizeof(number), "%d", detail->places[i].cpu);
		text_percent(text, sizeof(text), share);
		canvas_text_right(pen->canvas, x, pen->y, 4, STYLE_ID, number);
		meter_draw(pen->canvas, x + 5, pen->y, PLACE_WIDTH - 5, share, text, STYLE_PLAIN);
		if (i % n == n - 1 || i + 1 == detail->n_places)
			pen->y++;
	}
	pen->y++;
}

static unsigned graph_rows(const struct detail_pen *pen)
{
	unsigned in_row = graphs_in_row(pen);

	return ((unsigned)pen->n_graphs + in_row - 1) / in_row;
}

/* Draws the history, with higher graphs if the rect has room for them. */
static void draw_grown_graphs(struct detail_pen *pen)
{
	struct canvas nothing = {.ascii = pen->canvas->ascii};
	struct detail_pen trial = *pen;
	unsigned end = pen->rect.y + pen->rect.height, rows = graph_rows(pen);

	trial.canvas = &nothing;
	draw_metric_graphs(&trial);
	if (rows > 0 && end > trial.y)
		pen->graph_lines = (unsigned)size_min(GRAPH_LINES_MAX,
						      GRAPH_LINES_MIN + (end - trial.y) / rows);
	draw_metric_graphs(pen);
}

/* Run times, waits and their reasons are not in a profile. */
static void draw_subject(struct detail_pen *pen)
{
	bool of_profile = columns_of_profile(pen->page->snapshot->columns);

	draw_identity(pen);
	if (!of_profile)
		draw_verdict(pen);
	pen->y++;
	if (!of_profile)
		detail_draw_lifetime(pen);
}

/* What it does, or why it does not run. */
static void draw_causes(struct detail_pen *pen)
{
	detail_draw_functions(pen);
	if (columns_of_profile(pen->page->snapshot->columns))
		return;
	detail_draw_looks(pen);
	detail_draw_waits(pen);
	detail_draw_cgroup(pen);
	detail_draw_competitors(pen);
}

static void draw_parts(struct detail_pen *pen)
{
	detail_draw_tree(pen);
	detail_draw_threads(pen);
	if (!columns_of_profile(pen->page->snapshot->columns))
		draw_places(pen);
}

static unsigned draw_page(const struct detail_pen *pen)
{
	struct detail_pen left = *pen;
	unsigned top = pen->rect.y, width = pen->rect.width;

	draw_subject(&left);
	if (width < TWO_COLUMNS_FROM) {
		draw_causes(&left);
		draw_metric_graphs(&left);
		draw_parts(&left);
		detail_draw_counts(&left);
		return left.y - top;
	}

	struct detail_pen right = left;
	left.rect.width = (width - 2 * GAP) / 2;
	right.rect.x += left.rect.width + 2 * GAP;
	right.rect.width = left.rect.width;
	draw_grown_graphs(&left);
	draw_causes(&right);
	draw_parts(&right);
	detail_draw_counts(&right);
	return (left.y > right.y ? left.y : right.y) - top;
}

/* A pen at the top of the rect. The caller frees its graphs. */
static struct detail_pen pen_of(const struct detail_page *page, struct canvas *canvas,
				struct rect rect)
{
	struct detail_pen pen = {page, canvas, rect, rect.y, GRAPH_LINES_MIN, NULL, 0};

	pen.graphs = choose_graphs(page, canvas, &pen.n_graphs);
	return pen;
}

unsigned detail_page_draw(const struct detail_page *page, struct canvas *canvas, struct rect rect)
{
	const struct detail_pen pen = pen_of(page, canvas, rect);
	unsigned lines = draw_page(&pen);

	free(pen.graphs);
	return lines;
}

void detail_page_draw_side(const struct detail_page *page, struct canvas *canvas, struct rect rect)
{
	struct detail_pen pen = pen_of(page, canvas, rect);

	draw_subject(&pen);
	draw_causes(&pen);
	draw_parts(&pen);
	detail_draw_counts(&pen);
	free(pen.graphs);
}

void detail_page_draw_history(const struct detail_page *page, struct canvas *canvas,
			      struct rect rect)
{
	struct detail_pen pen = pen_of(page, canvas, rect);
	unsigned lines = rect.height > 2 ? rect.height - 2 : 0; /* without heading and axis */

	pen.n_graphs = size_min(pen.n_graphs, lines / (1 + GRAPH_LINES_MIN) * graphs_in_row(&pen));
	draw_grown_graphs(&pen);
	free(pen.graphs);
}
