// SPDX-License-Identifier: MIT
/*
 * Figures on the screen: fewer marks and colours than in machine-readable output, so that those
 * that are left have a reason.
 *
 * A time or a count with a known, small error has no mark: a mark on each row hides the one that
 * matters. Of ratios no error is known.
 *
 * A limit is about a figure of something that runs. The kernel's share of 100 % in a task with a
 * thousandth of a CPU delays nothing. A wait has the weight of its own time, if it is a good part
 * of what the row wanted to do, as in the rules of verdicts.
 */
#include "core/view/view.h"

#include <string.h>

#define LEAST_PERCENT        5  /* of a CPU; a row with less has no verdict either */
#define KERNEL_LEAST_PERCENT 50 /* as for the verdict "kernel" */
#define WAIT_PARTS           3  /* a wait is at least this part of the wait and the CPU time */

/*
 * What a row lacks: time and counts of gaps, which are unattributed, and so are the counts of
 * slices with a switch that the kernel hides. Of a replay and of windows that is not known, nor of
 * time that no CPU has.
 */
static void bound_row(const struct shown_figures *of, struct metric_bounds *bounds)
{
	const struct snapshot *snapshot = of->snapshot;

	if (snapshot->mode != COUNT_MODE_SYSTEM || snapshot->replay[0] || !of->row ||
	    snapshot->most_unseen_ns == 0)
		return;
	if (!(of->row->flags & ROW_LOST)) {
		bounds->missing = snapshot->unattributed;
		return;
	}
	bounds->clock_ns = snapshot->most_unseen_ns;
	if (snapshot->most_unseen_ns <= snapshot->unattributed[TALLY_TASK_CLOCK])
		bounds->missing = snapshot->unattributed;
}

/* Whether the error is known and small. All figures are SCALED if the interval is uneven. */
static bool is_close(const struct shown_figures *of, size_t metric)
{
	const struct snapshot *snapshot = of->snapshot;
	const struct columns *columns = snapshot->columns;
	const struct row *row = of->row;
	const struct metric_input input = {
		.events = &columns->events,
		.plan = columns->plan,
		.tally = of->tally,
		.lost = row && (row->flags & ROW_LOST),
	};
	struct metric_bounds bounds = {
		.interval_ns = snapshot->interval_ns,
		.clock_ns = UINT64_MAX,
		.totals = snapshot->totals,
	};

	if (!of->tally || snapshot->uneven > 0 || (row && row_doubt(row, of->tally) > 0))
		return false;
	bound_row(of, &bounds);
	return metric_is_close(&columns->metrics[metric], &columns->readings, &input, &bounds);
}

struct figure figure_shown(const struct shown_figures *of, size_t metric, struct figure figure)
{
	bool marked = figure.state == FIGURE_SCALED || figure.state == FIGURE_LOST;

	return marked && is_close(of, metric) ? figure_exact(figure.value) : figure;
}

bool figures_have_small_errors(const struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;
	const struct rows *rows = &snapshot->threads;

	for (size_t i = 0; i < snapshot_ran(snapshot); i++) {
		const struct figure *figures = rows_figures(columns, rows, i);
		const struct shown_figures of = {snapshot, figures, rows_tally(columns, rows, i),
						 &rows->items[i]};

		for (size_t k = 0; k < columns->n_shown; k++)
			if (figures[k].state != figure_shown(&of, k, figures[k]).state)
				return true;
	}
	return false;
}

enum cell_role figure_role(const struct shown_figures *of, const struct metric_def *def,
			   struct figure figure, enum cell_role role)
{
	int percent = columns_metric(of->snapshot->columns, "cpu_percent");
	bool kernel = strcmp(def->name, "kernel_percent") == 0;
	enum cell_role calm = figure.state == FIGURE_VALID ? CELL_PLAIN : CELL_SCALED;

	if (role != CELL_BAD && role != CELL_WARN)
		return role;
	if (kernel && of->row && (of->row->flags & ROW_KERNEL))
		return calm;
	if (percent < 0 || !of->figures || !figure_known(of->figures[percent]))
		return role;
	double cpu = of->figures[percent].value;
	if (strcmp(def->group, "wait") == 0)
		return figure.value * WAIT_PARTS >= figure.value + cpu ? role : calm;
	if (cpu < LEAST_PERCENT)
		return calm;
	return kernel && cpu < KERNEL_LEAST_PERCENT ? CELL_WARN : role;
}

void figure_show(const struct shown_figures *of, size_t metric, struct cell *cell)
{
	const struct metric_def *def = of->snapshot->columns->metrics[metric].def;
	struct figure figure = {.state = FIGURE_NOT_COUNTED};

	if (of->figures)
		figure = figure_shown(of, metric, of->figures[metric]);
	figure_format(def, figure, cell);
	cell->role = figure_role(of, def, figure, cell->role);
}
