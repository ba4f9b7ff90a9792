// SPDX-License-Identifier: MIT
/*
 * The help: keys of available actions, marks on figures, columns and all notes. The screen below
 * the help may have keys and columns of its own. On a wide screen there are two columns, which
 * scroll together.
 */
#include "tui/screen/app.h"

#include "core/base/figure_mark.h"
#include "core/base/util.h"
#include "core/base/version.h"
#include "core/view/cpu_stall.h"
#include "tui/screen/action_blocked.h"
#include "tui/widget/widget_meter.h"

#include <stdio.h>
#include <string.h>

enum {
	KEYS_WIDTH = 16,
	TITLES_WIDTH = 11,
	TWO_COLUMNS_FROM = 76,
	LEFT_WIDTH = 58,
};

/* Writes "key   text", with a key column of `indent` columns. */
static void pen_entry(struct pen *pen, unsigned indent, const char *key, const char *text)
{
	pen_put(pen, 1, STYLE_KEY, key);
	pen_wrap(pen, indent, STYLE_PLAIN, text);
}

/* Of the screen below the help; NULL: none of its own. */
static const struct screen_help *help_of_screen(const struct app *app)
{
	return app->below->help;
}

/* "": the action is left out. */
static const char *help_of_action(const struct app *app, const struct key_row *row)
{
	const struct screen_help *help = help_of_screen(app);
	const char *text = help ? help->of_action(app, row->action) : NULL;

	return text ? text : row->help;
}

/* What a newcomer wants to do, in the order of the help. */
static const enum action first_actions[] = {
	ACTION_DETAIL, ACTION_CODE,     ACTION_NEXT_SCREEN, ACTION_SORT_CHOOSE, ACTION_SORT_CPU,
	ACTION_PRESET, ACTION_ADD,      ACTION_FILTER,      ACTION_SEARCH,      ACTION_TREE,
	ACTION_ATTACH, ACTION_DETACH,   ACTION_KILL,        ACTION_RECORD,      ACTION_SAVE_SCREEN,
	ACTION_PAUSE,  ACTION_INTERVAL, ACTION_SETUP,       ACTION_QUIT,
};

enum key_group { KEYS_FIRST, KEYS_MORE, KEYS_MOVE, KEY_GROUPS };

static enum key_group group_of(enum action action)
{
	if (action >= ACTION_UP && action <= ACTION_END)
		return KEYS_MOVE;
	for (size_t i = 0; i < ARRAY_SIZE(first_actions); i++)
		if (first_actions[i] == action)
			return KEYS_FIRST;
	return KEYS_MORE;
}

static void write_key(struct pen *pen, const struct app *app, const struct key_row *row)
{
	const char *help = help_of_action(app, row);
	char keys[64];

	if (!help[0] ||
	    action_blocked(app->config.readonly, &app->replay, app->display.snapshot, row->action))
		return;
	keymap_keys(&app->keymap, row->action, keys, sizeof(keys));
	if (keys[0])
		pen_entry(pen, KEYS_WIDTH, keys, help);
}

static const struct key_row *row_of(enum action action)
{
	size_t i = 0;

	while (key_table[i].action != action)
		i++;
	return &key_table[i];
}

static void write_keys(struct pen *pen, const struct app *app)
{
	pen_heading(pen, "Keys");
	for (size_t i = 0; i < ARRAY_SIZE(first_actions); i++)
		write_key(pen, app, row_of(first_actions[i]));
	for (enum key_group group = KEYS_MORE; group < KEY_GROUPS; group++) {
		pen_heading(pen, group == KEYS_MORE ? "More keys" : "Keys that move");
		for (size_t i = 0; i < key_table_n; i++)
			if (group_of(key_table[i].action) == group)
				write_key(pen, app, &key_table[i]);
	}
}

static void write_marks(struct pen *pen)
{
	pen_heading(pen, "Marks on figures");
	pen_entry(pen, TITLES_WIDTH + 1, figure_marks[FIGURE_VALID].text,
		  "exact, or an error of less than 1 % of the interval or of the count");
	for (size_t i = FIGURE_VALID + 1; i < figure_marks_n; i++)
		pen_entry(pen, TITLES_WIDTH + 1, figure_marks[i].text, figure_marks[i].meaning);
}

static void write_metric(struct pen *pen, const struct snapshot *snapshot, size_t metric)
{
	pen_entry(pen, TITLES_WIDTH + 1, snapshot->columns->metrics[metric].title,
		  snapshot->columns->metrics[metric].def->help);
}

/* The columns of a screen that has its own. */
static void write_own_columns(struct pen *pen, const struct app *app,
			      const struct screen_help *help)
{
	const struct snapshot *snapshot = app->display.snapshot;

	for (const struct screen_help_column *column = help->columns; column->title; column++)
		pen_entry(pen, TITLES_WIDTH + 1,
			  pen->canvas->ascii && column->ascii ? column->ascii : column->title,
			  column->help);
	for (size_t i = 0; snapshot && i < snapshot->columns->n_shown; i++)
		if (help->has_metric(app, i))
			write_metric(pen, snapshot, i);
}

