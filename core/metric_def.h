// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_DEF_H
#define PMCTOP_METRIC_DEF_H

#include <stddef.h>

/* What a metric is, before it is compiled: names, formulas, thresholds. */

enum metric_better {
	METRIC_NEUTRAL,
	METRIC_HIGHER,
	METRIC_LOWER,
};

/*
 * One way to find a metric. Vendors count the same thing by other events, and the same event means
 * other things: the title of a form says the true cache level.
 */
struct metric_form {
	unsigned where;    /* the CPUs it is meant for: enum cpu_kind bits (cpu_model.h); 0: all */
	const char *title; /* NULL: the metric's */
	const char *expression; /* NULL: no more forms */
};

enum { METRIC_FORMS_MAX = 6 };

struct metric_def {
	const char *name;  /* "branch_mpki": json key and what -s takes */
	const char *title; /* column header, at most 8 columns wide: "brMPKI" */
	struct metric_form
		forms[METRIC_FORMS_MAX]; /* the first that can be counted here is taken */
	const char *unit;                /* "", "%", "GHz", "M/s", "/s" */
	const char *help;                /* one line */
	enum metric_better better;
	double warn, bad; /* thresholds in the direction of `better`; ignored where NEUTRAL */
	unsigned width;   /* columns of a number on screen, without the trust mark */
	unsigned decimals;
};

/* The built-in metrics, by name: core/metric_table.c. NULL where there is none. */
const struct metric_def *metric_def_find(const char *name);
extern const struct metric_def metric_table[];
extern const size_t metric_table_n;

#endif
