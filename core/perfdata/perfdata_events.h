// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_EVENTS_H
#define PMCTOP_PERFDATA_EVENTS_H

#include "core/base/hash_table.h"
#include "core/perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The events of a recording, as its records tell of them. */
struct perfdata_event {
	struct perf_event_attr attr; /* what an older perf did not know is 0 */
	char *name;                  /* as the recording has it; "" where it does not say; owned */
	char unit[16];               /* "": a count */
	double scale;                /* 1 where it does not say */
	uint64_t *ids;               /* owned */
	size_t n_ids, ids_capacity;
};

/* Zeroed is empty. */
struct perfdata_events {
	struct perfdata_event *items; /* owned; they move when one is added */
	size_t n, capacity;
	size_t n_ids;            /* of all */
	struct hash_table by_id; /* event index + 1 */
	/*
	 * Where the id of the event stands in every sample, in words of 64 bits from its header;
	 * and in every other record, in such words from its end. -1: not in all at the same place.
	 */
	int id_place, id_place_back;
};

void perfdata_events_fini(struct perfdata_events *events);

/*
 * Takes what a record of PERFDATA_ATTR or PERFDATA_UPDATE tells, of others nothing. 0; -EBADMSG
 * where it makes no sense, or there would be more than PERFDATA_EVENTS_MAX events or
 * PERFDATA_IDS_MAX ids.
 */
int perfdata_events_add(struct perfdata_events *events, const struct perf_event_header *record);
enum { PERFDATA_EVENTS_MAX = 4096, PERFDATA_IDS_MAX = 1 << 20 };

/* The event with that id, or NULL. */
struct perfdata_event *perfdata_events_find(const struct perfdata_events *events, uint64_t id);

#endif
