// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_ROWS_H
#define PMCTOP_EVENT_ROWS_H

#include "core/snapshot/snapshot.h"
#include "tui/term/canvas.h"

#include <stddef.h>

/*
 * Draws the processes with the most of an event of the snapshot's columns, and their share of
 * `whole`, its count on the machine or of the target. Nothing if that is unknown or 0.
 */
void event_rows_draw(const struct snapshot *snapshot, size_t event, struct figure whole,
		     struct canvas *canvas, struct rect rect);

#endif
