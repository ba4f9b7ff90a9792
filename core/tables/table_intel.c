// SPDX-License-Identifier: MIT
/*
 * Entries of Intel's perfmon. core/event/tables/make_tables.py reads the same files for the
 * built-in table, and both give the same terms: `make event-files` compares all of them.
 */
#include "core/tables/table_fields.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FORMULA_MAX = 1400, /* bytes; of a longer one the form that names other metrics is used */
	METRICS_MAX = 10000,
	EXTENDED = 1 << 21, /* bit of the control register without a term in some PMUs of Linux */
};

void table_intel_header(struct table_reading *reading, const struct table_json_entry *entry)
{
	const char *version = table_member(entry->value, "Version");
	const char *date = table_member(entry->value, "DatePublished");
	unsigned year, month, day;

	if (reading->version[0])
		return;
	text_copy(reading->version, sizeof(reading->version), version ? version : "");
	if (date && sscanf(date, "%2u/%2u/%4u", &month, &day, &year) == 3)
		snprintf(reading->date, sizeof(reading->date), "%04u-%02u-%02u", year % 10000,
			 month % 100, day % 100);
}

/* The number of a member, for a list of them. */
struct intel_number {
	const char *name, *term;
};

static bool add_numbers(struct table_reading *reading, const struct table_json_entry *entry,
			const struct intel_number *numbers, size_t n, struct table_terms *terms)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value;

		if (!table_number(reading, entry, numbers[i].name, &value))
			return false;
		if (value)
			table_terms_add(terms, numbers[i].term, value);
	}
	return true;
}

static bool add_code(struct table_reading *reading, const struct table_json_entry *entry,
		     struct table_terms *terms)
{
	uint64_t code;

	if (!json_object_get(entry->value, "EventCode")) {
		table_reading_fault(reading, entry->line, "an event has no EventCode");
		return false;
	}
	if (!table_number(reading, entry, "EventCode", &code))
		return false;
	table_terms_add(terms, "event", code);
	return true;
}

static bool core_terms(struct table_reading *reading, const struct table_json_entry *entry,
		       struct table_terms *terms)
{
	static const struct intel_number numbers[] = {{"UMask", "umask"},
						      {"CounterMask", "cmask"},
						      {"Invert", "inv"},
						      {"EdgeDetect", "edge"},
						      {"AnyThread", "any"}};
	uint64_t index, value;

	if (!add_code(reading, entry, terms) ||
	    !add_numbers(reading, entry, numbers, ARRAY_SIZE(numbers), terms) ||
	    !table_number(reading, entry, "MSRIndex", &index))
		return false;
	if (index == 0)
		return true;
	if (!table_register(index)) {
		table_reading_fault(reading, entry->line,
				    "an event needs register 0x%llx, for which Linux has no term",
				    (unsigned long long)index);
		return false;
	}
	if (!table_number(reading, entry, "MSRValue", &value))
		return false;
	table_terms_add(terms, table_register(index), value);
	return true;
}

/* A counter that always runs has a code in Linux alone: its type and index. */
static bool free_running_code(const char *name, uint64_t *code)
{
	const char *part = strstr(name, ".PART"), *read = strstr(name, "RDCAS"),
		   *write = strstr(name, "WRCAS");
	bool in = strstr(name, "BANDWIDTH_IN.PART"), out = strstr(name, "BANDWIDTH_OUT.PART");

	if (strstr(name, "CLOCKTICKS") || strstr(name, "TOTAL"))
		*code = 0x10;
	else if ((in || out) && isdigit((unsigned char)part[5]))
		*code = (in ? 0x20u : 0x30u) | ((unsigned)atoi(part + 5) & 0xf);
	else if (read || write)
		*code = read && (!write || read < write) ? 0x20 : 0x30;
	else
		return false;
	return true;
}

static bool free_running(struct table_reading *reading, const struct table_json_entry *entry,
			 const char *name, char pmu[64], struct table_terms *terms)
{
	const char *controller = strstr(name, "_MC");
	char suffix[32] = "_free_running";
	uint64_t code;

	while (controller && !(isdigit((unsigned char)controller[3]) && controller[4] == '_'))
		controller = strstr(controller + 3, "_MC");
	if (controller)
		snprintf(suffix, sizeof(suffix), "_free_running_%c", controller[3]);
	if (!free_running_code(name, &code) || strlen(pmu) + strlen(suffix) >= 64) {
		table_reading_fault(reading, entry->line,
				    "a counter that always runs has an unknown name");
		return false;
	}
	strcat(pmu, suffix);
	table_terms_add(terms, "event", 0xff);
	table_terms_add(terms, "umask", code);
	return true;
}

