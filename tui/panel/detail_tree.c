// SPDX-License-Identifier: MIT
/*
 * The processes around a process: its ancestors, itself, and the busiest of its children. A parent
 * that the snapshot does not have ends the line of ancestors.
 */
#include "tui/panel/detail_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/snapshot/rollup.h"

#include <stdio.h>
#include <stdlib.h>

enum { ANCESTORS_MOST = 6, CHILDREN_MOST = 6, INDENT = 3 };

struct child {
	const struct row *row;
	uint64_t ns; /* of this interval; 0 in a profile */
};

/* The youngest process with that pid that started no later than start_ns (0: any), or NULL. */
static const struct row *find_process(const struct snapshot *snapshot, const struct rows *processes,
				      pid_t pid, uint64_t start_ns)
{
	const struct row *best = NULL;

	for (size_t i = 0; pid > 0 && i < processes->n + snapshot->n_sleeping; i++) {
		const struct row *row = i < processes->n ? &processes->items[i]
							 : &snapshot->sleeping[i - processes->n];

		if (row->pid != pid || (start_ns && row->start_ns > start_ns))
			continue;
		if (!best || row->start_ns > best->start_ns)
			best = row;
	}
	return best;
}

static int by_time(const void *a, const void *b)
{
	const struct child *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? 1 : -1;
	return (left->row->pid > right->row->pid) - (left->row->pid < right->row->pid);
}

static size_t find_children(const struct snapshot *snapshot, const struct rows *processes,
			    const struct row *parent, struct child *children)
{
	const struct columns *columns = snapshot->columns;
	size_t n = 0, rank = columns_rank(columns);
	bool timed = !columns_of_profile(columns);

	for (size_t i = 0; i < processes->n; i++) {
		const struct row *row = &processes->items[i];

		if (row->ppid != parent->pid || row->pid == parent->pid ||
		    (row->start_ns && row->start_ns < parent->start_ns))
			continue;
		children[n++] =
			(struct child){row, timed ? rows_tally(columns, processes, i)[rank] : 0};
	}
	qsort(children, n, sizeof(*children), by_time);
	return n;
}

/* One line, with the share of the interval if ns is not 0. */
static void draw_process(struct detail_pen *pen, unsigned depth, bool last, const struct row *row,
			 enum style style, uint64_t ns)
{
	const char *branch = pen->canvas->ascii ? (last ? "`- " : "|- ") : (last ? "└─ " : "├─ ");
	unsigned x = pen->rect.x + (depth > 0 ? (depth - 1) * INDENT : 0);
	unsigned end = pen->rect.x + pen->rect.width;
	char text[64];

	if (depth > 0 && x < end)
		x += canvas_text(pen->canvas, x, pen->y, end - x, STYLE_DIM, branch);
	snprintf(text, sizeof(text), "%d ", (int)row->pid);
	if (x < end)
		x += canvas_text(pen->canvas, x, pen->y, end - x, STYLE_ID, text);
	if (x < end)
		x += canvas_text(pen->canvas, x, pen->y, end - x, style,
				 row->comm[0] ? row->comm : "-") +
		     2;
	if (ns > 0 && x < end) {
		text_percent(text, sizeof(text),
			     (double)ns / (double)pen->page->snapshot->interval_ns);
		canvas_text(pen->canvas, x, pen->y, end - x, STYLE_PLAIN, text);
	}
	pen->y++;
}

static void draw_children(struct detail_pen *pen, unsigned depth, const struct child *children,
			  size_t n)
{
	size_t shown = size_min(n, CHILDREN_MOST);
	unsigned x = pen->rect.x + depth * INDENT;
	char text[48];

	for (size_t i = 0; i < shown; i++)
		draw_process(pen, depth, i + 1 == n, children[i].row, STYLE_NAME, children[i].ns);
	if (shown == n || x >= pen->rect.x + pen->rect.width)
		return;
	snprintf(text, sizeof(text), "and %zu more", n - shown);
	canvas_text(pen->canvas, x, pen->y++, pen->rect.x + pen->rect.width - x, STYLE_DIM, text);
}

void detail_draw_tree(struct detail_pen *pen)
{
	const struct snapshot *snapshot = pen->page->snapshot;
	const struct detail_subject *subject = pen->page->subject;
	const struct row *above[ANCESTORS_MOST];
	struct rows processes;
	size_t n_above = 0;
	unsigned depth = 0;

	if (!detail_subject_is_of_tasks(subject) || subject->ended)
		return;
	rollup_tallies(snapshot, ROLLUP_PROCESS, &processes);
	const struct row *own =
		find_process(snapshot, &processes, subject->row.pid, subject->row.start_ns);
	own = own ? own : &subject->row;
	struct child *children = xcalloc(processes.n, sizeof(*children));
	size_t n = find_children(snapshot, &processes, own, children);
	for (const struct row *row = own; n_above < ANCESTORS_MOST; above[n_above++] = row) {
		row = find_process(snapshot, &processes, row->ppid, row->start_ns);
		if (!row || row == own)
			break;
	}
	if (n_above + n > 0) {
		detail_pen_heading(pen, "Processes", "ancestors, and the busiest children");
		while (n_above > 0)
			draw_process(pen, depth++, true, above[--n_above], STYLE_NAME, 0);
		draw_process(pen, depth++, true, own, STYLE_TITLE, 0);
		draw_children(pen, depth, children, n);
		pen->y++;
	}
	free(children);
	rows_fini(&processes);
}
