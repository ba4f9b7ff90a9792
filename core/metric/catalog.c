// SPDX-License-Identifier: MIT
/*
 * Walks the sources of names in a fixed order (catalog_source.h), filters their entries by the
 * pattern, and probes the matching ones. Texts from the kernel and libpfm4 become printable here.
 */
#include "core/metric/catalog.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/event/plan.h"
#include "core/metric/catalog_source.h"
#include "core/perf/probe.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool catalog_matches(const char *pattern, const char *name, const char *help)
{
	if (!pattern)
		return true;
	if (strnlen(pattern, CATALOG_PATTERN_MAX) == CATALOG_PATTERN_MAX)
		return false;
	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, FNM_CASEFOLD) == 0 ||
		       fnmatch(pattern, help, FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern) || strcasestr(help, pattern);
}

struct printable {
	char name[512], pmu[128], help[CATALOG_PATTERN_MAX];
};

static void make_printable(struct printable *to, const char *name, const char *pmu,
			   const char *help)
{
	text_printable(to->name, sizeof(to->name), name, UINT_MAX);
	text_printable(to->pmu, sizeof(to->pmu), pmu, UINT_MAX);
	text_printable(to->help, sizeof(to->help), help, UINT_MAX);
}

int catalog_offer_entry(const struct catalog_walk *walk, const struct catalog_entry *entry)
{
	struct printable text;
	struct catalog_entry printable = *entry;

	make_printable(&text, entry->name, entry->pmu, entry->help);
	if (!catalog_matches(walk->pattern, text.name, text.help))
		return 0;
	printable.name = text.name;
	printable.pmu = text.pmu;
	printable.help = text.help;
	return walk->fn(walk->arg, &printable);
}

/* Returns the PMU of the first code that can be counted, or of the first code. */
static const char *pmu_of(const struct event_context *context, const struct event *event)
{
	size_t at = 0;

	if (event->kind == EVENT_SOFTWARE || event->kind == EVENT_DERIVED)
		return "software";
	while (at < event->n_codes && event->codes[at].state != FIGURE_VALID)
		at++;
	at = at < event->n_codes ? at : 0;
	if (event->n_codes == 0 || !context->pmus || event->codes[at].pmu >= context->pmus->n)
		return "hardware";
	const char *name = context->pmus->items[event->codes[at].pmu].name;
	return name[0] ? name : "hardware";
}

int catalog_offer(const struct catalog_walk *walk, const char *name, const char *pmu,
		  const char *help)
{
	struct catalog_entry entry = {.name = name, .pmu = pmu ? pmu : "", .help = help};
	struct printable text;
	struct event event;
	struct error err;

	/* Match before probing, which is slow. */
	make_printable(&text, name, entry.pmu, help);
	if (!catalog_matches(walk->pattern, text.name, text.help))
		return 0;
	if (walk->names_only && pmu)
		return catalog_offer_entry(walk, &entry);
	entry.answer = event_resolve(walk->context, name, &event, &err);
	if (entry.answer < 0) {
		entry.state = FIGURE_UNSUPPORTED;
		return catalog_offer_entry(walk, &entry);
	}
	if (!walk->names_only)
		entry.answer = event_probe(walk->context->sys, walk->context->pmus, &event);
	entry.state = event.state;
	if (!pmu)
		entry.pmu = pmu_of(walk->context, &event);
	int result = catalog_offer_entry(walk, &entry);
	event_fini(&event);
	return result;
}

static int walk_sources(const struct catalog_walk *walk)
{
	static catalog_source_fn *const sources[] = {
		catalog_generic, catalog_sysfs,    catalog_pfm,
		catalog_vendor,  catalog_examples, catalog_tracepoints,
	};
	struct catalog_walk own = *walk;
	int result = 0;

	if (own.context->tables)
		own.table = event_table_cache_get(own.context->tables);
	if (own.table)
		own.listed = xcalloc(own.table->n, sizeof(*own.listed));
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !result; i++)
		result = sources[i](&own);
	free(own.listed);
	return result;
}

int catalog_events(const struct event_context *context, const char *pattern, catalog_fn *fn,
		   void *arg)
{
	const struct catalog_walk walk = {
		.context = context,
		.pattern = pattern,
		.fn = fn,
		.arg = arg,
	};

	return walk_sources(&walk);
}

int catalog_names(const struct event_context *context, catalog_fn *fn, void *arg)
{
	const struct catalog_walk walk = {
		.context = context,
		.names_only = true,
		.fn = fn,
		.arg = arg,
	};

	return walk_sources(&walk);
}

void catalog_probe_event(const struct event_context *context, struct event *event, bool per_task)
{
	if (!per_task || !plan_is_of_proc(event))
		event->answer = event_probe_soon(context->sys, context->pmus, event);
	/* Waits need records, which tasks do not have. */
	if (per_task && event->kind == EVENT_WAIT && !plan_is_of_proc(event))
		event->state = FIGURE_DENIED;
}

enum figure_state catalog_probe(const struct event_context *context, const char *name,
				bool per_task)
{
	struct event event;
	struct error err;

	if (event_resolve(context, name, &event, &err) < 0)
		return FIGURE_UNSUPPORTED;
	catalog_probe_event(context, &event, per_task);
	enum figure_state state = event.state;
	event_fini(&event);
	return state;
}

static int append_name(void *arg, const char *name)
{
	struct catalog_names *names = arg;

	names->items =
		array_reserve(names->items, &names->capacity, names->n + 1, sizeof(*names->items));
	names->items[names->n++] = xstrdup(name);
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void catalog_names_read(const struct sys *sys, const char *path, struct catalog_names *names)
{
	*names = (struct catalog_names){0};
	sys_dir_each(sys, path, append_name, names);
	if (names->n > 0)
		qsort(names->items, names->n, sizeof(*names->items), compare_names);
}

void catalog_names_fini(struct catalog_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct catalog_names){0};
}
