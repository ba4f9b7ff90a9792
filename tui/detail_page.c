// SPDX-License-Identifier: MIT
/*
 * A page is drawn from the first line to the last one, in one column or, where there is width for
 * it, in two: the past and the counts on the left, threads and places on the right.
 */
#include "detail_page.h"

#include "core/cgroup_name.h"
#include "core/text.h"
#include "core/util.h"
#include "core/verdict.h"
#include "core/view.h"
#include "segments.h"
#include "widget_graph.h"
#include "widget_meter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TWO_COLUMNS_FROM = 150,
	GRAPH_WIDTH = 32, /* at least */
	GRAPH_LINES = 3,
	GAP = 2,
	THREADS_MAX = 100,
	PLACE_WIDTH = 24,
	EVENT_WIDTH = 44, /* at most */
	NUMBER_WIDTH = 15,
	TIME_WIDTH = 10,
	SHARE_WIDTH = 6,
	ID_WIDTH = 7,
	USER_WIDTH = 8,
	COMMAND_WIDTH = 15,
};

/* Where the next line goes. */
struct sheet {
	const struct detail_page *page;
	struct canvas *canvas;
	struct rect rect;
	unsigned y;
};

/* ---- who it is */

static bool is_of_cpus(const struct detail_subject *subject)
{
	enum history_kind kind = subject->key.kind;

	return kind == HISTORY_CPU || kind == HISTORY_SOCKET || kind == HISTORY_NODE;
}

static bool is_of_tasks(const struct detail_subject *subject)
{
	return subject->key.kind == HISTORY_THREAD || subject->key.kind == HISTORY_PROCESS;
}

/* Of what is the snapshot's own, copies. */
static void see_texts(struct detail_subject *subject, const struct snapshot *snapshot)
{
	const char *path = snapshot_cgroup(snapshot, &subject->row);

	if (path)
		text_copy(subject->cgroup, sizeof(subject->cgroup), path);
	if (subject->row.cmdline)
		text_copy(subject->cmdline, sizeof(subject->cmdline), subject->row.cmdline);
	subject->row.cmdline = NULL;
}

void detail_subject_init(struct detail_subject *subject, const struct snapshot *snapshot,
			 enum rollup by, const struct row *row)
{
	*subject = (struct detail_subject){
		.key = history_key_of_row(snapshot, by, row),
		.row = *row,
		.ended = row->flags & ROW_EXITED,
	};
	see_texts(subject, snapshot);
}

void detail_subject_see(struct detail_subject *subject, const struct snapshot *snapshot,
			const struct detail *detail)
{
	if (detail->sum.n == 0 || is_of_cpus(subject))
		return;

	struct row before = subject->row;

	subject->row = detail->sum.items[0];
	see_texts(subject, snapshot);
	if (!subject->row.comm[0])
		memcpy(subject->row.comm, before.comm, sizeof(before.comm));
	if (!subject->row.start_ns)
		subject->row.start_ns = before.start_ns;
	if (is_of_tasks(subject) && !subject->key.start)
		subject->key.start = subject->row.start_ns;
	if (subject->row.flags & ROW_EXITED)
		subject->ended = true;
}

void detail_subject_title(const struct detail_subject *subject, char *text, size_t size)
{
	const struct row *row = &subject->row;
	char cgroup[128] = "";

	switch (subject->key.kind) {
	case HISTORY_THREAD:
		snprintf(text, size, "thread %d %s", (int)row->tid, row->comm);
		break;
	case HISTORY_PROCESS:
		snprintf(text, size, "process %d %s", (int)row->pid, row->comm);
		break;
	case HISTORY_USER:
		snprintf(text, size, "user %s", row->user[0] ? row->user : "-");
		break;
	case HISTORY_CGROUP:
		cgroup_name(subject->cgroup, cgroup, sizeof(cgroup));
		snprintf(text, size, "cgroup %s", cgroup[0] ? cgroup : "-");
		break;
	case HISTORY_CPU:
		snprintf(text, size, "CPU %d", (int)subject->key.number);
		break;
	case HISTORY_SOCKET:
		snprintf(text, size, "socket %d", (int)subject->key.number);
		break;
	case HISTORY_NODE:
		snprintf(text, size, "node %d", (int)subject->key.number);
		break;
	case HISTORY_MACHINE:
	case HISTORY_TARGET:
		text_copy(text, size, "");
		break;
	}
}

