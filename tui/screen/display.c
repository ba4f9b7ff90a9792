// SPDX-License-Identifier: MIT
/*
 * A snapshot is shown until the next one replaces it. Its verdict is evaluated once, when it is
 * set. Separate from app.c because the display owns the snapshots and the history.
 */
#include "tui/screen/display.h"

#include "core/view/machine_items.h"

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

static void update_verdict(struct display *display)
{
	const struct snapshot *snapshot = display->snapshot;

	display->verdict =
		verdict_of_snapshot(snapshot, display->verdict_text, sizeof(display->verdict_text));
	/* The notes list what cannot be counted. */
	if (display->verdict == VERDICT_NONE && !snapshot_rows_too_low(snapshot))
		display->verdict_text[0] = '\0';
	display->has_verdict_line |= display->verdict_text[0] != '\0';
}

void display_set_snapshot(struct display *display, struct snapshot *snapshot)
{
	snapshot_free(display->snapshot);
	display->snapshot = snapshot;
	update_verdict(display);
	display->has_machine_line |= machine_items_speak(&snapshot->machine);
}

const struct snapshot *display_newest(const struct display *display)
{
	return display->waiting ? display->waiting : display->snapshot;
}
