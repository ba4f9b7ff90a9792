// SPDX-License-Identifier: MIT
#ifndef PMCTOP_ACTION_BLOCKED_H
#define PMCTOP_ACTION_BLOCKED_H

#include "tui/term/keymap.h"

struct app;

/*
 * Why an action is not to be had here, of a recording, of what is now, or with --readonly: a
 * sentence; NULL where it is. Help and key bar leave those out, and their keys say it.
 */
const char *action_blocked(const struct app *app, enum action action);

#endif
