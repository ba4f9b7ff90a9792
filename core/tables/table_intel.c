// SPDX-License-Identifier: MIT
/* Events of Intel's perfmon. */
#include "core/tables/table_fields.h"

#include "core/base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
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

/* Counts what the user matches, for which Linux has no term. */
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
