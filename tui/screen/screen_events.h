// SPDX-License-Identifier: MIT
#ifndef PMCTOP_SCREEN_EVENTS_H
#define PMCTOP_SCREEN_EVENTS_H

#include "core/snapshot/event_totals.h"
#include "tui/widget/widget_table.h"

/* State of the screen of events. */
struct events_screen {
	struct table table;         /* one line per event of the shown snapshot */
	struct event_totals totals; /* since the start or the zero key; event_totals_fini */
};

#endif
