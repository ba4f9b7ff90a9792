// SPDX-License-Identifier: MIT
/*
 * Sums of CPUs by CPU, socket or node. A unit without a counted CPU keeps its place, but has no
 * tally. The figures of a unit are about its busy time, as for a CPU.
 */
#include "core/snapshot/rollup.h"

#include "core/base/util.h"

#include <stdlib.h>
#include <string.h>

static struct snapshot_cpu *find_or_add_unit(const struct snapshot *snapshot,
					     struct cpu_units *units, int number)
{
	size_t width = tally_width(&snapshot->columns->plan->shape);

	for (size_t i = 0; i < units->n; i++)
		if (units->items[i].cpu == number)
			return &units->items[i];
	struct snapshot_cpu *unit = &units->items[units->n++];
	*unit = (struct snapshot_cpu){
		.cpu = number,
		.socket = -1,
		.node = -1,
		.tally = xcalloc(width, sizeof(uint64_t)),
		.idle = xcalloc(width, sizeof(uint64_t)),
		.figures = xcalloc(snapshot->columns->n_metrics, sizeof(struct figure)),
	};
	return unit;
}

static void cpu_free(struct snapshot_cpu *cpu)
{
	free(cpu->tally);
	free(cpu->idle);
	free(cpu->figures);
	cpu->tally = cpu->idle = NULL;
	cpu->figures = NULL;
}

void rollup_cpus(const struct snapshot *snapshot, enum rollup by, struct cpu_units *units)
{
	const struct columns *columns = snapshot->columns;

	*units = (struct cpu_units){.items = xcalloc(snapshot->n_cpus, sizeof(*units->items))};
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];
		int number = by == ROLLUP_NODE     ? cpu->node
			     : by == ROLLUP_SOCKET ? cpu->socket
						   : cpu->cpu;
		struct snapshot_cpu *unit = find_or_add_unit(snapshot, units, number);

		if (unit->cpus == 0)
			text_copy(unit->type, sizeof(unit->type), cpu->type);
		else if (strcmp(unit->type, cpu->type) != 0)
			unit->type[0] = '\0';
		if (!cpu->tally)
			continue;
		unit->cpus += cpu->cpus ? cpu->cpus : 1;
		unit->doubt_ns += cpu->doubt_ns;
		unit->ticks_ns += cpu->ticks_ns;
		unit->outside |= cpu->outside;
		tally_add(&columns->plan->shape, unit->tally, cpu->tally);
		tally_add(&columns->plan->shape, unit->idle, cpu->idle);
	}
	for (size_t i = 0; i < units->n; i++) {
		struct snapshot_cpu *unit = &units->items[i];
		const struct busy_part part = {.cpus = unit->cpus,
					       .tally = unit->tally,
					       .idle = unit->idle,
					       .doubt_ns = unit->doubt_ns,
					       .outside = unit->outside};

		if (unit->cpus == 0)
			cpu_free(unit);
		else
			snapshot_evaluate_busy(snapshot, &part, unit->figures);
	}
}

void cpu_units_fini(struct cpu_units *units)
{
	for (size_t i = 0; i < units->n; i++)
		cpu_free(&units->items[i]);
	free(units->items);
	*units = (struct cpu_units){0};
}
