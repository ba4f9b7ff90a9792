// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_TEXT_H
#define PMCTOP_TABLE_TEXT_H

#include "core/base/text_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Lines of a table of events under way: core/tables/README.md. Fields may be any text. Blanks
 * replace what would end a field or line, and a description is cut. Zeroed is empty.
 */
enum {
	TABLE_TEXT_HELP_MAX = 1000, /* bytes of a description */
	/* 17 and 13 times the most of a CPU. Each metric may name hundreds of others. */
	TABLE_TEXT_EVENTS_MAX = 100000,
	TABLE_TEXT_METRICS_MAX = 4096,
	TABLE_TEXT_MIB_MAX = 32,
};

struct table_text {
	struct text_buffer lines;
	size_t n_events, n_metrics;
	size_t n_left_out; /* beyond these bounds */
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

/* Adds a line, or counts it as left out. False if the name, PMU or terms are none. */
bool table_text_add_event(struct table_text *text, const struct table_event *event);
bool table_text_add_metric(struct table_text *text, const struct table_metric *metric);
void table_text_fini(struct table_text *text);

#endif
