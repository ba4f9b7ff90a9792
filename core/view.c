// SPDX-License-Identifier: MIT
/*
 * Which columns there are follows from the subject and from the metrics of the snapshot; what a
 * cell says follows from its column alone. Text is made only for the cells that someone asks for.
 */
#include "view.h"

#include "text.h"
#include "util.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ID_WIDTH = 7, /* PID_MAX_LIMIT is 4194304 */
	USER_WIDTH = 8,
	CPU_WIDTH = 4,
	COMMAND_WIDTH = 17, /* 15 bytes of comm in brackets */
	COMMAND_LEAST = 12, /* what columns are dropped for */
	METRIC_WEIGHT = 200,
	ASKED_WEIGHT = 300, /* of the first that was asked for */
	ASKED_RANKS = 90,   /* less by one for each after it, but still above the preset's */
	USER_WEIGHT = 195,  /* so USER goes when three metrics are left */
};

/* The columns that are no metrics, by the name that -s takes. */
static const struct view_column column_pid = {
	.name = "pid", .title = "PID", .metric = -1, .width = ID_WIDTH};
static const struct view_column column_tid = {
	.name = "tid", .title = "TID", .metric = -1, .width = ID_WIDTH};
static const struct view_column column_user = {.name = "user",
					       .title = "USER",
					       .metric = -1,
					       .width = USER_WIDTH,
					       .left = true,
					       .weight = USER_WEIGHT};
static const struct view_column column_command = {
	.name = "command", .title = "COMMAND", .metric = -1, .width = COMMAND_WIDTH, .left = true};
static const struct view_column column_cpu = {
	.name = "cpu", .title = "CPU", .metric = -1, .width = CPU_WIDTH};

/* ---- figures */

/* "12.3k", "456M": three digits that mean something, fewer where there is no room. */
static bool format_compact(double value, unsigned width, char *text, size_t size)
{
	static const char units[] = "kMGTPE";
	double scaled = fabs(value);
	size_t unit = 0;

	for (scaled /= 1000; scaled >= 999.5; scaled /= 1000)
		if (++unit == sizeof(units) - 1)
			return false;
	unsigned decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
	for (;; decimals--) {
		size_t length = text_fixed(text, size - 1, copysign(scaled, value), decimals);

		if (length + 1 <= width) {
			memcpy(text + length, (char[]){units[unit], '\0'}, 2);
			return true;
		}
		if (decimals == 0)
			return false;
	}
}

/*
 * Fixed decimals as long as they fit, then fewer; whole numbers (rates) turn compact at ten
 * thousand, because nobody reads the last digits of 1234567.
 */
static void format_number(const struct metric_def *def, double value, char *text, size_t size)
{
	if (fabs(value) < 9999.5 || def->decimals > 0)
		for (unsigned decimals = def->decimals;; decimals--) {
			if (text_fixed(text, size, value, decimals) <= def->width)
				return;
			if (decimals == 0)
				break;
		}
	if (format_compact(value, def->width, text, size))
		return;
	size_t width = size_min(def->width, size - 1); /* a number that no column can hold */
	memset(text, '#', width);
	text[width] = '\0';
}

static bool shows_zero(const char *text)
{
	return text[strcspn(text, "123456789#")] == '\0';
}

void figure_format(const struct metric_def *def, struct figure figure, struct cell *cell)
{
	static const char *const missing[] = {
		[FIGURE_UNDEFINED] = "-",
		[FIGURE_NOT_COUNTED] = "-",
		[FIGURE_UNSUPPORTED] = "n/a",
		[FIGURE_DENIED] = "!",
	};
	bool marked = figure.state != FIGURE_VALID;

	cell->role = CELL_DIM;
	if (!figure_known(figure)) {
		text_copy(cell->text, sizeof(cell->text), missing[figure.state]);
		return;
	}
	cell->text[0] = figure.state == FIGURE_LOST ? '?' : '~';
	format_number(def, figure.value, cell->text + marked, sizeof(cell->text) - marked);
	switch (metric_level(def, figure)) {
	case METRIC_BAD:
		cell->role = CELL_BAD;
		break;
	case METRIC_WARN:
		cell->role = CELL_WARN;
		break;
	case METRIC_PLAIN:
		if (marked)
			cell->role = CELL_SCALED;
		else if (!shows_zero(cell->text))
			cell->role = CELL_PLAIN;
		break;
	}
}

/* ---- columns */

static void add_column(struct view *view, const struct view_column *column)
{
	view->columns[view->n_columns++] = *column;
}

/* The first metric is never dropped, the preset's go from the right, what was asked for stays. */
static unsigned metric_weight(const struct columns *columns, size_t index)
{
	if (index == 0)
		return 0;
	if (index >= columns->n_preset)
		return ASKED_WEIGHT - (unsigned)size_min(index - columns->n_preset, ASKED_RANKS);
	return index < METRIC_WEIGHT / 2 ? (unsigned)(METRIC_WEIGHT - 2 * index) : 1;
}

