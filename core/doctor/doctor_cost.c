// SPDX-License-Identifier: MIT
#include "core/doctor/doctor_internal.h"

#include "core/base/util.h"
#include "core/engine/engine.h"

#define LOOK_NS (250 * NS_PER_MS)

/* How many of these are a hundredth of a second. */
static double switches_of_a_percent(uint64_t switch_ns)
{
	return (double)NS_PER_S / 100 / (double)switch_ns;
}

static void tell_cost(struct doctor *doctor, const struct snapshot_cost *cost)
{
	double percent = 100 * (double)cost->cpu_ns / (double)cost->wall_ns;

	if (cost->switch_ns > 0)
		doctor_add(
			doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cost",
			"%.1f%% of a CPU now; the kernel takes %.1f us a switch, 1%% of a CPU for "
			"%.0f a second",
			percent, (double)cost->switch_ns / 1000,
			switches_of_a_percent(cost->switch_ns));
	else
		doctor_add(doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cost", "%.1f%% of a CPU now",
			   percent);
	if (cost->cycles > 0)
		doctor_add(doctor, DOCTOR_LIMITS, DOCTOR_OK, "own cycles",
			   cost->reads_itself ? "read in user mode, without a call"
					      : "read by a call: the kernel grants no other way");
}

static struct snapshot *look(struct engine *engine, const struct sys *sys)
{
	uint64_t deadline_ns = sys_now_ns(sys) + LOOK_NS;

	while (engine_wait(engine, deadline_ns) > 0 && sys_now_ns(sys) < deadline_ns)
		;
	return engine_snapshot(engine);
}

void doctor_weigh(struct doctor *doctor, const struct sys *sys)
{
	const struct engine_config config = {.counts_itself = true};
	struct engine *engine;
	struct error err;

	if (engine_new(sys, &config, &engine, &err))
		return;                   /* the rest of the page says why */
	snapshot_free(look(engine, sys)); /* own cycles are counted from there on */
	struct snapshot *snapshot = look(engine, sys);
	if (snapshot->cost.cpu_ns > 0 && snapshot->cost.wall_ns > 0)
		tell_cost(doctor, &snapshot->cost);
	snapshot_free(snapshot);
	engine_free(engine);
}
