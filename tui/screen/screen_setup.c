// SPDX-License-Identifier: MIT
/*
 * The setup screen: options, the columns that are counted, and metrics that can be added as
 * columns. A change has its effect at once; W saves it.
 */
#include "tui/screen/screen_setup.h"

#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 20, NAME_WIDTH = 22 };

static void preset_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size,
		  app->display.snapshot        ? app->display.snapshot->columns->preset
		  : app->preferences.preset[0] ? app->preferences.preset
					       : "-");
}

static void theme_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, app->preferences.theme[0] ? app->preferences.theme : "default");
}

static void interval_value(const struct app *app, char *text, size_t size)
{
	duration_format(app->preferences.interval_ns, text, size);
}

static void lines_value(const struct app *app, char *text, size_t size)
{
	snprintf(text, size, "by %s", rollup_name(app->tasks.spec.by));
}

/* Chooses the next roll-up of tasks. */
static void change_lines(struct app *app)
{
	enum rollup by = app->tasks.spec.by;

	do
		by = rollup_name(by + 1) ? by + 1 : ROLLUP_PROCESS;
	while (rollup_is_of_cpus(by));
	list_roll_up(&app->tasks, by);
	app->round_screen = &screen_tasks; /* the list that shows it, and that W saves */
}

static void levels_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, event_levels_name(app->preferences.levels));
}

static void idle_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, app->preferences.idle ? "all" : "only tasks that ran");
}

static void command_lines_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size,
		  app->tasks.spec.command == VIEW_COMMAND_WHOLE ? "whole command lines"
								: "short command lines");
}

static void unit_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, view_unit_name(app->tasks.spec.unit));
}

static void ascii_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, app->preferences.ascii ? "ASCII only" : "UTF-8 if possible");
}

static void change_ascii(struct app *app)
{
	app->preferences.ascii = !app->preferences.ascii;
}

/* The options. `action` or `change` changes it. */
static const struct setup_option {
	const char *label;
	void (*value)(const struct app *app, char *text, size_t size);
	enum action action;
	void (*change)(struct app *app);
} options[] = {
	{"Preset", preset_value, ACTION_PRESET, NULL},
	{"Theme", theme_value, ACTION_THEME, NULL},
	{"Interval", interval_value, ACTION_INTERVAL, NULL},
	{"Rows", lines_value, ACTION_NONE, change_lines},
	{"Tasks", idle_value, ACTION_IDLE, NULL},
	{"Events and rates", unit_value, ACTION_UNIT, NULL},
	{"Commands", command_lines_value, ACTION_COMMAND_LINE, NULL},
	{"Privilege levels", levels_value, ACTION_COUNT, NULL},
	{"Characters", ascii_value, ACTION_NONE, change_ascii},
};

/* Options, columns at their places, then metrics that are no columns. */
struct setup_items {
	const struct app *app;
	struct column_place *places;
	size_t n_places;
	const struct metric_def **others;
	size_t n_others, n; /* n: with the options */
};

static bool is_refused(const struct app *app, const struct metric_def *def)
{
	const struct catalog_answer *answer = pick_metric_answer(app, def->name);

	return answer && answer->state != FIGURE_VALID;
}

/* Adds the metrics that are no columns, without metrics of the whole machine. */
static void add_others(const struct app *app, bool refused, const struct metric_def *defs, size_t n,
		       struct setup_items *items)
{
	for (size_t i = 0; i < n; i++)
		if (!defs[i].machine && is_refused(app, &defs[i]) == refused &&
		    !columns_show(app->display.snapshot->columns, defs[i].name))
			items->others[items->n_others++] = &defs[i];
}

/* Before the first snapshot there are no columns. A profile can have no others. */
static void setup_items_init(const struct app *app, struct setup_items *items)
{
	const struct snapshot *snapshot = app->display.snapshot;
	const struct app_config *config = &app->config;

	*items = (struct setup_items){.app = app, .n = ARRAY_SIZE(options)};
	if (!snapshot)
		return;
	items->places =
		xcalloc(snapshot->columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*items->places));
	items->n_places =
		column_choice_places(&app->preferences.columns, snapshot->columns, items->places);
	items->others = xcalloc(config->n_user_metrics + metric_table_n, sizeof(*items->others));
	/* What cannot be counted is last. */
	for (int refused = 0; refused < 2 && !columns_of_profile(snapshot->columns); refused++) {
		add_others(app, refused, config->user_metrics, config->n_user_metrics, items);
		add_others(app, refused, metric_table, metric_table_n, items);
	}
	items->n += items->n_places + items->n_others;
}

