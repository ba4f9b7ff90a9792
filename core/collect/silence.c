// SPDX-License-Identifier: MIT
#include "core/collect/silence.h"

#include "core/base/util.h"

void silence_fini(struct silence *silence)
{
	proc_cpus_fini(&silence->before);
}

void silence_cut(struct silence *silence, const struct counted_cpus *cpus,
		 struct interval *interval)
{
	struct proc_cpus now = {0};

	if (!silence->seen || proc_cpus_read(cpus->sys, &now) < 0)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		struct counted_cpu *cpu = &cpus->items[i];
		const struct proc_cpu *after = proc_cpus_find(&now, cpu->number);
		const struct proc_cpu *before = proc_cpus_find(&silence->before, cpu->number);
		if (!before || !after || after->idle_ticks < before->idle_ticks)
			continue;
		/* Silent time counts when it is over, maybe later: idle time waits. */
		uint64_t *credit_ns = &cpu->idle_credit_ns;
		uint64_t known_ns = interval_idle(interval, i)[TALLY_TASK_CLOCK];
		*credit_ns += (after->idle_ticks - before->idle_ticks) * proc_tick_ns();
		*credit_ns -= *credit_ns < known_ns ? *credit_ns : known_ns;
		*credit_ns -= interval_silence_to_idle(interval, i, cpu->domain, *credit_ns);
	}
	proc_cpus_fini(&silence->before);
	silence->before = now;
}

void silence_look(struct silence *silence, const struct interval *interval)
{
	bool silent = interval->gaps > 0 && interval->lost_records == 0;

	for (size_t i = 0; i < interval->n_cpus; i++)
		silent |= interval->cpu_unnamed[i];
	silence->begins = silent && !silence->seen;
	silence->seen |= silent;
}

void silence_renew(struct silence *silence, const struct counted_cpus *cpus, bool anew)
{
	/* Accounts of idle time begin where all begins anew. */
	if (!silence->seen || (!silence->begins && !anew))
		return;
	proc_cpus_fini(&silence->before);
	proc_cpus_read(cpus->sys, &silence->before);
}
