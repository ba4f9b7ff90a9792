// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TESTS_TRUE_METRIC_H
#define PMCTOP_TESTS_TRUE_METRIC_H

#include "core/event/event_table.h"
#include "tests/unit/shared/true_counts.h"

/*
 * The value of a formula of core/metric. Of several core PMUs those take part that have all of its
 * events.
 */
double true_figure(const struct true_row *row, const char *formula);
/* The value of a metric of the table, in the vendor's unit; NAN as above. */
double true_metric(const struct true_row *row, const struct event_table_metric *metric);

#endif
