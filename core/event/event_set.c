// SPDX-License-Identifier: MIT
/* A set finds an event by its name, or by another name of the same generic event ("cs"). */
#include "core/event/event.h"

#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/event/tally.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append_event(struct event_set *set, struct event event)
{
	set->items = array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
	set->items[set->n] = event;
	return (int)set->n++;
}

void event_set_init(struct event_set *set, const struct event_context *context)
{
	*set = (struct event_set){.context = context};
	append_event(set, (struct event){.name = xstrdup("task-clock"), .unit = "ns", .scale = 1});
	append_event(set, (struct event){.name = xstrdup("context-switches"), .scale = 1});
}

void event_set_fini(struct event_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		event_fini(&set->items[i]);
	free(set->items);
	*set = (struct event_set){0};
}

void event_set_copy(struct event_set *copy, const struct event_set *set)
{
	*copy = (struct event_set){0};
	for (size_t i = 0; i < set->n; i++) {
		struct event event;

		event_copy(&event, &set->items[i]);
		append_event(copy, event);
	}
}

int event_set_find(const struct event_set *set, const char *name)
{
	const char *generic = event_generic_title(name);

	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->items[i].name, name))
			return (int)i;
	/* Titles are constants of one table, so equal titles have equal addresses. */
	for (size_t i = 0; generic && i < set->n; i++)
		if (event_generic_title(set->items[i].name) == generic)
			return (int)i;
	return -ENOENT;
}

int event_set_add(struct event_set *set, const char *name, struct error *err)
{
	int index = event_set_find(set, name);
	struct event event;

	if (index >= 0)
		return index;
	if (set->frozen)
		return error_set(err, -ENOENT, "'%.60s' was not recorded.",
				 event_quote(name, strlen(name)).text);
	if (set->n >= EVENT_SET_MAX)
		return error_set(err, -E2BIG, "More than %d events cannot be counted at once.",
				 EVENT_SET_MAX);
	int result = event_resolve(set->context, name, &event, err);
	return result < 0 ? result : append_event(set, event);
}

int event_set_leader(const struct event_set *set, const struct event_code *code)
{
	if (code->constraint.topdown != COUNTER_TOPDOWN_METRIC)
		return -ENOENT;
	for (size_t i = 0; i < set->n; i++) {
		const struct event *event = &set->items[i];

		for (size_t k = 0; k < event->n_codes; k++)
			if (event->codes[k].state == FIGURE_VALID &&
			    counter_constraint_leads(&event->codes[k], code))
				return (int)i;
	}
	return -ENOENT;
}

bool event_set_needs(const struct event_set *set, size_t event, size_t other)
{
	const struct event *what = &set->items[event];
	bool needs = event == other;

	for (size_t i = 0; i < what->n_codes && !needs; i++)
		needs = event_set_leader(set, &what->codes[i]) == (int)other;
	return needs;
}

/* Writes the name of slots with the levels of an attr: "slots", "slots:u". */
static void name_slots(const struct perf_event_attr *attr, char *name, size_t size)
{
	bool levels = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
	bool guests = attr->exclude_host || !attr->exclude_guest;

	snprintf(name, size, "slots:%s%s%s%s%s%s", levels && !attr->exclude_user ? "u" : "",
		 levels && !attr->exclude_kernel ? "k" : "", levels && !attr->exclude_hv ? "h" : "",
		 guests && !attr->exclude_guest ? "G" : "",
		 guests && !attr->exclude_host ? "H" : "", attr->exclude_idle ? "I" : "");
}

/* Whether an event of that name would lead the code. */
static bool name_leads(const struct event_set *set, const char *name, const struct event_code *code)
{
	struct error ignored;
	struct event event;
	bool leads = false;

	if (event_resolve(set->context, name, &event, &ignored) < 0)
		return false;
	for (size_t i = 0; i < event.n_codes; i++)
		leads |= counter_constraint_leads(&event.codes[i], code);
	event_fini(&event);
	return leads;
}

void event_set_add_leaders(struct event_set *set, size_t event)
{
	for (size_t i = 0; i < set->items[event].n_codes; i++) {
		const struct event_code *code = &set->items[event].codes[i];
		char name[sizeof("slots:ukhGHI")];
		struct error ignored;

		if (code->constraint.topdown != COUNTER_TOPDOWN_METRIC ||
		    event_set_leader(set, code) >= 0)
			continue;
		/* Without modifiers it has the levels of the context. */
		name_slots(&code->attr, name, sizeof(name));
		if (name_leads(set, "slots", code))
			name[strlen("slots")] = '\0';
		if (name_leads(set, name, code))
			event_set_add(set, name, &ignored);
	}
}

void event_set_keep(struct event_set *set, const bool *needed)
{
	size_t kept = TALLY_FIRST_COUNTED;

	for (size_t i = kept; i < set->n; i++) {
		if (needed[i])
			set->items[kept++] = set->items[i];
		else
			event_fini(&set->items[i]);
	}
	set->n = kept;
}
