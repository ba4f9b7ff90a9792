// SPDX-License-Identifier: MIT
/*
 * Opens files, dispatches their entries by the sections that they have, and keeps the first fault
 * of each. The sections show the layout: Intel has "Events" and "Metrics", Arm has "events" and
 * "metrics", Linux and perf have an array.
 */
#include "core/tables/table_reading.h"

#include "core/base/bounded_read.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/tables/tables.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void table_reading_note(struct table_reading *reading, const char *format, ...)
{
	char text[512], printable[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_printable(printable, sizeof(printable), text, UINT_MAX);
	notes_add(reading->notes, "%s", printable);
}

void table_reading_fault(struct table_reading *reading, size_t line, const char *format, ...)
{
	char why[160], number[24] = "";
	va_list args;

	if (reading->faults++ > 0)
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	if (line > 0)
		snprintf(number, sizeof(number), ":%zu", line);
	table_reading_note(reading, "%.120s%s: %s. What is right in the file is used.",
			   reading->path, number, why);
}

char *table_reading_open(struct table_reading *reading, const char *path, size_t *length)
{
	size_t most = size_min(TABLES_FILE_BYTES_MAX, reading->bytes_left);
	char *text = NULL;
	int result = -ENOSPC;

	reading->path = path;
	reading->faults = 0;
	reading->other_cpu = reading->knows_cpu = false;
	if (reading->files_left > 0 && most > 0) {
		reading->files_left--;
		result = reading->trusted ? bounded_read_trusted(path, 0, most + 1, &text, length)
					  : bounded_read(path, 0, most + 1, &text, length);
	}
	if (result == 0 && *length <= most) {
		reading->bytes_left -= *length;
		return text;
	}
	free(text);
	if (result == 0 && most == TABLES_FILE_BYTES_MAX)
		table_reading_note(reading, "%.120s: larger than %d MiB. The file is not used.",
				   path, TABLES_FILE_BYTES_MAX >> 20);
	else if (result == 0 || result == -ENOSPC)
		table_reading_note(reading,
				   "%.120s: the folder has more than %d files or %d MiB. The file "
				   "is not used.",
				   path, TABLES_FILES_MAX, TABLES_BYTES_MAX >> 20);
	else
		table_reading_note(reading, "%.120s: %s. The file is not used.", path,
				   result == -EINVAL  ? "not a regular file"
				   : result == -EPERM ? "other users may have made it"
						      : error_why(result));
	return NULL;
}

void table_reading_close(struct table_reading *reading)
{
	for (size_t i = 0; i < reading->n_metrics; i++)
		json_decref(reading->metrics[i]);
	reading->n_metrics = reading->metric_values = 0;
	if (reading->faults > 1)
		table_reading_note(reading, "%.120s: %zu more faults.", reading->path,
				   reading->faults - 1);
	reading->path = NULL;
	reading->faults = 0;
}

void table_reading_fini(struct table_reading *reading)
{
	for (size_t i = 0; i < reading->n_standard; i++) {
		free(reading->standard[i].name);
		free(reading->standard[i].terms);
		free(reading->standard[i].help);
	}
	free(reading->standard);
	free(reading->metrics);
	free(reading->metric_lines);
	table_text_fini(&reading->text);
	*reading = (struct table_reading){0};
}

/* What is done with the sections of a file. */
struct section {
	const char *name;
	enum table_json_part part;
	void (*read)(struct table_reading *reading, const struct table_json_entry *entry);
	bool of_intel;
};

static const struct section sections[] = {
	{"", TABLE_JSON_EACH, table_linux_entry},
	{"Header", TABLE_JSON_WHOLE, table_intel_header, true},
	{"Events", TABLE_JSON_EACH, table_intel_event, true},
	{"Metrics", TABLE_JSON_EACH, table_intel_metric, true},
	{"document", TABLE_JSON_WHOLE, table_arm_document},
	{"product_configuration", TABLE_JSON_WHOLE, table_arm_configuration},
	{"events", TABLE_JSON_EACH, table_arm_event},
	{"metrics", TABLE_JSON_EACH, table_arm_metric},
};

static const struct section *find_section(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (strcmp(sections[i].name, name) == 0)
			return &sections[i];
	return NULL;
}

static enum table_json_part part_of(void *arg, const char *name)
{
	const struct table_reading *reading = arg;
	const struct section *section = find_section(name);

	/* Intel's files do not name their CPU. */
	if (reading->other_cpu ||
	    (section && section->of_intel && strncmp(reading->cpu_id, "GenuineIntel-", 13) != 0))
		return TABLE_JSON_STOP;
	return section ? section->part : TABLE_JSON_NONE;
}

static void read_entry(void *arg, const struct table_json_entry *entry)
{
	struct table_reading *reading = arg;

	const struct section *section = find_section(entry->section);

	if (section && json_is_object(entry->value))
		section->read(reading, entry);
	else
		table_reading_fault(reading, entry->line, "an entry is not an object");
}

static void fault_of_json(void *arg, size_t line, const char *why)
{
	table_reading_fault(arg, line, "%.100s", why);
}

void table_reading_file(struct table_reading *reading, const char *path, const char *core_pmu)
{
	const struct table_json_reader reader = {
		.part = part_of, .entry = read_entry, .fault = fault_of_json, .arg = reading};
	size_t length;
	char *text = table_reading_open(reading, path, &length);

	if (!text)
		return;
	reading->core_pmu = core_pmu;
	table_json_read(text, length, &reader);
	table_intel_metrics_end(reading);
	table_reading_close(reading);
	free(text);
}

bool table_is_there(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0;
}

bool table_path(char path[PATH_MAX], const char *folder, const char *name)
{
	bool leaves = strcmp(name, "..") == 0 || strncmp(name, "../", 3) == 0 ||
		      strstr(name, "/../") ||
		      (strlen(name) > 2 && strcmp(name + strlen(name) - 3, "/..") == 0);

	return !leaves && snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int table_names_read(const char *folder, const char *end, bool folders, struct table_names *names)
{
	DIR *stream = opendir(folder);
	char path[PATH_MAX];
	struct stat status;

	*names = (struct table_names){0};
	if (!stream)
		return -errno;
	/* One more than are read, so that a note has it. */
	for (const struct dirent *entry;
	     names->n <= TABLES_FILES_MAX && (entry = readdir(stream));) {
		if (entry->d_name[0] == '.' || !text_ends_with(entry->d_name, end) ||
		    !table_path(path, folder, entry->d_name) || lstat(path, &status) != 0 ||
		    !(folders ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode)))
			continue;
		names->items = array_reserve(names->items, &names->capacity, names->n + 1,
					     sizeof(*names->items));
		names->items[names->n++] = xstrdup(entry->d_name);
	}
	closedir(stream);
	if (names->n > 0)
		qsort(names->items, names->n, sizeof(*names->items), compare_names);
	return 0;
}

void table_names_fini(struct table_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct table_names){0};
}
