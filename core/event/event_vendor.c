// SPDX-License-Identifier: MIT
/*
 * Names that the vendor has for the events of these CPUs (event_table.h): LONGEST_LAT_CACHE.MISS,
 * also with a colon. An event of several kinds of cores, or of every memory controller, is counted
 * on each. If the kernel offers no core PMU, or not the PMU of the event, libpfm4
 * resolves the name.
 *
 * Behind a name may be what the vendor's metrics have there: UOPS_RETIRED.MS:c1:e1. These are
 * changes of the event's terms:
 *
 *	c4 i1 e1 eq1       cmask=4 (of a socket thresh=4), inv=1, edge=1, eq=1
 *	u0x80              another umask
 *	ocr_msr_val=0x1    another offcore_rsp
 *	filter1=0x1        another config1
 *	opc=0x182 tid=0x3e filter_opc, filter_tid
 *	SUP USER           in the kernel only, in user space only
 *	one_unit           of the first of several PMUs only
 *	perf_metrics       counted with PERF_METRICS
 *
 * PERF_METRICS.RETIRING and the like are the shares of the slots, which Linux offers as events.
 */
#include "core/base/util.h"
#include "core/event/event_modifier.h"
#include "core/event/event_resolver.h"
#include "core/event/event_table_cache.h"
#include "core/event/event_term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A change of the terms of an event. */
struct change {
	const char *key;  /* in front of its number */
	const char *term; /* NULL: the event is counted another way, or not at all */
	bool replaces;    /* the term of the event */
};

static const struct change changes[] = {
	{"c", "cmask", false},         {"i", "inv", false},
	{"e", "edge", false},          {"eq", "eq", false},
	{"u", "umask", true},          {"ocr_msr_val=", "offcore_rsp", true},
	{"filter1=", "config1", true}, {"opc=", "filter_opc", false},
	{"tid=", "filter_tid", false},
};

/* Linux' names of what this register has. */
static const struct {
	const char *name, *alias;
} perf_metrics[] = {
	{"PERF_METRICS.RETIRING", "topdown-retiring"},
	{"PERF_METRICS.BAD_SPECULATION", "topdown-bad-spec"},
	{"PERF_METRICS.FRONTEND_BOUND", "topdown-fe-bound"},
	{"PERF_METRICS.BACKEND_BOUND", "topdown-be-bound"},
	{"PERF_METRICS.HEAVY_OPERATIONS", "topdown-heavy-ops"},
	{"PERF_METRICS.BRANCH_MISPREDICTS", "topdown-br-mispredict"},
	{"PERF_METRICS.FETCH_LATENCY", "topdown-fetch-lat"},
	{"PERF_METRICS.MEMORY_BOUND", "topdown-mem-bound"},
};

const char *event_vendor_alias(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_metrics); i++)
		if (event_same_name(name, length, perf_metrics[i].name))
			return perf_metrics[i].alias;
	return NULL;
}

/* A word between two colons. */
struct part {
	const char *text;
	size_t length;
};

static bool part_is(struct part part, const char *word)
{
	return event_same_name(part.text, part.length, word);
}

/* The change that the part has, and its number, or NULL. */
static const struct change *find_change(struct part part, uint64_t *number)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		size_t n = strlen(changes[i].key);
		const char *end;

		if (part.length <= n || !event_same_name(part.text, n, changes[i].key))
			continue;
		if (event_parse_number(part.text + n, ":/,", number, &end) &&
		    end == part.text + part.length)
			return &changes[i];
	}
	return NULL;
}

static bool is_part(struct part part)
{
	static const char *const words[] = {
		"SUP", "USER", "one_unit", "perf_metrics", "percore", "retire_latency",
	};
	uint64_t number;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (part_is(part, words[i]))
			return true;
	return find_change(part, &number) != NULL;
}

/* The event that a name begins with, its items in the table, and the rest. */
struct found {
	const struct event_table_item *items; /* NULL: none */
	size_t n;
	const char *alias; /* of PERF_METRICS, which has no items */
	size_t length;     /* of the name alone */
	size_t all; /* of the name and its parts: then come the modifiers of event_modifier.h */
};

static struct part last_part(const char *name, size_t length)
{
	const char *colon = memrchr(name, ':', length);

	if (!colon)
		return (struct part){.text = NULL};
	return (struct part){colon + 1, length - (size_t)(colon + 1 - name)};
}