static struct segment *add(struct segments *segments, unsigned weight, const char *label,
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
	add(segments, weight, label, text)->text_style = STYLE_ID;
}

/* "12.3 s", "45 min", "6.7 h" */
static void format_age(uint64_t ns, char *text, size_t size)
{
	static const struct {
		uint64_t up_to_s, unit_s;
		const char *name;
	} units[] = {
		{120, 1, "s"}, {7200, 60, "min"}, {172800, 3600, "h"}, {UINT64_MAX, 86400, "d"}};
	uint64_t s = ns / NS_PER_S;
	size_t unit = 0;

	while (s >= units[unit].up_to_s)
		unit++;
	snprintf(text, size, "%" PRIu64 " %s", s / units[unit].unit_s, units[unit].name);
}

static void add_state(struct segments *segments, const struct detail_page *page)
{
	const struct detail_subject *subject = page->subject;

	if (subject->ended)
		add(segments, 99, "", "has ended")->text_style = STYLE_WARN;
	else if (page->detail->sum.n == 0)
		add(segments, 99, "",
		    is_of_cpus(subject) ? "was not heard of in this interval"
					: "did not run in this interval")
			->text_style = STYLE_DIM;
}

/* A line of its own; "" takes none. */
static void draw_long(struct sheet *sheet, const char *label, const char *text)
{
	unsigned x = sheet->rect.x, width = sheet->rect.width;

	if (!text[0])
		return;
	unsigned used = canvas_text(sheet->canvas, x, sheet->y, width, STYLE_LABEL, label);
	canvas_text_ellipsis(sheet->canvas, x + used, sheet->y, width - used, STYLE_NAME, text);
	sheet->y++;
}

static void draw_identity(struct sheet *sheet)
{
	const struct detail_page *page = sheet->page;
	const struct detail_subject *subject = page->subject;
	const struct row *row = &subject->row;
	struct segments segments = {0};
	char text[64];

	if (is_of_tasks(subject)) {
		add_number(&segments, 98, "PID", row->pid);
		if (subject->key.kind == HISTORY_THREAD)
			add_number(&segments, 97, "TID", row->tid);
		if (row->ppid > 0)
			add_number(&segments, 50, "parent", row->ppid);
		add(&segments, 90, "user", row->user[0] ? row->user : "-");
		if (row->start_ns && page->snapshot->time_ns > row->start_ns) {
			format_age(page->snapshot->time_ns - row->start_ns, text, sizeof(text));
			add(&segments, 60, "started", text);
			strcat(segments.items[segments.n - 1].text, " ago");
		}
	} else if (subject->key.kind == HISTORY_USER) {
		add_number(&segments, 98, "uid", (long)(int)subject->key.number);
	}
	snprintf(text, sizeof(text), "%zu", page->detail->n_threads);
	add(&segments, 80, is_of_cpus(subject) ? "threads here" : "threads that ran", text);
	if (is_of_tasks(subject) && row->comm[0])
		add(&segments, 85, "command", row->comm)->text_style = STYLE_NAME;
	add_state(&segments, page);
	segments_draw(&segments, sheet->canvas,
		      (struct rect){sheet->rect.x, sheet->y++, sheet->rect.width, 1});
	if (is_of_tasks(subject))
		draw_long(sheet, "command line ", subject->cmdline);
	if (is_of_tasks(subject) || subject->key.kind == HISTORY_CGROUP)
		draw_long(sheet, "cgroup ", subject->cgroup);
}

/* What slows it down, by which rule and by which figures; or what would have to be counted. */
static void draw_verdict(struct sheet *sheet)
{
	const struct detail *detail = sheet->page->detail;
	char text[512];
	struct judge judge;

	if (detail->sum.n == 0)
		return;
	judge_init(&judge, sheet->page->snapshot->columns);
	const struct judgement judgement =
		judge_figures(&judge, detail->sum.figures, detail->sum.items[0].flags);
	verdict_explain(&judge, &judgement, detail->sum.figures, text, sizeof(text));
	canvas_text_ellipsis(sheet->canvas, sheet->rect.x, sheet->y++, sheet->rect.width,
			     verdict_is_loss(judgement.verdict)  ? STYLE_WARN
			     : judgement.verdict == VERDICT_NONE ? STYLE_DIM
								 : STYLE_PLAIN,
			     text);
}

