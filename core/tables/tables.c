// SPDX-License-Identifier: MIT
/*
 * Chooses the folder and recognizes its layout. The first that has a file for the CPU is used, the
 * layouts in the order of tables.h.
 */
#include "core/tables/tables.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/tables/table_reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folder of the CPU's architecture in Linux. */
static const char *linux_arch(const char *cpu_id)
{
	return strncmp(cpu_id, "ARM-", 4) == 0 ? "arm64" : "x86";
}

static bool read_mapfiles(struct table_reading *reading, const char *folder)
{
	static const char *const places[] = {"", "/", "/arch/", "/pmu-events/arch/",
					     "/tools/perf/pmu-events/arch/"};
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int length = snprintf(path, sizeof(path), "%s%s%s", folder, places[i],
				      i > 0 ? linux_arch(reading->cpu_id) : "");

		if (length < (int)sizeof(path) && table_mapfile_read(reading, path) == 0)
			return true;
	}
	return false;
}

static bool read_arm(struct table_reading *reading, const char *folder)
{
	struct table_names families;
	char cpus[PATH_MAX], path[PATH_MAX], family[PATH_MAX];
	size_t bytes_left = reading->bytes_left, files_left = reading->files_left;
	bool found = false;

	if (!table_path(cpus, folder, "data/pmu/cpu"))
		return false;
	table_names_read(cpus, "", true, &families);
	for (size_t i = 0; i < families.n && !found; i++)
		found = table_path(family, cpus, families.items[i]) &&
			table_arm_choose(reading, family, path);
	table_names_fini(&families);
	found = found || table_arm_choose(reading, folder, path);
	/* The search has bounds of its own, because the file is read again. */
	reading->bytes_left = bytes_left;
	reading->files_left = files_left;
	if (found)
		table_reading_file(reading, path, "cpu");
	return found;
}

/*
 * The files of one folder. Intel's file names do not have the PMU of several kinds of cores, so
 * these files are left out.
 */
static void read_folder(struct table_reading *reading, const char *folder)
{
	struct table_names names;
	char path[PATH_MAX];
	size_t cores = 0;

	table_names_read(folder, ".json", false, &names);
	for (size_t i = 0; i < names.n; i++)
		cores += text_ends_with(names.items[i], "_core.json");
	for (size_t i = 0; i < names.n; i++) {
		if (!table_path(path, folder, names.items[i]))
			continue;
		if (cores > 1 && text_ends_with(names.items[i], "_core.json"))
			table_reading_note(
				reading,
				"%.120s: for one of several kinds of cores. Give the folder that "
				"has mapfile.csv.",
				path);
		else
			table_reading_file(reading, path, "cpu");
	}
	table_names_fini(&names);
}

static void read_plain(struct table_reading *reading, const char *folder)
{
	static const char *const parts[] = {"events", "metrics"};
	char path[PATH_MAX];

	read_folder(reading, folder);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (table_path(path, folder, parts[i]))
			read_folder(reading, path);
}

static void read_place(struct table_reading *reading, const char *place, bool folder)
{
	char mapfile[PATH_MAX];
	struct table_names names;
	int result = folder ? table_names_read(place, "", false, &names) : 0;

	if (folder)
		table_names_fini(&names);
	if (result)
		table_reading_note(reading, "%.120s: %s.", place, error_why(result));
	else if (!folder)
		table_reading_file(reading, place, "cpu");
	else if (!read_mapfiles(reading, place) && !read_arm(reading, place) &&
		 !(table_path(mapfile, place, "mapfile.csv") && table_is_there(mapfile)))
		read_plain(reading, place);
}

/* The place to read, or NULL. A place of the user's that does not exist is a note. */
static const char *choose_place(struct table_reading *reading, const struct tables_places *places,
				struct stat *status)
{
	const char *const defaults[] = {places->user, places->system};

	if (places->named) {
		if (stat(places->named, status) == 0)
			return places->named;
		table_reading_note(reading, "%.120s: %s. The built-in tables are used.",
				   places->named, error_why(-errno));
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++)
		if (defaults[i] && stat(defaults[i], status) == 0)
			return defaults[i];
	return NULL;
}

/* Copies a text with _ for blanks and control characters. */
static void copy_plain(char *to, size_t size, const char *from)
{
	text_copy(to, size, from);
	for (; *to; to++)
		if ((unsigned char)*to <= ' ' || *to == 0x7f)
			*to = '_';
}

/* The text of what was read: a line with its origin, and the lines of the events. */
static char *text_of(const struct table_reading *reading, const char *place)
{
	const char *slash = strrchr(place, '/');
	char name[64], version[32], *text;

	copy_plain(name, sizeof(name),
		   reading->cpu[0]     ? reading->cpu
		   : slash && slash[1] ? slash + 1
				       : place);
	copy_plain(version, sizeof(version), reading->version);
	if (asprintf(&text, "%s\t%s\t%s\n%s", name, version, reading->date,
		     reading->text.lines.bytes) < 0)
		xalloc_failed();
	return text;
}

static int copy_text(const struct tables_text *read, struct tables_text *found, struct notes *notes)
{
	if (!read->text) {
		notes_add(notes,
			  "No event tables were sent for these CPUs; built-in ones are used.");
		return -ESRCH;
	}
	*found = (struct tables_text){.folder = xstrdup(read->folder), .text = xstrdup(read->text)};
	return 0;
}

int tables_read(const struct tables_places *places, const char *cpu_id, struct tables_text *found,
		struct notes *notes)
{
	struct stat status;
	struct table_reading reading = {
		.cpu_id = cpu_id,
		.notes = notes,
		.bytes_left = TABLES_BYTES_MAX,
		.files_left = TABLES_FILES_MAX,
	};
	int result = 0;

	*found = (struct tables_text){0};
	if (places->read)
		return copy_text(places->read, found, notes);
	const char *place = choose_place(&reading, places, &status);
	if (!place)
		return places->named ? -ESRCH : -ENOENT;
	reading.trusted = place == places->user;
	if (cpu_id[0])
		read_place(&reading, place, S_ISDIR(status.st_mode));
	if (reading.text.n_left_out > 0)
		table_reading_note(&reading,
				   "%.120s: more than %d events, %d metrics or %d MiB of them. The "
				   "other %zu are not used.",
				   place, TABLE_TEXT_EVENTS_MAX, TABLE_TEXT_METRICS_MAX,
				   TABLE_TEXT_MIB_MAX, reading.text.n_left_out);
	if (reading.text.n_events + reading.text.n_metrics > 0) {
		*found = (struct tables_text){.folder = xstrdup(place),
					      .text = text_of(&reading, place)};
	} else {
		table_reading_note(&reading,
				   "%.120s: no events for %s. The built-in tables are used.", place,
				   cpu_id[0] ? cpu_id : "these CPUs, of which the kind is unknown");
		result = -ESRCH;
	}
	table_reading_fini(&reading);
	return result;
}

void tables_text_fini(struct tables_text *found)
{
	free(found->folder);
	free(found->text);
	*found = (struct tables_text){0};
}
