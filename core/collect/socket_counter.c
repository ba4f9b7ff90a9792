// SPDX-License-Identifier: MIT
/*
 * The kernel counts such an event on one CPU of each socket, which the PMU names in sysfs. A value
 * is a sum since the opening, and a cut adds its growth. A growth of more than one interval, after
 * a reading that failed, is left out. The events belong to no task: their counts go to the totals
 * and to unattributed. Separate from collect_system.c, which has no groups of one event without a
 * ring.
 */
#include "core/collect/socket_counter.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdlib.h>

/* The values of read(2) for such an event. */
enum { SHARED_VALUE, SHARED_ENABLED_NS, SHARED_RUNNING_NS, SHARED_NUMBERS };

static int open_one(struct socket_counters *counters, const struct event_code *code, int cpu,
		    struct socket_counter counter)
{
	struct perf_event_attr attr = code->attr;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	counter.fd = sys_perf_open(counters->sys, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (counter.fd == -ENODEV) /* its CPU went offline */
		return 0;
	counters->items = array_reserve(counters->items, &counters->capacity, counters->n + 1,
					sizeof(*counters->items));
	counters->items[counters->n++] = counter;
	return counter.fd < 0 ? counter.fd : 0;
}

void socket_counters_open(struct socket_counters *counters, const struct sys *sys,
			  const struct event_set *events, const struct pmu_set *pmus,
			  const struct plan *plan, int *failed, int *code)
{
	*counters = (struct socket_counters){.sys = sys, .cut_ns = sys_now_ns(sys)};
	*failed = -1;
	for (unsigned d = 0; d < plan->shape.n_domains; d++) {
		const struct plan_domain *domain = &plan->domains[d];
		if (!domain->socket)
			continue;
		unsigned counter = (unsigned)plan->groups[domain->first_group].members[0];
		const struct plan_counter *planned = &plan->counters[counter];
		struct cpu_list cpus;
		pmu_read_cpus(sys, &pmus->items[domain->pmu], &cpus);
		for (size_t i = 0; i < cpus.n; i++) {
			const struct socket_counter wanted = {
				.counter = counter, .group = domain->first_group, .domain = d};
			int result = open_one(counters,
					      &events->items[planned->event].codes[planned->code],
					      cpus.numbers[i], wanted);
			if (result == 0)
				continue;
			*failed = (int)planned->event;
			*code = result;
		}
		cpu_list_fini(&cpus);
	}
}

void socket_counters_close(struct socket_counters *counters)
{
	for (size_t i = 0; i < counters->n; i++)
		if (counters->items[i].fd >= 0)
			sys_close(counters->sys, counters->items[i].fd);
	free(counters->items);
	*counters = (struct socket_counters){0};
}

static void add_shared(struct interval *interval, size_t at, uint64_t delta)
{
	interval->totals[at] += delta;
	interval->unattributed[at] += delta;
}

/* Adds the growth since the last reading. If that is no interval ago, the time is uncounted. */
static void add_growth(const struct socket_counter *counter, const uint64_t *now,
		       uint64_t passed_ns, struct interval *interval)
{
	const struct tally_shape *shape = &interval->shape;

	if (counter->missed) {
		add_shared(interval, tally_domain(shape, counter->domain), passed_ns);
		return;
	}
	add_shared(interval, counter->counter, now[SHARED_VALUE] - counter->value);
	add_shared(interval, tally_group(shape, counter->group),
		   now[SHARED_RUNNING_NS] - counter->running_ns);
	add_shared(interval, tally_domain(shape, counter->domain),
		   now[SHARED_ENABLED_NS] - counter->enabled_ns);
}

void socket_counters_cut(struct socket_counters *counters, struct interval *interval)
{
	const struct tally_shape *shape = &interval->shape;
	uint64_t now_ns = sys_now_ns(counters->sys), passed_ns = now_ns - counters->cut_ns;

	counters->cut_ns = now_ns;
	for (size_t i = 0; i < counters->n; i++) {
		struct socket_counter *counter = &counters->items[i];
		uint64_t now[SHARED_NUMBERS];
		if (counter->fd < 0 || sys_perf_read(counters->sys, counter->fd, now, sizeof(now)) <
					       (ssize_t)sizeof(now)) {
			/* Uncounted time lowers the counted share of the figure. */
			add_shared(interval, tally_domain(shape, counter->domain), passed_ns);
			counter->missed = true;
			continue;
		}
		add_growth(counter, now, passed_ns, interval);
		counter->missed = false;
		counter->value = now[SHARED_VALUE];
		counter->running_ns = now[SHARED_RUNNING_NS];
		counter->enabled_ns = now[SHARED_ENABLED_NS];
	}
}
