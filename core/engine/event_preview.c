// SPDX-License-Identifier: MIT
/*
 * The event is added to a copy of the selection, and a plan is made of that copy. Groups are opened
 * to see whether they fit. The kernel compares each with an empty PMU, so counters that run
 * meanwhile do not matter and are not stopped.
 */
#include "core/engine/event_preview.h"

#include "core/base/util.h"
#include "core/collect/collect.h"
#include "core/event/event_names.h"
#include "core/event/plan.h"
#include "core/metric/selection.h"
#include "core/perf/budget.h"
#include "core/perf/perf_open_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *pmu_name(const struct pmu_set *pmus, uint32_t type)
{
	for (size_t i = 0; i < pmus->n; i++)
		if (pmus->items[i].name[0] && pmus->items[i].type == type)
			return pmus->items[i].name;
	return NULL;
}

static void append_text(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Appends as much as there is room for. */
static void append_text(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, size - length, format, arguments);
	va_end(arguments);
}

/* "cpu/config=0x412e/u"; where no PMU has that type "r412e:u", or "type 0 config 0x1:u". */
static void append_code(const struct pmu_set *pmus, const struct event_code *code, bool target,
			char *text, size_t size)
{
	const struct perf_event_attr *attr = &code->attr;
	const char *name = pmu_name(pmus, attr->type);
	unsigned long long config = attr->config, config1 = attr->config1, config2 = attr->config2;
	const char *level = attr->exclude_kernel == attr->exclude_user ? ""
			    : attr->exclude_kernel                     ? "u"
								       : "k";

	append_text(text, size, "%s", text[0] ? ", " : "");
	if (!name && attr->type == PERF_TYPE_RAW)
		append_text(text, size, "r%llx", config);
	else if (!name)
		append_text(text, size, "type %u config 0x%llx", attr->type, config);
	if (!name) {
		append_text(text, size, "%s%s", level[0] ? ":" : "", level);
		return;
	}
	append_text(text, size, "%s/config=0x%llx", name, config);
	if (config1 && !target) /* of a probe it is an address, which means nothing to a user */
		append_text(text, size, ",config1=0x%llx", config1);
	if (config2)
		append_text(text, size, ",config2=0x%llx", config2);
	append_text(text, size, "/%s", level);
}

static void preview_event(const struct event_preview_request *request, const struct event *event,
			  struct event_preview *preview)
{
	struct error why;

	for (size_t i = 0; i < event->n_codes; i++)
		append_code(request->pmus, &event->codes[i], event->target, preview->encoding,
			    sizeof(preview->encoding));
	if (event->kind == EVENT_HARDWARE)
		preview->kind = EVENT_HARDWARE;
	if (event->state == FIGURE_VALID || preview->state != FIGURE_VALID)
		return;
	preview->state = event->state;
	if (request->selection->no_pmu && event->kind == EVENT_HARDWARE)
		text_copy(preview->why, sizeof(preview->why), PERF_OPEN_NO_PMU);
	if (event->answer == 0 || preview->why[0])
		return;
	perf_open_error_event(request->selection->context->sys, event, &why);
	text_copy(preview->why, sizeof(preview->why), why.text);
}

/* "cpu_atom, cpu_core": all PMUs that count the event, as many as there is room for. */
static void name_pmus(const struct event_preview_request *request, const struct event *event,
		      struct event_preview *preview)
{
	size_t length = 0;

	text_copy(preview->pmu, sizeof(preview->pmu), "software");
	for (size_t i = 0; i < event->n_codes && length < sizeof(preview->pmu); i++) {
		bool counter = event->kind == EVENT_HARDWARE || event->kind == EVENT_SOCKET;
		const char *name = counter ? request->pmus->items[event->codes[i].pmu].name
					   : pmu_name(request->pmus, event->codes[i].attr.type);
		if (name)
			length += (size_t)snprintf(preview->pmu + length,
						   sizeof(preview->pmu) - length, "%s%s",
						   i > 0 ? ", " : "", name[0] ? name : "hardware");
	}
}

static unsigned count_needed(const struct plan *plan, const struct event_set *events, size_t pmu)
{
	unsigned n = 0;

	for (size_t e = 0; e < events->n; e++) {
		bool found = false;
		if (events->items[e].kind != EVENT_HARDWARE)
			continue;
		for (unsigned i = plan->first_counter[e]; i < plan->first_counter[e + 1]; i++) {
			const struct plan_group *group = &plan->groups[plan->counters[i].group];
			const struct plan_domain *domain = &plan->domains[group->domain];
			found |= !domain->all_cpus && domain->pmu == pmu;
		}
		n += found;
	}
	return n;
}