/* ---- the past */

static void draw_heading(struct sheet *sheet, const char *title, const char *rest)
{
	unsigned x = sheet->rect.x, width = sheet->rect.width;
	unsigned used = canvas_text(sheet->canvas, x, sheet->y, width, STYLE_TITLE, title);

	if (rest[0] && used + 2 < width)
		canvas_text_ellipsis(sheet->canvas, x + used + 2, sheet->y, width - used - 2,
				     STYLE_DIM, rest);
	sheet->y++;
}

static void draw_graph(const struct sheet *sheet, size_t metric, struct rect rect, float *values)
{
	const struct detail_page *page = sheet->page;
	const struct columns *columns = page->snapshot->columns;
	const struct metric_def *def = columns->metrics[metric].def;
	struct graph graph = {values, graph_values(sheet->canvas, rect.width), 1, STYLE_METER_LOW};
	struct segments segments = {0};
	struct figure now = {.state = FIGURE_NOT_COUNTED};
	struct cell cell;

	history_read(page->history, &page->subject->key, def->name, page->step, graph.n, values);
	graph.top = graph_top(values, graph.n, graph_least(def));
	if (page->detail->sum.n > 0)
		now = page->detail->sum.figures[metric];
	figure_format(def, now, &cell);
	struct segment *segment = add(&segments, 2, columns->metrics[metric].title, cell.text);
	segment->text_style = style_of_cell(cell.role);
	segment->text_width = def->width + 1;
	segments_draw(&segments, sheet->canvas, (struct rect){rect.x, rect.y, rect.width, 1});
	figure_format(def, (struct figure){.value = graph.top, .share = 1}, &cell);
	canvas_text_right(sheet->canvas, rect.x + rect.width / 2, rect.y,
			  rect.width - rect.width / 2, STYLE_DIM, cell.text);
	graph_draw(&graph, sheet->canvas,
		   (struct rect){rect.x, rect.y + 1, rect.width, rect.height - 1});
}

static void draw_history(struct sheet *sheet)
{
	const struct detail_page *page = sheet->page;
	const struct columns *columns = page->snapshot->columns;
	unsigned n = (sheet->rect.width + GAP) / (GRAPH_WIDTH + GAP), at = 0;

	n = n ? n : 1;
	unsigned width = (sheet->rect.width - GAP * (n - 1)) / n;
	size_t n_values = graph_values(sheet->canvas, width);
	float *values = xcalloc(n_values, sizeof(*values));
	char span[24], text[64];

	format_age(history_span_ns(page->history, page->step, n_values), span, sizeof(span));
	snprintf(text, sizeof(text), "the last %s%s", span,
		 page->sums ? "  (Left: more, Right: less)" : "");
	draw_heading(sheet, "History", text);
	for (size_t i = 0; i < columns->n_metrics; i++) {
		if (columns->metrics[i].def->machine)
			continue;
		if (at == n) {
			at = 0;
			sheet->y += 1 + GRAPH_LINES;
		}
		draw_graph(sheet, i,
			   (struct rect){sheet->rect.x + at++ * (width + GAP), sheet->y, width,
					 1 + GRAPH_LINES},
			   values);
	}
	sheet->y += 1 + GRAPH_LINES;
	free(values);
}

/* ---- threads */

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

static void fit_threads(const struct sheet *sheet, struct thread_columns *fit)
{
	const struct columns *columns = sheet->page->snapshot->columns;
	const struct detail_subject *subject = sheet->page->subject;
	unsigned used;

	*fit = (struct thread_columns){
		.pid = subject->key.kind != HISTORY_PROCESS,
		.user = is_of_cpus(subject) || subject->key.kind == HISTORY_CGROUP,
		.here = is_of_cpus(subject),
	};
	used = (fit->pid ? ID_WIDTH + 1 : 0) + ID_WIDTH + 1 + (fit->user ? USER_WIDTH + 1 : 0) +
	       (fit->here ? SHARE_WIDTH + 1 : 0) + COMMAND_WIDTH;
	while (fit->n_metrics < columns->n_metrics) {
		if (!columns->metrics[fit->n_metrics].def->machine)
			used += metric_width(columns, fit->n_metrics) + 1;
		if (used > sheet->rect.width)
			return;
		fit->n_metrics++;
	}
}