/* A mask, and the port and flow that an IIO unit has in its extension. */
static bool read_masks(struct table_reading *reading, const struct table_json_entry *entry,
		       uint64_t *mask, uint64_t *port, uint64_t *flow)
{
	const char *unit = table_member(entry->value, "Unit");
	uint64_t extension;

	if (!table_number(reading, entry, "UMask", mask) ||
	    !table_number(reading, entry, "PortMask", port) ||
	    !table_number(reading, entry, "FCMask", flow) ||
	    !table_number(reading, entry, "UMaskExt", &extension))
		return false;
	if (*port || *flow)
		return true;
	if (strcmp(unit, "IIO") == 0) {
		*port = extension >> 4 & 0xFFF;
		*flow = extension >> 16 & 7;
	} else {
		*mask |= extension << 8;
	}
	return true;
}

static bool uncore_numbers(struct table_reading *reading, const struct table_json_entry *entry,
			   struct table_terms *terms)
{
	static const struct intel_number numbers[] = {
		{"CounterMask", "cmask"}, {"Invert", "inv"}, {"EdgeDetect", "edge"}};
	const char *extended = table_member(entry->value, "ExtSel");
	const char *filter = table_member(entry->value, "Filter");
	uint64_t config, mask, port, flow, value;

	if (!add_code(reading, entry, terms) || !read_masks(reading, entry, &mask, &port, &flow))
		return false;
	config = extended && strcmp(extended, "1") == 0 ? EXTENDED : 0;
	if (strcmp(table_member(entry->value, "Unit"), "PCU") == 0) { /* some have no umask */
		config |= mask << 8;
		mask = 0;
	}
	if (config)
		table_terms_add(terms, "config", config);
	if (mask)
		table_terms_add(terms, "umask", mask);
	if (!add_numbers(reading, entry, numbers, ARRAY_SIZE(numbers), terms))
		return false;
	if (port)
		table_terms_add(terms, "ch_mask", port);
	if (flow)
		table_terms_add(terms, "fc_mask", flow);
	if (!filter || strcmp(filter, "Filter1") != 0)
		return true;
	if (!table_number(reading, entry, "FILTER_VALUE", &value))
		return false;
	table_terms_add(terms, "config1", value);
	return true;
}

/* Counts what the user matches, for which Linux has no term: as in overrides.tsv. */
static bool needs_match(const json_t *entry)
{
	static const char *const filters[] = {"ha_addrmatch", "ha_opcodematch", "irpfilter"};
	const char *filter = table_member(entry, "Filter");

	for (size_t i = 0; filter && i < ARRAY_SIZE(filters); i++)
		if (strcasestr(filter, filters[i]))
			return true;
	return false;
}

static bool uncore_terms(struct table_reading *reading, const struct table_json_entry *entry,
			 const char *name, char pmu[64], struct table_terms *terms)
{
	const char *unit = table_member(entry->value, "Unit");
	const char *type = table_member(entry->value, "CounterType");
	const char *counter = table_member(entry->value, "Counter");

	if (!unit || !table_pmu_of_unit(unit, pmu, 64)) {
		table_reading_fault(reading, entry->line, "an event has an unknown unit");
		return false;
	}
	if (type && strcmp(type, "FREERUN") == 0)
		return free_running(reading, entry, name, pmu, terms);
	if (counter && strcasecmp(counter + strspn(counter, " "), "fixed") == 0) {
		table_terms_add(terms, "event", 0xff);
		return true;
	}
	return uncore_numbers(reading, entry, terms);
}

/* Some names have an expression of Linux, others the number of a register. */
static void simplify_name(const char *from, char *name, size_t size)
{
	static const char first[] = "OFFCORE_RESPONSE_0", request[] = ":request=",
			  response[] = ":response=", plain[] = "OFFCORE_RESPONSE";
	const char *second = strstr(from, response);

	if (strncmp(from, first, strlen(first)) == 0)
		snprintf(name, size, "%s%s", plain, from + strlen(first));
	else if (strncmp(from, plain, strlen(plain)) == 0 && second &&
		 strncmp(from + strlen(plain), request, strlen(request)) == 0)
		snprintf(name, size, "%s.%.*s.%s", plain,
			 (int)(second - from - strlen(plain) - strlen(request)),
			 from + strlen(plain) + strlen(request), second + strlen(response));
	else
		text_copy(name, size, from);
}

