// SPDX-License-Identifier: MIT
/*
 * One list of entries has it all: a function's own samples are the entries whose innermost frame it
 * is, its callers are the frames behind it, a flame graph is the stacks. Entries with the same
 * stack share its frames.
 *
 * Names and numbers may be chosen by other users, or by the writer of a recording. So all keys of
 * tables are mixed with a random number.
 */
#include "core/code/code_profile_internal.h"

#include "core/base/util.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct code_profile *code_profile_ref(struct code_profile *profile)
{
	if (profile)
		__atomic_add_fetch(&profile->shared, 1, __ATOMIC_RELAXED);
	return profile;
}

void code_profile_free(struct code_profile *profile)
{
	/* The last owner acquires the uses of all other threads. */
	if (!profile || __atomic_fetch_sub(&profile->shared, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < profile->n_functions; i++) {
		xfree(profile->functions[i].name);
		xfree(profile->functions[i].module);
		xfree(profile->functions[i].why);
	}
	free(profile->events);
	free(profile->functions);
	free(profile->tasks);
	free(profile->frames);
	free(profile->entries);
	free(profile);
}

size_t code_profile_bytes(const struct code_profile *profile)
{
	if (!profile)
		return 0;
	size_t bytes = sizeof(*profile) + profile->n_events * sizeof(*profile->events) +
		       profile->n_functions * sizeof(*profile->functions) +
		       profile->n_tasks * sizeof(*profile->tasks) +
		       profile->n_frames * sizeof(*profile->frames) +
		       profile->n_entries * sizeof(*profile->entries);

	for (size_t i = 0; i < profile->n_functions; i++) {
		const struct code_function *function = &profile->functions[i];

		bytes += strlen(function->name) + strlen(function->module) + 2;
		bytes += function->why ? strlen(function->why) + 1 : 0;
	}
	return bytes;
}

static struct code_function copy_function(const struct code_function *function)
{
	return (struct code_function){
		xstrdup(function->name),
		xstrdup(function->module),
		function->kind,
		function->why ? xstrdup(function->why) : NULL,
	};
}

struct code_profile_builder *code_profile_builder_new(void)
{
	struct code_profile_builder *builder = xcalloc(1, sizeof(*builder));

	builder->profile = xcalloc(1, sizeof(*builder->profile));
	builder->random = hash_random_odd();
	hash_table_init(&builder->functions, 0);
	hash_table_init(&builder->tasks, 0);
	hash_table_init(&builder->entries, 0);
	hash_table_init(&builder->stacks, 0);
	return builder;
}

uint32_t code_profile_event(struct code_profile_builder *builder, const struct code_event *event)
{
	struct code_profile *profile = builder->profile;

	for (size_t i = 0; i < profile->n_events; i++)
		if (strcmp(profile->events[i].name, event->name) == 0)
			return (uint32_t)i;
	profile->events = array_reserve(profile->events, &builder->events_capacity,
					profile->n_events + 1, sizeof(*profile->events));
	profile->events[profile->n_events] = *event;
	return (uint32_t)profile->n_events++;
}

static uint32_t append_function(struct code_profile_builder *builder, uint64_t key,
				const struct code_function *function)
{
	struct code_profile *profile = builder->profile;

	profile->functions = array_reserve(profile->functions, &builder->functions_capacity,
					   profile->n_functions + 1, sizeof(*profile->functions));
	profile->functions[profile->n_functions] = copy_function(function);
	hash_table_add(&builder->functions, key)->number = ++profile->n_functions;
	return (uint32_t)profile->n_functions - 1;
}

uint32_t code_profile_function(struct code_profile_builder *builder,
			       const struct code_function *function)
{
	static const struct code_function rest = {"[other]", "", CODE_REST};
	const struct code_profile *profile = builder->profile;
	uint64_t key = code_function_key(function, builder->random);
	struct hash_slot *slot = hash_table_slot(&builder->functions, key);
	while (slot->number &&
	       !code_function_is_same(&profile->functions[slot->number - 1], function))
		slot = hash_table_next(&builder->functions, slot);
	if (slot->number)
		return (uint32_t)slot->number - 1;
	if (profile->n_functions >= CODE_PROFILE_FUNCTIONS && function->kind != CODE_REST)
		return code_profile_function(builder, &rest);
	return append_function(builder, key, function);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct code_task *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return (left->start_ns > right->start_ns) - (left->start_ns < right->start_ns);
}

uint32_t code_profile_task(struct code_profile_builder *builder, const struct code_task *task)
{
	static const struct code_task unknown = {-1, -1, 0};
	struct code_profile *profile = builder->profile;
	uint64_t numbers = (uint64_t)(uint32_t)task->pid << 32 | (uint32_t)task->tid;
	uint64_t key =
		hash_mix(builder->random, hash_mix(builder->random, numbers) ^ task->start_ns);
	struct hash_slot *slot = hash_table_slot(&builder->tasks, key);

	while (slot->number && compare_tasks(&profile->tasks[slot->number - 1], task) != 0)
		slot = hash_table_next(&builder->tasks, slot);
	if (slot->number)
		return (uint32_t)slot->number - 1;
	if (profile->n_tasks >= CODE_PROFILE_TASKS && task->pid != -1)
		return code_profile_task(builder, &unknown);
	profile->tasks = array_reserve(profile->tasks, &builder->tasks_capacity,
				       profile->n_tasks + 1, sizeof(*profile->tasks));
	profile->tasks[profile->n_tasks] = *task;
	hash_table_add(&builder->tasks, key)->number = ++profile->n_tasks;
	return (uint32_t)profile->n_tasks - 1;
}

static uint64_t key_of_stack(const struct code_profile_builder *builder, const uint32_t *frames,
			     size_t depth)
{
	uint64_t key = builder->random;

	for (size_t i = 0; i < depth; i++)
		key = (key ^ frames[i]) * 0x9e3779b97f4a7c15ull ^ key >> 32;
	return hash_mix(builder->random, key);
}

static bool has_stack(const struct code_profile *profile, const struct code_entry *entry,
		      const uint32_t *frames, size_t depth)
{
	return entry->depth == depth &&
	       memcmp(profile->frames + entry->frame, frames, depth * sizeof(*frames)) == 0;
}

/* Returns an entry with that stack, or NULL. */
static const struct code_entry *find_stack(const struct code_profile_builder *builder,
					   const uint32_t *frames, size_t depth)
{
	const struct code_profile *profile = builder->profile;
	struct hash_slot *slot =
		hash_table_slot(&builder->stacks, key_of_stack(builder, frames, depth));

	while (slot->number &&
	       !has_stack(profile, &profile->entries[slot->number - 1], frames, depth))
		slot = hash_table_next(&builder->stacks, slot);
	return slot->number ? &profile->entries[slot->number - 1] : NULL;
}

/* Of an entry with a known stack: a stack of the builder has one first frame. */
static uint64_t key_of_entry(const struct code_profile_builder *builder,
			     const struct code_entry *entry)
{
	uint64_t key = hash_mix(builder->random, (uint64_t)entry->task << 32 | entry->frame);

	return hash_mix(builder->random,
			key ^ ((uint64_t)entry->event << 32 | (uint32_t)entry->cpu));
}

static bool is_same_entry(const struct code_entry *a, const struct code_entry *b)
{
	return a->task == b->task && a->event == b->event && a->cpu == b->cpu &&
	       a->frame == b->frame && a->depth == b->depth;
}

/* Returns the entry with the same stack, or NULL if there is none yet. */
static struct code_entry *find_known(const struct code_profile_builder *builder,
				     const struct code_entry *wanted)
{
	struct code_entry *entries = builder->profile->entries;
	struct hash_slot *slot = hash_table_slot(&builder->entries, key_of_entry(builder, wanted));

	while (slot->number && !is_same_entry(&entries[slot->number - 1], wanted))
		slot = hash_table_next(&builder->entries, slot);
	return slot->number ? &entries[slot->number - 1] : NULL;
}

/* Returns the entry to add to, or NULL if there is none yet. */
static struct code_entry *find_entry(const struct code_profile_builder *builder,
				     const struct code_entry *entry, const uint32_t *frames)
{
	const struct code_entry *same = find_stack(builder, frames, entry->depth);
	struct code_entry wanted = *entry;

	if (!same)
		return NULL;
	wanted.frame = same->frame;
	return find_known(builder, &wanted);
}

static uint32_t append_frames(struct code_profile_builder *builder, const uint32_t *frames,
			      size_t depth)
{
	struct code_profile *profile = builder->profile;
	size_t first = profile->n_frames;

	profile->frames = array_reserve(profile->frames, &builder->frames_capacity, first + depth,
					sizeof(*profile->frames));
	memcpy(profile->frames + first, frames, depth * sizeof(*frames));
	profile->n_frames += depth;
	return (uint32_t)first;
}

static struct code_entry *append_entry(struct code_profile_builder *builder,
				       const struct code_entry *entry, const uint32_t *frames)
{
	struct code_profile *profile = builder->profile;
	const struct code_entry *same = find_stack(builder, frames, entry->depth);
	struct code_entry added = {
		.task = entry->task,
		.event = entry->event,
		.cpu = entry->cpu,
		.frame = same ? same->frame : append_frames(builder, frames, entry->depth),
		.depth = entry->depth,
	};
	size_t number = profile->n_entries + 1;

	if (!same)
		hash_table_add(&builder->stacks, key_of_stack(builder, frames, entry->depth))
			->number = number;
	hash_table_add(&builder->entries, key_of_entry(builder, &added))->number = number;
	profile->entries = array_reserve(profile->entries, &builder->entries_capacity, number,
					 sizeof(*profile->entries));
	profile->entries[profile->n_entries++] = added;
	return &profile->entries[number - 1];
}

/* Beyond the limits, samples are kept with less about them. */
static struct code_entry *find_or_append_rest(struct code_profile_builder *builder,
					      const struct code_entry *entry,
					      const uint32_t *frames)
{
	const struct code_function rest = {"[other]", "", CODE_REST};
	uint32_t frame = code_profile_function(builder, &rest);
	struct code_entry wanted = *entry, *found;

	wanted.depth = 1;
	wanted.cpu = -1;
	found = find_entry(builder, &wanted, frames);
	if (!found && builder->profile->n_entries < CODE_PROFILE_ENTRIES / 2 * 3)
		found = append_entry(builder, &wanted, frames);
	if (found)
		return found;
	wanted.cpu = entry->cpu;
	if (builder->profile->n_entries >= 2 * (size_t)CODE_PROFILE_ENTRIES) {
		wanted.cpu = -1;
		wanted.task = code_profile_task(builder, &(struct code_task){-1, -1, 0});
	}
	found = find_entry(builder, &wanted, &frame);
	return found ? found : append_entry(builder, &wanted, &frame);
}

static struct code_entry *find_or_append(struct code_profile_builder *builder,
					 const struct code_entry *entry, const uint32_t *frames)
{
	struct code_entry *found = find_entry(builder, entry, frames);

	if (found)
		return found;
	if (builder->profile->n_entries >= CODE_PROFILE_ENTRIES ||
	    builder->profile->n_frames + entry->depth > CODE_PROFILE_FRAMES)
		return find_or_append_rest(builder, entry, frames);
	return append_entry(builder, entry, frames);
}

static void add_samples(struct code_entry *to, const struct code_entry *entry)
{
	to->samples = u64_sum(to->samples, entry->samples);
	to->weight = u64_sum(to->weight, entry->weight);
	to->squares += entry->squares;
}

void code_profile_add(struct code_profile_builder *builder, const struct code_entry *entry,
		      const uint32_t *frames)
{
	add_samples(find_or_append(builder, entry, frames), entry);
}

uint32_t code_profile_stack(const struct code_profile_builder *builder, const uint32_t *frames,
			    size_t depth)
{
	const struct code_entry *same = find_stack(builder, frames, depth);

	return same ? same->frame : UINT32_MAX;
}

bool code_profile_add_known(struct code_profile_builder *builder, const struct code_entry *entry)
{
	struct code_entry *found = find_known(builder, entry);

	if (found)
		add_samples(found, entry);
	return found;
}

void code_profile_add_lost(struct code_profile_builder *builder, uint64_t samples)
{
	builder->profile->lost = u64_sum(builder->profile->lost, samples);
}

/* Sorts the tasks, and gives the entries their new indices. */
static void sort_tasks(struct code_profile *profile)
{
	uint32_t *moved = xcalloc(profile->n_tasks, sizeof(*moved));
	struct code_task *before = xcalloc(profile->n_tasks, sizeof(*before));

	if (profile->n_tasks > 0) {
		memcpy(before, profile->tasks, profile->n_tasks * sizeof(*before));
		qsort(profile->tasks, profile->n_tasks, sizeof(*before), compare_tasks);
	}
	for (size_t i = 0; i < profile->n_tasks; i++) {
		const struct code_task *now = bsearch(&before[i], profile->tasks, profile->n_tasks,
						      sizeof(*before), compare_tasks);

		moved[i] = (uint32_t)(now - profile->tasks);
	}
	for (size_t i = 0; i < profile->n_entries; i++)
		profile->entries[i].task = moved[profile->entries[i].task];
	free(before);
	free(moved);
}

static int compare_entries(const void *a, const void *b)
{
	const struct code_entry *left = a, *right = b;

	if (left->task != right->task)
		return left->task < right->task ? -1 : 1;
	if (left->event != right->event)
		return left->event < right->event ? -1 : 1;
	if (left->frame != right->frame)
		return left->frame < right->frame ? -1 : 1;
	return (left->cpu > right->cpu) - (left->cpu < right->cpu);
}

static void sort_profile(struct code_profile *profile)
{
	sort_tasks(profile);
	if (profile->n_entries > 0)
		qsort(profile->entries, profile->n_entries, sizeof(*profile->entries),
		      compare_entries);
}

static void *copy_items(const void *items, size_t n, size_t size)
{
	void *copy = n > 0 ? xmalloc(n * size) : NULL;

	if (n > 0)
		memcpy(copy, items, n * size);
	return copy;
}

struct code_profile *code_profile_copy(const struct code_profile_builder *builder)
{
	const struct code_profile *from = builder->profile;
	struct code_profile *copy = xmalloc(sizeof(*copy));

	*copy = *from;
	copy->events = copy_items(from->events, from->n_events, sizeof(*from->events));
	copy->functions = copy_items(from->functions, from->n_functions, sizeof(*from->functions));
	copy->tasks = copy_items(from->tasks, from->n_tasks, sizeof(*from->tasks));
	copy->frames = copy_items(from->frames, from->n_frames, sizeof(*from->frames));
	copy->entries = copy_items(from->entries, from->n_entries, sizeof(*from->entries));
	for (size_t i = 0; i < copy->n_functions; i++)
		copy->functions[i] = copy_function(&from->functions[i]);
	sort_profile(copy);
	return copy;
}

static void free_tables(struct code_profile_builder *builder)
{
	hash_table_fini(&builder->functions);
	hash_table_fini(&builder->tasks);
	hash_table_fini(&builder->entries);
	hash_table_fini(&builder->stacks);
	free(builder);
}

void code_profile_builder_free(struct code_profile_builder *builder)
{
	if (!builder)
		return;
	code_profile_free(builder->profile);
	free_tables(builder);
}

struct code_profile *code_profile_end(struct code_profile_builder *builder)
{
	struct code_profile *profile = builder->profile;

	free_tables(builder);
	sort_profile(profile);
	return profile;
}

/* Frames of the profile become functions of the builder. */
static void add_profile(struct code_profile_builder *builder, const struct code_profile *profile)
{
	uint32_t *functions = xcalloc(profile->n_functions, sizeof(*functions));
	uint32_t *frames = xcalloc(profile->n_frames, sizeof(*frames));

	for (size_t i = 0; i < profile->n_events; i++) /* also those without samples */
		code_profile_event(builder, &profile->events[i]);
	for (size_t i = 0; i < profile->n_functions; i++)
		functions[i] = code_profile_function(builder, &profile->functions[i]);
	for (size_t i = 0; i < profile->n_frames; i++)
		frames[i] = functions[profile->frames[i]];
	for (size_t i = 0; i < profile->n_entries; i++) {
		struct code_entry entry = profile->entries[i];

		entry.task = code_profile_task(builder, &profile->tasks[entry.task]);
		entry.event = code_profile_event(builder, &profile->events[entry.event]);
		code_profile_add(builder, &entry, frames + entry.frame);
	}
	code_profile_add_lost(builder, profile->lost);
	free(frames);
	free(functions);
}

struct code_profile *code_profile_sum(const struct code_profile *a, const struct code_profile *b)
{
	if (!a && !b)
		return NULL;
	struct code_profile_builder *builder = code_profile_builder_new();
	if (a)
		add_profile(builder, a);
	if (b)
		add_profile(builder, b);
	return code_profile_end(builder);
}