/* A cell of `width` at *x, flush right, which moves behind it. */
static void put_right(struct sheet *sheet, unsigned *x, unsigned width, enum style style,
		      const char *text)
{
	canvas_text_right(sheet->canvas, *x, sheet->y, width, style, text);
	*x += width + 1;
}

static void put_left(struct sheet *sheet, unsigned *x, unsigned width, enum style style,
		     const char *text)
{
	unsigned left = sheet->rect.x + sheet->rect.width;

	left = *x < left ? left - *x : 0;
	canvas_text_ellipsis(sheet->canvas, *x, sheet->y, width < left ? width : left, style, text);
	*x += width + 1;
}

static void draw_threads_header(struct sheet *sheet, const struct thread_columns *fit)
{
	const struct columns *columns = sheet->page->snapshot->columns;
	unsigned x = sheet->rect.x;

	canvas_fill(sheet->canvas, (struct rect){x, sheet->y, sheet->rect.width, 1}, STYLE_HEADER);
	if (fit->pid)
		put_right(sheet, &x, ID_WIDTH, STYLE_HEADER, "PID");
	put_right(sheet, &x, ID_WIDTH, STYLE_HEADER, "TID");
	if (fit->user)
		put_left(sheet, &x, USER_WIDTH, STYLE_HEADER, "USER");
	if (fit->here)
		put_right(sheet, &x, SHARE_WIDTH, STYLE_HEADER, "%HERE");
	for (size_t i = 0; i < fit->n_metrics; i++)
		if (!columns->metrics[i].def->machine)
			put_right(sheet, &x, metric_width(columns, i), STYLE_HEADER,
				  columns->metrics[i].title);
	put_left(sheet, &x, sheet->rect.width, STYLE_HEADER, "COMMAND");
	sheet->y++;
}

static void format_percent(double share, char *text, size_t size)
{
	size_t length = text_fixed(text, size - 1, 100 * share, 1);

	memcpy(text + length, "%", 2);
}

static void draw_thread(struct sheet *sheet, const struct thread_columns *fit,
			const struct detail_thread *thread)
{
	const struct snapshot *snapshot = sheet->page->snapshot;
	const struct columns *columns = snapshot->columns;
	const struct row *row = &snapshot->threads.items[thread->row];
	const struct figure *figures = rows_figures(columns, &snapshot->threads, thread->row);
	unsigned x = sheet->rect.x;
	char text[24];

	snprintf(text, sizeof(text), "%d", (int)row->pid);
	if (fit->pid)
		put_right(sheet, &x, ID_WIDTH, STYLE_ID, text);
	snprintf(text, sizeof(text), "%d", (int)row->tid);
	put_right(sheet, &x, ID_WIDTH, STYLE_ID, text);
	if (fit->user)
		put_left(sheet, &x, USER_WIDTH, STYLE_PLAIN, row->user);
	text_fixed(text, sizeof(text), 100 * (double)thread->ns / (double)snapshot->interval_ns, 1);
	if (fit->here)
		put_right(sheet, &x, SHARE_WIDTH, STYLE_PLAIN, text);
	for (size_t i = 0; i < fit->n_metrics; i++) {
		struct cell cell;

		if (columns->metrics[i].def->machine)
			continue;
		figure_format(columns->metrics[i].def, figures[i], &cell);
		put_right(sheet, &x, metric_width(columns, i), style_of_cell(cell.role), cell.text);
	}
	put_left(sheet, &x, sheet->rect.width, row->flags & ROW_EXITED ? STYLE_DIM : STYLE_NAME,
		 row->comm);
	sheet->y++;
}