void table_intel_event(struct table_reading *reading, const struct table_json_entry *entry)
{
	const char *of_vendor = table_member(entry->value, "EventName");
	const char *help = table_member(entry->value, "BriefDescription");
	bool core = !json_object_get(entry->value, "Unit");
	struct table_terms terms = {""};
	char name[256] = "", pmu[64], flags[8];
	struct table_event event = {.name = name,
				    .pmu = core ? reading->core_pmu : pmu,
				    .terms = terms.text,
				    .flags = flags};

	if (!of_vendor) {
		table_reading_fault(reading, entry->line, "an event has no EventName");
		return;
	}
	if (needs_match(entry->value))
		return;
	simplify_name(of_vendor, name, sizeof(name));
	if (core && table_fixed_terms(name))
		event.terms = table_fixed_terms(name);
	else if (core ? !core_terms(reading, entry, &terms)
		      : !uncore_terms(reading, entry, name, pmu, &terms))
		return;
	table_flags(entry->value, flags);
	event.counters = table_counters(table_member(entry->value, "Counter"));
	event.help = help ? help : table_member(entry->value, "PublicDescription");
	if (!table_text_add_event(&reading->text, &event))
		table_reading_fault(reading, entry->line, "an event has an unusual name or terms");
}

/* Thresholds name metrics by their old names, so all of a file are collected first. */
void table_intel_metric(struct table_reading *reading, const struct table_json_entry *entry)
{
	if (!table_member(entry->value, "MetricName")) {
		table_reading_fault(reading, entry->line, "a metric has no MetricName");
		return;
	}
	if (reading->n_metrics >= METRICS_MAX)
		return;
	reading->metrics = array_reserve(reading->metrics, &reading->metrics_capacity,
					 reading->n_metrics + 1, sizeof(*reading->metrics));
	reading->metric_lines =
		array_reserve(reading->metric_lines, &reading->lines_capacity,
			      reading->n_metrics + 1, sizeof(*reading->metric_lines));
	reading->metric_lines[reading->n_metrics] = entry->line;
	reading->metrics[reading->n_metrics++] = json_incref(entry->value);
}

/* Names that a threshold may have, and the names of their metrics. */
struct title {
	const char *from, *to;
	size_t length;
};

struct titles {
	struct title *items; /* owned; the longest first */
	size_t n, capacity;
};

static void add_title(struct titles *titles, const char *from, const char *to)
{
	if (!from || !from[0] || !to)
		return;
	titles->items = array_reserve(titles->items, &titles->capacity, titles->n + 1,
				      sizeof(*titles->items));
	titles->items[titles->n++] = (struct title){from, to, strlen(from)};
}

