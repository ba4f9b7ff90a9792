// SPDX-License-Identifier: MIT
/*
 * Names in directories of the kernel: events of PMUs, each a file with its code, and tracepoints,
 * each a directory. Of numbered PMUs (uncore_imc_0, _1 ...) only the first is listed, with the name
 * that counts all of them.
 */
#include "core/base/util.h"
#include "core/event/event_term.h"
#include "core/metric/catalog_source.h"
#include "core/perf/probe.h"

#include <stdio.h>
#include <string.h>

static void read_line(const struct sys *sys, const char *pmu, const char *event, const char *ending,
		      char *text, size_t size)
{
	char path[512];

	text[0] = '\0';
	if (snprintf(path, sizeof(path), PMU_DEVICES "/%s/events/%s%s", pmu, event, ending) <
	    (int)sizeof(path))
		sys_file_read(sys, path, text, size);
	text[strcspn(text, "\n")] = '\0';
}

static int offer_event(const struct catalog_walk *walk, const char *pmu, const char *stem,
		       const char *event)
{
	char name[320], code[256], unit[32], help[400];

	if (!event_is_alias_file(event) ||
	    snprintf(name, sizeof(name), "%s/%s/", stem, event) >= (int)sizeof(name))
		return 0;
	read_line(walk->context->sys, pmu, event, "", code, sizeof(code));
	read_line(walk->context->sys, pmu, event, ".unit", unit, sizeof(unit));
	snprintf(help, sizeof(help), "%s%s%s", code, unit[0] ? ", in " : "", unit);
	return catalog_offer(walk, name, stem, help);
}

/* Writes "uncore_imc" for "uncore_imc_0" if other PMUs are numbered like it, else the name. */
static void find_stem(const struct pmu_set *pmus, size_t index, char *stem, size_t size)
{
	const struct pmu *pmu = &pmus->items[index];
	size_t length = strlen(pmu->name);

	text_copy(stem, size, pmu->name);
	while (length > 0 && pmu->name[length - 1] >= '0' && pmu->name[length - 1] <= '9')
		length--;
	if (pmu->kind != PMU_SOCKET || length < 2 || !pmu->name[length] ||
	    pmu->name[length - 1] != '_')
		return;
	for (size_t i = 0; i < pmus->n; i++) {
		const char *other = pmus->items[i].name;

		if (i != index && strncmp(other, pmu->name, length) == 0 &&
		    other[length + strspn(other + length, "0123456789")] == '\0') {
			stem[length - 1] = '\0';
			return;
		}
	}
}

int catalog_sysfs(const struct catalog_walk *walk)
{
	const struct pmu_set *pmus = walk->context->pmus;
	char last[64] = "";
	int result = 0;

	for (size_t i = 0; i < pmus->n && !result; i++) {
		struct catalog_names names;
		char stem[64], path[160];

		find_stem(pmus, i, stem, sizeof(stem));
		if (!pmus->items[i].name[0] || strcmp(stem, last) == 0)
			continue;
		text_copy(last, sizeof(last), stem);
		snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", pmus->items[i].name);
		catalog_names_read(walk->context->sys, path, &names);
		for (size_t k = 0; k < names.n && !result; k++)
			result = offer_event(walk, pmus->items[i].name, stem, names.items[k]);
		catalog_names_fini(&names);
	}
	return result;
}

struct tracing {
	const struct catalog_walk *walk;
	const char *root;
	struct catalog_entry answered; /* state and answer of the first one, for all */
	bool probed;
};

/* Files beside the directories of tracepoints are not tracepoints. */
static bool is_file(const char *name)
{
	return strcmp(name, "enable") == 0 || strcmp(name, "filter") == 0 ||
	       strncmp(name, "header_", 7) == 0;
}

static void probe_once(struct tracing *tracing, const char *name)
{
	const struct event_context *context = tracing->walk->context;
	struct event event;
	struct error err;

	if (tracing->probed)
		return;
	tracing->probed = true;
	tracing->answered.answer = event_resolve(context, name, &event, &err);
	tracing->answered.state = FIGURE_UNSUPPORTED;
	if (tracing->answered.answer < 0)
		return;
	tracing->answered.answer = event_probe(context->sys, context->pmus, &event);
	tracing->answered.state = event.state;
	event_fini(&event);
}

static int offer_tracepoint(struct tracing *tracing, const char *subsystem, const char *point)
{
	struct catalog_entry entry = {.pmu = "tracepoint"};
	char name[320], help[320];

	if (snprintf(name, sizeof(name), "%s:%s", subsystem, point) >= (int)sizeof(name))
		return 0;
	snprintf(help, sizeof(help), "tracepoint of %s", subsystem);
	if (!catalog_matches(tracing->walk->pattern, name, help))
		return 0;
	if (!tracing->walk->names_only)
		probe_once(tracing, name);
	entry.state = tracing->answered.state;
	entry.answer = tracing->answered.answer;
	entry.name = name;
	entry.help = help;
	return catalog_offer_entry(tracing->walk, &entry);
}

static int offer_subsystem(struct tracing *tracing, const char *subsystem)
{
	struct catalog_names names;
	char path[320], name[288], help[48];
	bool each = tracing->walk->pattern || tracing->walk->names_only;
	size_t n = 0;
	int result = 0;

	if (snprintf(path, sizeof(path), "%s/%s", tracing->root, subsystem) >= (int)sizeof(path))
		return 0;
	catalog_names_read(tracing->walk->context->sys, path, &names);
	for (size_t i = 0; i < names.n && !result; i++) {
		if (is_file(names.items[i]))
			continue;
		n++;
		if (each)
			result = offer_tracepoint(tracing, subsystem, names.items[i]);
	}
	if (!each && n > 0) {
		snprintf(name, sizeof(name), "%.256s:*", subsystem);
		snprintf(help, sizeof(help), "%zu tracepoint%s", n, n > 1 ? "s" : "");
		result = catalog_offer_entry(
			tracing->walk,
			&(struct catalog_entry){
				.name = name, .pmu = "tracepoint", .help = help, .example = true});
	}
	catalog_names_fini(&names);
	return result;
}

int catalog_tracepoints(const struct catalog_walk *walk)
{
	int result = 0;

	for (size_t i = 0; i < EVENT_TRACEFS_ROOTS; i++) {
		struct tracing tracing = {.walk = walk, .root = event_tracefs_roots[i]};
		struct catalog_names names;

		catalog_names_read(walk->context->sys, event_tracefs_roots[i], &names);
		size_t n = names.n;
		for (size_t k = 0; k < n && !result; k++)
			if (!is_file(names.items[k]))
				result = offer_subsystem(&tracing, names.items[k]);
		catalog_names_fini(&names);
		if (n > 0)
			break;
	}
	return result;
}
