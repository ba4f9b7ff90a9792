// SPDX-License-Identifier: MIT
/*
 * Entries of tools/perf/pmu-events of Linux, and of `perf list --json`, which has encoded them
 * already ("Encoding"). An entry has an event, a metric or both. Metrics are in Linux' notation,
 * which a "=" in front of the formula states.
 */
#include "core/tables/table_fields.h"

#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *help_of(const json_t *entry)
{
	const char *help = table_member(entry, "BriefDescription");

	return help ? help : table_member(entry, "PublicDescription");
}

static void add_event(struct table_reading *reading, const struct table_json_entry *entry,
		      const struct table_event *event)
{
	if (!table_text_add_event(&reading->text, event))
		table_reading_fault(reading, entry->line, "an event has an unusual name or terms");
}

/* The first code, which an ExtSel extends. */
static bool add_code(struct table_reading *reading, const struct table_json_entry *entry,
		     struct table_terms *terms)
{
	static const struct {
		const char *name, *term;
	} rows[] = {{"ConfigCode", "config"}, {"EventidCode", "eventid"}};
	uint64_t code, extension;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (json_object_get(entry->value, rows[i].name)) {
			if (!table_number(reading, entry, rows[i].name, &code))
				return false;
			table_terms_add(terms, rows[i].term, code);
			return true;
		}
	if (!table_number(reading, entry, "EventCode", &code) ||
	    !table_number(reading, entry, "ExtSel", &extension))
		return false;
	table_terms_add(terms, "event", code | extension << 8);
	return true;
}

/* Terms that the file has as a text: "config1=0x1,ldlat=3". */
static bool add_filter(struct table_reading *reading, const struct table_json_entry *entry,
		       struct table_terms *terms)
{
	const char *filter = table_member(entry->value, "Filter");

	if (!filter || !filter[0])
		return true;
	if (!strchr(filter, '=') || terms->length + strlen(filter) + 2 > sizeof(terms->text)) {
		table_reading_fault(reading, entry->line, "an event has an unknown Filter");
		return false;
	}
	terms->length += (size_t)snprintf(terms->text + terms->length,
					  sizeof(terms->text) - terms->length, ",%s", filter);
	return true;
}

static bool add_register(struct table_reading *reading, const struct table_json_entry *entry,
			 struct table_terms *terms)
{
	uint64_t index, value;

	if (!table_number(reading, entry, "MSRIndex", &index))
		return false;
	if (index == 0)
		return true;
	if (!table_register(index)) {
		table_reading_fault(reading, entry->line, "an event has an unknown MSRIndex");
		return false;
	}
	if (!table_number(reading, entry, "MSRValue", &value))
		return false;
	table_terms_add(terms, table_register(index), value);
	return true;
}

static bool terms_of(struct table_reading *reading, const struct table_json_entry *entry,
		     struct table_terms *terms)
{
	static const struct {
		const char *name, *term;
	} rows[] = {
		{"AnyThread", "any"},
		{"PortMask", "ch_mask"},
		{"CounterMask", "cmask"},
		{"EdgeDetect", "edge"},
		{"FCMask", "fc_mask"},
		{"Invert", "inv"},
		{"UMask", "umask"},
		{"NodeType", "type"},
		{"RdWrMask", "rdwrmask"},
		{"EnAllCores", "enallcores"},
		{"EnAllSlices", "enallslices"},
		{"SliceId", "sliceid"},
		{"ThreadMask", "threadmask"},
	};

	if (!add_code(reading, entry, terms))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value;

		if (!table_number(reading, entry, rows[i].name, &value))
			return false;
		if (value)
			table_terms_add(terms, rows[i].term, value);
	}
	return add_filter(reading, entry, terms) && add_register(reading, entry, terms);
}

static int compare_standards(const void *a, const void *b)
{
	const struct table_standard *left = a, *right = b;

	return strcasecmp(left->name, right->name);
}

void table_standards_sort(struct table_reading *reading)
{
	if (reading->n_standard > 0)
		qsort(reading->standard, reading->n_standard, sizeof(*reading->standard),
		      compare_standards);
}

static void keep_standard(struct table_reading *reading, const char *name, const char *terms,
			  const char *help)
{
	reading->standard = array_reserve(reading->standard, &reading->standard_capacity,
					  reading->n_standard + 1, sizeof(*reading->standard));
	reading->standard[reading->n_standard++] = (struct table_standard){
		.name = xstrdup(name), .terms = xstrdup(terms), .help = xstrdup(help ? help : "")};
}

/* An event that several CPUs have: its code is in a file above, its description may be here. */
static void add_standard(struct table_reading *reading, const struct table_json_entry *entry,
			 const char *name)
{
	char wanted[256];
	const struct table_standard key = {.name = wanted};
	const struct table_standard *standard;

	text_copy(wanted, sizeof(wanted), name);
	standard = reading->n_standard ? bsearch(&key, reading->standard, reading->n_standard,
						 sizeof(*reading->standard), compare_standards)
				       : NULL;
	if (!standard) {
		table_reading_fault(reading, entry->line,
				    "'%.40s' is in no file beside mapfile.csv", name);
		return;
	}
	const char *own = table_member(entry->value, "EventName"), *help = help_of(entry->value);
	add_event(reading, entry,
		  &(struct table_event){.name = own ? own : standard->name,
					.pmu = reading->core_pmu,
					.terms = standard->terms,
					.help = help ? help : standard->help});
}

