// SPDX-License-Identifier: MIT
/*
 * The counted events behind the columns, one line each: its counters, the share of time it was
 * counted, its count now and since zero, and the error of that. Of a profile: the sampled events,
 * which have no counters, with their estimated counts.
 */
#include "tui/screen/app.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/sampled_event.h"
#include "core/snapshot/event_totals.h"
#include "tui/options/duration.h"
#include "tui/panel/event_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum event_column {
	COLUMN_EVENT,
	COLUMN_ON,
	COLUMN_COUNT,
	COLUMN_RATE,
	COLUMN_SAMPLES,
	COLUMN_PER_THOUSAND,
	COLUMN_ERROR,
	COLUMN_TOTAL,
	COLUMN_STATE,
	COLUMN_GROUP,
	COLUMN_PMU,
	COLUMN_CODE,
	COLUMN_FOR,
	COLUMNS,
};

static const struct view_column event_columns[COLUMNS] = {
	[COLUMN_EVENT] = {.title = "EVENT", .least = 21, .left = true},
	[COLUMN_ON] = {.title = "ON%", .width = 5, .weight = 90},
	[COLUMN_COUNT] = {.title = "COUNT", .width = 8},
	[COLUMN_RATE] = {.title = "/S", .width = 8, .weight = 80},
	[COLUMN_SAMPLES] = {.title = "SAMPLES", .width = 8, .weight = 88},
	[COLUMN_PER_THOUSAND] = {.title = "/KINSN", .width = 7, .weight = 70},
	[COLUMN_ERROR] = {.title = "ERR%", .width = 5, .weight = 75},
	[COLUMN_TOTAL] = {.title = "TOTAL", .width = 8, .weight = 85},
	[COLUMN_STATE] = {.title = "STATE", .width = 11, .weight = 95, .left = true},
	[COLUMN_GROUP] = {.title = "GROUP", .width = 7, .weight = 40},
	[COLUMN_PMU] = {.title = "PMU", .width = 14, .weight = 45, .left = true},
	[COLUMN_CODE] = {.title = "CODE", .width = 20, .weight = 30, .left = true},
	[COLUMN_FOR] = {.title = "FOR", .width = 24, .weight = 35, .left = true},
};

/* Whether the column is shown: counters have turns, a profile has samples. */
static bool has_column(const struct columns *columns, enum event_column column)
{
	bool of_profile = columns_of_profile(columns);

	switch (column) {
	case COLUMN_SAMPLES:
		return of_profile;
	case COLUMN_ON:
	case COLUMN_PER_THOUSAND:
	case COLUMN_TOTAL:
	case COLUMN_STATE:
	case COLUMN_GROUP:
	case COLUMN_PMU:
		return !of_profile;
	case COLUMN_EVENT:
	case COLUMN_COUNT:
	case COLUMN_RATE:
	case COLUMN_ERROR:
	case COLUMN_CODE:
	case COLUMN_FOR:
	case COLUMNS:
		break;
	}
	return true;
}

/* Events before this one are not shown: a profile has neither run times nor switches. */
static size_t first_event(const struct columns *columns)
{
	return columns_of_profile(columns) ? TALLY_FIRST_COUNTED : 0;
}

static size_t n_events_shown(const struct columns *columns)
{
	size_t n = event_set_shown(&columns->events), first = first_event(columns);

	return n > first ? n - first : 0;
}

/* Formats of the numbers. A mark of trust stands in front. */
static const struct metric_def count_def = {.width = 7};
static const struct metric_def unit_def = {.width = 7, .decimals = 2};
static const struct metric_def ratio_def = {.width = 6, .decimals = 2};
static const struct metric_def percent_def = {.width = 5, .decimals = 1};
static const struct metric_def error_def = {.width = 5, .decimals = 2};

enum { NAME_BYTES = 256 };

/* Name of an event, with its unit if it is not a plain count. */
static void event_name(const struct event_set *events, size_t index, char *text, size_t size)
{
	const struct event *event = &events->items[index];
	const char *unit = index == TALLY_TASK_CLOCK ? "ns" : event->unit;
	size_t length = text_copy(text, size, event_label(event));

	if (unit[0])
		snprintf(text + length, size - length, " (%s)", unit);
}

/* One event of a snapshot. */
struct event_line {
	const struct snapshot *snapshot;
	const struct event *event;
	size_t index;
	struct figure count;
	struct figure instructions; /* NOT_COUNTED if no event counts them */
	uint64_t samples;           /* of a profile */
	double sampling_error;      /* of a profile, as a part of the count */
	const struct event_sum *sum;
};

