// SPDX-License-Identifier: MIT
/* The contract and the formula are in cpu_stall.h. */
#include "core/view/cpu_stall.h"

const struct metric_def cpu_stall_def = {
	.name = "stall",
	.title = "stall%",
	.group = "work",
	.unit = "%",
	.help = "of CPUs: a lower bound on the time stalled; 0 at IPC 1 and above",
	.width = 5,
	.decimals = 1,
};

double cpu_busy(const struct snapshot_cpu *cpu)
{
	if (!cpu->tally || cpu->tally[TALLY_TASK_CLOCK] == 0)
		return -1;
	uint64_t all = cpu->tally[TALLY_TASK_CLOCK], idle = cpu->idle[TALLY_TASK_CLOCK];
	return idle < all ? (double)(all - idle) / (double)all : 0;
}

double cpu_stall_share(double ipc)
{
	return ipc < 1 ? 1 - ipc : 0;
}

struct figure cpu_stall(const struct columns *columns, const struct snapshot_cpu *cpu)
{
	struct figure stall = {.share = 1, .state = FIGURE_NOT_COUNTED};
	int ipc = columns_metric(columns, "ipc");
	double busy = cpu_busy(cpu);

	if (ipc < 0 || busy < 0)
		return stall;
	stall = cpu->figures[ipc];
	if (figure_known(stall))
		stall.value = 100 * busy * cpu_stall_share(stall.value);
	else if (busy <= 0) /* an idle CPU has no IPC and does not stall */
		stall = (struct figure){.share = 1, .state = FIGURE_VALID};
	return stall;
}

struct figure cpu_stall_in_unit(const struct snapshot *snapshot, enum rollup by, int unit)
{
	struct figure mean = {.share = 1, .state = FIGURE_NOT_COUNTED};
	size_t n = 0;

	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];
		struct figure stall = cpu_stall(snapshot->columns, cpu);

		if ((by == ROLLUP_NODE ? cpu->node : cpu->socket) != unit || !figure_known(stall))
			continue;
		mean = n++ ? figure_sum(mean, stall) : stall;
	}
	if (n > 0)
		mean.value /= (double)n;
	return mean;
}

static int compare_down(double a, double b)
{
	return (a < b) - (a > b);
}

int cpu_compare_worst(const struct columns *columns, const struct snapshot_cpu *a,
		      const struct snapshot_cpu *b)
{
	struct figure stall_a = cpu_stall(columns, a), stall_b = cpu_stall(columns, b);
	int order = compare_down(figure_known(stall_a) ? stall_a.value : -1,
				 figure_known(stall_b) ? stall_b.value : -1);

	if (order == 0)
		order = compare_down(cpu_busy(a), cpu_busy(b));
	return order ? order : a->cpu - b->cpu;
}
