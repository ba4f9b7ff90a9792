// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CATALOG_SOURCE_H
#define PMCTOP_CATALOG_SOURCE_H

#include "core/metric/catalog.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Where the catalogue's names come from; only catalog*.c include this. A source offers what it
 * knows, in the order in which it is to be read, and stops when an offer returns other than 0.
 */
struct catalog_walk {
	const struct event_context *context;
	const char *pattern;
	bool names_only; /* nothing is probed, and each tracepoint is named */
	catalog_fn *fn;
	void *arg;
};

typedef int catalog_source_fn(const struct catalog_walk *walk);

catalog_source_fn catalog_generic, catalog_sysfs, catalog_pfm, catalog_examples,
	catalog_tracepoints;

/* An event: matched, then resolved and probed where that is asked. pmu NULL: that of its codes. */
int catalog_offer(const struct catalog_walk *walk, const char *name, const char *pmu,
		  const char *help);
/* An entry that is not probed, or not any more; its text need not be printable. */
int catalog_offer_entry(const struct catalog_walk *walk, const struct catalog_entry *entry);

/* Names in a directory, sorted. */
struct catalog_names {
	char **items;
	size_t n, capacity;
};
void catalog_names_read(const struct sys *sys, const char *path, struct catalog_names *names);
void catalog_names_fini(struct catalog_names *names);

#endif