static void write_list_columns(struct pen *pen, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->columns->n_shown; i++)
		write_metric(pen, snapshot, i);
	if (columns_metric(snapshot->columns, "ipc") >= 0)
		pen_entry(pen, TITLES_WIDTH + 1, cpu_stall_def.title, cpu_stall_def.help);
	pen_entry(pen, TITLES_WIDTH + 1, "VERDICT",
		  "what slows the row down (see Verdicts); Enter shows the figures that led to "
		  "it");
	pen_entry(pen, TITLES_WIDTH + 1, "HISTORY",
		  "the sort column in the last minutes (%CPU for a text), the newest at the right; "
		  "all rows have one scale, which the title states");
	pen_entry(pen, TITLES_WIDTH + 1, "+3 name",
		  "in the tree: the figures are a subtotal, 3 descendants included");
	pen_entry(pen, TITLES_WIDTH + 1, "(name)", "ended in this interval");
	pen_entry(pen, TITLES_WIDTH + 1, "[name]", "kernel thread");
}

static void write_columns(struct pen *pen, const struct app *app)
{
	const struct screen_help *help = help_of_screen(app);

	if (!help && !app->display.snapshot)
		return;
	pen_heading(pen, "Columns");
	pen_entry(pen, TITLES_WIDTH + 1, pen->canvas->ascii ? "- +" : "▼ ▲",
		  "behind the title of the sort column: the largest first, the smallest first");
	if (help)
		write_own_columns(pen, app, help);
	else
		write_list_columns(pen, app->display.snapshot);
}

static void write_verdicts(struct pen *pen)
{
	pen_heading(pen, "Verdicts");
	for (enum verdict verdict = 0; verdict < VERDICTS; verdict++)
		pen_entry(pen, TITLES_WIDTH + 1, verdict_label(verdict), verdict_help(verdict));
}

/* A bar has parts by place, so a theme without colours shows the same lengths. */
static void write_meters(struct pen *pen)
{
	char low[80], mid[40], high[120];
	const struct {
		enum style style;
		const char *text;
	} parts[] = {
		{STYLE_METER_LOW, low},
		{STYLE_METER_MID, mid},
		{STYLE_METER_HIGH, high},
	};

	snprintf(low, sizeof(low), "busy time of a CPU up to %u %%: user mode and kernel together",
		 meter_mid);
	snprintf(mid, sizeof(mid), "from %u to %u %%", meter_mid, meter_high);
	snprintf(
		high, sizeof(high),
		"above %u %%; kernel%% (preset kernel) and steal (line of the machine) are figures",
		meter_high);
	pen_heading(pen, "Meters");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		pen_put(pen, 1, parts[i].style, pen->canvas->ascii ? "#" : "█");
		pen_wrap(pen, TITLES_WIDTH + 1, STYLE_PLAIN, parts[i].text);
	}
}

static void write_notes(struct pen *pen, const struct snapshot *snapshot)
{
	if (snapshot->n_notes == 0)
		return;
	pen_heading(pen, "Notes");
	for (size_t i = 0; i < snapshot->n_notes; i++) {
		pen_put(pen, 1, STYLE_BANNER, "*");
		pen_wrap(pen, 3, STYLE_BANNER, snapshot->notes[i]);
	}
}

/* Draws both columns from line `top` on. Returns the number of lines. */
static unsigned write_help(const struct app *app, struct canvas *canvas, struct rect body,
			   unsigned top)
{
	bool two = body.width >= TWO_COLUMNS_FROM;
	struct rect left = body, right = body;

	if (two) {
		left.width = body.width < 2 * LEFT_WIDTH ? body.width / 2 - 1 : LEFT_WIDTH;
		right.x = body.x + left.width + 2;
		right.width = body.width - left.width - 2;
	}

	struct pen keys = {canvas, left, top, 0};

	if (app->display.snapshot && !two)
		write_notes(&keys, app->display.snapshot);
	write_keys(&keys, app);

	struct pen rest = {canvas, right, top, two ? 0 : keys.line};

	if (app->display.snapshot && two)
		write_notes(&rest, app->display.snapshot);
	write_marks(&rest);
	if (!help_of_screen(app))
		write_meters(&rest);
	write_columns(&rest, app);
	if (!help_of_screen(app))
		write_verdicts(&rest);
	return keys.line > rest.line ? keys.line : rest.line;
}

static void help_draw(struct app *app, struct canvas *canvas)
{
	struct layout_want want = {.prompt = app->prompt.active};
	struct layout layout = layout_screen(canvas->width, canvas->height, &want);
	/* This screen has no totals: the body begins on their line. */
	struct rect body = {0, layout.totals.y, layout.body.width,
			    layout.body.y + layout.body.height - layout.totals.y};
	struct canvas stub = {0};
	char title[80];

	snprintf(title, sizeof(title), "pmctop %s - help", version);
	page_settle(&app->page, write_help(app, &stub, body, 0), body.height);
	canvas_text_ellipsis(canvas, 0, layout.title.y,
			     layout.title.height ? layout.title.width : 0, STYLE_TITLE, title);
	write_help(app, canvas, body, app->page.top);
	app_draw_bottom(app, canvas, layout.bottom);
}

static bool help_act(struct app *app, enum action action)
{
	if (page_act(&app->page, action))
		return true;
	/* q leaves this screen */
	if (action != ACTION_LEAVE && action != ACTION_DETAIL && action != ACTION_QUIT)
		return false;
	app_leave_to_below(app);
	return true;
}

static const enum action help_bar[] = {
	ACTION_LEAVE,
	ACTION_PAGE_DOWN,
	ACTION_NONE,
};

const struct screen screen_help = {
	.draw = help_draw,
	.act = help_act,
	.bar = help_bar,
};