static void add_metric(struct view *view, size_t index)
{
	const struct metric *metric = &view->snapshot->columns->metrics[index];
	const struct metric_def *def = metric->def;
	unsigned title = text_width(metric->title), number = def->width + 1;

	add_column(view,
		   &(struct view_column){.name = def->name,
					 .title = metric->title,
					 .metric = (int)index,
					 .width = title > number ? title : number,
					 .weight = metric_weight(view->snapshot->columns, index)});
}

static void make_columns(struct view *view)
{
	size_t n_metrics = view->snapshot->columns->n_metrics;

	view->columns = xcalloc(n_metrics + 4, sizeof(*view->columns));
	if (view->spec.subject == VIEW_CPUS) {
		add_column(view, &column_cpu);
	} else {
		add_column(view, &column_pid);
		if (view->spec.threads)
			add_column(view, &column_tid);
		add_column(view, &column_user);
	}
	for (size_t i = 0; i < n_metrics; i++)
		if (!view->snapshot->columns->metrics[i].def->machine)
			add_metric(view, i);
	if (view->spec.subject == VIEW_TASKS)
		add_column(view, &column_command);
}

static int find_column(const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->n_columns; i++)
		if (strcmp(view->columns[i].name, name) == 0)
			return (int)i;
	return -ENOENT;
}

static size_t choose_sort(const struct view *view)
{
	int column = find_column(view, view->spec.sort);

	if (column < 0 && view->spec.subject == VIEW_TASKS)
		column = find_column(view, "cpu_percent");
	/* Else by what is shown first. */
	for (size_t i = 0; column < 0 && view->spec.subject == VIEW_TASKS && i < view->n_columns;
	     i++)
		if (view->columns[i].metric >= 0)
			column = (int)i;
	return column < 0 ? 0 : (size_t)column;
}

/* ---- order */

static struct figure figure_at(const struct view *view, size_t index, int metric)
{
	const struct snapshot *snapshot = view->snapshot;

	if (view->spec.subject == VIEW_TASKS)
		return rows_figures(snapshot->columns, view->rows, index)[metric];
	const struct snapshot_cpu *cpu = &snapshot->cpus[index];
	if (!cpu->figures)
		return (struct figure){.state = FIGURE_NOT_COUNTED};
	return cpu->figures[metric];
}

/* By what rows are put in order: a number or a text, and whether it is known at all. */
struct sort_key {
	bool known;
	double number;
	const char *text;
};

static struct sort_key sort_key(const struct view *view, size_t index)
{
	const struct view_column *column = &view->columns[view->sort_column];

