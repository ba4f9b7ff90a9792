// SPDX-License-Identifier: MIT
#include "core/metric/event_index.h"

#include "core/base/util.h"
#include "core/metric/catalog.h"

#include <stdlib.h>
#include <string.h>

#define PAUSE_EVERY_NS NS_PER_MS

/* Texts are offsets until their block has its place. */
struct item {
	size_t name, pmu, help;
	bool example;
};

struct taking {
	const struct sys *sys;
	struct item *items;
	size_t n, capacity;
	char *texts;
	size_t length, texts_capacity;
	uint64_t paused_ns;
	void (*pause)(void *arg);
	void *arg;
};

static size_t add_text(struct taking *taking, const char *text)
{
	size_t at = taking->length, size = strlen(text) + 1;

	taking->texts = array_reserve(taking->texts, &taking->texts_capacity, at + size, 1);
	memcpy(taking->texts + at, text, size);
	taking->length += size;
	return at;
}

/* Neighbours mostly have the same one. */
static size_t add_pmu(struct taking *taking, const char *pmu)
{
	const struct item *before = taking->n > 0 ? &taking->items[taking->n - 1] : NULL;

	if (before && strcmp(taking->texts + before->pmu, pmu) == 0)
		return before->pmu;
	return add_text(taking, pmu);
}

static int add(void *arg, const struct catalog_entry *entry)
{
	struct taking *taking = arg;
	const struct item item = {
		.name = add_text(taking, entry->name),
		.pmu = add_pmu(taking, entry->pmu),
		.help = add_text(taking, entry->help),
		.example = entry->example,
	};

	taking->items = array_reserve(taking->items, &taking->capacity, taking->n + 1,
				      sizeof(*taking->items));
	taking->items[taking->n++] = item;
	if (taking->pause && sys_now_ns(taking->sys) - taking->paused_ns >= PAUSE_EVERY_NS) {
		taking->pause(taking->arg);
		taking->paused_ns = sys_now_ns(taking->sys);
	}
	return 0;
}

struct event_index *event_index_new(const struct event_context *context, void (*pause)(void *arg),
				    void *arg)
{
	struct event_index *event_index = xcalloc(1, sizeof(*event_index));
	struct taking taking = {
		.sys = context->sys,
		.paused_ns = sys_now_ns(context->sys),
		.pause = pause,
		.arg = arg,
	};

	catalog_names(context, add, &taking);
	*event_index = (struct event_index){
		.items = xcalloc(taking.n, sizeof(*event_index->items)),
		.n = taking.n,
		.texts = taking.texts,
		.references = 1,
	};
	for (size_t i = 0; i < taking.n; i++)
		event_index->items[i] = (struct event_index_item){
			.name = taking.texts + taking.items[i].name,
			.pmu = taking.texts + taking.items[i].pmu,
			.help = taking.texts + taking.items[i].help,
			.example = taking.items[i].example,
		};
	free(taking.items);
	return event_index;
}

struct event_index *event_index_ref(struct event_index *event_index)
{
	__atomic_add_fetch(&event_index->references, 1, __ATOMIC_RELAXED);
	return event_index;
}

void event_index_unref(struct event_index *event_index)
{
	/* As columns_unref: the last one must see what all the others did with it. */
	if (!event_index || __atomic_sub_fetch(&event_index->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	free(event_index->items);
	free(event_index->texts);
	free(event_index);
}
