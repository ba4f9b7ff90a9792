// SPDX-License-Identifier: MIT
/*
 * mapfile.csv: which files are for which CPUs. Intel's has a file a line, Linux' a folder a line
 * and patterns that are regular expressions, or on Arm the register MIDR.
 */
#include "core/tables/table_reading.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/util.h"
#include "core/tables/table_pattern.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIELDS_MAX = 8,
	PATTERNS_MAX = 4096, /* of a file, one a line */
	ROWS_MAX = 256,      /* for one CPU */
};

struct row {
	char *fields[FIELDS_MAX]; /* "" for those that a line does not have */
	size_t line;
};

enum column { MODEL, VERSION, FILENAME, TYPE, ROLE, COLUMNS };

struct mapfile {
	struct table_reading *reading;
	const char *folder;
	char path[PATH_MAX];        /* of the file itself */
	size_t at[COLUMNS];         /* the field of each column; FIELDS_MAX: none */
	char model[256];            /* the pattern that matches; "": none yet */
	size_t n_patterns, n_found; /* read, and those for the CPU */
	bool noted;
};

/* Whether Arm's register of a line, without what is not in the id, is of the CPU or older. */
static bool matches_midr(const char *pattern, const char *id)
{
	unsigned long implementer, part, variant = 0, revision = 0;
	char *end;
	unsigned long long midr = strtoull(pattern, &end, 16);

	if (*end || sscanf(id, "ARM-%lx-%lx-%lx-%lx", &implementer, &part, &variant, &revision) < 2)
		return false;
	return (midr >> 24 & 0xff) == implementer && (midr >> 4 & 0xfff) == part &&
	       ((midr >> 20 & 0xf) << 4 | (midr & 0xf)) <= (variant << 4 | revision);
}

static bool matches_cpu(struct mapfile *mapfile, const char *pattern, size_t line)
{
	const char *id = mapfile->reading->cpu_id;

	if (strncasecmp(pattern, "0x", 2) == 0)
		return matches_midr(pattern, id);
	enum table_pattern_answer answer = table_pattern_match(pattern, id);
	if (answer != TABLE_PATTERN_INVALID)
		return answer == TABLE_PATTERN_YES;
	if (!mapfile->noted)
		table_reading_note(mapfile->reading,
				   "%.120s:%zu: a pattern is not understood. The line is not used.",
				   mapfile->path, line);
	mapfile->noted = true;
	return false;
}

static const char *field_of(const struct mapfile *mapfile, const struct row *row,
			    enum column column)
{
	size_t at = mapfile->at[column];

	return at < FIELDS_MAX ? row->fields[at] : "";
}

static void read_header(struct mapfile *mapfile, const struct row *row)
{
	static const char *const names[COLUMNS] = {"Family-model", "Version", "Filename",
						   "EventType", "Core Role Name"};

	for (size_t column = 0; column < COLUMNS; column++) {
		mapfile->at[column] = FIELDS_MAX;
		for (size_t i = 0; i < FIELDS_MAX; i++)
			if (strcmp(row->fields[i], names[column]) == 0)
				mapfile->at[column] = i;
	}
}

static const char *core_pmu(const char *role)
{
	return strcmp(role, "Core") == 0            ? "cpu_core"
	       : strcmp(role, "Atom") == 0          ? "cpu_atom"
	       : strcmp(role, "LowPower_Atom") == 0 ? "cpu_lowpower"
						    : "cpu";
}

