// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CATALOG_SOURCE_H
#define PMCTOP_CATALOG_SOURCE_H

#include "core/event/event_table.h"
#include "core/metric/catalog.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * For catalog*.c only: the sources of names, and how an event is probed. A source offers its names
 * in the order of the list, and stops when an offer returns other than 0.
 */
struct catalog_walk {
	const struct event_context *context;
	const char *pattern;
	bool names_only;                 /* nothing is probed, and every tracepoint is listed */
	const struct event_table *table; /* the vendor's; NULL: none */
	bool *listed;                    /* which of its items were offered */
	catalog_fn *fn;
	void *arg;
};

typedef int catalog_source_fn(const struct catalog_walk *walk);

catalog_source_fn catalog_generic, catalog_sysfs, catalog_pfm, catalog_vendor, catalog_examples,
	catalog_tracepoints;

/*
 * Marks the vendor's event of that name as listed. Returns it, or NULL if the vendor has none of
 * that name on a PMU of this machine.
 */
const struct event_table_item *catalog_vendor_list(const struct catalog_walk *walk,
						   const char *name);

/* Offers an event: matches, resolves and probes it. pmu NULL: the PMU of its codes. */
int catalog_offer(const struct catalog_walk *walk, const char *name, const char *pmu,
		  const char *help);
/* Offers an entry without probing. Its text need not be printable. */
int catalog_offer_entry(const struct catalog_walk *walk, const struct catalog_entry *entry);

/* Probes an event for catalog_probe(), and sets its state and answer. */
void catalog_probe_event(const struct event_context *context, struct event *event, bool per_task);

/* The names in a directory, sorted. */
struct catalog_names {
	char **items;
	size_t n, capacity;
};
void catalog_names_read(const struct sys *sys, const char *path, struct catalog_names *names);
void catalog_names_fini(struct catalog_names *names);

#endif
