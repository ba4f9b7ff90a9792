// SPDX-License-Identifier: MIT
/*
 * The kernel writes a record with id and path for each cgroup, and the id into each sample. The
 * path of an id is found by bisection.
 */
#include "core/replay/replay_cgroups.h"

#include "core/attrib/cgroups.h"
#include "core/base/util.h"
#include "core/sys/cgroup_path.h"

#include <stdlib.h>
#include <string.h>

/* From Linux 5.7 on. Fields behind the cgroup in a sample: AUX from 5.5, page sizes from 5.11. */
enum {
	RECORD_CGROUP = 19,
};
#define SAMPLE_CGROUP (1ull << 21)
#define SAMPLE_BEHIND \
	(1ull << 20 | 1ull << 22 | 1ull << 23) /* AUX, DATA_PAGE_SIZE, CODE_PAGE_SIZE */

struct replay_cgroup {
	uint64_t id;
	char *path;
};

void replay_cgroups_fini(struct replay_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->n; i++)
		free(cgroups->items[i].path);
	free(cgroups->items);
	*cgroups = (struct replay_cgroups){0};
}

/* Index of the id, or where it would be inserted. */
static size_t place_of(const struct replay_cgroups *cgroups, uint64_t id)
{
	size_t first = 0, end = cgroups->n;

	while (first < end) {
		size_t middle = first + (end - first) / 2;
		if (cgroups->items[middle].id < id)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* An id belongs to one cgroup forever. After a rename the last path holds. */
bool replay_cgroups_parse(struct replay_cgroups *cgroups, const struct perf_event_header *record)
{
	const char *path = (const char *)(record + 1) + sizeof(uint64_t);
	uint64_t id;

	if (record->type != RECORD_CGROUP)
		return false;
	if (record->size <= sizeof(*record) + sizeof(id))
		return true;
	memcpy(&id, record + 1, sizeof(id));
	size_t most = size_min(record->size - sizeof(*record) - sizeof(id), CGROUP_PATH_MAX);
	size_t at = place_of(cgroups, id);
	if (at < cgroups->n && cgroups->items[at].id == id) {
		free(cgroups->items[at].path);
	} else {
		if (cgroups->n == REPLAY_CGROUPS_MAX)
			return true;
		cgroups->items = array_reserve(cgroups->items, &cgroups->capacity, cgroups->n + 1,
					       sizeof(*cgroups->items));
		memmove(&cgroups->items[at + 1], &cgroups->items[at],
			(cgroups->n++ - at) * sizeof(*cgroups->items));
	}
	cgroups->items[at] = (struct replay_cgroup){id, xstrndup(path, strnlen(path, most))};
	return true;
}

static bool ends_with_cgroup(uint64_t sample_type)
{
	return (sample_type & SAMPLE_CGROUP) && !(sample_type & SAMPLE_BEHIND);
}

bool replay_cgroups_in_samples(const struct perfdata_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (ends_with_cgroup(events->items[i].attr.sample_type))
			return true;
	return false;
}

/* In a recording of counts only the cgroup follows the values, so it is the last word. */
const char *replay_cgroups_of_sample(const struct replay_cgroups *cgroups,
				     const struct perf_event_header *record,
				     const struct perfdata_sample *sample)
{
	uint64_t id;

	if (cgroups->n == 0 || !sample->event ||
	    !ends_with_cgroup(sample->event->attr.sample_type) ||
	    record->size < sizeof(*record) + sizeof(id))
		return NULL;
	memcpy(&id, (const char *)record + record->size - sizeof(id), sizeof(id));
	size_t at = place_of(cgroups, id);
	return at < cgroups->n && cgroups->items[at].id == id ? cgroups->items[at].path : NULL;
}
