// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLES_H
#define PMCTOP_TABLES_H

#include "core/base/notes.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The vendors' files of events and metrics, read from a folder of the user or the system: the
 * entries for one kind of CPU become lines of text, as core/tables/README.md describes them.
 * A description is a field more.
 *
 * A folder has one of these layouts, which its files show:
 *
 *	mapfile.csv, CPU/events/, CPU/metrics/      Intel's perfmon
 *	data/pmu/cpu/FAMILY/                        Arm's telemetry-solution
 *	ARCH/mapfile.csv, ARCH/CPU/                 tools/perf/pmu-events/arch of Linux
 *	NAME.json, events/NAME.json                 files of one CPU, or `perf list --json`
 *
 * or is itself such a file. Only regular files are read, each at most TABLES_FILE_BYTES_MAX.
 */
enum {
	TABLES_FILE_BYTES_MAX = 16 << 20,
	TABLES_BYTES_MAX = 64 << 20, /* of all files; one that is read twice counts twice */
	TABLES_FILES_MAX = 256,
};

/* All texts are owned. */
struct tables_text {
	char *folder; /* where the files are */
	/* "NAME\tVERSION\tDATE", then a line "@PMU", an event or a metric each */
	char *text;
};

/* Where files are. Borrowed. */
struct tables_places {
	/* Sent by another machine, which has read it; NULL: nothing. No text: none for the CPUs. */
	const struct tables_text *read;
	const char *named; /* by the user; NULL: the first of the others that exists */
	const char *user;  /* files that other users may have made are not read; NULL: none */
	const char *system;
};

/*
 * Reads the files for a CPU (cpu_kind_id()). What is wrong with them becomes notes: the file, the
 * line, and what is not used. Returns 0; then the caller calls tables_text_fini(). Returns -ENOENT
 * if there are no files, or -ESRCH with a note if there are none for that CPU or `named` does not
 * exist. Takes tens of milliseconds.
 */
int tables_read(const struct tables_places *places, const char *cpu_id, struct tables_text *found,
		struct notes *notes);
void tables_text_fini(struct tables_text *found);

#endif