static void line_init(const struct snapshot *snapshot, const struct event_totals *totals,
		      size_t index, struct event_line *line)
{
	const struct columns *columns = snapshot->columns;
	const struct metric_input input = event_totals_input(snapshot);
	int instructions = event_set_find(&columns->events, "instructions");

	*line = (struct event_line){
		.snapshot = snapshot,
		.event = &columns->events.items[index],
		.index = index,
		.count = metric_read_one(&columns->event_readings.items[index], &input),
		.instructions = {.state = FIGURE_NOT_COUNTED},
		.sum = event_totals_find(totals, columns->events.items[index].name),
	};
	if (instructions >= 0)
		line->instructions =
			metric_read_one(&columns->event_readings.items[instructions], &input);
	if (line->event->kind == EVENT_SAMPLED && input.tally) {
		const struct plan *plan = columns->plan;
		unsigned counter = plan->first_counter[index];
		size_t group = tally_group(&plan->shape, plan->counters[counter].group);

		line->samples = sampled_event_samples(&plan->shape, input.tally, counter);
		line->sampling_error =
			sampled_event_error(&plan->shape, input.tally, counter, group);
	}
}

/* The figure divided by a number. The state stays. */
static struct figure divide_figure(struct figure figure, double by)
{
	if (!figure_known(figure))
		return figure;
	if (by > 0)
		figure.value /= by;
	else
		figure.state = FIGURE_UNDEFINED;
	return figure;
}

static void cell_on(const struct event_line *line, struct cell *cell)
{
	struct figure on = {.share = 1, .state = FIGURE_VALID};

	on.value = 100 * (double)line->count.share;
	if (line->count.state == FIGURE_NOT_COUNTED)
		on.value = 0;
	else if (!figure_known(line->count))
		on.state = line->count.state;
	figure_format(&percent_def, on, cell);
}

static void cell_per_thousand(const struct event_line *line, struct cell *cell)
{
	struct figure figure = figure_of_two(line->count, line->instructions);

	figure.value = line->count.value;
	figure_format(&ratio_def, divide_figure(figure, line->instructions.value / 1000), cell);
}

/* Only scaled counts and sampled ones have an error. */
static void cell_error(const struct event_line *line, struct cell *cell)
{
	double error = event_sum_error(line->sum, (double)line->count.share);
	struct figure figure = {.share = 1, .state = FIGURE_NOT_COUNTED};

	if (line->event->kind == EVENT_SAMPLED) {
		if (line->samples > 0)
			figure = (struct figure){100 * line->sampling_error, 1, FIGURE_VALID};
		figure_format(&percent_def, figure, cell);
		return;
	}
	if (line->count.state == FIGURE_SCALED && !isnan(error))
		figure = (struct figure){100 * error, 1, FIGURE_VALID};
	figure_format(&error_def, figure, cell);
}

static void cell_total(const struct event_line *line, const struct metric_def *def,
		       struct cell *cell)
{
	struct figure total = line->count;

	if (line->sum && line->sum->n > 0)
		total = line->sum->total;
	figure_format(def, total, cell);
}

static void cell_state(const struct event_line *line, struct cell *cell)
{
	static const struct {
		const char *text;
		enum cell_role role;
	} states[] = {
		[FIGURE_VALID] = {"counted", CELL_PLAIN},
		[FIGURE_SCALED] = {"in turns", CELL_SCALED},
		[FIGURE_LOST] = {"too low", CELL_WARN},
		[FIGURE_UNDEFINED] = {"-", CELL_DIM},
		[FIGURE_NOT_COUNTED] = {"not counted", CELL_WARN},
		[FIGURE_UNSUPPORTED] = {"unsupported", CELL_DIM},
		[FIGURE_DENIED] = {"denied", CELL_WARN},
	};

	const char *text = states[line->count.state].text;

	/* Without turns a count is scaled for windows, lost records or another profiler. */
	if (line->count.state == FIGURE_SCALED &&
	    plan_most_turns(line->snapshot->columns->plan) <= 1)
		text = "scaled";
	cell->role = states[line->count.state].role;
	text_copy(cell->text, sizeof(cell->text), text);
}

static void append_word(struct cell *cell, const char *word)
{
	size_t length = strlen(cell->text);

	if (length > 0 && length + 1 < sizeof(cell->text))
		cell->text[length++] = ' ';
	text_copy(cell->text + length, sizeof(cell->text) - length, word);
}

/* The groups of the event in the plan: each has its turn. */
static void cell_groups(const struct event_line *line, struct cell *cell)
{
	const struct plan *plan = line->snapshot->columns->plan;

	if (line->event->kind == EVENT_DERIVED)
		return;
	for (unsigned i = plan->first_counter[line->index];
	     i < plan->first_counter[line->index + 1]; i = plan_next_counter(plan, i)) {
		char number[16];

		snprintf(number, sizeof(number), "%u", plan->counters[i].group);
		append_word(cell, number);
	}
}

