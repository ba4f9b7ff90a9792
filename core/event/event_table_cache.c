// SPDX-License-Identifier: MIT
/*
 * The table is read once, and only if a name needs it: unpacking the built-in frame takes
 * milliseconds, the user's files take tens of them.
 */
#include "core/event/event_table_cache.h"

#include "core/base/util.h"
#include "core/sys/cpu_kind.h"

#include <errno.h>
#include <stdlib.h>

struct event_table_cache {
	const struct sys *sys;
	struct tables_places places;
	const char *cpu_id; /* NULL: the machine's */
	struct event_table table;
	struct notes notes;
	int result; /* of event_table_read_over(); 1: not read yet */
};

struct event_table_cache *event_table_cache_new(const struct sys *sys)
{
	struct event_table_cache *cache = xcalloc(1, sizeof(*cache));

	cache->sys = sys;
	cache->result = 1;
	return cache;
}

void event_table_cache_set(struct event_table_cache *cache, const struct tables_places *places,
			   const char *cpu_id)
{
	cache->places = *places;
	cache->cpu_id = cpu_id;
}

void event_table_cache_free(struct event_table_cache *cache)
{
	if (!cache)
		return;
	event_table_fini(&cache->table);
	notes_fini(&cache->notes);
	free(cache);
}

static void read_table(struct event_table_cache *cache)
{
	char id[64];
	struct tables_text files;
	struct error err;

	if (cache->cpu_id)
		text_copy(id, sizeof(id), cache->cpu_id);
	else
		cpu_kind_id(cache->sys, id, sizeof(id));
	bool has_files = tables_read(&cache->places, id, &files, &cache->notes) == 0;
	cache->result = -ENOENT;
	if (id[0])
		cache->result =
			event_table_read_over(event_table_frame, event_table_frame_bytes, id,
					      has_files ? &files : NULL, &cache->table, &err);
	tables_text_fini(&files);
}

const struct event_table *event_table_cache_get(struct event_table_cache *cache)
{
	if (cache->result > 0)
		read_table(cache);
	return cache->result == 0 ? &cache->table : NULL;
}

const struct notes *event_table_cache_notes(const struct event_table_cache *cache)
{
	return &cache->notes;
}
