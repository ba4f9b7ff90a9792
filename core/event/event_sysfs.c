// SPDX-License-Identifier: MIT
/*
 * PMU/terms/, and names of events in sysfs without the PMU: slots, energy-pkg. As in perf, several
 * PMUs can be given without their number (uncore_imc for uncore_imc_0 and _1), without "uncore_",
 * or with * and ?. The event is then counted on each.
 */
#include "core/base/util.h"
#include "core/event/event_resolver.h"
#include "core/event/event_term.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kind of the events of a PMU. */
static enum event_kind kind_of(const struct pmu *pmu)
{
	switch (pmu->kind) {
	case PMU_SOCKET:
		return EVENT_SOCKET;
	case PMU_SOFTWARE:
		return EVENT_SOFTWARE;
	case PMU_CORE:
	case PMU_OTHER:
		break;
	}
	return EVENT_HARDWARE;
}

/* "", a number, or _ and a number. */
static bool is_numbering(const char *text)
{
	text += *text == '_';
	return text[strspn(text, "0123456789")] == '\0';
}

bool event_pmu_matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (strncmp(name, "uncore_", 7) == 0 && strncmp(pattern, "uncore_", 7) != 0 &&
	    pattern[0] != '*')
		name += 7;
	if (strpbrk(pattern, "*?"))
		return fnmatch(pattern, name, 0) == 0;
	return strncmp(name, pattern, length) == 0 && is_numbering(name + length);
}

int event_encode_on_pmu(const struct event_context *context, size_t pmu, const char *terms,
			size_t length, struct event *event, struct error *err)
{
	enum event_kind kind = kind_of(&context->pmus->items[pmu]);
	struct quoted pmu_name = event_quote(context->pmus->items[pmu].name, 64);
	size_t n_core = context->pmus->n_core;

	if (event->n_codes > 0 && event->kind != kind)
		return error_set(
			err, -EINVAL,
			"PMU %s matches too, but counts other things than the first match.",
			pmu_name.text);
	/* Only PMUs of CPUs and sockets have siblings that count the same. */
	if (event->n_codes > 0 &&
	    (kind == EVENT_SOFTWARE || context->pmus->items[pmu].kind == PMU_OTHER))
		return error_set(err, -EINVAL,
				 "PMU %s and another one match. Give the whole name of one.",
				 pmu_name.text);
	event->kind = kind;
	size_t before = event->n_codes;
	int result = event_term_encode(context, pmu, terms, length, event, err);
	if (result < 0 || context->pmus->items[pmu].kind != PMU_OTHER || n_core == 0)
		return result;
	/* Its CPUs are unknown, so it is opened on every CPU. */
	const struct perf_event_attr attr = event->codes[before].attr;
	event->codes[before].pmu = 0;
	for (size_t i = 1; i < n_core; i++)
		*event_add_code(event, i, 0, 0) = attr;
	return 0;
}

static int fail_unknown_pmu(const struct event_context *context, const char *pattern,
			    struct error *err)
{
	struct suggest near = {.word = pattern};
	char hint[96];

	for (size_t i = 0; i < context->pmus->n; i++)
		suggest_offer(&near, context->pmus->items[i].name);
	suggest_text(&near, hint, sizeof(hint));
	return error_set(err, -ENOENT, "There is no PMU '%s' on this machine%s.",
			 event_quote(pattern, strlen(pattern)).text, hint);
}

int event_sysfs_resolve(const struct event_context *context, const char *name, struct event *event,
			const char **rest, struct error *err)
{
	size_t n_pattern = strcspn(name, "/");
	const char *terms = name + n_pattern + 1, *end;
	char pattern[64];

	if (name[n_pattern] != '/')
		return EVENT_NOT_MINE;
	if (!context->sys || !context->pmus)
		return error_set(err, -ENOENT, "'%s' cannot be looked up: sysfs is not read here.",
				 event_quote(name, strlen(name)).text);
	if (n_pattern == 0 || n_pattern >= sizeof(pattern))
		return error_set(err, -EINVAL,
				 "'%s' has no PMU before '/' (example: cpu/event=0x3c/).",
				 event_quote(name, strlen(name)).text);
	end = strchr(terms, '/');
	if (!end)
		return error_set(err, -EINVAL,
				 "'%s' does not end with '/' (example: cpu/event=0x3c/).",
				 event_quote(name, strlen(name)).text);
	memcpy(pattern, name, n_pattern);
	pattern[n_pattern] = '\0';
	*rest = end + 1;

	const struct pmu *exact = pmu_set_find(context->pmus, pattern);
	for (size_t i = 0; i < context->pmus->n; i++) {
		const struct pmu *pmu = &context->pmus->items[i];

		if (exact ? pmu != exact : !pmu->name[0] || !event_pmu_matches(pattern, pmu->name))
			continue;
		int result =
			event_encode_on_pmu(context, i, terms, (size_t)(end - terms), event, err);
		if (result < 0)
			return result;
	}
	return event->n_codes > 0 ? 0 : fail_unknown_pmu(context, pattern, err);
}

int event_alias_resolve(const struct event_context *context, const char *name, struct event *event,
			const char **rest, struct error *err)
{
	size_t length = strcspn(name, ":");

	*rest = name + length;
	if (!context->sys || !context->pmus || (name[length] == ':' && name[length + 1] == ':'))
		return EVENT_NOT_MINE;
	/* Core PMUs come first. If they have the event, other PMUs are not tried. */
	for (size_t i = 0; i < context->pmus->n; i++) {
		const struct pmu *pmu = &context->pmus->items[i];

		if (event->n_codes > 0 && kind_of(pmu) != event->kind)
			continue;
		if (!event_term_has_alias(context, pmu, name, length))
			continue;
		int result = event_encode_on_pmu(context, i, name, length, event, err);
		if (result < 0)
			return result;
	}
	return event->n_codes > 0 ? 0 : EVENT_NOT_MINE;
}

bool event_is_alias_file(const char *name)
{
	static const char *const endings[] = {".scale", ".unit", ".snapshot", ".per-pkg",
					      ".retire_latency"};
	size_t length = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t n = strlen(endings[i]);

		if (length > n && strcmp(name + length - n, endings[i]) == 0)
			return false;
	}
	return true;
}

int event_alias_add(void *arg, const char *name)
{
	struct event_aliases *list = arg;

	if (list->n >= 1024)
		return 1;
	list->names =
		array_reserve(list->names, &list->capacity, list->n + 1, sizeof(*list->names));
	list->names[list->n++] = xstrdup(name);
	return 0;
}

static int offer_alias(void *arg, const char *name)
{
	return event_is_alias_file(name) ? event_alias_add(arg, name) : 0;
}

void event_alias_list(const struct event_context *context, struct event_aliases *aliases)
{
	char path[160];

	*aliases = (struct event_aliases){0};
	for (size_t i = 0; context->sys && context->pmus && i < context->pmus->n; i++) {
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/events",
			 context->pmus->items[i].name);
		if (context->pmus->items[i].name[0])
			sys_dir_each(context->sys, path, offer_alias, aliases);
	}
}

void event_alias_list_fini(struct event_aliases *aliases)
{
	for (size_t i = 0; i < aliases->n; i++)
		free(aliases->names[i]);
	free(aliases->names);
	*aliases = (struct event_aliases){0};
}
