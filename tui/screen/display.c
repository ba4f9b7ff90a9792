// SPDX-License-Identifier: MIT
/*
 * A snapshot is shown until the next one replaces it. Its findings are made once, when it is
 * set. Separate from app.c because the display owns the snapshots and the history.
 */
#include "tui/screen/display.h"

void display_init(struct display *display)
{
	*display = (struct display){.history = history_new()};
	display->graph_range.history = display->history;
}

void display_fini(struct display *display)
{
	history_free(display->history);
	snapshot_free(display->snapshot);
	snapshot_free(display->waiting);
	snapshot_free(display->baseline);
	*display = (struct display){.paused = false};
}

void display_set_snapshot(struct display *display, struct snapshot *snapshot)
{
	const struct findings before = display->findings;

	snapshot_free(display->snapshot);
	display->snapshot = snapshot;
	findings_of_snapshot(snapshot, &display->findings);
	findings_follow(&display->findings, &before, snapshot);
	display->has_finding_lines |= display->findings.n > 0;
	if (!display->has_small_errors)
		display->has_small_errors = figures_have_small_errors(snapshot);
	display->has_machine_line |= machine_is_known(&snapshot->machine);
}

const struct snapshot *display_newest(const struct display *display)
{
	return display->waiting ? display->waiting : display->snapshot;
}
