// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TITLE_FLAGS_H
#define PMCTOP_TITLE_FLAGS_H

#include "tui/widget/segments.h"

struct app;

/*
 * What was chosen by a key and still holds, so that nobody takes a part for the whole, what nobody
 * can do here, and where counters are served: pieces of the title, for the list on the screen.
 */
void title_flags_add(struct app *app, struct segments *flags);

#endif
