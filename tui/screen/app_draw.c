// SPDX-License-Identifier: MIT
/*
 * The lines around the body of a screen, and one whole drawing of the app. During a drawing of a
 * replay the lock of its history is held.
 */
#include "tui/screen/app.h"

#include "core/base/util.h"
#include "core/replay/replay_index.h"
#include "tui/panel/frame.h"
#include "tui/screen/action_blocked.h"
#include "tui/widget/segments.h"

#include <stdio.h>
#include <string.h>

/* Key bar of the lists in a replay. */
static const enum action replay_bar[] = {
	ACTION_HELP,      ACTION_DETAIL, ACTION_CODE,    ACTION_NEXT_SCREEN, ACTION_PAUSE,
	ACTION_STEP_BACK, ACTION_STEP,   ACTION_GO,      ACTION_FASTER,      ACTION_SLOWER,
	ACTION_MINUTE,    ACTION_FILTER, ACTION_ROLL_UP, ACTION_QUIT,        ACTION_NONE,
};

/* From so many columns on, Tab has the names of the screens always, else only while it is used. */
enum { ROUND_NAMES_FROM = 100 };

/* Draws the key bar without blocked actions. */
static void draw_key_bar(struct app *app, struct canvas *canvas, struct rect rect)
{
	const struct screen *screen = app->screen;
	const enum action *usual = app->replay.active && app_list(app) ? replay_bar
				   : screen->choose_bar                ? screen->choose_bar(app)
								       : screen->bar;
	struct key_bar_key keys[ACTIONS];
	size_t n = 0;
	char names[80] = "";

	if (app->goes_round || canvas->width >= ROUND_NAMES_FROM)
		app_round_names(app, names, sizeof(names));
	app->has_round_names = names[0];
	for (; *usual != ACTION_NONE; usual++) {
		const char *label = screen->bar_label ? screen->bar_label(app, *usual) : NULL;

		if (*usual == ACTION_NEXT_SCREEN && names[0])
			label = names;
		if (action_blocked(app->config.readonly, &app->replay, app->display.snapshot,
				   *usual) ||
		    (label && !label[0]))
			continue;
		keys[n++] = (struct key_bar_key){*usual, label};
	}
	key_bar_draw(&app->key_bar, &app->keymap, keys, n, canvas, rect);
}

void app_draw_bottom(struct app *app, struct canvas *canvas, struct rect rect)
{
	key_bar_clear(&app->key_bar);
	if (app->prompt.active)
		prompt_draw_line(&app->prompt, canvas, rect);
	else if (app->picker.ops)
		key_bar_draw_picker(&app->key_bar, canvas, rect);
	else
		draw_key_bar(app, canvas, rect);
}

enum {
	FLAG_WEIGHT = 96,          /* only host and clock are heavier */
	FLAG_WEIGHT_OF_FACTS = 55, /* heavier than the number of threads */
};

static void add_flag(struct segments *flags, const char *label, const char *text)
{
	struct segment *segment = segments_add(flags, FLAG_WEIGHT);

	text_copy(segment->label, sizeof(segment->label), label);
	text_copy(segment->text, sizeof(segment->text), text);
	segment->text_style = STYLE_WARN;
}

enum { BRIEF_USER = 8 }; /* columns */

/* Filters change which rows there are, so no title leaves them out. */
static void add_filters(const struct app *app, const struct row_filter_spec *filter,
			struct segments *flags)
{
	if (filter->text[strspn(filter->text, " ")]) {
		add_flag(flags, "filter", filter->text);
		text_copy(flags->items[flags->n - 1].brief,
			  sizeof(flags->items[flags->n - 1].brief), "filter");
	}
	if (filter->one_user) {
		char *brief;

		add_flag(flags, "user", app->search.user);
		brief = flags->items[flags->n - 1].brief;
		text_printable(brief + text_copy(brief, 8, "user "), 16, app->search.user,
			       BRIEF_USER);
	}
}

static void add_followed(const struct list *list, struct segments *flags)
{
	char text[80];

	snprintf(text, sizeof(text), "%s%s", list->followed.name,
		 list->away ? " (did not run)" : "");
	add_flag(flags, "following", text);
}

/* "3: %CPU 120.3 IPC 0.31", or "3, 2 shown: ..." if one is not in the list. */
static void add_tagged(const struct list *list, const struct snapshot *snapshot,
		       struct segments *flags)
{
	static const char *const shown[] = {"cpu_percent", "ipc"};
	const struct row_refs_sum *sum = &list->tagged;
	char text[80];
	size_t length = (size_t)snprintf(text, sizeof(text), "%zu", sum->n);

