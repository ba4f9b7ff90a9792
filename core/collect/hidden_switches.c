// SPDX-License-Identifier: MIT
/*
 * Idle time of /proc/stat that no record accounts for is moved from unattributed to idle. It is in
 * ticks, so the CPU's busy time is an estimate if a tick is much of the interval. What is
 * more than the unattributed time waits for later intervals: such time is known only when it is
 * over. The same is done with time in which another program had the counters, as no switch has a
 * record then. Separate from collect_system.c, because only kernels that hide switches need it.
 */
#include "core/collect/hidden_switches.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

void hidden_switches_fini(struct hidden_switches *hidden)
{
	proc_cpus_fini(&hidden->before);
}

void hidden_switches_cut(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			 struct interval *interval)
{
	struct proc_cpus now = {0};

	for (size_t i = 0; i < cpus->n; i++)
		interval_set_doubt(interval, i, interval->coverage[i].hidden_ns, 0);
	if (!hidden->seen || proc_cpus_read(cpus->sys, &now) < 0)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		const struct proc_cpu *after = proc_cpus_find(&now, cpu->number);
		const struct proc_cpu *before = proc_cpus_find(&hidden->before, cpu->number);
		if (!before || !after || after->idle_ticks < before->idle_ticks)
			continue;
		uint64_t *credit_ns = &cpu->idle_credit_ns;
		uint64_t known_ns = interval_idle(interval, i)[TALLY_TASK_CLOCK];
		/* How much of the hidden time was idle is known but for a tick. */
		uint64_t ticks_ns = u64_min(interval->coverage[i].hidden_ns, proc_tick_ns());
		interval_set_doubt(interval, i, ticks_ns, ticks_ns);
		*credit_ns += (after->idle_ticks - before->idle_ticks) * proc_tick_ns();
		*credit_ns -= *credit_ns < known_ns ? *credit_ns : known_ns;
		*credit_ns -= interval_hidden_to_idle(interval, i, cpu->domain, *credit_ns);
	}
	proc_cpus_fini(&hidden->before);
	hidden->before = now;
}

void hidden_switches_detect(struct hidden_switches *hidden, const struct interval *interval)
{
	bool hidden_now =
		(interval->gaps > 0 && interval->lost_records == 0) || interval->contended_ns > 0;

	for (size_t i = 0; i < interval->n_cpus; i++)
		hidden_now |= interval->coverage[i].unnamed;
	hidden->begins = hidden_now && !hidden->seen;
	hidden->seen |= hidden_now;
}

void hidden_switches_renew(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			   bool anew)
{
	/* Idle time is measured from the opening of the counters. */
	if (!hidden->seen || (!hidden->begins && !anew))
		return;
	proc_cpus_fini(&hidden->before);
	proc_cpus_read(cpus->sys, &hidden->before);
}