	if (column->metric >= 0) {
		struct figure figure = figure_at(view, index, column->metric);

		return (struct sort_key){figure_known(figure), figure.value, ""};
	}
	if (view->spec.subject == VIEW_CPUS)
		return (struct sort_key){true, view->snapshot->cpus[index].cpu, ""};
	const struct row *row = &view->rows->items[index];
	if (strcmp(column->name, "user") == 0)
		return (struct sort_key){row->user[0] != '\0', 0, row->user};
	if (strcmp(column->name, "command") == 0)
		return (struct sort_key){row->comm[0] != '\0', 0, row->comm};
	return (struct sort_key){true, strcmp(column->name, "tid") == 0 ? row->tid : row->pid, ""};
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_identity(const struct view *view, size_t a, size_t b)
{
	if (view->spec.subject == VIEW_CPUS)
		return compare_numbers(view->snapshot->cpus[a].cpu, view->snapshot->cpus[b].cpu);
	const struct row *row_a = &view->rows->items[a], *row_b = &view->rows->items[b];
	int by_pid = compare_numbers(row_a->pid, row_b->pid);
	return by_pid ? by_pid : compare_numbers(row_a->tid, row_b->tid);
}

static int compare_lines(const void *line_a, const void *line_b, void *arg)
{
	const struct view *view = arg;
	size_t index_a = *(const size_t *)line_a, index_b = *(const size_t *)line_b;
	struct sort_key a = sort_key(view, index_a), b = sort_key(view, index_b);

	if (a.known != b.known)
		return a.known ? -1 : 1;
	if (a.known) {
		bool down = view->columns[view->sort_column].metric >= 0;
		int order = compare_numbers(a.number, b.number);

		if (order == 0)
			order = strcmp(a.text, b.text);
		if (order != 0)
			return down == view->spec.reverse ? order : -order;
	}
	return compare_identity(view, index_a, index_b);
}

void view_init(const struct snapshot *snapshot, const struct view_spec *spec, struct view *view)
{
	*view = (struct view){.snapshot = snapshot, .spec = *spec};
	make_columns(view);
	view->sort_column = choose_sort(view);
	if (spec->subject == VIEW_CPUS) {
		view->n = snapshot->n_cpus;
	} else if (spec->threads) {
		view->rows = &snapshot->threads;
		view->n = snapshot->threads.n;
	} else {
		rows_by_process(snapshot->columns, snapshot->interval_ns, &snapshot->threads,
				&view->processes);
		view->rows = &view->processes;
		view->n = view->processes.n;
	}
	view->order = xcalloc(view->n, sizeof(*view->order));
	for (size_t i = 0; i < view->n; i++)
		view->order[i] = i;
	qsort_r(view->order, view->n, sizeof(*view->order), compare_lines, view);
}

void view_fini(struct view *view)
{
	free(view->columns);
	free(view->order);
	rows_fini(&view->processes);
	*view = (struct view){0};
}

/* ---- cells */

/* A text of a column; one that does not fit ends in '+', as top and ps do it. */
static void cell_text(struct cell *cell, const char *text, unsigned width)
{
	text_printable(cell->text, sizeof(cell->text), text, width);
	if (text_width(text) <= width)
		return;
	size_t length = text_printable(cell->text, sizeof(cell->text) - 1, text, width - 1);
	memcpy(cell->text + length, "+", 2);
}

static void cell_user(struct cell *cell, const struct row *row)
{
	cell->role = row->user[0] ? CELL_PLAIN : CELL_DIM;
	cell_text(cell, row->user[0] ? row->user : "-", USER_WIDTH);
}

static void cell_command(struct cell *cell, const struct row *row)
{
	bool exited = row->flags & ROW_EXITED;
	bool bracketed = exited || (row->flags & ROW_KERNEL);
	size_t length = 0;
	char comm[sizeof(row->comm) + 1];

	if (row->comm[0])
		text_copy(comm, sizeof(comm), row->comm);
	else /* perf's way to name a task that it has no name of */
		snprintf(comm, sizeof(comm), ":%d", row->tid);
	cell->role = exited || !row->comm[0] ? CELL_DIM : CELL_NAME;
	if (bracketed)
		cell->text[length++] = exited ? '(' : '[';
	length += text_printable(cell->text + length, sizeof(cell->text) - length - bracketed, comm,
				 COMMAND_WIDTH - 2 * bracketed);
	if (bracketed)
		memcpy(cell->text + length, exited ? ")" : "]", 2);
}

static void cell_id(struct cell *cell, int id)
{
	cell->role = CELL_ID;
	snprintf(cell->text, sizeof(cell->text), "%d", id);
}

void view_cell(const struct view *view, size_t line, size_t column, struct cell *cell)
{
	const struct view_column *what = &view->columns[column];
	size_t index = view->order[line];
	const struct metric *metrics = view->snapshot->columns->metrics;

	if (view->spec.subject == VIEW_CPUS) {
		const struct snapshot_cpu *cpu = &view->snapshot->cpus[index];

		if (what->metric < 0)
			cell_id(cell, cpu->cpu);
		else
			figure_format(metrics[what->metric].def,
				      figure_at(view, index, what->metric), cell);
		return;
	}
	const struct row *row = &view->rows->items[index];
	if (what->metric >= 0)
		figure_format(metrics[what->metric].def, figure_at(view, index, what->metric),
			      cell);
	else if (strcmp(what->name, "user") == 0)
		cell_user(cell, row);
	else if (strcmp(what->name, "command") == 0)
		cell_command(cell, row);
	else
		cell_id(cell, strcmp(what->name, "tid") == 0 ? row->tid : row->pid);
}

const struct row *view_row(const struct view *view, size_t line)
{
	return view->rows ? &view->rows->items[view->order[line]] : NULL;
}

/* ---- layout */

/* What a column asks for before anything is dropped. */
static unsigned least_width(const struct view *view, size_t column)
{
	bool rest = view->columns[column].left && column + 1 == view->n_columns;

	return rest ? COMMAND_LEAST : view->columns[column].width;
}

void view_fit(const struct view *view, unsigned width, unsigned *widths)
{
	unsigned used = 0;

	for (size_t i = 0; i < view->n_columns; i++) {
		widths[i] = least_width(view, i);
		used += widths[i] + (i > 0);
	}
	while (used > width) {
		size_t lightest = view->n_columns;

		for (size_t i = 0; i < view->n_columns; i++) {
			unsigned weight = view->columns[i].weight;

			if (widths[i] == 0 || weight == 0 || i == view->sort_column)
				continue;
			if (lightest == view->n_columns || weight < view->columns[lightest].weight)
				lightest = i;
		}
		if (lightest == view->n_columns)
			break;
		used -= widths[lightest] + 1;
		widths[lightest] = 0;
	}
	if (used <= width) { /* COMMAND gets what is left */
		if (view->n_columns > 0 && view->columns[view->n_columns - 1].left)
			widths[view->n_columns - 1] += width - used;
		return;
	}
	unsigned left = width, gap = 0;
	for (size_t i = 0; i < view->n_columns; i++) {
		if (widths[i] == 0)
			continue;
		widths[i] = left > gap ? (unsigned)size_min(widths[i], left - gap) : 0;
		left -= widths[i] ? widths[i] + gap : 0;
		gap = 1;
	}
}
