// SPDX-License-Identifier: MIT
/*
 * Views by CPU, socket or node: their lines, and the columns that no metric provides. A socket or
 * node that is unfolded has its CPUs below it. GHz is computed from cycles, which nearly every
 * preset counts, if the metric ghz is no column.
 */
#include "core/view/view_internal.h"

#include "core/base/util.h"
#include "core/view/cpu_stall.h"

#include <stdlib.h>

static int unit_of(const struct view *view, const struct snapshot_cpu *cpu)
{
	return view->spec.by == ROLLUP_NODE ? cpu->node : cpu->socket;
}

void view_unfold_cpus(struct view *view)
{
	const struct snapshot *snapshot = view->snapshot;

	rollup_cpus(snapshot, view->spec.by, &view->units);
	view->cpu_lines = xcalloc(view->units.n + snapshot->n_cpus, sizeof(*view->cpu_lines));
	for (; view->n < view->units.n; view->n++)
		view->cpu_lines[view->n] = view->units.items[view->n];
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		if (view_is_unfolded(&view->spec, unit_of(view, &snapshot->cpus[i])))
			view->cpu_lines[view->n++] = snapshot->cpus[i];
	view->cpus = view->cpu_lines;
}

struct figure view_stall(const struct view *view, size_t index)
{
	if (index < view->units.n)
		return cpu_stall_in_unit(view->snapshot, view->spec.by, view->cpus[index].cpu);
	return cpu_stall(view->snapshot->columns, &view->cpus[index]);
}

void view_group_cpus(struct view *view)
{
	size_t *grouped = xcalloc(view->n, sizeof(*grouped)), n = 0;

	for (size_t i = 0; i < view->n; i++) {
		size_t unit = view->order[i];

		if (unit >= view->units.n)
			continue;
		grouped[n++] = unit;
		for (size_t k = 0; k < view->n; k++) {
			size_t cpu = view->order[k];

			if (cpu >= view->units.n &&
			    unit_of(view, &view->cpus[cpu]) == view->cpus[unit].cpu)
				grouped[n++] = cpu;
		}
	}
	free(view->order);
	view->order = grouped;
}

bool view_has_ghz(const struct columns *columns)
{
	int cycles = event_set_find(&columns->events, "cycles");

	return columns->levels == EVENT_LEVELS_ALL && !columns_of_profile(columns) &&
	       columns_metric(columns, "ghz") < 0 && cycles >= 0 &&
	       columns->events.items[cycles].state == FIGURE_VALID;
}

struct figure view_ghz(const struct columns *columns, const struct snapshot_cpu *cpu)
{
	int cycles = event_set_find(&columns->events, "cycles");
	struct figure ghz = {.share = 1, .state = FIGURE_NOT_COUNTED};

	if (!cpu->tally || cycles < 0)
		return ghz;
	uint64_t *busy = snapshot_busy_tally(columns, cpu->tally, cpu->idle);
	const struct metric_input input = {
		.events = &columns->events, .plan = columns->plan, .tally = busy};
	ghz = metric_read_one(&columns->event_readings.items[cycles], &input);
	if (figure_known(ghz) && busy[TALLY_TASK_CLOCK] > 0)
		ghz.value /= (double)busy[TALLY_TASK_CLOCK];
	else if (figure_known(ghz))
		ghz.state = FIGURE_UNDEFINED;
	free(busy);
	return ghz;
}