static void add_described(struct table_reading *reading, const struct table_json_entry *entry,
			  const char *name)
{
	const char *unit = table_member(entry->value, "Unit"), *fixed = table_fixed_terms(name);
	struct table_terms terms = {""};
	char pmu[64], flags[8];

	if (unit && !table_pmu_of_unit(unit, pmu, sizeof(pmu))) {
		table_reading_fault(reading, entry->line, "an event has an unknown unit");
		return;
	}
	if (!fixed && !terms_of(reading, entry, &terms))
		return;
	if (reading->standards) {
		keep_standard(reading, name, terms.text, help_of(entry->value));
		return;
	}
	table_flags(entry->value, flags);
	add_event(reading, entry,
		  &(struct table_event){
			  .name = name,
			  .pmu = unit ? pmu : reading->core_pmu,
			  .terms = fixed ? fixed : terms.text,
			  .counters = table_counters(table_member(entry->value, "Counter")),
			  .flags = flags,
			  .help = help_of(entry->value)});
}

/* A term that perf adds for itself. */
static bool is_of_perf(const char *term, size_t length)
{
	return (length >= 7 && strncmp(term, "period=", 7) == 0) ||
	       (length >= 5 && strncmp(term, "name=", 5) == 0);
}

/* Splits "cpu/event=0x3c,period=0x1e8483/". The number of one of several PMUs is left out. */
static bool split_encoding(const char *encoding, char pmu[64], struct table_terms *terms)
{
	size_t length = strcspn(encoding, "/");
	const char *at = encoding + length;

	if (!*at || length == 0 || length >= 64 || at[strlen(at) - 1] != '/')
		return false;
	memcpy(pmu, encoding, length);
	pmu[length] = '\0';
	char *number = strrchr(pmu, '_');
	if (strncmp(pmu, "uncore_", 7) == 0 && number > pmu + 6 &&
	    strspn(number + 1, "0123456789") == strlen(number + 1) && number[1])
		*number = '\0';
	for (at++; *at && *at != '/'; at += at[0] == ',') {
		size_t term = strcspn(at, ",/");

		if (!is_of_perf(at, term)) {
			if (terms->length + term + 2 > sizeof(terms->text))
				return false;
			terms->length += (size_t)snprintf(
				terms->text + terms->length, sizeof(terms->text) - terms->length,
				"%s%.*s", terms->length ? "," : "", (int)term, at);
		}
		at += term;
	}
	return at[0] == '/' && at[1] == '\0';
}

/* The kernel has some of perf's events under the same names, and tracepoints have no terms. */
static void add_encoded(struct table_reading *reading, const struct table_json_entry *entry,
			const char *name, const char *encoding)
{
	struct table_terms terms = {""};
	char pmu[64], flags[8];

	if (strpbrk(name, "/ "))
		return;
	if (!split_encoding(encoding, pmu, &terms)) {
		table_reading_fault(reading, entry->line, "an Encoding is not PMU/TERMS/");
		return;
	}
	table_flags(entry->value, flags);
	add_event(reading, entry,
		  &(struct table_event){.name = name,
					.pmu = pmu,
					.terms = terms.text,
					.flags = flags,
					.help = help_of(entry->value)});
}

static void add_metric(struct table_reading *reading, const struct table_json_entry *entry,
		       const char *name)
{
	const char *expression = table_member(entry->value, "MetricExpr");
	const char *unit = table_member(entry->value, "Unit");
	char *formula = NULL;

	if (expression && asprintf(&formula, "=%s", expression) < 0)
		xalloc_failed();
	/* The table has these names without it, and they are found with it. */
	name += strncmp(name, "tma_", 4) == 0 && name[4] ? 4 : 0;
	const struct table_metric metric = {
		.name = name,
		.pmu = unit && strncmp(unit, "cpu_", 4) == 0 ? unit : reading->core_pmu,
		.unit = table_member(entry->value, "ScaleUnit"),
		.formula = formula,
		.threshold = table_member(entry->value, "MetricThreshold"),
		.help = help_of(entry->value),
	};
	if (!table_text_add_metric(&reading->text, &metric))
		table_reading_fault(reading, entry->line,
				    "a metric has an unusual name or no MetricExpr");
	free(formula);
}

void table_linux_entry(struct table_reading *reading, const struct table_json_entry *entry)
{
	const char *name = table_member(entry->value, "EventName");
	const char *metric = table_member(entry->value, "MetricName");
	const char *standard = table_member(entry->value, "ArchStdEvent");
	const char *encoding = table_member(entry->value, "Encoding");

	if (standard)
		add_standard(reading, entry, standard);
	else if (name && encoding)
		add_encoded(reading, entry, name, encoding);
	else if (name && table_member(entry->value, "EventType"))
		return; /* of perf, which gives no code: a tracepoint, a software event */
	else if (name)
		add_described(reading, entry, name);
	if (metric && !reading->standards)
		add_metric(reading, entry, metric);
	if (!name && !metric && !standard && !json_object_get(entry->value, "MetricGroup") &&
	    !json_object_get(entry->value, "EventType"))
		table_reading_fault(reading, entry->line, "an entry has no name");
}