static void setup_items_fini(struct setup_items *items)
{
	free(items->places);
	free(items->others);
}

/* Each part has a heading; a blank line divides them. */
static size_t line_of(const struct setup_items *items, size_t item)
{
	return item + (item < ARRAY_SIZE(options)                     ? 1
		       : item < ARRAY_SIZE(options) + items->n_places ? 3
								      : 5);
}

/* SIZE_MAX: a heading, or a blank line. */
static size_t item_of(const struct setup_items *items, size_t line)
{
	for (size_t above = 1; above <= 5 && above <= line; above += 2)
		if (line - above < items->n && line_of(items, line - above) == line)
			return line - above;
	return SIZE_MAX;
}

static const char *place_help(const struct columns *columns, const struct column_place *place)
{
	if (place->metric >= 0)
		return columns->defs[place->metric].help;
	return strcmp(place->name, "verdict") == 0 ? "what slows the row down"
						   : "the function that it runs most";
}

static void draw_heading(const struct setup_items *items, size_t line, struct canvas *canvas,
			 struct rect place)
{
	const char *text = "";

	if (line == 0)
		text = "Options: Enter or Space changes, W saves";
	else if (line == ARRAY_SIZE(options) + 2)
		text = "Columns: Space shows or hides, < and > move";
	else if (item_of(items, line + 1) != SIZE_MAX)
		text = "Other columns: Space adds them (events and formulas: e)";
	canvas_text_ellipsis(canvas, place.x, place.y, place.width, STYLE_TITLE, text);
}

static void draw_item(const struct setup_items *items, size_t item, struct canvas *canvas,
		      struct rect place)
{
	const struct app *app = items->app;
	unsigned left = NAME_WIDTH + 4, width = place.width > 2 ? place.width - 2 : 0;
	enum style style = STYLE_DIM;
	const char *right = "";
	char text[128];

	if (item < ARRAY_SIZE(options)) {
		char value[64];

		options[item].value(app, value, sizeof(value));
		snprintf(text, sizeof(text), "%-*s%s", LABEL_WIDTH, options[item].label, value);
		style = STYLE_PLAIN;
		left = place.width;
	} else if (item - ARRAY_SIZE(options) < items->n_places) {
		const struct column_place *column = &items->places[item - ARRAY_SIZE(options)];

		snprintf(text, sizeof(text), "[%c] %s", column->hidden ? ' ' : 'x', column->name);
		right = place_help(app->display.snapshot->columns, column);
		style = column->hidden ? STYLE_DIM : STYLE_NAME;
	} else {
		const struct metric_def *def =
			items->others[item - ARRAY_SIZE(options) - items->n_places];

		snprintf(text, sizeof(text), "[ ] %s", def->name);
		right = is_refused(app, def) ? pick_metric_answer(app, def->name)->why : def->help;
	}
	canvas_text_ellipsis(canvas, place.x + 2, place.y, width < left ? width : left - 1, style,
			     text);
	if (width > left)
		canvas_text_ellipsis(canvas, place.x + left + 2, place.y, width - left, STYLE_DIM,
				     right);
}

static void draw_line(const void *data, size_t line, struct canvas *canvas,
		      const struct rect *place)
{
	const struct setup_items *items = data;
	size_t item = item_of(items, line);

	if (item == SIZE_MAX)
		draw_heading(items, line, canvas, *place);
	else
		draw_item(items, item, canvas, *place);
}

static size_t last_line(const struct setup_items *items)
{
	return line_of(items, items->n - 1);
}

/* Before the first snapshot the columns have a heading alone. */
static struct table_rows rows_of(const struct setup_items *items)
{
	size_t least = ARRAY_SIZE(options) + 3, n = last_line(items) + 1;

	return (struct table_rows){.n = n > least ? n : least, .draw = draw_line, .data = items};
}

