// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TABLE_H
#define PMCTOP_EVENT_TABLE_H

#include "core/base/error.h"
#include "core/tables/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The events and metrics that the vendor of the CPUs has published for them:
 * core/tables/README.md describes the frame that they are read from. A table is immutable.
 */
struct event_table_item {
	const char *name;  /* as the vendor writes it: MEM_LOAD_RETIRED.L3_MISS */
	const char *pmu;   /* without the number of one of several; "cpu": any core PMU */
	const char *terms; /* for the PMU, as in PMU/terms/ */
	uint64_t counters; /* that can count it: bit 0 is general counter 0, bit 32 fixed counter 0;
			      0: unknown, or one that counts nothing else */
	bool alone;        /* must be counted without others on general counters */
	bool deprecated;
	const char *help; /* one line of any text; NULL: none, as in the built-in table */
};

/* A metric, in the vendor's notation. Except for `help`, "" is for what it does not have. */
struct event_table_metric {
	const char *name; /* as the vendor writes it: Memory_Bound */
	const char *pmu;  /* the core PMU of its events: "cpu", "cpu_core" */
	const char *unit;
	const char *parent; /* name of the metric above it in the tree */
	const char *domain; /* of its counts: "Slots" */
	const char *formula;
	const char *events; /* "a=EVENT:MODIFIERS b=EVENT": the meaning of names in the formula */
	const char *constants; /* "c=SYSTEM_TSC_FREQ d=20": the same */
	const char *threshold;
	const char *help; /* one line of any text; NULL: none */
};

/* The counters that the vendor names for a PMU, in any of its events. */
struct event_table_pmu {
	const char *name;
	uint64_t counters;
};

enum { EVENT_TABLE_PMUS_MAX = 64 }; /* four times what a CPU has */

struct event_table {
	const char *cpu, *version, *date; /* "skylakex", "1.37", "2025-04-18"; of the vendor */
	struct event_table_item *items;   /* sorted by name; owned */
	size_t n;
	struct event_table_metric *metrics; /* sorted by name; owned */
	size_t n_metrics;
	struct event_table_pmu pmus[EVENT_TABLE_PMUS_MAX]; /* the first that it names */
	size_t n_pmus;
	char *text; /* what the others point to; owned */
	/* The user's files (core/tables). Their events hide built-in ones of the same name. Their
	 * metrics are used if no built-in one has the name; those in Linux' notation if there is no
	 * built-in one at all. Without a built-in table, the first three members are theirs. */
	const char *folder; /* where they are; NULL: there are none */
	const char *files_cpu, *files_version, *files_date;
	size_t n_of_files; /* items that they have */
	bool built_in;     /* the built-in table has this CPU */
};

/*
 * Reads the table of one kind of CPU (cpu_kind_id()) from a frame. Any bytes are safe.
 * 0, -ENOENT if the frame has none for that CPU, or -EBADMSG and a sentence. On success the caller
 * calls event_table_fini(). It takes some milliseconds.
 */
int event_table_read(const void *frame, size_t size, const char *cpu_id, struct event_table *table,
		     struct error *err);
/* The same with the user's files, also if the frame has no table for that CPU. NULL: no files. */
int event_table_read_over(const void *frame, size_t size, const char *cpu_id,
			  const struct tables_text *files, struct event_table *table,
			  struct error *err);
void event_table_fini(struct event_table *table);

/*
 * Returns the items of that name, next to each other, and their number; NULL if there are none.
 * Case does not matter, and a colon is the same as a dot.
 */
const struct event_table_item *event_table_find(const struct event_table *table, const char *name,
						size_t length, size_t *n);
/*
 * The same for metrics: two kinds of cores may have metrics of the same name. A "tma_" in front,
 * which Linux has for the metrics of the tree, is ignored.
 */
const struct event_table_metric *event_table_find_metric(const struct event_table *table,
							 const char *name, size_t length,
							 size_t *n);

/* The counters of a PMU, hidden events included; 0: unknown. */
uint64_t event_table_counters(const struct event_table *table, const char *pmu);

/* core/tables/tables.zst, which is built in: event_table_frame.c. */
extern const unsigned char event_table_frame[];
extern const uint32_t event_table_frame_bytes;

#endif
