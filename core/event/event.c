// SPDX-License-Identifier: MIT
/*
 * A name is offered to each resolver in turn. The first that does not return EVENT_NOT_MINE
 * decides; its modifiers and the levels of the context are applied afterwards. If no resolver
 * accepts the name, the nearest known name is suggested.
 */
#include "core/event/event.h"

#include "core/base/util.h"
#include "core/event/event_modifier.h"
#include "core/event/event_resolver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * In this order: names with a prefix of their own, names with slashes, then names that may be of
 * several kinds. The kernel's names come before libpfm4's: it has names such as "cycles" for
 * counters that may not exist here. The vendor's tables come before libpfm4's, which are older.
 */
static event_resolver_fn *const resolvers[] = {
	event_breakpoint_resolve, event_probe_resolve, event_sysfs_resolve,
	event_generic_resolve,    event_raw_resolve,   event_alias_resolve,
	event_tracepoint_resolve, event_proc_resolve,  event_wait_resolve,
	event_vendor_resolve,     event_pfm_resolve,
};

/* Intel's slots must lead the group of its topdown metrics. */
static void mark_topdown(const struct event_context *context, struct event *event)
{
	for (size_t i = 0; event->kind == EVENT_HARDWARE && context->sys && i < event->n_codes;
	     i++) {
		struct event_code *code = &event->codes[i];
		struct counter_constraint constraint = code->constraint;
		char path[160], text[64];

		counter_constraint_set_topdown(&constraint, code->attr.config);
		if (constraint.topdown == COUNTER_NO_TOPDOWN || code->attr.type < PERF_TYPE_RAW ||
		    !context->pmus || code->pmu >= context->pmus->n)
			continue;
		/* AMD has another event 0x400, and no slots in sysfs. */
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/events/slots",
			 context->pmus->items[code->pmu].name);
		if (sys_file_read(context->sys, path, text, sizeof(text)) <= 0)
			continue;
		code->constraint = constraint;
		event->leads |= constraint.topdown == COUNTER_SLOTS;
	}
}

static int fail_unknown(const struct event_context *context, const char *name, struct error *err)
{
	struct quoted word = event_quote(name, strlen(name));
	struct event_aliases aliases;
	char *base = xstrndup(name, strcspn(name, ":"));
	struct suggest near = {.word = base};
	char what[160] = "";

	event_alias_list(context, &aliases);
	event_generic_suggest(&near);
	for (size_t i = 0; i < aliases.n; i++)
		suggest_offer(&near, aliases.names[i]);
	event_vendor_suggest(context, &near);
	event_pfm_suggest(&near);
	if (near.nearest)
		snprintf(what, sizeof(what), ": did you mean '%s'?",
			 event_quote(near.nearest, strlen(near.nearest)).text);
	int result =
		error_set(err, -ENOENT, "Unknown event '%s'%s", word.text,
			  what[0] ? what : ": '--list events' has the events of this machine.");
	event_alias_list_fini(&aliases);
	free(base);
	return result;
}

static int resolve_name(const struct event_context *context, const char *name, struct event *event,
			struct error *err)
{
	int result = EVENT_NOT_MINE;
	const char *rest = name;
	struct error ignored;

	for (size_t i = 0; result == EVENT_NOT_MINE && i < ARRAY_SIZE(resolvers); i++)
		result = resolvers[i](context, name, event, &rest, err ? err : &ignored);
	if (result == EVENT_NOT_MINE && !err)
		return -ENOENT;
	if (result == EVENT_NOT_MINE) {
		result = event_vendor_explain(context, name, err);
		if (result == 0)
			result = event_tracepoint_explain(context, name, err);
		return result < 0 ? result : fail_unknown(context, name, err);
	}
	return result < 0 ? result : event_modify(name, rest, event, err ? err : &ignored);
}

int event_resolve(const struct event_context *context, const char *name, struct event *event,
		  struct error *err)
{
	static const struct event_context no_context;
	int result;

	*event = (struct event){.scale = 1, .state = FIGURE_VALID};
	if (!context)
		context = &no_context;
	if (!name[0])
		return error_set(err, -EINVAL, "An event has no name.");
	if (strnlen(name, EVENT_NAME_MAX_BYTES + 1) > EVENT_NAME_MAX_BYTES)
		return error_set(err, -ENAMETOOLONG,
				 "The event name '%s...' is longer than %d bytes.",
				 event_quote(name, 20).text, EVENT_NAME_MAX_BYTES);
	result = resolve_name(context, name, event, err);
	if (result < 0) {
		event_fini(event);
		return result;
	}
	event->name = xstrdup(name);
	event_set_levels(context, event);
	mark_topdown(context, event);
	return 0;
}

void event_leave_out(struct event *event, size_t code, enum figure_state state, int answer)
{
	event->state = event->codes[code].state = state;
	event->answer = answer;
	for (size_t i = 0; i < event->n_codes; i++)
		if (event->codes[i].state == FIGURE_VALID)
			event->state = FIGURE_VALID;
}

void event_copy(struct event *copy, const struct event *event)
{
	*copy = *event;
	copy->name = xstrdup(event->name);
	copy->label = event->label ? xstrdup(event->label) : NULL;
	copy->codes = xcalloc(event->n_codes, sizeof(*copy->codes));
	if (event->n_codes > 0)
		memcpy(copy->codes, event->codes, event->n_codes * sizeof(*copy->codes));
	if (!event->target)
		return;
	copy->target = xstrdup(event->target);
	for (size_t i = 0; i < copy->n_codes; i++)
		copy->codes[i].attr.config1 = (uintptr_t)copy->target;
}

void event_fini(struct event *event)
{
	free(event->name);
	free(event->label);
	free(event->target);
	free(event->codes);
	*event = (struct event){0};
}