/* Headings and blank lines are not selected. On the way up the first page has its heading. */
static void select_item(struct table *table, const struct setup_items *items, bool up)
{
	table->selected = size_min(table->selected, last_line(items));
	while (up && table->selected > 1 && item_of(items, table->selected) == SIZE_MAX)
		table->selected--;
	while (item_of(items, table->selected) == SIZE_MAX)
		table->selected++;
	if (table->selected < table->top)
		table->top = table->selected < table->page ? 0 : table->selected;
}

static void setup_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);
	struct setup_items items;

	setup_items_init(app, &items);
	struct table_rows rows = rows_of(&items);
	select_item(&app->setup, &items, true);
	table_draw(&app->setup, canvas, body, &rows, "");
	setup_items_fini(&items);
}

static bool setup_click(struct app *app, unsigned x, unsigned y)
{
	struct setup_items items;
	size_t line;

	setup_items_init(app, &items);
	struct table_rows rows = rows_of(&items);
	bool is_item = table_at(&app->setup, &rows, x, y, &line) == TABLE_LINE &&
		       item_of(&items, line) != SIZE_MAX;
	if (is_item)
		app->setup.selected = line;
	setup_items_fini(&items);
	return is_item;
}

static void add_other(struct app *app, const struct metric_def *def)
{
	if (is_refused(app, def)) {
		messages_show(&app->messages, "%s", pick_metric_answer(app, def->name)->why);
		return;
	}
	app_request(app, REQUEST_ADD_METRIC, def->name, 0);
	if (column_choice_show(&app->preferences.columns, def->name))
		app_show_columns(app);
	messages_show(&app->messages, "Column %s comes with the next refresh.", def->title);
}

/* The selected item can be gone since the last drawing. */
static void change_selected(struct app *app, const struct setup_items *items)
{
	size_t at = item_of(items, app->setup.selected), first = ARRAY_SIZE(options);

	if (at >= items->n)
		return;
	if (at < first && options[at].change)
		options[at].change(app);
	else if (at < first)
		app_act(app, options[at].action);
	else if (at >= first + items->n_places)
		add_other(app, items->others[at - first - items->n_places]);
	else if (column_choice_toggle(&app->preferences.columns, app->display.snapshot->columns,
				      at - first))
		app_show_columns(app);
	else
		messages_show(&app->messages, "At least one column must be shown.");
}

static void move_column(struct app *app, const struct setup_items *items, bool down)
{
	size_t first = ARRAY_SIZE(options), at = item_of(items, app->setup.selected);

	if (at < first || at >= first + items->n_places)
		return;
	at = column_choice_move(&app->preferences.columns, app->display.snapshot->columns,
				at - first, down);
	app->setup.selected = line_of(items, first + at);
	app_show_columns(app);
}

void setup_select_options(struct table *setup)
{
	setup->selected = 1;
}

void setup_select_columns(struct table *setup)
{
	setup->top = ARRAY_SIZE(options) + 2; /* their heading is the first line */
	setup->selected = setup->top + 1;
}

static bool setup_act(struct app *app, enum action action)
{
	struct setup_items items;
	bool known = true;

	setup_items_init(app, &items);
	app->setup.n = rows_of(&items).n; /* it may not have been drawn yet */
	if (action == ACTION_DETAIL || action == ACTION_TAG)
		change_selected(app, &items);
	else if (action == ACTION_SORT_PREVIOUS || action == ACTION_SORT_NEXT)
		move_column(app, &items, action == ACTION_SORT_NEXT);
	else if (action == ACTION_COLUMNS)
		setup_select_columns(&app->setup);
	else if (action == ACTION_LEAVE || action == ACTION_QUIT || action == ACTION_SETUP)
		app_leave_to_below(app);
	else
		known = table_act(&app->setup, action);
	select_item(&app->setup, &items, action == ACTION_UP || action == ACTION_PAGE_UP);
	setup_items_fini(&items);
	return known;
}

static const enum action setup_bar[] = {
	ACTION_LEAVE,
	ACTION_HELP,
	ACTION_SAVE,
	ACTION_NONE,
};

const struct screen screen_setup = {
	.draw = setup_draw,
	.act = setup_act,
	.click = setup_click,
	.bar = setup_bar,
};
