// SPDX-License-Identifier: MIT
/*
 * The setup screen: options, the columns that are counted, and metrics that can be added as
 * columns. A change has its effect at once; W saves it.
 */
#include "tui/screen/screen_setup.h"

#include "core/base/util.h"
#include "tui/options/duration.h"
#include "tui/screen/app.h"
#include "tui/widget/page.h"

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
	text_copy(text, size, app->preferences.idle ? "all" : "only those that ran");
}

static void command_lines_value(const struct app *app, char *text, size_t size)
{
	text_copy(text, size, app->tasks.spec.command_lines ? "whole command lines" : "names");
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

/* The lines below the options: columns at their places, then metrics that are no columns. */
struct setup_items {
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

/* Adds the metrics that are no columns, without those of the whole machine. */
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

	*items = (struct setup_items){.n = ARRAY_SIZE(options)};
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

/* Moves *rect to a line of the list. Returns false if the line is not shown. */
static bool place_line(const struct setup *setup, struct rect *rect, size_t line)
{
	if (line < setup->top || line - setup->top >= rect->height)
		return false;
	rect->y += (unsigned)(line - setup->top);
	rect->height = 1;
	return true;
}

static void draw_heading(const struct setup *setup, struct canvas *canvas, struct rect rect,
			 size_t line, const char *text)
{
	if (place_line(setup, &rect, line))
		canvas_text_ellipsis(canvas, rect.x, rect.y, rect.width, STYLE_TITLE, text);
}

/* The line of an item. */
static void draw_setup_item(const struct setup *setup, struct canvas *canvas, struct rect rect,
			    size_t item, size_t line, const char *left, unsigned left_width,
			    const char *right, enum style style)
{
	if (!place_line(setup, &rect, line))
		return;
	unsigned width = rect.width > 2 ? rect.width - 2 : 0;
	canvas_text_ellipsis(canvas, rect.x + 2, rect.y,
			     width < left_width ? width : left_width - 1, style, left);
	if (rect.width > left_width + 2)
		canvas_text_ellipsis(canvas, rect.x + left_width + 2, rect.y,
				     rect.width - left_width - 2, STYLE_DIM, right);
	if (item == setup->selected)
		canvas_select(canvas, rect);
}

static void draw_options(const struct app *app, const struct setup_items *items,
			 struct canvas *canvas, struct rect body)
{
	draw_heading(&app->setup, canvas, body, 0, "Options: Enter or Space changes, W saves");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char value[64], text[128];

		options[i].value(app, value, sizeof(value));
		snprintf(text, sizeof(text), "%-*s%s", LABEL_WIDTH, options[i].label, value);
		draw_setup_item(&app->setup, canvas, body, i, line_of(items, i), text, body.width,
				"", STYLE_PLAIN);
	}
}

static const char *place_help(const struct columns *columns, const struct column_place *place)
{
	if (place->metric >= 0)
		return columns->defs[place->metric].help;
	return strcmp(place->name, "verdict") == 0 ? "what slows the row down"
						   : "the function that it runs most";
}

static void draw_columns(const struct app *app, const struct setup_items *items,
			 struct canvas *canvas, struct rect body)
{
	size_t first = ARRAY_SIZE(options);

	draw_heading(&app->setup, canvas, body, first + 2,
		     "Columns: Space shows or hides, < and > move");
	for (size_t i = 0; i < items->n_places; i++) {
		const struct column_place *place = &items->places[i];
		char text[128];

		snprintf(text, sizeof(text), "[%c] %s", place->hidden ? ' ' : 'x', place->name);
		draw_setup_item(&app->setup, canvas, body, first + i, line_of(items, first + i),
				text, NAME_WIDTH + 4,
				place_help(app->display.snapshot->columns, place),
				place->hidden ? STYLE_DIM : STYLE_NAME);
	}
}

static void draw_others(const struct app *app, const struct setup_items *items,
			struct canvas *canvas, struct rect body)
{
	size_t first = ARRAY_SIZE(options) + items->n_places;

	if (items->n_others == 0)
		return;
	draw_heading(&app->setup, canvas, body, line_of(items, first) - 1,
		     "Other columns: Space adds them (events and formulas: e)");
	for (size_t i = 0; i < items->n_others; i++) {
		const struct metric_def *def = items->others[i];
		bool refused = is_refused(app, def);
		char text[128];

		snprintf(text, sizeof(text), "[ ] %s", def->name);
		draw_setup_item(&app->setup, canvas, body, first + i, line_of(items, first + i),
				text, NAME_WIDTH + 4,
				refused ? pick_metric_answer(app, def->name)->why : def->help,
				STYLE_DIM);
	}
}

static void setup_draw(struct app *app, struct canvas *canvas)
{
	struct rect body = app_draw_frame(app, canvas);
	struct setup *setup = &app->setup;
	struct setup_items items;

	setup_items_init(app, &items);
	setup->selected = size_min(setup->selected, items.n - 1);
	setup->page = body.height;

	size_t line = line_of(&items, setup->selected);

	if (line < setup->top) /* the first page begins with its heading */
		setup->top = line < body.height ? 0 : line;
	else if (line >= setup->top + body.height)
		setup->top = line - body.height + (body.height > 0);
	draw_options(app, &items, canvas, body);
	draw_columns(app, &items, canvas, body);
	draw_others(app, &items, canvas, body);
	setup_items_fini(&items);
}

/* Moves the selection among n items. Returns false if the action is not a movement. */
static bool move_selected(struct setup *setup, size_t n, enum action action)
{
	size_t page = setup->page > 1 ? setup->page - 1 : 1;

	if (action == ACTION_UP || action == ACTION_DOWN)
		page_move_selection(&setup->selected, n, 1, action == ACTION_DOWN);
	else if (action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN)
		page_move_selection(&setup->selected, n, page, action == ACTION_PAGE_DOWN);
	else if (action == ACTION_HOME || action == ACTION_END)
		page_move_selection(&setup->selected, n, n, action == ACTION_END);
	else
		return false;
	return true;
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
	size_t at = app->setup.selected, first = ARRAY_SIZE(options);

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
	size_t first = ARRAY_SIZE(options), at = app->setup.selected;

	if (at < first || at >= first + items->n_places)
		return;
	app->setup.selected =
		first + column_choice_move(&app->preferences.columns,
					   app->display.snapshot->columns, at - first, down);
	app_show_columns(app);
}

void setup_select_options(struct setup *setup)
{
	setup->selected = setup->top = 0;
}

void setup_select_columns(struct setup *setup)
{
	setup->selected = ARRAY_SIZE(options);
	setup->top = ARRAY_SIZE(options) + 2; /* their heading is the first line */
}

static bool setup_act(struct app *app, enum action action)
{
	struct setup_items items;
	bool known = true;

	setup_items_init(app, &items);
	if (action == ACTION_DETAIL || action == ACTION_TAG)
		change_selected(app, &items);
	else if (action == ACTION_SORT_PREVIOUS || action == ACTION_SORT_NEXT)
		move_column(app, &items, action == ACTION_SORT_NEXT);
	else if (action == ACTION_COLUMNS)
		setup_select_columns(&app->setup);
	else if (action == ACTION_LEAVE || action == ACTION_QUIT || action == ACTION_SETUP)
		app_leave_to_below(app);
	else
		known = move_selected(&app->setup, items.n, action);
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
	.bar = setup_bar,
};
