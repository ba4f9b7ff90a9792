// SPDX-License-Identifier: MIT
#ifndef PMCTOP_STATES_H
#define PMCTOP_STATES_H

#include "tui/widget/segments.h"

struct app;

/*
 * What was chosen by a key and still holds, so that nobody takes a part for the whole, what nobody
 * can do here, and where counters are served: pieces of the title, for the list on the screen.
 */
void states_of(struct app *app, struct segments *states);

#endif
