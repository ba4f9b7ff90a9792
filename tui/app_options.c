// SPDX-License-Identifier: MIT
#include "app_options.h"

#include "core/event_list.h"
#include "core/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the text over. */
static const char *keep(struct options *now, char *text)
{
	now->names = array_reserve(now->names, &now->names_capacity, now->n_names + 1,
				   sizeof(*now->names));
	return now->names[now->n_names++] = text;
}

static void add(struct options *now, enum engine_column_kind kind, char *text)
{
	keep(now, text);
	now->columns = array_reserve(now->columns, &now->columns_capacity, now->n_columns + 1,
				     sizeof(*now->columns));
	now->columns[now->n_columns++] = (struct engine_column){.kind = kind, .text = text};
}

static bool is_added(const struct options *now, const char *text)
{
	for (size_t i = 0; i < now->n_columns; i++)
		if (strcmp(now->columns[i].text, text) == 0)
			return true;
	return false;
}

/* Whether it is on the screen, which calls an event by what its term name= says. */
static bool is_shown(const struct columns *columns, const char *name)
{
	return columns_metric(columns, name) >= 0 || strstr(name, "name=");
}

/* A list as it was written while all of it is there, else what is left of it. */
static void add_events(const struct columns *columns, const char *text, struct options *now)
{
	struct event_list list = {0};
	struct error impossible; /* it was counted */
	char *left = NULL;
	size_t size, shown = 0;
	FILE *file = open_memstream(&left, &size);

	event_list_parse(text, &list, &impossible);
	for (size_t i = 0; i < list.n; i++)
		if (is_shown(columns, list.items[i].name))
			fprintf(file, "%s%s", shown++ ? ", " : "", list.items[i].name);
	fclose(file);
	const char *saved = shown == list.n ? text : left;
	if (shown > 0 && !is_added(now, saved))
		add(now, ENGINE_EVENTS, xstrdup(saved));
	event_list_fini(&list);
	free(left);
}

static void add_metric(const struct columns *columns, const char *text, struct options *now)
{
	size_t length = strcspn(text, "= ");
	char *name = xstrndup(text, length);

	if (columns_metric(columns, name) >= 0 && !is_added(now, text))
		add(now, ENGINE_METRIC, xstrdup(text));
	free(name);
}

static void add_columns(const struct app *app, struct options *now)
{
	for (size_t i = 0; i < app->asked.n; i++) {
		const struct command *command = &app->asked.items[i];

		if (!app->snapshot)
			add(now,
			    command->kind == COMMAND_ADD_EVENTS ? ENGINE_EVENTS : ENGINE_METRIC,
			    xstrdup(command->text));
		else if (command->kind == COMMAND_ADD_EVENTS)
			add_events(app->snapshot->columns, command->text, now);
		else
			add_metric(app->snapshot->columns, command->text, now);
	}
}

void app_options(const struct app *app, const struct options *began, struct options *now)
{
	const struct list *list = app->screen == &screen_cpus ? &app->cpus : &app->tasks;

	options_init(now);
	now->interval_ns = app->interval_ns;
	now->by = list->spec.by;
	now->sort = list->spec.sort;
	now->reverse = list->spec.reverse;
	now->shown = keep(now, column_choice_text(&app->column_choice));
	now->preset = app->preset[0] ? app->preset : NULL;
	now->count = app->levels;
	now->idle = app->idle;
	now->command_lines = app->tasks.spec.command_lines;
	now->color = began->color;
	now->mouse = began->mouse;
	now->unit = app->tasks.spec.unit;
	now->ascii = app->ascii;
	now->theme = app->theme[0] ? app->theme : NULL;
	add_columns(app, now);
}