static int compare_titles(const void *a, const void *b)
{
	const struct title *left = a, *right = b;

	return left->length != right->length ? (left->length < right->length ? 1 : -1)
					     : strcmp(left->from, right->from);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const struct title *title_at(const struct titles *titles, const char *at)
{
	for (size_t i = 0; i < titles->n; i++)
		if (titles->items[i].from[0] == *at &&
		    strncmp(titles->items[i].from, at, titles->items[i].length) == 0 &&
		    !is_word(at[titles->items[i].length]))
			return &titles->items[i];
	return NULL;
}

/* Text under way; the caller frees `text`. */
struct growing {
	char *text;
	size_t length, capacity;
};

static void grow(struct growing *growing, const char *text, size_t n)
{
	growing->text =
		array_reserve(growing->text, &growing->capacity, growing->length + n + 1, 1);
	memcpy(growing->text + growing->length, text, n);
	growing->length += n;
	growing->text[growing->length] = '\0';
}

/*
 * Adds the next character, or an operator that only some files write so: "> =", "&&", "||". Two
 * files have fractions in the thresholds of percentages: `percent` makes 0.20 be 20. Returns the
 * bytes of `from` that were used.
 */
static size_t grow_operand(struct growing *growing, const char *from, bool percent)
{
	char text[32];

	if ((from[0] == '&' || from[0] == '|') && from[1] == from[0]) {
		grow(growing, from, 1);
		return 2;
	}
	if ((from[0] == '>' || from[0] == '<') && from[1] == ' ' && from[2] == '=') {
		grow(growing, from, 1);
		return 2;
	}
	if (percent && from[0] == '0' && from[1] == '.' && isdigit((unsigned char)from[2])) {
		double share;
		size_t used = text_number(from, &share);

		grow(growing, text, text_trimmed(text, sizeof(text), share * 100, 6));
		return used;
	}
	grow(growing, from, 1);
	return 1;
}

/* The names of a threshold are letters of its own, or titles of the file. */
static char *threshold_of(const json_t *metric, const struct titles *titles)
{
	const char *unit = table_member(metric, "UnitOfMeasure");
	bool percent = unit && strcmp(unit, "percent") == 0;
	const json_t *threshold = json_object_get(metric, "Threshold");
	const json_t *aliases = json_object_get(threshold, "ThresholdMetrics");
	const char *formula = table_member(threshold, "Formula");
	struct titles own = {0};
	struct growing growing = {0};

	for (size_t i = 0; i < json_array_size(aliases); i++) {
		const json_t *alias = json_array_get(aliases, i);
		const char *value = table_member(alias, "Value");

		for (size_t k = 0; value && k < titles->n; k++)
			if (strcmp(titles->items[k].from, value) == 0) {
				add_title(&own, table_member(alias, "Alias"), titles->items[k].to);
				break;
			}
	}
	grow(&growing, "", 0);
	for (const char *at = formula; at && *at;) {
		bool inside = at > formula && (is_word(at[-1]) || at[-1] == '.');
		const struct title *title = inside ? NULL : title_at(titles, at);

		if (!title && !inside)
			title = title_at(&own, at);
		if (title)
			grow(&growing, title->to, strlen(title->to));
		at += title ? title->length : grow_operand(&growing, at, percent && !inside);
	}
	free(own.items);
	return growing.text;
}

/* The formula in the operators of most files. The caller frees it. */
static char *formula_of(const json_t *metric)
{
	const char *formula = table_member(metric, "Formula"),
		   *base = table_member(metric, "BaseFormula");
	struct growing growing = {0};

	grow(&growing, "", 0);
	if (formula && strlen(formula) > FORMULA_MAX && base) {
		grow(&growing, "=", 1);
		formula = base;
	}
	for (const char *at = formula; at && *at;)
		at += grow_operand(&growing, at, false);
	return growing.text;
}

/*
 * "a=EVENT b=EVENT", with _ for the blanks of a name. The caller frees it. Of the metrics that have
 * a BaseFormula, SYSTEM_TSC_FREQ is the ticks in the interval: "tsc" there.
 */
static char *inputs_of(const json_t *metric, const char *member)
{
	bool ticks = json_object_get(metric, "BaseFormula");
	const json_t *inputs = json_object_get(metric, member);
	struct growing growing = {0};

	grow(&growing, "", 0);
	for (size_t i = 0; i < json_array_size(inputs); i++) {
		const char *alias = table_member(json_array_get(inputs, i), "Alias");
		const char *name = table_member(json_array_get(inputs, i), "Name");

		if (!alias || !name)
			continue;
		if (growing.length > 0)
			grow(&growing, " ", 1);
		grow(&growing, alias, strlen(alias));
		grow(&growing, "=", 1);
		if (ticks && strcmp(name, "SYSTEM_TSC_FREQ") == 0)
			name = "TSC";
		for (; *name; name++)
			grow(&growing, *name == ' ' ? "_" : name, 1);
	}
	return growing.text;
}

static void add_metric(struct table_reading *reading, const json_t *metric, size_t line,
		       const struct titles *titles)
{
	char *formula = formula_of(metric), *threshold = threshold_of(metric, titles);
	char *events = inputs_of(metric, "Events"), *constants = inputs_of(metric, "Constants");
	const struct table_metric row = {
		.name = table_member(metric, "MetricName"),
		.pmu = reading->core_pmu,
		.unit = table_member(metric, "UnitOfMeasure"),
		.parent = table_member(metric, "ParentCategory"),
		.domain = table_member(metric, "CountDomain"),
		.formula = formula,
		.events = events,
		.constants = constants,
		.threshold = threshold,
		.help = table_member(metric, "BriefDescription"),
	};
	if (!table_text_add_metric(&reading->text, &row))
		table_reading_fault(reading, line, "a metric has an unusual name or no Formula");
	free(formula);
	free(events);
	free(constants);
	free(threshold);
}

void table_intel_metrics_end(struct table_reading *reading)
{
	struct titles titles = {0};

	for (size_t i = 0; i < reading->n_metrics; i++)
		add_title(&titles, table_member(reading->metrics[i], "LegacyName"),
			  table_member(reading->metrics[i], "MetricName"));
	if (titles.n > 0)
		qsort(titles.items, titles.n, sizeof(*titles.items), compare_titles);
	for (size_t i = 0; i < reading->n_metrics; i++)
		add_metric(reading, reading->metrics[i], reading->metric_lines[i], &titles);
	free(titles.items);
}
