// SPDX-License-Identifier: MIT
/*
 * Idle time of /proc/stat that no record accounts for is moved from unattributed to idle. It is in
 * ticks, so the CPU's busy time is an estimate if a tick is much of the interval. What is
 * more than the unattributed time waits for later intervals: such time is known only when it is
 * over. The same is done with time in which another program had the counters, as no switch has a
 * record then. In a pid namespace, tasks outside had what the records have as idle and /proc/stat
 * does not. Separate from collect_system.c, because few machines need it.
 */
#include "core/collect/hidden_switches.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

void hidden_switches_fini(struct hidden_switches *hidden)
{
	proc_cpus_fini(&hidden->before);
}

static bool needs_stat(const struct hidden_switches *hidden)
{
	return (hidden->seen || hidden->outside) && !hidden->replaced;
}

static uint64_t *idle_clock(const struct interval *interval, size_t i)
{
	return &interval_idle(interval, i)[TALLY_TASK_CLOCK];
}

/*
 * Time of tasks outside: what a CPU idled by the records and not by /proc/stat. Interrupts of an
 * idle CPU are no idle time there, but no task's either. A tick may be rounding, less than a
 * hundredth is no matter, and beside windows idle time is an estimate: that is in doubt.
 */
static void move_outside(struct interval *interval, size_t i, uint64_t outside_ns,
			 uint64_t interrupts_ns)
{
	const uint64_t *cpu = interval_cpu(interval, i);
	uint64_t ticks_ns = proc_tick_ns();
	bool estimated = cpu[tally_unseen(&interval->shape)] > 0;
	bool moved =
		!estimated && outside_ns > ticks_ns && outside_ns > cpu[TALLY_TASK_CLOCK] / 100;
	uint64_t doubt_ns = estimated ? *idle_clock(interval, i)
			    : moved   ? u64_min(outside_ns, interrupts_ns)
				      : outside_ns;

	interval_set_doubt(interval, i, doubt_ns + ticks_ns, ticks_ns);
	if (moved)
		interval_idle_to_others(interval, i, outside_ns);
}

/* How much of a CPU's time was idle is known but for a tick. */
static void correct_cpu(const struct hidden_switches *hidden, struct cpu_counters *cpu,
			const struct proc_cpu *before, const struct proc_cpu *after,
			struct interval *interval)
{
	size_t i = cpu->index;
	uint64_t *credit_ns = &cpu->idle_credit_ns;
	uint64_t known_ns = *idle_clock(interval, i), tick_ns = proc_tick_ns();
	uint64_t ticks_ns = u64_min(interval->coverage[i].hidden_ns, tick_ns);
	uint64_t interrupts = u64_growth(before->irq_ticks, after->irq_ticks) +
			      u64_growth(before->softirq_ticks, after->softirq_ticks);

	interval_set_doubt(interval, i, ticks_ns, ticks_ns);
	*credit_ns += (after->idle_ticks - before->idle_ticks) * tick_ns;
	if (hidden->outside)
		move_outside(interval, i, u64_growth(*credit_ns, known_ns), interrupts * tick_ns);
	*credit_ns = u64_growth(known_ns, *credit_ns);
	*credit_ns -= interval_hidden_to_idle(interval, i, cpu->domain, *credit_ns);
	if (!hidden->seen) /* nothing is hidden: what is left is rounding */
		*credit_ns = u64_min(*credit_ns, tick_ns);
}

void hidden_switches_cut(struct hidden_switches *hidden, const struct cpu_counter_set *cpus,
			 struct interval *interval)
{
	struct proc_cpus now = {0};

	for (size_t i = 0; i < cpus->n; i++)
		interval_set_doubt(interval, i,
				   interval->coverage[i].hidden_ns +
					   (hidden->outside ? *idle_clock(interval, i) : 0),
				   0);
	if (!needs_stat(hidden) || proc_cpus_read(cpus->sys, &now) < 0)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		struct cpu_counters *cpu = &cpus->items[i];
		const struct proc_cpu *after = proc_cpus_find(&now, cpu->number);
		const struct proc_cpu *before = proc_cpus_find(&hidden->before, cpu->number);
		if (before && after && after->idle_ticks >= before->idle_ticks)
			correct_cpu(hidden, cpu, before, after, interval);
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
	if (!needs_stat(hidden) || (!hidden->begins && !anew))
		return;
	proc_cpus_fini(&hidden->before);
	proc_cpus_read(cpus->sys, &hidden->before);
}