static void draw_threads(struct sheet *sheet)
{
	const struct detail *detail = sheet->page->detail;
	struct thread_columns fit;
	char text[64] = "";

	if (sheet->page->subject->key.kind == HISTORY_THREAD || detail->n_threads == 0)
		return;
	if (detail->n_threads > THREADS_MAX)
		snprintf(text, sizeof(text), "the %d busiest of %zu", THREADS_MAX,
			 detail->n_threads);
	draw_heading(sheet, is_of_cpus(sheet->page->subject) ? "Who ran here" : "Threads", text);
	fit_threads(sheet, &fit);
	draw_threads_header(sheet, &fit);
	for (size_t i = 0; i < detail->n_threads && i < THREADS_MAX; i++)
		draw_thread(sheet, &fit, &detail->threads[i]);
	sheet->y++;
}

/* ---- where it ran */

static void draw_places(struct sheet *sheet)
{
	const struct detail_page *page = sheet->page;
	const struct detail *detail = page->detail;
	unsigned n = (sheet->rect.width + GAP) / (PLACE_WIDTH + GAP);

	if (page->subject->key.kind == HISTORY_CPU || detail->sum.n == 0)
		return;
	if (detail->n_places == 0 && !is_of_cpus(page->subject)) {
		draw_heading(sheet, "CPUs",
			     "nobody tells where threads ran that are counted one by one");
		sheet->y++;
		return;
	}
	draw_heading(sheet, "CPUs", is_of_cpus(page->subject) ? "busy with tasks" : "where it ran");
	n = n ? n : 1;
	for (size_t i = 0; i < detail->n_places; i++) {
		double share = (double)detail->places[i].ns / (double)page->snapshot->interval_ns;
		unsigned x = sheet->rect.x + (unsigned)(i % n) * (PLACE_WIDTH + GAP);
		char number[16], text[24];

		snprintf(number, sizeof(number), "%d", detail->places[i].cpu);
		format_percent(share, text, sizeof(text));
		canvas_text_right(sheet->canvas, x, sheet->y, 4, STYLE_ID, number);
		meter_draw(sheet->canvas, x + 5, sheet->y, PLACE_WIDTH - 5, share, text,
			   STYLE_PLAIN);
		if (i % n == n - 1 || i + 1 == detail->n_places)
			sheet->y++;
	}
	sheet->y++;
}

/* ---- counts */

/* "1,234,567" */
static void format_grouped(uint64_t value, char *text, size_t size)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	size_t length = 0;

	for (int i = 0; i < n && length + 2 < size; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			text[length++] = ',';
		text[length++] = digits[i];
	}
	text[length] = '\0';
}

/* The same in a column, of what may have grown for days; "~" and "?" as everywhere. */
static void format_total(const struct event_sum *sum, char *text, size_t size)
{
	static const char units[] = " kMGTPE";
	const char *mark = sum->state == FIGURE_VALID ? "" : sum->state == FIGURE_LOST ? "?" : "~";
	double value = sum->total;

	for (const char *unit = units; *unit; unit++, value /= 1000) {
		char number[40];

		format_grouped((uint64_t)value, number, sizeof(number));
		snprintf(text, size, "%s%s%.1s", mark, number, *unit == ' ' ? "" : unit);
		if (strlen(text) <= NUMBER_WIDTH)
			return;
	}
}

static void format_ms(uint64_t ns, char *text, size_t size)
{
	size_t length = text_fixed(text, size - 3, (double)ns / (double)NS_PER_MS, 1);

	memcpy(text + length, " ms", 4);
}

static unsigned event_width(const struct sheet *sheet)
{
	unsigned others = NUMBER_WIDTH + 2 * TIME_WIDTH + SHARE_WIDTH + 4 +
			  (sheet->page->sums ? NUMBER_WIDTH + 1 : 0);
	unsigned width = sheet->rect.width > others ? sheet->rect.width - others : 0;

	return width < EVENT_WIDTH ? width : EVENT_WIDTH;
}