static void cell_pmus(const struct event_line *line, struct cell *cell)
{
	const struct columns *columns = line->snapshot->columns;

	if (line->event->kind == EVENT_SOFTWARE)
		append_word(cell, "kernel");
	else if (line->event->kind == EVENT_SAMPLED)
		append_word(cell, "samples");
	else if (line->event->kind == EVENT_PROC)
		append_word(cell, "/proc");
	else if (line->event->kind == EVENT_DERIVED || line->event->kind == EVENT_WAIT)
		append_word(cell, "switches");
	else
		for (size_t i = 0; i < line->event->n_codes; i++)
			if (line->event->codes[i].state == FIGURE_VALID &&
			    line->event->codes[i].pmu < columns->n_pmus)
				append_word(cell, columns->pmus[line->event->codes[i].pmu]);
}

/* type:config as in perf_event_attr. */
static void cell_codes(const struct event_line *line, struct cell *cell)
{
	for (size_t i = 0; i < line->event->n_codes; i++) {
		const struct perf_event_attr *attr = &line->event->codes[i].attr;
		char code[48];

		snprintf(code, sizeof(code), "%u:0x%" PRIx64, attr->type, (uint64_t)attr->config);
		append_word(cell, code);
	}
}

static bool needs_event(const struct event_set *set, const struct metric *metric, size_t event)
{
	unsigned events[METRIC_EVENTS_MAX];
	size_t n = metric_events(metric, events, METRIC_EVENTS_MAX);

	for (size_t i = 0; i < n; i++)
		if (event_set_needs(set, events[i], event))
			return true;
	return false;
}

/* The columns that use the event. */
static void cell_for(const struct event_line *line, struct cell *cell)
{
	const struct columns *columns = line->snapshot->columns;

	for (size_t i = 0; i < columns->n_shown; i++)
		if (needs_event(&columns->events, &columns->metrics[i], line->index))
			append_word(cell, columns->metrics[i].def->name);
}

static void event_cell(const struct event_line *line, enum event_column column, struct cell *cell)
{
	const struct metric_def *def = line->event->scale == 1 ? &count_def : &unit_def;
	double seconds = (double)line->snapshot->interval_ns / (double)NS_PER_S;

	*cell = (struct cell){.role = CELL_PLAIN};
	switch (column) {
	case COLUMN_EVENT:
		cell->role = CELL_NAME;
		event_name(&line->snapshot->columns->events, line->index, cell->text,
			   sizeof(cell->text));
		break;
	case COLUMN_ON:
		cell_on(line, cell);
		break;
	case COLUMN_COUNT:
		figure_format(def, line->count, cell);
		break;
	case COLUMN_RATE:
		figure_format(def, divide_figure(line->count, seconds), cell);
		break;
	case COLUMN_SAMPLES:
		figure_format(&count_def, (struct figure){(double)line->samples, 1, FIGURE_VALID},
			      cell);
		break;
	case COLUMN_PER_THOUSAND:
		cell_per_thousand(line, cell);
		break;
	case COLUMN_ERROR:
		cell_error(line, cell);
		break;
	case COLUMN_TOTAL:
		cell_total(line, def, cell);
		break;
	case COLUMN_STATE:
		cell_state(line, cell);
		break;
	case COLUMN_GROUP:
		cell_groups(line, cell);
		break;
	case COLUMN_PMU:
		cell_pmus(line, cell);
		break;
	case COLUMN_CODE:
		cell_codes(line, cell);
		break;
	case COLUMN_FOR:
		cell_for(line, cell);
		break;
	case COLUMNS:
		break;
	}
}

static void draw_event(const void *data, size_t line, struct canvas *canvas,
		       const struct rect *places)
{
	const struct app *app = data;
	const struct snapshot *snapshot = app->display.snapshot;
	struct event_line event;

	line_init(snapshot, &app->events.totals, first_event(snapshot->columns) + line, &event);
	for (enum event_column i = 0; i < COLUMNS; i++) {
		struct cell cell;

		if (places[i].width == 0)
			continue;
		event_cell(&event, i, &cell);
		table_text_draw(canvas, places[i], &event_columns[i], style_of_cell(cell.role),
				cell.text);
	}
}

/* Fills columns[COLUMNS]: the name column has the width of the longest name. */
static struct table_rows event_rows(const struct app *app, struct view_column *columns)
{
	const struct columns *counted = app->display.snapshot->columns;
	unsigned longest = event_columns[COLUMN_EVENT].least;