static void set_name(struct table_reading *reading, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (reading->cpu[0])
		return;
	text_copy(reading->cpu, sizeof(reading->cpu), slash ? slash + 1 : path);
	/* "skylakex" of "skylakex_core.json"; a folder of Linux has the name alone. */
	if (strchr(reading->cpu, '.'))
		reading->cpu[strcspn(reading->cpu, "_.")] = '\0';
	for (char *c = reading->cpu; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

static void read_files(struct table_reading *reading, const char *folder)
{
	struct table_names names;
	char path[PATH_MAX];
	int result = table_names_read(folder, ".json", false, &names);

	if (result)
		table_reading_note(reading, "%.120s: %s. The folder is not used.", folder,
				   error_why(result));
	for (size_t i = 0; i < names.n; i++)
		if (table_path(path, folder, names.items[i]))
			table_reading_file(reading, path, "cpu");
	table_names_fini(&names);
}

/* The events that Arm's CPUs have in common are beside mapfile.csv. */
static void read_standards(struct table_reading *reading, const char *folder)
{
	reading->standards = true;
	read_files(reading, folder);
	reading->standards = false;
	table_standards_sort(reading);
}

static void read_row(struct mapfile *mapfile, const struct row *row)
{
	static const char *const types[] = {"core", "hybridcore", "uncore", "uncore experimental",
					    "metrics"};
	struct table_reading *reading = mapfile->reading;
	const char *model = field_of(mapfile, row, MODEL), *type = field_of(mapfile, row, TYPE);
	const char *name = field_of(mapfile, row, FILENAME);
	char path[PATH_MAX];
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		known |= strcmp(type, types[i]) == 0;
	if (!known || !model[0] || !name[0])
		return;
	mapfile->n_patterns++;
	if (mapfile->model[0] ? strcmp(mapfile->model, model) != 0
			      : !matches_cpu(mapfile, model, row->line))
		return;
	text_copy(mapfile->model, sizeof(mapfile->model), model);
	if (++mapfile->n_found > ROWS_MAX)
		return;
	name += strspn(name, "/");
	if (!table_path(path, mapfile->folder, name)) {
		table_reading_note(reading, "%.120s:%zu: a path leaves the folder. It is not used.",
				   mapfile->path, row->line);
		return;
	}
	set_name(reading, name);
	if (text_ends_with(name, ".json")) {
		table_reading_file(reading, path, core_pmu(field_of(mapfile, row, ROLE)));
		return;
	}
	if (!reading->version[0])
		text_copy(reading->version, sizeof(reading->version),
			  field_of(mapfile, row, VERSION));
	if (reading->n_standard == 0 && strncmp(reading->cpu_id, "ARM-", 4) == 0)
		read_standards(reading, mapfile->folder);
	read_files(reading, path);
}

/* Cuts a line into its fields. No vendor's file has quotes. */
static void split_row(char *line, struct row *row)
{
	static char none[] = "";

	line[strcspn(line, "\r")] = '\0';
	for (size_t i = 0; i < FIELDS_MAX; i++) {
		row->fields[i] = line ? line : none;
		if (!line)
			continue;
		line = strchr(line, ',');
		if (line)
			*line++ = '\0';
	}
}

int table_mapfile_read(struct table_reading *reading, const char *folder)
{
	struct mapfile mapfile = {.reading = reading, .folder = folder};
	struct row row = {.line = 0};
	bool header = false;
	size_t length;

	if (!table_path(mapfile.path, folder, "mapfile.csv") || !table_is_there(mapfile.path))
		return -ENOENT;
	char *text = table_reading_open(reading, mapfile.path, &length);
	if (!text)
		return -ESRCH;
	char *rest = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text, *line;
	while (mapfile.n_patterns < PATTERNS_MAX && mapfile.n_found <= ROWS_MAX &&
	       (line = strsep(&rest, "\n"))) {
		row.line++;
		/* Linux' lines for Arm have the header in a comment. */
		bool comment = line[0] == '#';

		if ((comment && strncmp(line, "#Family-model", 13) != 0) || !line[0])
			continue;
		split_row(line + comment, &row);
		if (!header)
			read_header(&mapfile, &row);
		else if (!comment)
			read_row(&mapfile, &row);
		header = true;
	}
	if (rest && (mapfile.n_patterns == PATTERNS_MAX || mapfile.n_found > ROWS_MAX))
		table_reading_note(reading,
				   "%.120s:%zu: too many lines are in front of it. The rest is "
				   "not used.",
				   mapfile.path, row.line);
	table_reading_close(reading);
	free(text);
	return mapfile.n_found > 0 ? 0 : -ESRCH;
}
