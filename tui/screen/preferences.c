// SPDX-License-Identifier: MIT
/*
 * Preferences start with the options of the run and follow the keys and requests from then on.
 * Separate from app.c because they own the added columns and the column names.
 */
#include "tui/screen/preferences.h"

#include "core/base/util.h"

#include <stdlib.h>

void preferences_init(struct preferences *preferences, const struct options *options)
{
	*preferences = (struct preferences){.interval_ns = options->interval_ns,
					    .levels = options->count,
					    .idle = options->idle,
					    .ascii = options->ascii};
	if (options->preset)
		text_copy(preferences->preset, sizeof(preferences->preset), options->preset);
	if (options->theme)
		text_copy(preferences->theme, sizeof(preferences->theme), options->theme);
	if (options->shown)
		column_choice_parse(&preferences->columns, options->shown);
	for (size_t i = 0; i < options->n_columns; i++)
		preferences_record(preferences,
				   options->columns[i].kind == ENGINE_EVENTS ? REQUEST_ADD_EVENTS
									     : REQUEST_ADD_METRIC,
				   options->columns[i].text);
}

void preferences_fini(struct preferences *preferences)
{
	request_list_clear(&preferences->added);
	column_choice_fini(&preferences->columns);
	free(preferences->column_names);
	preferences->column_names = NULL;
}

void preferences_record(struct preferences *preferences, enum request_kind kind, const char *text)
{
	if (kind == REQUEST_PRESET)
		text_copy(preferences->preset, sizeof(preferences->preset), text);
	else if (kind == REQUEST_ADD_EVENTS || kind == REQUEST_ADD_METRIC)
		request_list_add(&preferences->added,
				 &(struct request){.kind = kind, .text = text});
}