/* A counter that nothing keeps from counting has no times to tell. */
static void draw_count(struct sheet *sheet, const char *name, size_t index,
		       const struct event_sum *sum)
{
	const struct plan *plan = sheet->page->snapshot->columns->plan;
	const uint64_t *tally = sheet->page->detail->sum.tallies;
	const struct plan_group *group = &plan->groups[plan->counters[index].group];
	unsigned x = sheet->rect.x;
	char text[48];

	put_left(sheet, &x, event_width(sheet), STYLE_NAME, name);
	format_grouped(tally[index], text, sizeof(text));
	put_right(sheet, &x, NUMBER_WIDTH, tally[index] ? STYLE_PLAIN : STYLE_DIM, text);
	text[0] = '\0';
	if (sum)
		format_total(sum, text, sizeof(text));
	if (sheet->page->sums)
		put_right(sheet, &x, NUMBER_WIDTH, STYLE_PLAIN, text);
	if (index >= TALLY_FIRST_COUNTED) {
		uint64_t enabled_ns = tally[tally_domain(&plan->shape, group->domain)];
		uint64_t running_ns = tally[tally_group(&plan->shape, plan->counters[index].group)];

		format_ms(enabled_ns, text, sizeof(text));
		put_right(sheet, &x, TIME_WIDTH, STYLE_PLAIN, text);
		format_ms(running_ns, text, sizeof(text));
		put_right(sheet, &x, TIME_WIDTH, STYLE_PLAIN, text);
		text_copy(text, sizeof(text), "-");
		if (enabled_ns)
			format_percent((double)running_ns / (double)enabled_ns, text, sizeof(text));
		put_right(sheet, &x, SHARE_WIDTH, STYLE_PLAIN, text);
	}
	sheet->y++;
}

static void draw_counts_header(struct sheet *sheet)
{
	const struct sums *sums = sheet->page->sums;
	unsigned x = sheet->rect.x;
	char since[24], text[96];

	format_age(sums ? sums->time_ns : 0, since, sizeof(since));
	snprintf(text, sizeof(text), "in this interval%s%s%s",
		 is_of_cpus(sheet->page->subject) ? ", idle time too" : "",
		 sums ? "; the total is of the last " : "", sums ? since : "");
	draw_heading(sheet, "Counts", text);
	canvas_fill(sheet->canvas, (struct rect){x, sheet->y, sheet->rect.width, 1}, STYLE_HEADER);
	put_left(sheet, &x, event_width(sheet), STYLE_HEADER, "EVENT");
	put_right(sheet, &x, NUMBER_WIDTH, STYLE_HEADER, "COUNT");
	if (sums)
		put_right(sheet, &x, NUMBER_WIDTH, STYLE_HEADER, "TOTAL");
	put_right(sheet, &x, TIME_WIDTH, STYLE_HEADER, "ENABLED");
	put_right(sheet, &x, TIME_WIDTH, STYLE_HEADER, "RUNNING");
	put_right(sheet, &x, SHARE_WIDTH, STYLE_HEADER, "SHARE");
	sheet->y++;
}

/* A line for each counter; the total is of its event, and stands in the first. */
static void draw_counts(struct sheet *sheet)
{
	const struct columns *columns = sheet->page->snapshot->columns;
	const struct sums *sums = sheet->page->sums;
	const struct plan *plan = columns->plan;

	if (sheet->page->detail->sum.n == 0 && !sums)
		return;
	draw_counts_header(sheet);
	for (size_t event = 0; event < plan->n_events; event++) {
		const char *name = columns->events.items[event].name;
		unsigned first = plan->first_counter[event];

		for (unsigned i = first; i < plan->first_counter[event + 1]; i++)
			draw_count(sheet, name, i,
				   sums && i == first ? sums_find(sums, name) : NULL);
	}
	sheet->y++;
}

/* ---- the whole */

unsigned detail_page_draw(const struct detail_page *page, struct canvas *canvas, struct rect rect)
{
	struct sheet left = {page, canvas, rect, rect.y};

	draw_identity(&left);
	draw_verdict(&left);
	left.y++;
	if (rect.width < TWO_COLUMNS_FROM) {
		draw_history(&left);
		left.y++;
		draw_threads(&left);
		draw_places(&left);
		draw_counts(&left);
		return left.y - rect.y;
	}

	struct sheet right = left;
	left.rect.width = (rect.width - 2 * GAP) / 2;
	right.rect.x += left.rect.width + 2 * GAP;
	right.rect.width = left.rect.width;
	draw_history(&left);
	left.y++;
	draw_counts(&left);
	draw_threads(&right);
	draw_places(&right);
	return (left.y > right.y ? left.y : right.y) - rect.y;
}
