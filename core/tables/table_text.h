// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_TEXT_H
#define PMCTOP_TABLE_TEXT_H

#include "core/base/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines of a table of events under way: core/event/tables/README.md. Fields may be any text. Blanks
 * replace what would end a field or line, and a description is cut. Zeroed is empty.
 */
enum { TABLE_TEXT_HELP_MAX = 1000 }; /* bytes of a description */
#define TABLE_TEXT_MAX ((size_t)32 << 20)

struct table_text {
	struct text_buffer lines;
	size_t n; /* events and metrics */
	char pmu[64];
};

struct table_event {
	const char *name, *pmu, *terms;
	uint64_t counters;
	const char *flags, *help; /* NULL: none */
};

/* NULL: none. The names of members are those of struct event_table_metric. */
struct table_metric {
	const char *name, *pmu;
	const char *unit, *parent, *domain, *formula, *events, *constants, *threshold, *help;
};

/*
 * Adds a line. False if the name, PMU or terms are none, or the table is too large; then nothing
 * is added.
 */
bool table_text_add_event(struct table_text *text, const struct table_event *event);
bool table_text_add_metric(struct table_text *text, const struct table_metric *metric);
void table_text_fini(struct table_text *text);

#endif
