// SPDX-License-Identifier: MIT
/*
 * The layout is struct perf_record_header_build_id in tools/lib/perf/include/perf/event.h.
 * Before Linux 5.13 perf did not write the length of a build id, which is 20 then. Shorter ones end
 * with zeroes.
 */
#include "core/perfdata/perfdata_build_ids.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define HAS_SIZE (1 << 15) /* in header.misc: PERF_RECORD_MISC_BUILD_ID_SIZE */

struct build_id_bytes {
	struct perf_event_header header;
	int32_t pid; /* -1: of the host */
	uint8_t bytes[CODE_BUILD_ID_MAX];
	uint8_t size, reserved[3];
	char name[];
};
static_assert(offsetof(struct build_id_bytes, name) == 36, "PERF_RECORD_HEADER_BUILD_ID");

struct perfdata_build_id {
	char *name; /* owned */
	pid_t pid;
	struct code_build_id id;
};

void perfdata_build_ids_fini(struct perfdata_build_ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->items[i].name);
	free(ids->items);
	*ids = (struct perfdata_build_ids){0};
}

/* Four zeroes at the end are padding: gcc and lld also make build ids of 16 and 8 bytes. */
static uint8_t guess_size(const uint8_t *bytes)
{
	static const uint8_t none[4];
	uint8_t size = CODE_BUILD_ID_MAX;

	while (size > 0 && memcmp(bytes + size - sizeof(none), none, sizeof(none)) == 0)
		size = (uint8_t)(size - sizeof(none));
	return size;
}

void perfdata_build_ids_add(struct perfdata_build_ids *ids, const struct perf_event_header *record)
{
	const struct build_id_bytes *bytes = (const void *)record;

	if (record->type != PERFDATA_BUILD_ID || record->size <= sizeof(*bytes) ||
	    ids->n == PERFDATA_BUILD_IDS_MAX)
		return;
	size_t length = strnlen(bytes->name, record->size - sizeof(*bytes));
	uint8_t size = record->misc & HAS_SIZE ? bytes->size : guess_size(bytes->bytes);
	if (length == 0 || length > PERFDATA_BUILD_IDS_BYTES - ids->bytes || size == 0 ||
	    size > sizeof(bytes->bytes))
		return;
	ids->items = array_reserve(ids->items, &ids->capacity, ids->n + 1, sizeof(*ids->items));
	struct perfdata_build_id *item = &ids->items[ids->n++];
	*item = (struct perfdata_build_id){
		.name = xstrndup(bytes->name, length), .pid = bytes->pid, .id.size = size};
	memcpy(item->id.bytes, bytes->bytes, size);
	ids->bytes += length;
}

static int compare_places(const char *name, pid_t pid, const struct perfdata_build_id *item)
{
	int order = strcmp(name, item->name);

	return order ? order : (pid > item->pid) - (pid < item->pid);
}

static int compare_items(const void *a, const void *b)
{
	const struct perfdata_build_id *item = a;

	return compare_places(item->name, item->pid, b);
}

static const struct code_build_id *find_exact(const struct perfdata_build_ids *ids,
					      const char *name, pid_t pid)
{
	size_t low = 0, high = ids->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_places(name, pid, &ids->items[middle]);
		if (order == 0)
			return &ids->items[middle].id;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct code_build_id *perfdata_build_ids_find(struct perfdata_build_ids *ids,
						    const char *name, pid_t pid)
{
	if (ids->n_sorted < ids->n) {
		qsort(ids->items, ids->n, sizeof(*ids->items), compare_items);
		ids->n_sorted = ids->n;
	}
	const struct code_build_id *found = find_exact(ids, name, pid);
	return found || pid == -1 ? found : find_exact(ids, name, -1);
}
