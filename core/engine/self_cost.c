// SPDX-License-Identifier: MIT
#include "core/engine/self_cost.h"

#include "core/base/util.h"

void self_cost_begin(struct self_cost *cost, const struct sys *sys)
{
	cost->sys = sys;
	cost->cpu_ns = sys_cpu_ns(sys, true);
}

void self_cost_fini(struct self_cost *cost)
{
	self_count_close(&cost->cycles);
}

void self_cost_pause(struct self_cost *cost)
{
	self_count_close(&cost->cycles);
	cost->n_cycles = 0;
}

void self_cost_cut(struct self_cost *cost, struct snapshot_cost *told)
{
	if (!cost->cycles.sys)
		self_count_open(&cost->cycles, cost->sys);
	uint64_t cpu_ns = sys_cpu_ns(cost->sys, true);
	uint64_t n_cycles = self_count_read(&cost->cycles);
	*told = (struct snapshot_cost){
		.cpu_ns = u64_growth(cost->cpu_ns, cpu_ns),
		.cycles = u64_growth(cost->n_cycles, n_cycles),
		.reads_itself = cost->cycles.reads_itself,
	};
	cost->cpu_ns = cpu_ns;
	cost->n_cycles = n_cycles;
}