	for (size_t i = first_event(counted); i < event_set_shown(&counted->events); i++) {
		char name[NAME_BYTES];

		event_name(&counted->events, i, name, sizeof(name));
		longest = text_width(name) > longest ? text_width(name) : longest;
	}
	for (unsigned i = 0; i < COLUMNS; i++) {
		columns[i] = event_columns[i];
		if (!has_column(counted, i))
			columns[i].width = 0;
	}
	columns[COLUMN_EVENT].width = longest;
	return (struct table_rows){
		.columns = columns,
		.n_columns = COLUMNS,
		.n = n_events_shown(counted),
		.sorted = COLUMNS,
		.draw = draw_event,
		.data = app,
	};
}

/*
 * Draws the line above the table: what is counted, how events share counters, and the time of the
 * totals.
 */
static void draw_summary(const struct snapshot *snapshot, uint64_t totals_ns, struct canvas *canvas,
			 struct rect line)
{
	char text[200], sharing[64] = "", since[24];

	if (columns_of_profile(snapshot->columns)) {
		canvas_text_ellipsis(canvas, line.x, line.y, line.width, STYLE_LABEL,
				     "Sampled events. Their counts are estimates: ERR% is the "
				     "standard error.");
		return;
	}
	if (!snapshot_sharing(snapshot, sharing, sizeof(sharing)))
		snprintf(sharing, sizeof(sharing), "%zu events",
			 event_set_shown(&snapshot->columns->events));
	duration_format((totals_ns + NS_PER_S / 20) / (NS_PER_S / 10) * (NS_PER_S / 10), since,
			sizeof(since));
	snprintf(text, sizeof(text), "%s: %s. TOTAL covers the last %s.",
		 snapshot->target ? "Target" : "Machine", sharing, since);
	canvas_text_ellipsis(canvas, line.x, line.y, line.width, STYLE_LABEL, text);
}

enum { FREE_LEAST = 6 }; /* lines below the table with which something else is shown there */

/* The processes behind the selected event, on the lines that the table leaves free. */
static void draw_selected(const struct app *app, struct canvas *canvas, struct rect rect)
{
	const struct snapshot *snapshot = app->display.snapshot;
	size_t selected = app->events.table.selected;
	struct event_line line;

	if (rect.height == 0 || selected >= n_events_shown(snapshot->columns))
		return;
	line_init(snapshot, &app->events.totals, first_event(snapshot->columns) + selected, &line);
	event_rows_draw(snapshot, line.index, line.count, canvas, rect);
}

static void events_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);
	struct view_column columns[COLUMNS];

	if (!app->display.snapshot)
		return;
	if (body.height > 3) {
		draw_summary(app->display.snapshot, app->events.totals.time_ns, canvas, body);
		body.y++;
		body.height--;
	}
	struct table_rows rows = event_rows(app, columns);
	struct rect below = table_cut_free(&body, rows.n, FREE_LEAST);
	table_draw(&app->events.table, canvas, body, &rows, "");
	draw_selected(app, canvas, below);
}

/* Removes the event's column, or shows why it cannot be removed. */
static void remove_event(struct app *app)
{
	const struct snapshot *snapshot = app->display.snapshot;
	size_t selected = app->events.table.selected;
	struct event_line line;
	struct cell columns_of = {.text = ""};

	if (!snapshot || selected >= n_events_shown(snapshot->columns))
		return;
	line_init(snapshot, &app->events.totals, first_event(snapshot->columns) + selected, &line);
	if (columns_show(snapshot->columns, event_label(line.event))) {
		app_request(app, REQUEST_REMOVE, event_label(line.event), 0);
		return;
	}
	cell_for(&line, &columns_of);
	messages_show(&app->messages,
		      columns_of.text[0] ? "%s is counted for the columns %s: remove these first."
					 : "%s is always counted.",
		      event_label(line.event), columns_of.text);
}

static bool events_act(struct app *app, enum action action)
{
	if (action == ACTION_REMOVE)
		remove_event(app);
	else
		return table_act(&app->events.table, action);
	return true;
}

static bool events_click(struct app *app, unsigned x, unsigned y)
{
	struct view_column columns[COLUMNS];
	size_t line;

	if (!app->display.snapshot)
		return false;
	struct table_rows rows = event_rows(app, columns);
	if (table_at(&app->events.table, &rows, x, y, &line) != TABLE_LINE)
		return false;
	app->events.table.selected = line;
	return true;
}

static const enum action events_bar[] = {
	ACTION_HELP,   ACTION_NEXT_SCREEN, ACTION_ADD,  ACTION_REMOVE,
	ACTION_PRESET, ACTION_PAUSE,       ACTION_QUIT, ACTION_NONE,
};

const struct screen screen_events = {
	.name = "Events",
	.draw = events_draw,
	.act = events_act,
	.click = events_click,
	.bar = events_bar,
};
