// SPDX-License-Identifier: MIT
/*
 * Files of Arm's telemetry-solution: one for each CPU and revision, which states the CPU at its
 * front. An older revision has a file of its own, and the last file is for all others.
 */
#include "core/tables/table_fields.h"

#include "core/base/util.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "08 Aug 10:54:04 2025" */
void table_arm_document(struct table_reading *reading, const struct table_json_entry *entry)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	const char *time = table_member(entry->value, "timestamp");
	unsigned day, year;
	char month[4];

	if (reading->date[0] || !time || sscanf(time, "%2u %3s %*8s %4u", &day, month, &year) != 3)
		return;
	const char *at = strstr(months, month);
	if (at && strlen(month) == 3)
		snprintf(reading->date, sizeof(reading->date), "%04u-%02u-%02u", year % 10000,
			 (unsigned)(at - months) / 3 % 12 + 1, day % 100);
}

struct product {
	uint64_t implementer, part, major, minor;
};

static bool read_product(struct table_reading *reading, const struct table_json_entry *entry,
			 struct product *product)
{
	return table_number(reading, entry, "implementer", &product->implementer) &&
	       table_number(reading, entry, "part_num", &product->part) &&
	       table_number(reading, entry, "major_revision", &product->major) &&
	       table_number(reading, entry, "minor_revision", &product->minor);
}

/* The CPU of an id: cpu_kind_id(). */
static bool parse_id(const char *id, struct product *cpu)
{
	unsigned long implementer, part, major = 0, minor = 0;
	int n = sscanf(id, "ARM-%lx-%lx-%lx-%lx", &implementer, &part, &major, &minor);

	/* Without a revision: the newest. */
	if (n == 2)
		major = minor = ULONG_MAX;
	*cpu = (struct product){implementer, part, major, minor};
	return n == 2 || n == 4;
}

static bool same_part(const struct product *a, const struct product *b)
{
	return a->implementer == b->implementer && a->part == b->part;
}

void table_arm_configuration(struct table_reading *reading, const struct table_json_entry *entry)
{
	const char *name = table_member(entry->value, "product_name");
	struct product product, cpu;

	reading->knows_cpu = true;
	reading->other_cpu = !read_product(reading, entry, &product) ||
			     !parse_id(reading->cpu_id, &cpu) || !same_part(&product, &cpu);
	if (reading->other_cpu || reading->cpu[0])
		return;
	text_copy(reading->cpu, sizeof(reading->cpu), name ? name : "");
	for (char *c = reading->cpu; *c; c++)
		*c = (char)(*c == ' ' ? '-' : tolower((unsigned char)*c));
	snprintf(reading->version, sizeof(reading->version), "r%llup%llu",
		 (unsigned long long)product.major, (unsigned long long)product.minor);
}

/* Events without a CPU in front of them could be another CPU's. */
static bool is_of_cpu(struct table_reading *reading, size_t line)
{
	if (!reading->knows_cpu) {
		table_reading_fault(reading, line, "no CPU (product_configuration) in front");
		reading->other_cpu = reading->knows_cpu = true;
	}
	return !reading->other_cpu;
}

static const char *help_of(const json_t *entry)
{
	const char *help = table_member(entry, "description");

	return help ? help : table_member(entry, "title");
}

void table_arm_event(struct table_reading *reading, const struct table_json_entry *entry)
{
	struct table_terms terms = {""};
	uint64_t code;

	if (!is_of_cpu(reading, entry->line) || !table_number(reading, entry, "code", &code))
		return;
	if (!json_object_get(entry->value, "code")) {
		table_reading_fault(reading, entry->line, "an event has no code");
		return;
	}
	table_terms_add(&terms, "event", code);
	const struct table_event event = {.name = entry->key,
					  .pmu = reading->core_pmu,
					  .terms = terms.text,
					  .help = help_of(entry->value)};
	if (!table_text_add_event(&reading->text, &event))
		table_reading_fault(reading, entry->line, "an event has an unusual name");
}

/* Formulas name events as they are. */
void table_arm_metric(struct table_reading *reading, const struct table_json_entry *entry)
{
	const json_t *names = json_object_get(entry->value, "events");
	char events[4096] = "";
	size_t length = 0;

	if (!is_of_cpu(reading, entry->line))
		return;
	for (size_t i = 0; i < json_array_size(names) && length < sizeof(events); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (name)
			length += (size_t)snprintf(events + length, sizeof(events) - length,
						   "%s%s=%s", length ? " " : "", name, name);
	}
	const struct table_metric metric = {
		.name = entry->key,
		.pmu = reading->core_pmu,
		.unit = table_member(entry->value, "units"),
		.formula = table_member(entry->value, "formula"),
		.events = events,
		.help = help_of(entry->value),
	};
	if (length >= sizeof(events) || !table_text_add_metric(&reading->text, &metric))
		table_reading_fault(reading, entry->line,
				    "a metric has an unusual name or no formula");
}

/* The products of the files in a folder are read first, without their events. */
struct search {
	struct table_reading *reading;
	struct product product;
	bool found;
};

static enum table_json_part part_of_search(void *arg, const char *section)
{
	const struct search *search = arg;

	if (search->found)
		return TABLE_JSON_STOP;
	return strcmp(section, "product_configuration") == 0 ? TABLE_JSON_WHOLE : TABLE_JSON_NONE;
}

static void product_of_search(void *arg, const struct table_json_entry *entry)
{
	struct search *search = arg;

	search->found = read_product(search->reading, entry, &search->product);
}

static void ignore_fault(void *arg, size_t line, const char *why)
{
	(void)arg, (void)line, (void)why;
}

/* Reads the file for its product alone. The file that is chosen is read again. */
static bool find_product(struct table_reading *reading, const char *path, struct product *product)
{
	struct search search = {.reading = reading};
	const struct table_json_reader reader = {part_of_search, product_of_search, ignore_fault,
						 &search};
	size_t length;
	char *text = table_reading_open(reading, path, &length);

	if (!text)
		return false;
	table_json_read(text, length, &reader);
	table_reading_close(reading);
	free(text);
	*product = search.product;
	return search.found;
}

static bool is_older(const struct product *a, const struct product *b)
{
	return a->major != b->major ? a->major < b->major : a->minor < b->minor;
}

/*
 * Whether a file is better than the best so far. The best has the CPU's major and the lowest minor
 * that is not below the CPU's. Without such a file it is the newest.
 */
static bool is_better(const struct product *cpu, const struct product *file,
		      const struct product *best)
{
	bool fits = file->major == cpu->major && file->minor >= cpu->minor;
	bool best_fits = best->major == cpu->major && best->minor >= cpu->minor;

	if (fits != best_fits)
		return fits;
	return fits ? is_older(file, best) : is_older(best, file);
}

bool table_arm_choose(struct table_reading *reading, const char *folder, char path[PATH_MAX])
{
	struct table_names names;
	struct product cpu, best = {0};
	bool found = false;

	if (!parse_id(reading->cpu_id, &cpu))
		return false;
	table_names_read(folder, ".json", false, &names);
	for (size_t i = 0; i < names.n; i++) {
		struct product product;
		char name[PATH_MAX];

		if (!table_path(name, folder, names.items[i]) ||
		    !find_product(reading, name, &product) || !same_part(&product, &cpu) ||
		    (found && !is_better(&cpu, &product, &best)))
			continue;
		best = product;
		found = true;
		text_copy(path, PATH_MAX, name);
	}
	table_names_fini(&names);
	return found;
}