static size_t length_without_modifiers(const char *name, size_t length)
{
	for (;;) {
		struct part part = last_part(name, length);

		if (!part.text || !event_is_modifier(part.text, part.length))
			return length;
		length = (size_t)(part.text - 1 - name);
	}
}

/* The longest name of the table is used. Returns whether there is one. */
static bool find_event(const struct event_context *context, const char *name, size_t length,
		       struct found *found)
{
	const struct event_table *table =
		context->tables && context->pmus ? event_table_cache_get(context->tables) : NULL;

	*found = (struct found){.length = length_without_modifiers(name, length)};
	found->all = found->length;
	while (table) {
		found->items = event_table_find(table, name, found->length, &found->n);
		found->alias = event_vendor_alias(name, found->length);
		struct part part = last_part(name, found->length);
		if (found->items || found->alias || !part.text || !is_part(part))
			break;
		found->length = (size_t)(part.text - 1 - name);
	}
	return found->items || found->alias;
}

bool event_vendor_is_on(const struct event_context *context, const char *pmu, size_t i)
{
	const char *name = context->pmus->items[i].name;
	bool core = i < event_core_pmus(context);

	if (strcmp(pmu, "cpu") == 0)
		return core;
	/* Without E-cores the PMU of the P-cores has the old name. */
	if (strcmp(pmu, "cpu_core") == 0 && core && strcmp(name, "cpu") == 0)
		return true;
	return name[0] && event_pmu_matches(pmu, name);
}

/* The item of the event on a PMU, or NULL. */
static const struct event_table_item *item_on(const struct event_context *context, size_t pmu,
					      const struct found *found)
{
	for (size_t i = 0; i < found->n; i++)
		if (event_vendor_is_on(context, found->items[i].pmu, pmu))
			return &found->items[i];
	return NULL;
}

/* The terms of the event on a PMU, or NULL. E-cores have no PERF_METRICS, but events like it. */
static const char *terms_on(const struct event_context *context, size_t pmu,
			    const struct found *found)
{
	if (found->alias)
		return pmu < event_core_pmus(context) &&
				       event_term_has_alias(context, &context->pmus->items[pmu],
							    "slots", strlen("slots"))
			       ? found->alias
			       : NULL;
	const struct event_table_item *item = item_on(context, pmu, found);
	return item ? item->terms : NULL;
}

static bool has_format(const struct event_context *context, size_t pmu, const char *term)
{
	char path[160], text[64];

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/format/%s", context->pmus->items[pmu].name,
		 term);
	return sys_file_read(context->sys, path, text, sizeof(text)) > 0;
}

/* Linux' PMUs of sockets have several names for this. */
static const char *term_of(const struct event_context *context, size_t pmu,
			   const struct change *change)
{
	static const char *const masks[] = {"thresh", "threshold"};

	if (strcmp(change->term, "cmask") != 0 || has_format(context, pmu, change->term))
		return change->term;
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++)
		if (has_format(context, pmu, masks[i]))
			return masks[i];
	return change->term;
}

/* Removes a term with its value. */
static void remove_term(char *terms, const char *term)
{
	size_t length = strlen(term);

	for (char *at = terms; *at;) {
		char *end = at + strcspn(at, ",");

		if (strncmp(at, term, length) != 0 || at[length] != '=') {
			at = *end ? end + 1 : end;
			continue;
		}
		end += *end == ',';
		memmove(at, end, strlen(end) + 1);
	}
	size_t n = strlen(terms);
	if (n > 0 && terms[n - 1] == ',')
		terms[n - 1] = '\0';
}

static int fail_part(struct part part, const char *why, struct error *err)
{
	return error_set(err, -ENOTSUP, "Modifier '%s' of the vendor's event: %s.",
			 event_quote(part.text, part.length).text, why);
}

static int apply_part(const struct event_context *context, size_t pmu, struct part part,
		      struct event_vendor_terms *terms, struct error *err)
{
	uint64_t number = 0;
	const struct change *change = find_change(part, &number);

	if (part_is(part, "percore"))
		return fail_part(part, "the counts of both threads of a core are not added", err);
	if (part_is(part, "retire_latency"))
		return fail_part(part, "latencies are not counted", err);
	terms->kernel_only |= part_is(part, "SUP");
	terms->user_only |= part_is(part, "USER");
	terms->one_unit |= part_is(part, "one_unit");
	if (!change)
		return 0;
	const char *term = term_of(context, pmu, change);
	if (change->replaces)
		remove_term(terms->text, term);
	size_t length = strlen(terms->text);
	int n = snprintf(terms->text + length, sizeof(terms->text) - length, "%s%s=%#llx",
			 length ? "," : "", term, (unsigned long long)number);
	return (size_t)n < sizeof(terms->text) - length ? 0 : fail_part(part, "too many", err);
}

