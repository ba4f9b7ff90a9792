// SPDX-License-Identifier: MIT
#include "budget.h"

#include "group.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>

enum {
	RETRY_FIRST = 10, /* cuts; twice as many after each try in a row */
	RETRY_MOST = 320,
};

static void restore(struct budget *budget)
{
	for (size_t i = 0; i < budget->pmus->n_core; i++) {
		budget->most[i] = BUDGET_MOST;
		budget->taken[i] = false;
	}
	budget->wait_cuts = 0;
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
	restore(budget);
}

void budget_fini(struct budget *budget)
{
	free(budget->most);
	free(budget->taken);
	*budget = (struct budget){0};
}

/*
 * On the first CPU of the PMU that is there. Not disabled: Arm's driver leaves events that are off
 * out of its check, and takes one too many.
 */
bool budget_fits(void *arg, size_t pmu, const struct event_code *const *codes, size_t n)
{
	struct budget *budget = arg;
	const struct cpu_list *cpus = &budget->pmus->items[pmu].cpus;
	int *fds = xcalloc(n, sizeof(*fds));
	int result = -ENODEV;
	size_t opened = 0;

	for (size_t i = 0; i < cpus->n && result == -ENODEV; i++) {
		for (result = 0; opened < n; opened++) {
			struct perf_event_attr attr = group_counting_attr(codes[opened]);
			result = sys_perf_open(budget->sys, &attr, -1, cpus->numbers[i],
					       opened ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
			if (result < 0)
				break;
			fds[opened] = result;
		}
		while (opened > 0)
			sys_close(budget->sys, fds[--opened]);
	}
	free(fds);
	/* Other refusals (descriptors, rights) are no question of counters: opening will tell. */
	return result != -EINVAL && result != -ENOSPC;
}

void budget_lower(struct budget *budget, size_t pmu, size_t n)
{
	if (n > 1)
		budget->most[pmu] = n - 1;
	else
		budget->taken[pmu] = true;
	budget->wait_cuts = budget->patience_cuts;
}

bool budget_retry(struct budget *budget)
{
	/* Nothing is lowered: the longer, the sooner the next try. */
	if (budget->wait_cuts == 0 && budget->patience_cuts > RETRY_FIRST)
		budget->patience_cuts--;
	if (budget->wait_cuts == 0 || --budget->wait_cuts > 0)
		return false;
	if (budget->patience_cuts < RETRY_MOST)
		budget->patience_cuts *= 2;
	restore(budget);
	return true;
}
