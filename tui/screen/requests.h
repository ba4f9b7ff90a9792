// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REQUESTS_H
#define PMCTOP_REQUESTS_H

#include "core/attrib/cmdline.h"
#include "core/engine/command.h"

#include <stdbool.h>

/* Work that pickers wait for, and what they mark. The owner of the app clears each flag when it has
 * done the work. */
struct pending_queries {
	bool metrics;    /* send QUERY_METRICS */
	bool vendor;     /* send QUERY_VENDOR */
	bool events;     /* send QUERY_EVENTS */
	bool preview;    /* send QUERY_PREVIEW of `text` when no key has come for a moment */
	bool processes;  /* call pick_process_more() until this is false */
	char text[1024]; /* events, as after -e */
};

/* What the owner of the app does after each key, as the app itself has no terminal and no engine.
 */
struct requests {
	struct commands commands;         /* send to the engine, then clear */
	enum command_lines command_lines; /* as the engine has them after these */
	struct pending_queries queries;
	bool save;        /* save the configuration, then clear */
	bool save_screen; /* call save_screen() before the next key, then clear */
	bool redraw;      /* clear the terminal and draw all of it, then clear the flag */
	bool quit;
};

#endif
