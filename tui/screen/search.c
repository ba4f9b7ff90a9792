// SPDX-License-Identifier: MIT
/*
 * Search and filter are watched prompts: each typed letter has its effect. A search follows the
 * found row, so that it stays selected in the next snapshots.
 */
#include "tui/screen/search.h"

#include "core/base/util.h"
#include "tui/screen/app.h"

#include <stdio.h>
#include <string.h>

static bool cpu_matches(const struct view *view, size_t line, const char *text)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", view_cpu(view, line)->cpu);
	return strcmp(number, text) == 0;
}

/* The first line with the words, from line `from` on, in a circle; SIZE_MAX if there is none. */
static size_t find_matching_line(const struct view *view, const char *text, size_t from)
{
	struct row_filter_spec spec = {.one_user = false};
	struct row_filter filter;
	size_t found = SIZE_MAX;

	text_copy(spec.text, sizeof(spec.text), text);
	row_filter_init(&spec, view->snapshot, &filter);
	for (size_t i = 0; i < view->n && found == SIZE_MAX; i++) {
		size_t line = (from + i) % view->n;

		if (view->rows ? view_line_passes(view, line, &filter)
			       : cpu_matches(view, line, text))
			found = line;
	}
	row_filter_fini(&filter);
	return found;
}

/*
 * Selects the next line with the words, from line `from` on, and follows it: the next snapshot must
 * not move it away. Returns false if there is none. The snapshot may be NULL.
 */
static bool go_to_match(struct list *list, const struct snapshot *snapshot, const char *text,
			size_t from)
{
	size_t line = SIZE_MAX;

	if (snapshot)
		line = find_matching_line(list_view(list, snapshot), text, from);
	if (line != SIZE_MAX) {
		list_select(list, line);
		list_follow(list, snapshot);
	}
	return line != SIZE_MAX;
}

static void search_change(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	struct search *search = &app->search;
	struct list *list = app_list(app);

	text_copy(search->text, sizeof(search->text), text);
	if (!text[0]) {
		list_select(list, search->from);
	} else if (!go_to_match(list, app->display.snapshot, search->text, search->from)) {
		/* The line that matched a shorter text does not match this one. */
		list_unfollow(list);
		error_set(err, -1, "no match");
	}
}

static void search_cancel(void *owner)
{
	struct app *app = owner;

	list_select(app_list(app), app->search.from);
	app->search.text[0] = '\0';
}

static void search_key(void *owner, int key, struct error *err)
{
	struct app *app = owner;
	enum action action = keymap_find(&app->keymap, key, NULL);
	struct list *list = app_list(app);

	(void)err;
	if (app->search.text[0] && (action == ACTION_SEARCH || action == ACTION_DOWN))
		go_to_match(list, app->display.snapshot, app->search.text,
			    list->table.selected + 1);
}

static const struct prompt_watch search_watch = {search_change, search_cancel, search_key};

void search_open(struct app *app)
{
	struct list *list = app_list(app);

	if (!list)
		return;
	app->search.from = list->table.selected;
	prompt_open_watched(&app->prompt, "Search:", "", &search_watch);
}

void search_next(struct app *app)
{
	struct list *list = app_list(app);

	if (!app->search.text[0])
		search_open(app);
	else if (list && !go_to_match(list, app->display.snapshot, app->search.text,
				      list->table.selected + 1))
		messages_show(&app->messages, "No match for '%s'.", app->search.text);
}

static void filter_change(void *owner, const char *text, struct error *err)
{
	struct app *app = owner;
	struct list *list = &app->tasks;

	list_release(list);
	text_copy(list->spec.filter.text, sizeof(list->spec.filter.text), text);
	list_invalidate(list);
	if (app->display.snapshot && list_view(list, app->display.snapshot)->n == 0)
		error_set(err, -1, "no match");
}

static void filter_cancel(void *owner)
{
	struct app *app = owner;
	struct error err;

	filter_change(app, app->search.filter_before, &err);
}

static const struct prompt_watch filter_watch = {filter_change, filter_cancel, NULL};

void filter_open(struct app *app)
{
	const char *text = app->tasks.spec.filter.text;

	text_copy(app->search.filter_before, sizeof(app->search.filter_before), text);
	prompt_open_watched(&app->prompt, "Filter:", text, &filter_watch);
}

enum command_lines search_lines(const struct app *app)
{
	const struct prompt *prompt = &app->prompt;

	/* While a text is typed, so that they are known at its end. */
	if (prompt->active && (prompt->watch == &search_watch || prompt->watch == &filter_watch))
		return COMMAND_LINES_MATCHED;
	return row_filter_lines(app->search.text) ? COMMAND_LINES_MATCHED
						  : row_filter_lines(app->tasks.spec.filter.text);
}
