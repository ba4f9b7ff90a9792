// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_EVENTS_H
#define PMCTOP_PERFDATA_EVENTS_H

#include "core/base/hash_table.h"
#include "core/perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The events of a recording. */
struct perfdata_event {
	struct perf_event_attr attr; /* members that the perf did not have are 0 */
	char *name;                  /* of the recording; "" if unknown; owned */
	char unit[16];               /* "": a count */
	double scale;                /* 1 if unknown */
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
	 * Index of the id of the event: in samples, in words of 64 bits from the header; in other
	 * records, in words from the end. -1: not the same in all events.
	 */
	int id_place, id_place_back;
};

void perfdata_events_fini(struct perfdata_events *events);

/*
 * Adds the contents of a PERFDATA_ATTR, PERFDATA_UPDATE or PERFDATA_EVENT_ID, and the names of
 * events in a PERFDATA_FEATURE of simpleperf or a struct perfdata_tracepoint; ignores other
 * records. 0; -EBADMSG: the record is invalid, there are more than PERFDATA_EVENTS_MAX events or
 * PERFDATA_IDS_MAX ids, or ids were chosen to have one place in the table.
 */
int perfdata_events_add(struct perfdata_events *events, const struct perf_event_header *record);
enum { PERFDATA_EVENTS_MAX = 4096, PERFDATA_IDS_MAX = 1 << 20 };

/* The event with that id, or NULL. */
struct perfdata_event *perfdata_events_find(const struct perfdata_events *events, uint64_t id);

#endif
