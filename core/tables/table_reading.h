// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_READING_H
#define PMCTOP_TABLE_READING_H

#include "core/base/notes.h"
#include "core/tables/table_json.h"
#include "core/tables/table_text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * For table*.c of this room only: what is common to the files of one CPU. A file that cannot be
 * read, and an entry that makes no sense, becomes a note and is left out.
 */

/* Events that the files of several CPUs name (ArchStdEvent), sorted by name. */
struct table_standard {
	char *name, *terms, *help; /* owned */
};

struct table_reading {
	const char *cpu_id;
	bool trusted; /* only files that no other user can have made */
	struct notes *notes;
	struct table_text text;
	size_t bytes_left, files_left;
	/* Of the first file of events: the name of the CPU, "1.37", "2025-04-18"; "": unknown. */
	char cpu[64], version[32], date[16];
	struct table_standard *standard; /* owned */
	size_t n_standard, standard_capacity;
	bool standards; /* the present file has those events */

	/* The present file. */
	const char *path;
	size_t faults;
	const char *core_pmu; /* of events that name no unit: "cpu", "cpu_core" */
	bool other_cpu;       /* it is for another CPU */
	bool knows_cpu;       /* `other_cpu` is known */
	json_t **metrics;     /* owned: Intel's, which are read when all are known */
	size_t *metric_lines; /* owned */
	size_t n_metrics, metrics_capacity, lines_capacity;
	size_t metric_values; /* JSON values in `metrics` and those left out */
};

/*
 * The text of a file, which the caller frees, or NULL and a note. The present file is this from now
 * on.
 */
char *table_reading_open(struct table_reading *reading, const char *path, size_t *length);
/* Adds a note, printable for any names. */
void table_reading_note(struct table_reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes the fault of a line of the present file; 0: no line. Of many only the first. */
void table_reading_fault(struct table_reading *reading, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Ends the present file, and notes how many faults were left out. */
void table_reading_close(struct table_reading *reading);
void table_reading_fini(struct table_reading *reading);

/* Reads a file of any layout. core_pmu: of the events that name no unit. */
void table_reading_file(struct table_reading *reading, const char *path, const char *core_pmu);

/* The names in a folder that end so, of regular files or folders, sorted, without links. */
struct table_names {
	char **items;
	size_t n, capacity;
};
/* 0 or -errno. In any case the caller calls table_names_fini(). */
int table_names_read(const char *folder, const char *end, bool folders, struct table_names *names);
void table_names_fini(struct table_names *names);
bool table_is_there(const char *path);
/* "FOLDER/NAME"; false if it is too long or the name leaves the folder. */
bool table_path(char path[PATH_MAX], const char *folder, const char *name);

/* An entry of each layout. */
void table_intel_header(struct table_reading *reading, const struct table_json_entry *entry);
void table_intel_event(struct table_reading *reading, const struct table_json_entry *entry);
void table_intel_metric(struct table_reading *reading, const struct table_json_entry *entry);
void table_intel_metrics_end(struct table_reading *reading);
void table_arm_document(struct table_reading *reading, const struct table_json_entry *entry);
void table_arm_configuration(struct table_reading *reading, const struct table_json_entry *entry);
void table_arm_event(struct table_reading *reading, const struct table_json_entry *entry);
void table_arm_metric(struct table_reading *reading, const struct table_json_entry *entry);
/* Sorts `standard`, by name. */
void table_standards_sort(struct table_reading *reading);
void table_linux_entry(struct table_reading *reading, const struct table_json_entry *entry);

/*
 * The file of an Arm folder for the CPU, of all its revisions; false: there is none. What it reads
 * to find it is subtracted from bytes_left and files_left.
 */
bool table_arm_choose(struct table_reading *reading, const char *folder, char path[PATH_MAX]);
/*
 * Reads the files that DIR/mapfile.csv has for the CPU. 0, -ENOENT if there is no mapfile.csv, or
 * -ESRCH if it has no line for the CPU.
 */
int table_mapfile_read(struct table_reading *reading, const char *folder);

#endif
