// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FRAME_H
#define PMCTOP_FRAME_H

#include "core/engine/playback.h"
#include "core/snapshot/snapshot.h"
#include "core/view/view.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"
#include "tui/widget/layout.h"
#include "tui/widget/segments.h"

#include <stdbool.h>
#include <stdint.h>

/* What stands around the list on every screen: title, totals, CPU lines, note. */
struct frame {
	const struct snapshot *snapshot; /* NULL before the first interval has ended */
	uint64_t interval_ns;            /* as chosen; the snapshot knows what it really was */
	bool paused;
	const struct playback *playback; /* of a recording; NULL: of a machine */
	const struct segments *flags;    /* what was chosen and still holds, for the title */
	const char *notice;              /* stands before the snapshot's notes; "": nothing */
	const char *verdict;             /* a sentence about the machine; "": none */
	bool loss;                       /* it is one to look into */
	bool alarm;                      /* it says that rows are too low */
	const struct snapshot *baseline; /* that figures are compared with; NULL: none */
	enum view_unit unit;             /* of events and rates */
};

/*
 * Adds a segment for each metric except cpu_percent, which has a meter or stands before them.
 * figures: one for each metric; NULL for a CPU without records in the interval.
 */
void frame_add_figures(struct segments *segments, const struct columns *columns,
		       const struct figure *figures);

void frame_draw_title(const struct frame *frame, struct canvas *canvas, struct rect rect);
void frame_draw_totals(const struct frame *frame, struct canvas *canvas, struct rect rect);
void frame_draw_verdict(const struct frame *frame, struct canvas *canvas, struct rect rect);
/* The past of the busy share and of IPC, or what there is instead, side by side. */
void frame_draw_history(const struct snapshot *snapshot, const struct graph_range *graph_range,
			struct canvas *canvas, struct rect rect);
/*
 * A line a CPU. Where there are more than lines the worst, which is said, and of many a line a
 * socket before them. Large rects have a table.
 */
void frame_draw_cpus(const struct frame *frame, struct canvas *canvas, struct rect rect);
/* How many lines of that width the first note wants: 0, 1 or 2. */
unsigned frame_banner_lines(const struct frame *frame, unsigned width);
/* The first note, and how many more there are. */
void frame_draw_banner(const struct frame *frame, struct canvas *canvas, struct rect rect);

#endif
