// SPDX-License-Identifier: MIT
/*
 * A record names its event by an id. The search of an id is bounded: the ids of a forged file may
 * all have one home slot. Ids of the kernel count up from 1, so their slots differ.
 */
#include "core/perfdata/perfdata_events.h"

#include "core/base/util.h"
#include "core/perfdata/native_record.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	ATTR_BYTES_MAX = 4096,     /* more than any kernel's will ever have: a page */
	TRACEPOINT_NAME_MAX = 255, /* all events may have one name; longer ones are cut */
};

/* An id keeps its first event. */
static int add_id(struct perfdata_events *events, size_t index, uint64_t id)
{
	if (id == 0)
		return 0;
	if (!events->by_id.slots)
		hash_table_init(&events->by_id, 0);
	struct hash_slot *slot = hash_table_slot_within(&events->by_id, id, HASH_PROBES_MAX);
	if (!slot)
		return -EBADMSG;
	if (!slot->number)
		hash_table_add(&events->by_id, id)->number = index + 1;
	return 0;
}

struct perfdata_event *perfdata_events_find(const struct perfdata_events *events, uint64_t id)
{
	if (events->by_id.n == 0)
		return NULL;
	const struct hash_slot *slot = hash_table_slot_within(&events->by_id, id, HASH_PROBES_MAX);
	return slot && slot->number ? &events->items[slot->number - 1] : NULL;
}

void perfdata_events_fini(struct perfdata_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		free(events->items[i].name);
		free(events->items[i].ids);
	}
	free(events->items);
	hash_table_fini(&events->by_id);
	*events = (struct perfdata_events){0};
}

static int bits_of(uint64_t sample_type, uint64_t those)
{
	return __builtin_popcountll(sample_type & those);
}

static int place_of_id(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (type & PERF_SAMPLE_ID)
		return bits_of(type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					     PERF_SAMPLE_ADDR);
	return -1;
}

static int place_of_id_back(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (type & PERF_SAMPLE_ID)
		return 1 + bits_of(type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	return -1;
}

static void learn_places(struct perfdata_events *events, const struct perf_event_attr *attr)
{
	int place = place_of_id(attr->sample_type), back = place_of_id_back(attr->sample_type);

	if (events->n == 0) {
		events->id_place = place;
		events->id_place_back = back;
	}
	if (events->id_place != place)
		events->id_place = -1;
	if (events->id_place_back != back)
		events->id_place_back = -1;
}

struct attr_record {
	struct perf_event_header header;
	struct perf_event_attr attr;
};

static int add_ids(struct perfdata_events *events, size_t index, const uint64_t *ids, size_t n)
{
	struct perfdata_event *event = &events->items[index];

	if (n > PERFDATA_IDS_MAX - events->n_ids)
		return -EBADMSG;
	if (n > 0)
		event->ids = array_reserve(event->ids, &event->ids_capacity, event->n_ids + n,
					   sizeof(*ids));
	for (size_t i = 0; i < n; i++) {
		if (add_id(events, index, ids[i]) < 0)
			return -EBADMSG;
		event->ids[event->n_ids++] = ids[i];
	}
	events->n_ids += n;
	return 0;
}

static int add_attr(struct perfdata_events *events, const struct perf_event_header *header)
{
	const struct attr_record *record = (const void *)header;
	size_t room = header->size - sizeof(*header);
	struct perf_event_attr attr = {0};

	if (room < PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	size_t size = record->attr.size ? record->attr.size : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size % sizeof(uint64_t) || size > ATTR_BYTES_MAX ||
	    size > room)
		return -EBADMSG;
	memcpy(&attr, &record->attr, size_min(size, sizeof(attr)));
	const uint64_t *ids = (const void *)((const char *)(header + 1) + size);
	size_t n = (room - size) / sizeof(*ids);

	if (header->misc & PERFDATA_MISC_MORE)
		return events->n > 0 ? add_ids(events, events->n - 1, ids, n) : -EBADMSG;
	if (events->n == PERFDATA_EVENTS_MAX)
		return -EBADMSG;
	learn_places(events, &attr);
	events->items = array_reserve(events->items, &events->capacity, events->n + 1,
				      sizeof(*events->items));
	events->items[events->n++] = (struct perfdata_event){
		.attr = attr,
		.name = xstrdup(""),
		.scale = 1,
	};
	return add_ids(events, events->n - 1, ids, n);
}

struct update_record {
	struct perf_event_header header;
	uint64_t what, id;
	char text[];
};
static_assert(sizeof(struct update_record) == 24, "PERF_RECORD_EVENT_UPDATE");

/* Old perfs write no ids if there is only one event. */
static struct perfdata_event *find_named(const struct perfdata_events *events, uint64_t id)
{
	if (id)
		return perfdata_events_find(events, id);
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].n_ids == 0 && !events->items[i].name[0])
			return &events->items[i];
	return NULL;
}

