// SPDX-License-Identifier: MIT
#ifndef PMCTOP_METRIC_VENDOR_H
#define PMCTOP_METRIC_VENDOR_H

#include "core/base/error.h"
#include "core/base/suggest.h"
#include "core/event/event.h"
#include "core/event/event_table.h"
#include "core/metric/metric_def.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The metrics that the vendor of the CPUs has published (event_table.h), as definitions.
 *
 * Names: as the vendor writes them, in any case, also with Linux' "tma_" in front. If a metric of
 * pmctop, a column or a fact has the name, or if several kinds of cores have a metric of the name,
 * it gets a prefix: vendor_ipc, cpu_atom_Memory_Bound. Both prefixes are accepted for every metric.
 *
 * Formulas: events are quoted, constants have their names, other metrics "vendor_" in front, so
 * that a formula can be copied. A metric that cannot be computed has no formula, but the reason,
 * `refused`.
 *
 * Colours: of the comparison with the metric's own figure alone. `help` has the whole threshold,
 * which often needs others, too, and the description that the user's files have. Shares of useful
 * work (Retiring) have no colour.
 */

#define METRIC_VENDOR_PREFIX "vendor_"

/* The number of metrics in the table of this machine. Reads the table. */
size_t metric_vendor_count(const struct event_context *context);
/*
 * Makes the definition of one, which owns its strings (metric_def_fini). False if it is of cores
 * that this machine does not have.
 */
bool metric_vendor_def(const struct event_context *context, size_t i, struct metric_def *def);
/* The same for the metric of a name: 0 or -ENOENT. */
int metric_vendor_find(const struct event_context *context, const char *name,
		       struct metric_def *def);

/* All of them, for pickers. Immutable, with a count of references. */
struct metric_vendor_list {
	struct metric_def *defs;
	size_t n;
	unsigned references;
};
struct metric_vendor_list *metric_vendor_list_new(const struct event_context *context);
/* From any thread. */
struct metric_vendor_list *metric_vendor_list_ref(struct metric_vendor_list *list);
void metric_vendor_list_unref(struct metric_vendor_list *list); /* NULL is fine */

/* Whether two names are the same but for case and "tma_" in front. */
bool metric_vendor_same_name(const char *a, const char *b);
/*
 * Whether a name begins with a prefix that only metrics of vendors have: "vendor_", "tma_". No
 * event begins like this.
 */
bool metric_vendor_has_prefix(const char *name);

/* Offers all names for "did you mean". The table owns them. */
void metric_vendor_suggest(const struct event_context *context, struct suggest *suggest);

#endif
