// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FRAME_H
#define PMCTOP_FRAME_H

#include "core/engine/playback.h"
#include "core/snapshot/snapshot.h"
#include "core/view/finding.h"
#include "core/view/view.h"
#include "tui/panel/graph_range.h"
#include "tui/term/canvas.h"
#include "tui/widget/layout.h"
#include "tui/widget/segments.h"

#include <stdbool.h>
#include <stdint.h>

/* The lines around the list on every screen: title, totals, machine, findings, CPU lines, note. */
struct frame {
	const struct snapshot *snapshot; /* NULL before the first interval has ended */
	uint64_t interval_ns;            /* as chosen; snapshot->interval_ns is the real one */
	bool paused;
	const struct playback *playback; /* NULL: not a replay */
	const struct segments *flags;    /* filters and the like, for the title */
	/* Shown instead of the snapshot's first note; "": none. A tag of the title is no note. */
	const char *notice;
	const struct findings *findings;
	bool has_small_errors; /* figures without a mark have a small error: a segment has it */
	const struct snapshot *baseline; /* NULL: figures are not compared */
	bool no_machine_line;            /* the totals have the memory */
	enum view_unit unit;             /* unit of events and rates */
};

/* Whether CPUs have the metric: of the events of waiting they have runq_time alone. */
bool frame_cpus_have(const struct columns *columns, const struct metric *metric);
/*
 * Adds a segment for each metric except cpu_percent, which has a meter or stands before them.
 * of_cpu: only metrics that CPUs have.
 */
void frame_add_figures(struct segments *segments, const struct shown_figures *of, bool of_cpu);

void frame_draw_title(const struct frame *frame, struct canvas *canvas, struct rect rect);
void frame_draw_totals(const struct frame *frame, struct canvas *canvas, struct rect rect);
/* Load and memory, and what says something; all of it on a wide line. */
void frame_draw_machine(const struct frame *frame, struct canvas *canvas, struct rect rect);
/* The style of a finding's sentence. */
enum style frame_finding_style(const struct finding *finding);
/* A line for each of the first findings, and what is left of the lines for those that are longer.
 */
void frame_draw_findings(const struct frame *frame, struct canvas *canvas, struct rect rect);
/* History of %CPU and IPC, or of the metrics that replace them, side by side. */
void frame_draw_history(const struct snapshot *snapshot, const struct graph_range *graph_range,
			struct canvas *canvas, struct rect rect);
/*
 * One line per CPU, as a table if rect has 5 lines or more. If rect has too few lines: the worst
 * CPUs first, with the number of the others, and with many CPUs one line per socket in front.
 */
void frame_draw_cpus(const struct frame *frame, struct canvas *canvas, struct rect rect);
/*
 * Draws the first note and the number of the others. A notice that needs a second line takes the
 * line above rect, or the one below it if that one is the title.
 */
void frame_draw_banner(const struct frame *frame, struct canvas *canvas, struct rect rect);

#endif