static int update_event(const struct perfdata_events *events,
			const struct perf_event_header *header)
{
	const struct update_record *record = (const void *)header;

	if (header->size < sizeof(*record))
		return -EBADMSG;
	size_t room = header->size - sizeof(*record);
	size_t length = strnlen(record->text, room);
	struct perfdata_event *event = find_named(events, record->id);
	if (!event)
		return 0;
	switch (record->what) {
	case PERFDATA_NAME:
		free(event->name);
		event->name = xstrndup(record->text, length);
		break;
	case PERFDATA_UNIT:
		length = size_min(length, sizeof(event->unit) - 1);
		memcpy(event->unit, record->text, length);
		event->unit[length] = '\0';
		break;
	case PERFDATA_SCALE: {
		double scale;
		if (room < sizeof(scale))
			return -EBADMSG;
		memcpy(&scale, record->text, sizeof(scale));
		if (!isfinite(scale))
			return -EBADMSG;
		event->scale = scale;
		break;
	}
	}
	return 0;
}

static void name_event(const struct perfdata_events *events, uint64_t type, uint64_t config,
		       const char *name)
{
	for (size_t i = 0; i < events->n; i++) {
		struct perfdata_event *event = &events->items[i];
		if (event->name[0] || event->attr.config != config || event->attr.type != type)
			continue;
		free(event->name);
		event->name = xstrdup(name);
	}
}

static void name_tracepoint(const struct perfdata_events *events,
			    const struct perf_event_header *header)
{
	const struct perfdata_tracepoint *record = (const void *)header;
	struct native_words words;
	uint64_t kind;

	if (header->size < sizeof(*record) || native_open(header, &kind, &words))
		return;
	char *name = xstrndup(record->name,
			      size_min(header->size - sizeof(*record), TRACEPOINT_NAME_MAX));
	name_event(events, PERF_TYPE_TRACEPOINT, record->config, name);
	free(name);
}

/* Whether the attr states the name, and the modifiers that simpleperf leaves out. */
static bool is_generic(uint64_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE ||
	       type == PERF_TYPE_HW_CACHE;
}

/* Names the events of that type and config: "sched:sched_switch,2,47". */
static void name_events(const struct perfdata_events *events, const char *line, size_t length)
{
	char text[256];
	uint64_t numbers[2]; /* config, type */

	if (length >= sizeof(text))
		return;
	memcpy(text, line, length);
	text[length] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		char *comma = strrchr(text, ','), *end;
		if (!comma || comma[1] < '0' || comma[1] > '9')
			return;
		numbers[i] = strtoull(comma + 1, &end, 10);
		if (*end)
			return;
		*comma = '\0';
	}
	if (!is_generic(numbers[1]))
		name_event(events, numbers[1], numbers[0], text);
}

struct feature_record {
	struct perf_event_header header;
	uint64_t feature;
	char bytes[];
};

/* simpleperf has the names of events among its other facts, a line each. */
static void parse_meta_info(const struct perfdata_events *events,
			    const struct perf_event_header *header)
{
	const struct feature_record *record = (const void *)header;
	const char *at = record->bytes, *end = (const char *)header + header->size;
	bool is_value = false, wanted = false;

	if (header->size < sizeof(*record) || record->feature != PERFDATA_META_INFO)
		return;
	for (size_t length; at < end; at += length + 1, is_value = !is_value) {
		length = strnlen(at, (size_t)(end - at));
		if (at + length == end)
			return;
		if (!is_value)
			wanted = strcmp(at, "event_type_info") == 0;
		for (const char *line = at; is_value && wanted && line < at + length;) {
			size_t n = strcspn(line, "\n");
			name_events(events, line, n);
			line += n + 1;
		}
	}
}

struct event_id_record {
	struct perf_event_header header;
	uint64_t n;
	struct {
		uint64_t index, id;
	} items[];
};

static int add_event_ids(struct perfdata_events *events, const struct perf_event_header *header)
{
	const struct event_id_record *record = (const void *)header;

	if (header->size < sizeof(*record) ||
	    record->n > (header->size - sizeof(*record)) / sizeof(record->items[0]))
		return -EBADMSG;
	for (size_t i = 0; i < record->n; i++)
		if (record->items[i].index >= events->n ||
		    add_ids(events, (size_t)record->items[i].index, &record->items[i].id, 1) < 0)
			return -EBADMSG;
	return 0;
}

int perfdata_events_add(struct perfdata_events *events, const struct perf_event_header *record)
{
	if (record->type == PERFDATA_ATTR)
		return add_attr(events, record);
	if (record->type == PERFDATA_UPDATE)
		return update_event(events, record);
	if (record->type == PERFDATA_NATIVE)
		name_tracepoint(events, record);
	if (record->type == PERFDATA_FEATURE)
		parse_meta_info(events, record);
	if (record->type == PERFDATA_EVENT_ID)
		return add_event_ids(events, record);
	return 0;
}
