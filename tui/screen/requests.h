// SPDX-License-Identifier: MIT
#ifndef PMCTOP_REQUESTS_H
#define PMCTOP_REQUESTS_H

#include "core/attrib/cmdline.h"
#include "core/engine/request.h"

#include <stdbool.h>

/* What the owner of the app does after each key, as the app itself has no terminal and no engine.
 */
struct requests {
	struct request_list list;         /* move to the feed */
	struct request_list rested;       /* the same, when no key has come for a moment */
	enum command_lines command_lines; /* as the engine has them after these */
	bool processes;                   /* call pick_process_more() until this is false */
	bool save;                        /* save the configuration, then clear */
	bool save_screen;                 /* call save_screen() before the next key, then clear */
	bool redraw; /* clear the terminal and draw all of it, then clear the flag */
	bool quit;
};

#endif
