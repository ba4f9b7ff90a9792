// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PREFERENCES_H
#define PMCTOP_PREFERENCES_H

#include "core/engine/request.h"
#include "core/event/event.h"
#include "tui/options/column_choice.h"
#include "tui/options/options.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Settings of the whole screen that keys change. Those of a list, such as its order, are in the
 * `spec` of that list. app_options() saves both, and other saved options (option_table.h) as they
 * were given.
 */
struct preferences {
	uint64_t interval_ns;
	enum event_levels levels;     /* as last requested */
	bool idle;                    /* tasks that did not run have rows, as last requested */
	bool ascii;                   /* draw with ASCII only, on every terminal */
	char preset[64];              /* the preset chosen last; "": the engine's choice */
	char theme[256];              /* name or file of the theme; "": the default */
	struct request_list added;    /* columns added, in order; some may be removed again */
	struct column_choice columns; /* shown columns and their order */
	const char **column_names;    /* `columns` applied to the snapshot; NULL: all; owned */
};

void preferences_init(struct preferences *preferences, const struct options *options);
void preferences_fini(struct preferences *preferences);

/* Keeps what a request changes: the preset, or a column that is added. */
void preferences_record(struct preferences *preferences, enum request_kind kind, const char *text);

#endif
