// SPDX-License-Identifier: MIT
/*
 * Preferences start with the options of the run and follow the keys and commands from then on.
 * Separate from app.c because they own the added commands and the column names.
 */
#include "tui/screen/preferences.h"

#include "core/base/util.h"

#include <stdlib.h>

void preferences_init(struct preferences *preferences, const struct options *options)
{
	*preferences = (struct preferences){.interval_ns = options->interval_ns,
					    .levels = options->count,
					    .frequency = options->frequency,
					    .idle = options->idle,
					    .ascii = options->ascii};
	if (options->preset)
		text_copy(preferences->preset, sizeof(preferences->preset), options->preset);
	if (options->theme)
		text_copy(preferences->theme, sizeof(preferences->theme), options->theme);
	if (options->shown)
		column_choice_parse(&preferences->columns, options->shown);
	for (size_t i = 0; i < options->n_columns; i++)
		preferences_record_command(preferences,
					   options->columns[i].kind == ENGINE_EVENTS
						   ? COMMAND_ADD_EVENTS
						   : COMMAND_ADD_METRIC,
					   options->columns[i].text);
}

void preferences_fini(struct preferences *preferences)
{
	commands_clear(&preferences->added);
	column_choice_fini(&preferences->columns);
	free(preferences->column_names);
	preferences->column_names = NULL;
}

void preferences_record_command(struct preferences *preferences, enum command_kind kind,
				const char *text)
{
	if (kind == COMMAND_PRESET)
		text_copy(preferences->preset, sizeof(preferences->preset), text);
	else if (kind == COMMAND_ADD_EVENTS || kind == COMMAND_ADD_METRIC)
		commands_add(&preferences->added, &(struct command){.kind = kind, .text = text});
}
