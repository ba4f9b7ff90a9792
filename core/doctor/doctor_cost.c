// SPDX-License-Identifier: MIT
/*
 * The cost of pmctop itself on this machine. It counts for two intervals, because the first one
 * includes the start.
 */
#include "core/doctor/doctor_internal.h"

#include "core/base/util.h"
#include "core/engine/engine.h"

#define INTERVAL_NS (250 * NS_PER_MS)

/* The number of switches that cost a hundredth of a second. */
static double switches_per_percent(uint64_t switch_ns)
{
	return (double)NS_PER_S / 100 / (double)switch_ns;
}

static void report_cost(struct doctor *doctor, const struct snapshot_cost *cost)
{
	double percent = 100 * (double)cost->cpu_ns / (double)cost->wall_ns;

	if (cost->switch_ns > 0)
		doctor_add(doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cost",
			   "%.1f%% of a CPU now, and %.1f us for each context switch (1%% of a CPU "
			   "at %.0f switches a second)",
			   percent, (double)cost->switch_ns / 1000,
			   switches_per_percent(cost->switch_ns));
	else
		doctor_add(doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cost", "%.1f%% of a CPU now",
			   percent);
	if (cost->cycles > 0)
		doctor_add(doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cycles",
			   cost->reads_itself
				   ? "read in user mode, without a system call"
				   : "read by a system call: the kernel allows no other way");
}

static struct snapshot *count_interval(struct engine *engine, const struct sys *sys)
{
	uint64_t deadline_ns = sys_now_ns(sys) + INTERVAL_NS;

	while (engine_wait(engine, deadline_ns) > 0 && sys_now_ns(sys) < deadline_ns)
		;
	return engine_snapshot(engine);
}

void doctor_measure_cost(struct doctor *doctor, const struct sys *sys)
{
	const struct engine_config config = {.counts_itself = true};
	struct engine *engine;
	struct error err;

	if (engine_new(sys, &config, &engine, &err))
		return;                             /* other findings give the reason */
	snapshot_free(count_interval(engine, sys)); /* own cycles are counted from here on */
	struct snapshot *snapshot = count_interval(engine, sys);
	if (snapshot->cost.cpu_ns > 0 && snapshot->cost.wall_ns > 0)
		report_cost(doctor, &snapshot->cost);
	snapshot_free(snapshot);
	engine_free(engine);
}
