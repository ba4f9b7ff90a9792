// SPDX-License-Identifier: MIT
/*
 * After a group failed, all counters are tried again later. The wait doubles with each try in a
 * row, so that a permanent holder of counters costs few tries, and shrinks while nothing fails.
 */
#include "core/perf/budget.h"

#include "core/base/util.h"
#include "core/perf/group.h"
#include "core/perf/record.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdlib.h>

enum {
	RETRY_FIRST = 10, /* cuts; doubled after each try in a row */
	RETRY_MOST = 320,
};

static void restore_all_counters(struct budget *budget)
{
	for (size_t i = 0; i < budget->pmus->n_core; i++) {
		budget->most[i] = BUDGET_MOST;
		budget->taken[i] = false;
	}
	budget->wait_cuts = 0;
	long watchdog;
	budget->watchdog =
		proc_number(budget->sys, "/proc/sys/kernel/nmi_watchdog", &watchdog) == 0 &&
		watchdog != 0;
}

void budget_init(struct budget *budget, const struct sys *sys, const struct pmu_set *pmus)
{
	*budget = (struct budget){
		.sys = sys,
		.pmus = pmus,
		.most = xcalloc(pmus->n_core, sizeof(*budget->most)),
		.taken = xcalloc(pmus->n_core, sizeof(*budget->taken)),
		.patience_cuts = RETRY_FIRST,
	};
	restore_all_counters(budget);
}

void budget_fini(struct budget *budget)
{
	free(budget->most);
	free(budget->taken);
	*budget = (struct budget){0};
}

int budget_try(const struct sys *sys, int cpu, const struct event_code *const *codes, size_t n,
	       bool *runs)
{
	/* One more than there may be: nr, or the value, and the two times. */
	size_t size = (1 + READING_VALUES + n) * sizeof(uint64_t);
	uint64_t *numbers = xcalloc(1, size);
	int *fds = xcalloc(n, sizeof(*fds));
	size_t opened = 0;
	int result = 0;

	/* Not disabled, as Arm's driver does not check disabled events. */
	for (; opened < n && result >= 0; opened += result >= 0) {
		struct perf_event_attr attr = group_counting_attr(codes[opened]);
		result = sys_perf_open(sys, &attr, cpu < 0 ? 0 : -1, cpu, opened ? fds[0] : -1,
				       PERF_FLAG_FD_CLOEXEC);
		fds[opened] = result;
	}
	if (result >= 0) {
		/* Compare two readings: the leader may have run before it had siblings. */
		bool known = sys_perf_read(sys, fds[0], numbers, size) > 0;
		uint64_t before_ns = numbers[1 + READING_RUNNING_NS];
		sys_now_ns(sys); /* some time passes */
		*runs = known && sys_perf_read(sys, fds[0], numbers, size) > 0 &&
			numbers[1 + READING_RUNNING_NS] > before_ns;
		result = 0;
	}
	while (opened > 0)
		sys_close(sys, fds[--opened]);
	free(numbers);
	free(fds);
	return result;
}

unsigned budget_count(const struct sys *sys, int cpu, const struct event_code *code, int *answer)
{
	const struct event_code *codes[BUDGET_MOST];
	unsigned n = 0;
	bool runs;

	for (; n < BUDGET_MOST; n++) {
		codes[n] = code;
		int result = budget_try(sys, cpu, codes, n + 1, &runs);
		if (n == 0)
			*answer = result;
		if (result < 0)
			break;
	}
	return n;
}

/* Probes on the first online CPU of the PMU. */
bool budget_fits(void *arg, size_t pmu, const struct event_code *const *codes, size_t n)
{
	const struct budget *budget = arg;
	const struct cpu_list *cpus = &budget->pmus->items[pmu].cpus;
	int result = -ENODEV;
	bool runs;

	if (budget->self)
		result = budget_try(budget->sys, -1, codes, n, &runs);
	for (size_t i = 0; i < cpus->n && result == -ENODEV; i++)
		result = budget_try(budget->sys, cpus->numbers[i], codes, n, &runs);
	/* Other refusals (descriptors, permissions) are reported when the plan is opened. */
	return result != -EINVAL && result != -ENOSPC;
}

void budget_doubt(struct budget *budget)
{
	if (budget->wait_cuts == 0)
		budget->wait_cuts = budget->patience_cuts;
}

void budget_lower(struct budget *budget, size_t pmu, size_t n)
{
	budget->most[pmu] = n;
	budget_doubt(budget);
}

void budget_measure(struct budget *budget, size_t pmu, int cpu,
		    const struct event_code *const *codes, size_t n)
{
	bool runs = false;

	while (!runs && --n > 0)
		budget_try(budget->sys, cpu, codes, n, &runs);
	if (n > 0)
		budget_lower(budget, pmu, n);
	else
		budget->taken[pmu] = true;
	budget_doubt(budget);
}

bool budget_retry(struct budget *budget, bool free)
{
	/* While nothing is lowered, the next wait gets shorter. */
	if (budget->wait_cuts == 0 && budget->patience_cuts > RETRY_FIRST)
		budget->patience_cuts--;
	if (budget->wait_cuts == 0 || (--budget->wait_cuts > 0 && !free))
		return false;
	budget->wait_cuts = 0;
	if (budget->patience_cuts < RETRY_MOST)
		budget->patience_cuts *= 2;
	restore_all_counters(budget);
	return true;
}
