// SPDX-License-Identifier: MIT
#include "core/perfdata/perfdata_columns.h"

#include <assert.h>
#include <string.h>

static void put_double(struct perfdata *data, double number)
{
	uint64_t bits;

	static_assert(sizeof(bits) == sizeof(number), "a double is a word");
	memcpy(&bits, &number, sizeof(bits));
	perfdata_word(data, bits);
}

static void put_plan(struct perfdata *data, const struct columns *columns)
{
	const struct plan *plan = columns->plan;

	perfdata_native_begin(data, NATIVE_PLAN);
	perfdata_word(data, columns->events.n);
	perfdata_word(data, plan->shape.n_counters);
	perfdata_word(data, plan->shape.n_groups);
	perfdata_word(data, plan->shape.n_domains);
	perfdata_word(data, columns->n_metrics);
	perfdata_word(data, columns->n_preset);
	perfdata_word(data, columns->levels);
	perfdata_word(data, (uint64_t)(int64_t)plan->times_group);
	for (unsigned i = 0; i < plan->shape.n_counters; i++) {
		perfdata_word(data, plan->counters[i].event);
		perfdata_word(data, plan->counters[i].code);
		perfdata_word(data, plan->counters[i].group);
	}
	for (unsigned i = 0; i < plan->shape.n_domains; i++) {
		perfdata_word(data, plan->domains[i].pmu);
		perfdata_word(data, plan->domains[i].socket);
		perfdata_word(data, plan->domains[i].all_cpus);
		perfdata_word(data, plan->domains[i].first_group);
		perfdata_word(data, plan->domains[i].n_groups);
	}
	perfdata_text(data, columns->preset);
	perfdata_native_end(data);
}

static void put_event(struct perfdata *data, const struct event *event)
{
	perfdata_native_begin(data, NATIVE_EVENT);
	perfdata_word(data, event->kind);
	perfdata_word(data, event->leads);
	perfdata_word(data, event->state);
	perfdata_word(data, (uint64_t)(int64_t)event->answer);
	put_double(data, event->scale);
	perfdata_word(data, event->n_codes);
	for (size_t i = 0; i < event->n_codes; i++) {
		perfdata_word(data, event->codes[i].pmu);
		perfdata_word(data, event->codes[i].state);
	}
	perfdata_text(data, event->name);
	perfdata_text(data, event->label);
	perfdata_text(data, event->unit);
	perfdata_native_end(data);
}

static void put_group(struct perfdata *data, const struct plan_group *group)
{
	perfdata_native_begin(data, NATIVE_GROUP);
	perfdata_word(data, group->domain);
	perfdata_word(data, group->n_members);
	for (size_t i = 0; i < group->n_members; i++)
		perfdata_word(data, (uint64_t)(int64_t)group->members[i]);
	perfdata_native_end(data);
}

static void put_column(struct perfdata *data, const struct metric *metric)
{
	const struct metric_def *def = metric->def;

	perfdata_native_begin(data, NATIVE_COLUMN);
	perfdata_word(data, def->kind);
	perfdata_word(data, def->better);
	put_double(data, def->warn);
	put_double(data, def->bad);
	perfdata_word(data, def->width);
	perfdata_word(data, def->decimals);
	perfdata_word(data, def->machine);
	perfdata_text(data, def->name);
	perfdata_text(data, metric->title);
	perfdata_text(data, def->group);
	perfdata_text(data, metric->expression);
	perfdata_text(data, def->unit);
	perfdata_text(data, def->help);
	perfdata_native_end(data);
}

void perfdata_columns(struct perfdata *data, const struct columns *columns)
{
	put_plan(data, columns);
	for (size_t i = 0; i < columns->events.n; i++)
		put_event(data, &columns->events.items[i]);
	for (unsigned i = 0; i < columns->plan->shape.n_groups; i++)
		put_group(data, &columns->plan->groups[i]);
	for (size_t i = 0; i < columns->n_metrics; i++)
		put_column(data, &columns->metrics[i]);
}
