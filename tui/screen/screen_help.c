// SPDX-License-Identifier: MIT
/*
 * The help: keys of available actions, marks on figures, the columns of the preset and all notes.
 * On a wide screen there are two columns, which scroll together.
 */
#include "tui/screen/app.h"

#include "core/base/util.h"
#include "core/base/version.h"
#include "core/view/cpu_stall.h"
#include "tui/screen/action_blocked.h"

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

static void write_keys(struct pen *pen, const struct app *app)
{
	pen_heading(pen, "Keys");
	for (size_t i = 0; i < keymap_table_n; i++) {
		char keys[64];

		if (action_blocked(app->config.readonly, &app->replay, keymap_table[i].action))
			continue;
		keymap_keys(&app->keymap, keymap_table[i].action, keys, sizeof(keys));
		pen_entry(pen, KEYS_WIDTH, keys, keymap_table[i].help);
	}
}

static void write_marks(struct pen *pen)
{
	pen_heading(pen, "Marks on figures");
	for (size_t i = FIGURE_VALID + 1; i < figure_marks_n; i++)
		pen_entry(pen, TITLES_WIDTH + 1, figure_marks[i].text, figure_marks[i].meaning);
}

static void write_columns(struct pen *pen, const struct snapshot *snapshot)
{
	pen_heading(pen, "Columns");
	for (size_t i = 0; i < snapshot->columns->n_shown; i++) {
		const struct metric_def *def = snapshot->columns->metrics[i].def;

		pen_entry(pen, TITLES_WIDTH + 1, snapshot->columns->metrics[i].title, def->help);
	}
	if (columns_metric(snapshot->columns, "ipc") >= 0)
		pen_entry(pen, TITLES_WIDTH + 1, cpu_stall_def.title, cpu_stall_def.help);
	pen_entry(pen, TITLES_WIDTH + 1, "VERDICT",
		  "what slows the row down; Enter shows the figures that led to it");
	pen_entry(pen, TITLES_WIDTH + 1, "(name)", "ended in this interval");
	pen_entry(pen, TITLES_WIDTH + 1, "[name]", "kernel thread");
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
	if (app->display.snapshot)
		write_columns(&rest, app->display.snapshot);
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
	app_leave_help(app);
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
