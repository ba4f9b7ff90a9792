// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_DEF_H
#define PMCTOP_METRIC_DEF_H

#include "core/base/error.h"

#include <stdbool.h>
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
	bool all_levels;        /* of no meaning where only one privilege level is counted */
};

/* What its figures are: of counts and rates a view can show the one as the other. */
enum metric_kind {
	METRIC_FORMULA,
	METRIC_COUNT, /* how often something happened in the interval */
	METRIC_RATE,  /* ... per second of the interval */
};

enum {
	METRIC_FORMS_MAX = 8,
	METRIC_TITLE_MAX = 10, /* columns; those of built-in metrics make do with 8 */
};

/*
 * The strings of a built-in metric are literals. Those of a copy, of a user's metric
 * (metric_user.h) and of an event's (metric_event.h) are its own, given up by metric_def_fini.
 */
struct metric_def {
	const char *name;  /* "branch_mpki": json key and what -s takes */
	const char *title; /* column header: "brMPKI" */
	const char *group; /* subject, for listings: "cache" */
	struct metric_form
		forms[METRIC_FORMS_MAX]; /* the first that can be counted here is taken */
	const char *unit;                /* "", "%", "GHz", "M/s", "/s" */
	const char *help;                /* one line */
	enum metric_kind kind;
	enum metric_better better;
	double warn, bad; /* thresholds in the direction of `better`; ignored where NEUTRAL */
	unsigned width;   /* columns of a number on screen, without the trust mark */
	unsigned decimals;
	bool machine; /* of the whole machine only: no task and no CPU has it */
};

/* The built-in metrics, by subject: core/metric/metric_def.c. */
extern const struct metric_def metric_table[];
extern const size_t metric_table_n;

/* The built-in one of that name, NULL where there is none. */
const struct metric_def *metric_def_find(const char *name);

/* The same among a user's own first. */
const struct metric_def *metric_def_lookup(const struct metric_def *native, size_t n_own,
					   const char *name);
/* Says that there is none of that name, and what is near. Returns -ENOENT. */
int metric_def_unknown(const struct metric_def *native, size_t n_own, const char *name,
		       struct error *err);

/*
 * The first form, from number `from` on, that is meant for such CPUs (cpu_model_read; 0: not known,
 * then only forms for all CPUs are). METRIC_FORMS_MAX where there is none.
 */
size_t metric_def_form(const struct metric_def *def, unsigned cpus, size_t from);

/* A deep copy; strings that are NULL stay so. */
void metric_def_copy(struct metric_def *copy, const struct metric_def *def);
/* Of what was copied or made, never of a built-in metric. Zeroed is fine. */
void metric_def_fini(struct metric_def *def);

#endif
