// SPDX-License-Identifier: MIT
/*
 * Converts the state of the screen back into options, so that W saves what a user sees. An option
 * that no key changes stays as it was given. Columns
 * that were added and removed again are left out. A file lists events before metrics, so columns
 * added in another order are also saved as an order.
 */
#include "tui/screen/app_options.h"

#include "core/base/util.h"
#include "core/event/event_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the options the owner of the text, and returns it. */
static const char *own_text(struct options *now, char *text)
{
	now->names = array_reserve(now->names, &now->names_capacity, now->n_names + 1,
				   sizeof(*now->names));
	return now->names[now->n_names++] = text;
}

static void save_column(struct options *now, enum engine_column_kind kind, char *text)
{
	own_text(now, text);
	now->columns = array_reserve(now->columns, &now->columns_capacity, now->n_columns + 1,
				     sizeof(*now->columns));
	now->columns[now->n_columns++] = (struct engine_column){.kind = kind, .text = text};
}

static bool is_in_list(const char *text, const char *event)
{
	struct event_names list = {0};
	struct error impossible;
	bool found = false;

	event_names_parse(text, &list, &impossible);
	for (size_t i = 0; i < list.n; i++)
		found |= strcmp(list.items[i].name, event) == 0;
	event_names_fini(&list);
	return found;
}

static size_t metric_name_length(const char *metric)
{
	return strcspn(metric, "= ");
}

/* True if the column is already in the options: file and command line can both have it. */
static bool is_column_saved(const struct options *now, enum engine_column_kind kind,
			    const char *name)
{
	for (size_t i = 0; i < now->n_columns; i++) {
		const char *text = now->columns[i].text;

		if (now->columns[i].kind != kind)
			continue;
		if (kind == ENGINE_EVENTS ? is_in_list(text, name)
					  : metric_name_length(text) == strlen(name) &&
						    strncmp(text, name, strlen(name)) == 0)
			return true;
	}
	return false;
}

/*
 * True if a column shows the event. A column is named after the event's term name=, if there is
 * one.
 */
static bool has_event_column(const struct columns *columns, const char *name)
{
	return columns_show(columns, name) || strstr(name, "name=");
}

/*
 * Writes the events of a list that are shown and not saved yet, with their groups. Returns how many
 * they are.
 */
static size_t write_shown_events(const struct columns *columns, const struct event_names *list,
				 const struct options *now, FILE *file)
{
	unsigned open = 0; /* the group being written; 0: none */
	size_t shown = 0;

	for (size_t i = 0; i < list->n; i++) {
		unsigned group = list->items[i].group;

		if (!has_event_column(columns, list->items[i].name) ||
		    is_column_saved(now, ENGINE_EVENTS, list->items[i].name))
			continue;
		fprintf(file, "%s%s%s%s", open && open != group ? "}" : "", shown++ ? ", " : "",
			group && open != group ? "{" : "", list->items[i].name);
		open = group;
	}
	fputs(open ? "}" : "", file);
	return shown;
}

/* Saves a list of events as it was typed if all of them are shown, else only the shown ones. */
static void save_events(const struct columns *columns, const char *text, struct options *now)
{
	struct event_names list = {0};
	struct error impossible; /* the list was parsed before, when it was added */
	char *left = NULL;
	size_t size, shown;
	FILE *file = xopen_memstream(&left, &size);

	event_names_parse(text, &list, &impossible);
	shown = write_shown_events(columns, &list, now, file);
	fclose(file);
	const char *saved = shown == list.n ? text : left;
	if (shown > 0)
		save_column(now, ENGINE_EVENTS, xstrdup(saved));
	event_names_fini(&list);
	free(left);
}

static void save_metric(const struct columns *columns, const char *text, struct options *now)
{
	char *name = xstrndup(text, metric_name_length(text));

	if (columns_show(columns, name) && !is_column_saved(now, ENGINE_METRIC, name))
		save_column(now, ENGINE_METRIC, xstrdup(text));
	free(name);
}

/* `columns`: of the snapshot. NULL, before the first one: all added columns are saved. */
static void save_columns(const struct request_list *added, const struct columns *columns,
			 struct options *now)
{
	for (size_t i = 0; i < added->n; i++) {
		const struct request *request = &added->items[i];

		if (!columns)
			save_column(now,
				    request->kind == REQUEST_ADD_EVENTS ? ENGINE_EVENTS
									: ENGINE_METRIC,
				    xstrdup(request->text));
		else if (request->kind == REQUEST_ADD_EVENTS)
			save_events(columns, request->text, now);
		else
			save_metric(columns, request->text, now);
	}
}

/* True if an event comes after a metric. */
static bool is_mixed(const struct options *now)
{
	bool metric = false;

	for (size_t i = 0; i < now->n_columns; i++) {
		if (metric && now->columns[i].kind == ENGINE_EVENTS)
			return true;
		metric |= now->columns[i].kind == ENGINE_METRIC;
	}
	return false;
}

static char *order_text(const struct columns *columns)
{
	struct column_choice none = {0};
	struct column_place *places =
		xcalloc(columns->n_shown + COLUMN_CHOICE_EXTRA, sizeof(*places));
	size_t n = column_choice_places(&none, columns, places), size;
	char *text = NULL;
	FILE *file = xopen_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		if (!places[i].hidden)
			fprintf(file, "%s%s", i ? ", " : "", places[i].name);
	fclose(file);
	free(places);
	return text;
}

void app_options(const struct app *app, const struct options *began, struct options *now)
{
	bool cpus = app_round_screen(app) == &screen_cpus;
	const struct list *list = cpus ? &app->cpus : &app->tasks;
	const struct preferences *preferences = &app->preferences;
	const struct columns *columns =
		app->display.snapshot ? app->display.snapshot->columns : NULL;

	options_borrow(began, now);
	now->interval_ns = preferences->interval_ns;
	now->by = list->spec.by;
	now->sort = list->spec.sort;
	now->reverse = list->spec.reverse;
	now->shown = own_text(now, column_choice_text(&preferences->columns));
	now->preset = preferences->preset[0] ? preferences->preset : NULL;
	now->count = preferences->levels;
	now->idle = preferences->idle;
	now->command_lines = app->tasks.spec.command == VIEW_COMMAND_WHOLE;
	now->unit = app->tasks.spec.unit;
	now->ascii = preferences->ascii;
	now->theme = preferences->theme[0] ? preferences->theme : NULL;
	save_columns(&preferences->added, columns, now);
	if (columns && preferences->columns.n == 0 && is_mixed(now))
		now->shown = own_text(now, order_text(columns));
}
