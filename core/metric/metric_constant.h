// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_CONSTANT_H
#define PMCTOP_METRIC_CONSTANT_H

#include "core/event/event.h"
#include "core/metric/metric_compile_internal.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Variables of formulas that are facts of the machine or the length of the interval, with the names
 * that vendors (SYSTEM_TSC_FREQ, also in lower case) and perf (#num_cores) have for them.
 */
bool metric_constant_exists(const char *name);

/* The vendors' constant of a name in any case, as the list has it, or NULL. */
const char *metric_constant_of_vendor(const char *name, size_t length);

/*
 * Appends the operations for a name that exists. A value that this machine does not have is
 * UNSUPPORTED.
 */
int metric_parse_constant(struct metric_parser *p, const char *name);

/* The kinds of CPUs (enum cpu_kind) for which the forms of a metric are chosen; 0: unknown. */
unsigned metric_cpu_kinds(const struct event_context *context);

#endif
