// SPDX-License-Identifier: MIT
/*
 * Walks the catalogue once. Texts are appended to one block, which moves as it grows, so items have
 * offsets until the walk ends.
 */
#include "core/metric/event_index.h"

#include "core/base/util.h"
#include "core/metric/catalog.h"

#include <stdlib.h>
#include <string.h>

#define PAUSE_EVERY_NS NS_PER_MS

struct item {
	size_t name, pmu, help;
	bool example;
};

struct building {
	const struct sys *sys;
	struct item *items;
	size_t n, capacity;
	char *texts;
	size_t length, texts_capacity;
	uint64_t paused_ns;
	void (*pause)(void *arg);
	void *arg;
};

static size_t add_text(struct building *building, const char *text)
{
	size_t at = building->length, size = strlen(text) + 1;

	building->texts = array_reserve(building->texts, &building->texts_capacity, at + size, 1);
	memcpy(building->texts + at, text, size);
	building->length += size;
	return at;
}

/* Neighbours mostly have the same PMU. */
static size_t add_pmu(struct building *building, const char *pmu)
{
	const struct item *before = building->n > 0 ? &building->items[building->n - 1] : NULL;

	if (before && strcmp(building->texts + before->pmu, pmu) == 0)
		return before->pmu;
	return add_text(building, pmu);
}

static int append_item(void *arg, const struct catalog_entry *entry)
{
	struct building *building = arg;
	const struct item item = {
		.name = add_text(building, entry->name),
		.pmu = add_pmu(building, entry->pmu),
		.help = add_text(building, entry->help),
		.example = entry->example,
	};

	building->items = array_reserve(building->items, &building->capacity, building->n + 1,
					sizeof(*building->items));
	building->items[building->n++] = item;
	if (building->pause && sys_now_ns(building->sys) - building->paused_ns >= PAUSE_EVERY_NS) {
		building->pause(building->arg);
		building->paused_ns = sys_now_ns(building->sys);
	}
	return 0;
}

struct event_index *event_index_new(const struct event_context *context, void (*pause)(void *arg),
				    void *arg)
{
	struct event_index *event_index = xcalloc(1, sizeof(*event_index));
	struct building building = {
		.sys = context->sys,
		.paused_ns = sys_now_ns(context->sys),
		.pause = pause,
		.arg = arg,
	};

	catalog_names(context, append_item, &building);
	*event_index = (struct event_index){
		.items = xcalloc(building.n, sizeof(*event_index->items)),
		.n = building.n,
		.texts = building.texts,
		.references = 1,
	};
	for (size_t i = 0; i < building.n; i++)
		event_index->items[i] = (struct event_index_item){
			.name = building.texts + building.items[i].name,
			.pmu = building.texts + building.items[i].pmu,
			.help = building.texts + building.items[i].help,
			.example = building.items[i].example,
		};
	free(building.items);
	return event_index;
}

struct event_index *event_index_ref(struct event_index *event_index)
{
	__atomic_add_fetch(&event_index->references, 1, __ATOMIC_RELAXED);
	return event_index;
}

void event_index_unref(struct event_index *event_index)
{
	/* As columns_unref(): the last owner acquires the uses of all other threads. */
	if (!event_index || __atomic_sub_fetch(&event_index->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(event_index->items);
	free(event_index->texts);
	free(event_index);
}