	if (sum->here < sum->n)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ", %zu shown",
					   sum->here);
	for (size_t i = 0; sum->figures && i < ARRAY_SIZE(shown); i++) {
		int metric = columns_metric(snapshot->columns, shown[i]);
		struct cell cell;

		if (metric < 0)
			continue;
		figure_format(snapshot->columns->metrics[metric].def, sum->figures[metric], &cell);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s %s %.10s",
					   i ? "" : ":", snapshot->columns->metrics[metric].title,
					   cell.text);
	}
	add_flag(flags, "tagged", text);
}

/* Listening does not change the list, so a narrow title drops it before the others. */
static void add_listening(const char *address, struct segments *flags)
{
	struct segment *segment = segments_add(flags, FLAG_WEIGHT_OF_FACTS);

	text_copy(segment->label, sizeof(segment->label), "listening on");
	text_copy(segment->text, sizeof(segment->text), address);
}

/*
 * Adds a piece to the title for --readonly, for the metrics server, and for each setting that
 * changes which rows the list has or how it shows them. So a reader does not take a part of the
 * rows for all.
 */
static void add_flags(struct app *app, struct segments *flags)
{
	struct list *list = app_list(app);

	if (app->config.readonly)
		add_flag(flags, "", "READONLY");
	if (app->config.listening)
		add_listening(app->config.listening, flags);
	if (!list || !app->display.snapshot)
		return;

	const struct view *view = list_view(list, app->display.snapshot);
	const struct row_filter_spec *filter = &list->spec.filter;

	add_filters(app, filter, flags);
	if (list->following && row_ref_fits(&list->followed, view))
		add_followed(list, flags);
	if (list->tagged.n > 0)
		add_tagged(list, app->display.snapshot, flags);
}

/* Details of the selected row of `list` (NULL: no list) stand beside and below it. */
static struct layout draw_frame(struct app *app, struct canvas *canvas, struct list *list)
{
	struct segments flags = {0};

	add_flags(app, &flags);
	struct frame frame = {
		.snapshot = app->display.snapshot,
		.interval_ns = app->preferences.interval_ns,
		.paused = app->display.paused,
		.playback = app->replay.active ? &app->replay.playback : NULL,
		.notice = app->messages.notice,
		.flags = &flags,
		.findings = &app->display.findings,
		.has_small_errors = app->display.has_small_errors,
		.baseline = app->display.baseline,
		.unit = app->tasks.spec.unit,
	};
	struct layout_want want = {
		.prompt = app->prompt.active,
		/* That screen has them all. */
		.findings = app->display.has_finding_lines && app->screen != &screen_findings,
		.machine = app->display.has_machine_line,
		.history = app->display.snapshot != NULL,
		.more = list && app->display.snapshot,
	};

	if (want.more)
		want.list_lines = list_lines(list, app->display.snapshot);
	if (app->screen != &screen_log) /* this screen shows all notes */
		want.banner = true;
	if (app->display.snapshot && app->screen == &screen_tasks)
		want.cpu_lines = (unsigned)app->display.snapshot->n_cpus;

	struct layout layout = layout_screen(canvas->width, canvas->height, &want);

	frame.no_machine_line = layout.machine.height == 0;
	frame_draw_title(&frame, canvas, layout.title);
	frame_draw_totals(&frame, canvas, layout.totals);
	frame_draw_machine(&frame, canvas, layout.machine);
	frame_draw_findings(&frame, canvas, layout.findings);
	app->finding_lines = layout.findings;
	if (app->display.snapshot)
		frame_draw_history(app->display.snapshot, &app->display.graph_range, canvas,
				   layout.history);
	frame_draw_cpus(&frame, canvas, layout.cpus);
	frame_draw_banner(&frame, canvas, layout.banner);
	app_draw_bottom(app, canvas, layout.bottom);
	return layout;
}

struct rect app_draw_frame(struct app *app, struct canvas *canvas)
{
	return draw_frame(app, canvas, NULL).body;
}

void app_draw_list(struct app *app, struct list *list, struct canvas *canvas, const char *empty)
{
	struct layout layout = draw_frame(app, canvas, list);

	list_draw(list, app->display.snapshot, canvas, layout.body, empty);
	screen_detail_draw_selected(&app->display, list, canvas, &layout);
}

void app_draw(struct app *app, struct canvas *canvas)
{
	struct graph_range *graph_range = &app->display.graph_range;

	if (app->replay.index) {
		graph_range->history = replay_index_lock_history(app->replay.index);
		history_reach(graph_range->history, &graph_range->begin_ns, &graph_range->end_ns);
		graph_range->now_ns = app->display.snapshot ? app->display.snapshot->time_ns : 0;
	}
	canvas_clear(canvas);
	app->finding_lines = (struct rect){0};
	app->screen->draw(app, canvas);
	prompt_draw_over(&app->prompt, canvas);
	if (app->replay.index)
		replay_index_unlock_history(app->replay.index);
	if (app->picker.ops)
		picker_draw(&app->picker, canvas);
}