int event_vendor_terms(const struct event_context *context, size_t pmu, const char *name,
		       size_t length, struct event_vendor_terms *terms, struct error *err)
{
	struct found found;
	const char *own = find_event(context, name, length, &found) && found.all == length
				  ? terms_on(context, pmu, &found)
				  : NULL;
	int result = 0;

	*terms = (struct event_vendor_terms){.text = ""};
	if (!own || strlen(own) >= sizeof(terms->text))
		return EVENT_NOT_MINE;
	memcpy(terms->text, own, strlen(own) + 1);
	terms->item = item_on(context, pmu, &found);
	for (size_t at = found.length; at < length && result == 0;) {
		const char *part = name + at + 1;
		const char *end = memchr(part, ':', length - at - 1);
		size_t n = end ? (size_t)(end - part) : length - at - 1;

		result = apply_part(context, pmu, (struct part){part, n}, terms, err);
		at += n + 1;
	}
	return result;
}

/* False if two hyperthreads share the counters of a core. */
static bool may_be_one_thread(const struct event_context *context)
{
	char text[8];

	return sys_file_read(context->sys, "/sys/devices/system/cpu/smt/active", text,
			     sizeof(text)) <= 0 ||
	       text[0] != '1';
}

/*
 * CPUs before Ice Lake have eight general counters if they have no hyperthreads; their tables have
 * the four of one of two.
 */
void event_vendor_constrain(const struct event_context *context,
			    const struct event_table_item *item,
			    struct counter_constraint *constraint)
{
	enum { FOUR = 0xf, EIGHT = 0xff };

	constraint->counters = item->counters;
	constraint->alone = item->alone;
	if (item->counters)
		constraint->pmu_counters =
			event_table_counters(event_table_cache_get(context->tables), item->pmu);
	if ((constraint->pmu_counters & COUNTER_GENERAL) != FOUR || !may_be_one_thread(context))
		return;
	constraint->pmu_counters |= EIGHT;
	if ((constraint->counters & FOUR) == FOUR)
		constraint->counters |= EIGHT;
}

int event_vendor_resolve(const struct event_context *context, const char *name, struct event *event,
			 const char **rest, struct error *err)
{
	struct found found;

	if (!find_event(context, name, strlen(name), &found))
		return EVENT_NOT_MINE;
	for (size_t i = 0; i < context->pmus->n; i++) {
		if (!terms_on(context, i, &found))
			continue;
		int result = event_encode_on_pmu(context, i, name, found.all, event, err);
		if (result < 0)
			return result;
	}
	*rest = name + found.all;
	return event->n_codes > 0 ? 0 : EVENT_NOT_MINE;
}

/* An event of the vendor, with a word behind it that is no modifier. */
static int explain_part(const struct event_context *context, const char *name, struct error *err)
{
	size_t length = length_without_modifiers(name, strlen(name));
	struct part part = last_part(name, length);
	struct found found;

	if (!part.text || !find_event(context, name, (size_t)(part.text - 1 - name), &found))
		return 0;
	return error_set(err, -EINVAL,
			 "Unknown modifier '%s' of the vendor's event %s (examples: c1, e1, i1, "
			 "u0x80, SUP).",
			 event_quote(part.text, part.length).text,
			 event_quote(name, found.length).text);
}

int event_vendor_explain(const struct event_context *context, const char *name, struct error *err)
{
	struct found found;

	if (!find_event(context, name, strlen(name), &found))
		return explain_part(context, name, err);
	return error_set(err, -ENODEV,
			 "'%s' is an event of %s, a PMU that this kernel does not offer.",
			 event_quote(name, strlen(name)).text,
			 found.alias ? "PERF_METRICS" : found.items[0].pmu);
}

void event_vendor_suggest(const struct event_context *context, struct suggest *suggest)
{
	const struct event_table *table =
		context->tables ? event_table_cache_get(context->tables) : NULL;

	for (size_t i = 0; table && i < table->n; i++)
		if (!table->items[i].deprecated)
			suggest_offer(suggest, table->items[i].name);
}
