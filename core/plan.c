// SPDX-License-Identifier: MIT
#include "plan.h"

#include "util.h"

#include <stdlib.h>

static size_t append_kind(struct event_set *events, enum event_kind kind, unsigned group,
			  int *members, size_t n)
{
	for (size_t i = 0; i < events->n; i++) {
		struct event *event = &events->items[i];
		if (event->kind != kind || event->state != FIGURE_VALID)
			continue;
		event->group = group;
		members[n++] = (int)i;
	}
	return n;
}

void plan_make(struct event_set *events, bool switch_records, struct plan *plan)
{
	int *members = xcalloc(events->n + 2, sizeof(*members));
	size_t n = append_kind(events, EVENT_HARDWARE, 0, members, 0);
	size_t switch_value = n;

	members[n++] = PLAN_SWITCH;
	members[n++] = PLAN_TICK;
	n = append_kind(events, EVENT_SOFTWARE, 0, members, n);

	plan->n_groups = 1;
	plan->groups = xcalloc(1, sizeof(*plan->groups));
	plan->groups[0] = (struct plan_group){
		.members = members,
		.switch_records = switch_records,
		.layout = {.n_values = n,
			   .n_hardware = switch_value,
			   .switch_value = switch_value,
			   .event_of = members,
			   .group = 0,
			   .clock = true},
	};
}

void plan_fini(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_groups; i++)
		free(plan->groups[i].members);
	free(plan->groups);
	*plan = (struct plan){0};
}