/* Returns the number of counters of a PMU: the cycles events that fit one group. 0: unknown. */
static unsigned count_counters(const struct event_preview_request *request,
			       struct event_set *events, size_t pmu)
{
	const struct cpu_list *cpus = &request->pmus->items[pmu].cpus;
	const struct sys *sys = events->context->sys;
	struct error err;
	int index = event_set_add(events, "cycles", &err), answer;
	unsigned n = 0;

	for (size_t i = 0; index >= 0 && i < events->items[index].n_codes; i++) {
		const struct event_code *code = &events->items[index].codes[i];
		if (code->pmu != pmu)
			continue;
		if (request->collect->budget.self)
			n = budget_count(sys, -1, code, &answer);
		for (size_t k = 0; k < cpus->n && n == 0; k++)
			n = budget_count(sys, cpus->numbers[k], code, &answer);
	}
	return n;
}

/* Fills in what a plan of the selection would need. */
static void plan_with(const struct event_preview_request *request, struct selection *selection,
		      size_t pmu, struct event_preview *preview)
{
	struct budget budget = request->collect->budget;
	struct plan_wants wants = selection->wants;
	while (wants.n > 0 && wants.items[wants.n - 1].optional)
		wants.n--;
	const struct plan_request what = {
		.events = &selection->events,
		.pmus = request->pmus,
		.wants = &wants,
		.per_task = request->collect->plan->per_task,
		.most = budget.most,
		.watchdog = budget.watchdog,
		.fits = budget_fits,
		.arg = &budget,
	};
	struct plan *plan = plan_new(&what);

	preview->turns_before = plan_most_turns(request->collect->plan);
	preview->turns_after = plan_most_turns(plan);
	preview->needed = count_needed(plan, &selection->events, pmu);
	preview->counters = count_counters(request, &selection->events, pmu);
	plan_unref(plan);
}

/* The events of the list are in the selection. */
static void preview_list(const struct event_preview_request *request,
			 const struct event_names *list, struct selection *selection,
			 struct event_preview *preview)
{
	const struct event *hardware = NULL;

	for (size_t i = 0; i < list->n; i++) {
		int index = event_set_find(&selection->events, list->items[i].name);
		if (index < 0)
			continue;
		const struct event *event = &selection->events.items[index];
		if (i == 0) {
			preview->kind = event->kind;
			name_pmus(request, event, preview);
		}
		preview_event(request, event, preview);
		if (event->kind == EVENT_HARDWARE)
			hardware = event;
	}
	if (hardware && preview->state == FIGURE_VALID)
		plan_with(request, selection, hardware->codes[0].pmu, preview);
}

struct event_preview *event_preview_new(const struct event_preview_request *request)
{
	struct event_preview *preview = xcalloc(1, sizeof(*preview));
	size_t n = request->selection->n;
	struct event_names list = {0};
	struct selection selection;
	struct error err;

	text_copy(preview->text, sizeof(preview->text), request->text);
	selection_copy(&selection, request->selection);
	int result = event_names_parse(request->text, &list, &err);
	if (result == 0)
		result = selection_add_events(&selection, request->text, &err);
	if (result == 0) {
		preview->counted = selection.n == n;
		if (request->collect->plan->per_task)
			plan_use_proc(&selection.events);
		preview_list(request, &list, &selection, preview);
	} else {
		preview->state = FIGURE_UNSUPPORTED;
		text_copy(preview->why, sizeof(preview->why), err.text);
	}
	event_names_fini(&list);
	selection_fini(&selection);
	return preview;
}

static void describe_turns(const struct event_preview *preview, char *text, size_t size)
{
	unsigned turns = preview->turns_after;

	if (turns > 1)
		snprintf(text, size, "takes turns: one of %u%s, counted for %u%% of the time",
			 turns, turns > preview->turns_before ? " then" : " as now", 100 / turns);
	else if (preview->needed <= preview->counters)
		snprintf(text, size, "fits: %u of %u counters", preview->needed, preview->counters);
	else
		snprintf(text, size, "fits: %u counters", preview->needed);
}

void event_preview_describe(const struct event_preview *preview, char *text, size_t size)
{
	if (preview->why[0] || preview->state != FIGURE_VALID) {
		text_copy(text, size, preview->why[0] ? preview->why : "cannot be counted here");
		return;
	}
	if (preview->counted) {
		text_copy(text, size, "is counted already");
		return;
	}
	switch (preview->kind) {
	case EVENT_HARDWARE:
		describe_turns(preview, text, size);
		return;
	case EVENT_SOCKET:
		text_copy(text, size, "of whole sockets: not attributed to tasks");
		return;
	case EVENT_DERIVED:
	case EVENT_SOFTWARE:
	case EVENT_PROC:
	case EVENT_WAIT:
	case EVENT_SAMPLED:
		text_copy(text, size, "needs no counter");
		return;
	}
}
