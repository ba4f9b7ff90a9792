// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_DEF_H
#define PMCTOP_METRIC_DEF_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct event_context;

/* The definition of a metric: names, formulas, thresholds. metric.h compiles it. */

enum metric_better {
	METRIC_NEUTRAL,
	METRIC_HIGHER,
	METRIC_LOWER,
};

/*
 * One formula of a metric. Vendors have other events for the same thing, and other meanings for the
 * same event. The title of a form has the true cache level.
 */
struct metric_form {
	unsigned where;         /* CPUs of the form, enum cpu_kind bits (cpu_kind.h); 0: all */
	const char *title;      /* NULL: the metric's */
	const char *expression; /* NULL: the end of the forms */
	bool all_levels;        /* meaningless if only one privilege level is counted */
};

/* Kind of its figures. A view can show counts as rates, and rates as counts. */
enum metric_kind {
	METRIC_FORMULA,
	METRIC_COUNT, /* events in the interval */
	METRIC_RATE,  /* events per second of the interval */
};

/* How its figures are printed. */
enum metric_format {
	METRIC_FORMAT_NUMBER,
	METRIC_FORMAT_LETTER, /* proc_state_letter(); also in machine-readable output */
	METRIC_FORMAT_TIME,   /* seconds, as "1:02.34" */
};

/* Names in recordings: "" for numbers. An unknown name is read as "". */
const char *metric_format_name(enum metric_format format);
enum metric_format metric_format_of(const char *name);

enum {
	METRIC_FORMS_MAX = 8,
	METRIC_TITLE_MAX = 10, /* columns; built-in metrics have at most 8 */
};

/*
 * The strings of a built-in metric are literals. A copy, a user's metric (metric_user.h), a
 * vendor's (metric_vendor.h) and the metric of an event (metric_event.h) own their strings:
 * metric_def_fini() frees them.
 */
struct metric_def {
	const char *name;                           /* "branch_mpki": json key, and name for -s */
	const char *title;                          /* column header: "brMPKI" */
	const char *group;                          /* subject, for listings: "cache" */
	struct metric_form forms[METRIC_FORMS_MAX]; /* the first that can be counted is used */
	const char *refused; /* a sentence why it has no forms; NULL: it has */
	const char *unit;    /* "", "%", "GHz", "M/s", "/s" */
	const char *help;    /* one line */
	enum metric_kind kind;
	enum metric_format format;
	enum metric_better better;
	double warn, bad; /* thresholds in the direction of `better`; ignored where NEUTRAL */
	unsigned width;   /* columns of a number on the screen, without its mark */
	unsigned decimals;
	bool machine; /* of the whole machine only, not of tasks and CPUs */
};

/* The built-in metrics, by subject: core/metric/metric_def.c. */
extern const struct metric_def metric_table[];
extern const size_t metric_table_n;

/* Returns the built-in metric of that name, or NULL. */
const struct metric_def *metric_def_find(const char *name);

/* Metrics that formulas may name, before the built-in ones. */
struct metric_names {
	const struct metric_def *items; /* borrowed */
	size_t n;
};

/* Returns the user's metric of that name, else the built-in one, or NULL. */
const struct metric_def *metric_def_lookup(const struct metric_def *user, size_t n_user,
					   const char *name);
/*
 * Returns -ENOENT with a sentence and a similar name, also of the vendor's metrics (context NULL:
 * they are not known).
 */
int metric_def_unknown(const struct event_context *context, const struct metric_def *user,
		       size_t n_user, const char *name, struct error *err);

/*
 * Returns the first form, from number `from` on, for these CPUs (cpu_kind_read; 0: unknown, only
 * forms for all CPUs), or METRIC_FORMS_MAX.
 */
size_t metric_def_form(const struct metric_def *def, unsigned cpus, size_t from);

/* Makes a deep copy. NULL strings stay NULL. */
void metric_def_copy(struct metric_def *copy, const struct metric_def *def);
/* For copies and made metrics, not for built-in ones. Zeroed is fine. */
void metric_def_fini(struct metric_def *def);

#endif
