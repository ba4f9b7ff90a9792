// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_VENDOR_FORMULA_H
#define PMCTOP_METRIC_VENDOR_FORMULA_H

#include "core/base/error.h"
#include "core/event/event.h"
#include "core/event/event_table.h"

#include <stdbool.h>
#include <stddef.h>

/* Translates the vendor's formulas and thresholds. For metric_vendor*.c only. */

/*
 * Returns the formula of a metric in the language of metric.h, which the caller frees, or NULL and
 * a sentence: for a name without a meaning here, or an event that is not a count.
 */
char *metric_vendor_formula(const struct event_context *context, const struct event_table *table,
			    const struct event_table_metric *metric, struct error *why);

/*
 * The factor of Linux' units, "100%" or "1e-6MB/s": returns the bytes of its text, with which the
 * unit begins, or 0.
 */
size_t metric_vendor_scale(const struct event_table_metric *metric, double *scale);

/* The threshold of a metric. The text compares figures before the factor of the unit. */
struct metric_vendor_threshold {
	char *text;   /* tidied; owned; "": none */
	bool own;     /* it compares the metric's own figure with `limit` */
	bool below;   /* a figure below the limit is worse */
	bool either;  /* one of several comparisons is enough */
	double limit; /* with the factor */
};
void metric_vendor_threshold(const struct event_table_metric *metric,
			     struct metric_vendor_threshold *threshold);

/*
 * Writes the name of a metric as it is found by metric_vendor_find(), without "vendor_" in front.
 * Returns its length, which is more than size - 1 if it does not fit.
 */
size_t metric_vendor_name(const struct event_table *table, const struct event_table_metric *metric,
			  char *name, size_t size);

/* Returns the metric of a name whose events are on this core PMU, or NULL. */
const struct event_table_metric *metric_vendor_on_pmu(const struct event_table *table,
						      const char *pmu, const char *name,
						      size_t length);
/* Whether the figure is a percentage: "percent", also of something. */
bool metric_vendor_is_percent(const struct event_table_metric *metric);

#endif
