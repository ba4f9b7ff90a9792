// SPDX-License-Identifier: MIT
/*
 * A sample becomes a run of frames when it is copied: addresses of the kernel, then of the process.
 * At the cut each frame becomes the number of its place, each place a function, each run of frames
 * a stack of the profile.
 *
 * Samples of a recording repeat some thousand runs of frames, and come in the order of time. So
 * samples of one process share a run until a record changes its mappings, also after a cut while
 * the profile grows. Records and samples of a live system come in any order: each has a run of its
 * own.
 */
#include "core/code/code_resolver.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLETED_MOST = 4096 }; /* samples that are searched */

struct frames {
	uint32_t first; /* in the addresses */
	uint16_t kernel, user;
};

/* A run of frames of a process. */
struct held_stack {
	struct frames frames;
	pid_t pid;
	uint32_t known;   /* first frame in the growing profile; UINT32_MAX: not yet there */
	unsigned cut;     /* in which it had its last sample */
	uint64_t change;  /* of the names, when it was copied */
	uint64_t time_ns; /* of its first sample */
};

struct held_sample {
	uint32_t stack; /* index */
	pid_t tid;
	uint32_t cpu;
	uint32_t event;
	uint64_t weight, time_ns, cookie;
};

struct code_resolver {
	struct code_names *names;
	struct code_lanes *lanes;     /* NULL: the caller has given other helpers */
	struct code_lanes *owned;     /* NULL: the lanes are the caller's */
	code_resolver_mapped *mapped; /* NULL: none */
	void *mapped_arg;
	uint64_t random; /* in keys */
	bool ordered;    /* samples and records come in the order of time: stacks are shared */
	bool late;       /* at the last cut some places had no function yet */
	uint64_t lost;
	struct held_sample *samples;
	size_t n_samples, samples_capacity;
	struct held_stack *stacks;
	size_t n_stacks, stacks_capacity;
	size_t n_resolved;        /* stacks of earlier cuts: their addresses have functions */
	struct hash_table shared; /* index + 1 of stacks */
	uint64_t *addresses;
	size_t n_addresses, addresses_capacity;
	uint32_t *functions; /* of these addresses: indices in the growing profile */
	size_t functions_capacity;
	unsigned cuts;
	struct code_profile_builder *growing; /* NULL: begins at the next cut */
};

/* What a cut needs besides. */
struct cut {
	uint64_t random;
	struct code_place *places; /* each once */
	size_t n_places, capacity;
	struct hash_table numbers;   /* of places + 1, by hash */
	uint32_t *function_of_place; /* index in the profile */
};

struct code_resolver *code_resolver_new(const struct code_names_config *config,
					struct code_lanes *lanes)
{
	struct code_resolver *resolver = xcalloc(1, sizeof(*resolver));
	struct code_names_config used = *config;

	resolver->lanes = lanes;
	if (!lanes && !config->helpers.open)
		resolver->lanes = resolver->owned = code_lanes_new(&(struct code_lanes_config){
			.sys = config->sys,
			.recording = config->recording,
			.symfs = config->symfs,
			.build_id_cache = config->build_id_cache,
		});
	if (resolver->lanes)
		used.helpers = code_lanes_helpers(resolver->lanes);
	resolver->names = code_names_new(&used);
	resolver->random = hash_random_odd();
	resolver->ordered = config->recording;
	hash_table_init(&resolver->shared, 0);
	return resolver;
}

void code_resolver_free(struct code_resolver *resolver)
{
	if (!resolver)
		return;
	code_names_free(resolver->names);
	code_lanes_free(resolver->owned);
	code_profile_builder_free(resolver->growing);
	hash_table_fini(&resolver->shared);
	free(resolver->samples);
	free(resolver->stacks);
	free(resolver->addresses);
	free(resolver->functions);
	free(resolver);
}

struct code_names *code_resolver_names(struct code_resolver *resolver)
{
	return resolver->names;
}

void code_resolver_watch(struct code_resolver *resolver, code_resolver_mapped *mapped, void *arg)
{
	resolver->mapped = mapped;
	resolver->mapped_arg = arg;
}

void code_resolver_lost(struct code_resolver *resolver, uint64_t samples)
{
	resolver->lost += samples;
}

/* Copying samples */

static void add_frame(struct code_resolver *resolver, struct frames *frames, uint64_t address,
		      bool kernel)
{
	if (frames->kernel + frames->user >= CODE_RESOLVER_FRAMES)
		return;
	resolver->addresses[resolver->n_addresses++] = address;
	*(kernel ? &frames->kernel : &frames->user) += 1;
}

/*
 * The address behind a mark is where the task was in that space, the others are return addresses.
 * The one behind the first mark is the sample's own, unless the chain of the kernel is left out.
 * Frames of a guest and of marks that are not known are skipped.
 */
static void add_chain(struct code_resolver *resolver, const struct code_sample *sample,
		      struct frames *frames)
{
	bool kernel = false, known = false, exact = false;

	for (size_t i = 0; i < sample->n_chain; i++) {
		uint64_t address = sample->chain[i];

		if (address >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
			known = kernel || address == (uint64_t)PERF_CONTEXT_USER;
			exact = true;
			continue;
		}
		bool own = exact && address == sample->ip && kernel == sample->kernel &&
			   frames->kernel + frames->user == 1;
		bool misplaced = kernel && frames->user > 0;
		if (known && !own && !misplaced && address != 0)
			add_frame(resolver, frames, exact ? address : address - 1, kernel);
		exact = false;
	}
}

static uint32_t depth_of(const struct frames *frames)
{
	return (uint32_t)frames->kernel + frames->user;
}

static bool is_same_stack(const struct code_resolver *resolver, const struct held_stack *a,
			  const struct held_stack *b)
{
	return a->pid == b->pid && a->change == b->change && a->frames.user == b->frames.user &&
	       a->frames.kernel == b->frames.kernel &&
	       memcmp(&resolver->addresses[a->frames.first], &resolver->addresses[b->frames.first],
		      depth_of(&a->frames) * sizeof(*resolver->addresses)) == 0;
}

static uint64_t key_of_stack(const struct code_resolver *resolver, const struct held_stack *stack)
{
	const uint64_t *addresses = &resolver->addresses[stack->frames.first];
	uint64_t key = resolver->random ^ (uint32_t)stack->pid;

	for (uint32_t i = 0; i < depth_of(&stack->frames); i++)
		key = (key ^ addresses[i]) * 0x9e3779b97f4a7c15ull ^ key >> 32;
	return hash_mix(resolver->random, key ^ stack->change);
}

static uint32_t append_stack(struct code_resolver *resolver, const struct held_stack *stack)
{
	resolver->stacks = array_reserve(resolver->stacks, &resolver->stacks_capacity,
					 resolver->n_stacks + 1, sizeof(*resolver->stacks));
	resolver->stacks[resolver->n_stacks] = *stack;
	return (uint32_t)resolver->n_stacks++;
}

/* Returns the index of a stack. Its addresses are the last ones; if it is known they are dropped.
 */
static uint32_t share_stack(struct code_resolver *resolver, const struct held_stack *stack)
{
	uint64_t key = key_of_stack(resolver, stack);
	struct hash_slot *slot = hash_table_slot(&resolver->shared, key);

	while (slot->number && !is_same_stack(resolver, &resolver->stacks[slot->number - 1], stack))
		slot = hash_table_next(&resolver->shared, slot);
	if (slot->number) {
		resolver->n_addresses = stack->frames.first;
		return (uint32_t)slot->number - 1;
	}
	uint32_t index = append_stack(resolver, stack);
	hash_table_add(&resolver->shared, key)->number = (size_t)index + 1;
	return index;
}

static uint32_t keep_stack(struct code_resolver *resolver, const struct held_stack *stack)
{
	return resolver->ordered ? share_stack(resolver, stack) : append_stack(resolver, stack);
}

static bool has_room_for_stack(const struct code_resolver *resolver)
{
	return resolver->n_stacks < CODE_RESOLVER_SAMPLES &&
	       resolver->n_addresses + CODE_RESOLVER_FRAMES <= CODE_RESOLVER_ADDRESSES;
}

bool code_resolver_is_full(const struct code_resolver *resolver)
{
	return resolver->n_samples >= CODE_RESOLVER_SAMPLES || !has_room_for_stack(resolver);
}

void code_resolver_sample(void *user, const struct code_sample *sample)
{
	struct code_resolver *resolver = user;
	struct held_stack stack = {
		.frames.first = (uint32_t)resolver->n_addresses,
		.pid = sample->pid,
		.known = UINT32_MAX,
		.cut = resolver->cuts,
		.time_ns = sample->time_ns,
	};

	if (code_resolver_is_full(resolver)) {
		resolver->lost++;
		return;
	}
	resolver->addresses = array_reserve(resolver->addresses, &resolver->addresses_capacity,
					    resolver->n_addresses + CODE_RESOLVER_FRAMES,
					    sizeof(*resolver->addresses));
	resolver->samples = array_reserve(resolver->samples, &resolver->samples_capacity,
					  resolver->n_samples + 1, sizeof(*resolver->samples));
	kernel_symbols_prepare(code_names_kernel(resolver->names), sample->kernel);
	add_frame(resolver, &stack.frames, sample->ip, sample->kernel);
	add_chain(resolver, sample, &stack.frames);
	if (resolver->ordered)
		stack.change = code_names_change(resolver->names, sample->pid);
	resolver->samples[resolver->n_samples++] = (struct held_sample){
		.stack = keep_stack(resolver, &stack),
		.tid = sample->tid,
		.cpu = sample->cpu,
		.event = sample->event,
		.weight = sample->weight,
		.time_ns = sample->time_ns,
		.cookie = sample->cookie,
	};
}

/* Gives a sample another stack: that which it has, and callers behind it. */
static void append_callers(struct code_resolver *resolver, struct held_sample *sample,
			   const struct code_sample *callers)
{
	struct held_stack stack = resolver->stacks[sample->stack];
	const struct frames kept = stack.frames;

	if (!has_room_for_stack(resolver))
		return;
	resolver->addresses = array_reserve(resolver->addresses, &resolver->addresses_capacity,
					    resolver->n_addresses + CODE_RESOLVER_FRAMES,
					    sizeof(*resolver->addresses));
	stack.frames = (struct frames){.first = (uint32_t)resolver->n_addresses};
	stack.known = UINT32_MAX;
	stack.cut = resolver->cuts;
	for (uint32_t i = 0; i < depth_of(&kept); i++)
		add_frame(resolver, &stack.frames, resolver->addresses[kept.first + i],
			  i < kept.kernel);
	add_chain(resolver, callers, &stack.frames);
	sample->stack = keep_stack(resolver, &stack);
	sample->cookie = 0;
}

void code_resolver_complete(struct code_resolver *resolver, const struct code_sample *callers)
{
	size_t i = resolver->n_samples;
	size_t end = i > COMPLETED_MOST ? i - COMPLETED_MOST : 0;

	while (i-- > end) {
		struct held_sample *sample = &resolver->samples[i];

		if (sample->cookie == callers->cookie && sample->tid == callers->tid)
			append_callers(resolver, sample, callers);
	}
}

/* The cut */

static uint32_t place_number(struct cut *cut, const struct code_place *wanted)
{
	uint64_t task = (uint64_t)(uint32_t)wanted->pid << 32 | wanted->past;
	uint64_t key = hash_mix(cut->random, hash_mix(cut->random, task) ^ wanted->address);
	struct hash_slot *slot = hash_table_slot(&cut->numbers, key);
	while (slot->number) {
		const struct code_place *place = &cut->places[slot->number - 1];

		if (place->pid == wanted->pid && place->address == wanted->address &&
		    place->kernel == wanted->kernel && place->past == wanted->past)
			return (uint32_t)slot->number - 1;
		slot = hash_table_next(&cut->numbers, slot);
	}
	cut->places =
		array_reserve(cut->places, &cut->capacity, cut->n_places + 1, sizeof(*cut->places));
	cut->places[cut->n_places++] = *wanted;
	hash_table_add(&cut->numbers, key)->number = cut->n_places;
	return (uint32_t)cut->n_places - 1;
}

/* Sets the functions of addresses to the numbers of their places. */
static void collect_places(struct code_resolver *resolver, struct cut *cut)
{
	const struct code_maps *maps = code_names_maps(resolver->names);

	resolver->functions = array_reserve(resolver->functions, &resolver->functions_capacity,
					    resolver->n_addresses, sizeof(*resolver->functions));
	for (size_t i = resolver->n_resolved; i < resolver->n_stacks; i++) {
		const struct held_stack *stack = &resolver->stacks[i];
		const struct frames *frames = &stack->frames;

		for (uint32_t f = 0; f < depth_of(frames); f++) {
			struct code_place place = {
				.kernel = f < frames->kernel,
				.address = resolver->addresses[frames->first + f],
			};

			if (!place.kernel) {
				place.pid = stack->pid;
				place.past = code_maps_past(maps, place.pid, place.address,
							    stack->time_ns);
			}
			resolver->functions[frames->first + f] = place_number(cut, &place);
		}
	}
}

static void report_mappings(struct code_resolver *resolver, const struct cut *cut)
{
	const struct code_maps *maps = code_names_maps(resolver->names);
	const struct code_mapping *last = NULL;

	for (size_t i = 0; resolver->mapped && i < cut->n_places; i++) {
		const struct code_place *place = &cut->places[i];
		const struct code_process *process =
			place->kernel ? NULL : code_maps_find(maps, place->pid);
		const struct code_mapping *mapping =
			process && !place->past ? code_process_find(process, place->address) : NULL;

		if (mapping && mapping != last)
			resolver->mapped(resolver->mapped_arg, place->pid, mapping);
		last = mapping;
	}
}

/* The function in the profile of each place. */
static void add_functions(struct code_resolver *resolver, struct cut *cut)
{
	cut->function_of_place = xcalloc(cut->n_places, sizeof(*cut->function_of_place));
	for (size_t i = 0; i < cut->n_places; i++) {
		const struct code_place *place = &cut->places[i];
		uint32_t id = place->id ? place->id : code_names_unresolved(resolver->names, place);

		cut->function_of_place[i] = code_profile_function(
			resolver->growing, code_names_function(resolver->names, id));
	}
}

static void set_functions(struct code_resolver *resolver, const struct cut *cut)
{
	for (size_t i = resolver->n_resolved; i < resolver->n_stacks; i++) {
		const struct frames *frames = &resolver->stacks[i].frames;

		for (uint32_t f = frames->first; f < frames->first + depth_of(frames); f++)
			resolver->functions[f] = cut->function_of_place[resolver->functions[f]];
	}
	resolver->n_resolved = resolver->n_stacks;
}

/* The processes of stacks that are known count as used, so that the others are dropped first. */
static void mark_used(struct code_resolver *resolver, struct held_stack *stack)
{
	if (stack->cut != resolver->cuts)
		code_maps_process(code_names_maps(resolver->names), stack->pid);
	stack->cut = resolver->cuts;
}

static void add_samples(struct code_resolver *resolver, const uint32_t *events, size_t n_events,
			code_task_start *task_start, void *arg)
{
	struct code_profile_builder *builder = resolver->growing;

	for (size_t i = 0; i < resolver->n_samples; i++) {
		const struct held_sample *sample = &resolver->samples[i];
		struct held_stack *stack = &resolver->stacks[sample->stack];
		const uint32_t *functions = &resolver->functions[stack->frames.first];
		struct code_task task = {stack->pid, sample->tid,
					 task_start ? task_start(arg, sample->tid, sample->time_ns)
						    : 0};
		struct code_entry entry = {
			.cpu = (int)sample->cpu,
			.frame = stack->known,
			.depth = depth_of(&stack->frames),
			.samples = 1,
			.weight = sample->weight,
			.squares = (double)sample->weight * (double)sample->weight,
		};

		mark_used(resolver, stack);
		if (sample->event >= n_events) {
			code_profile_add_lost(builder, 1);
			continue;
		}
		entry.event = events[sample->event];
		entry.task = code_profile_task(builder, &task);
		if (stack->known != UINT32_MAX && code_profile_add_known(builder, &entry))
			continue;
		code_profile_add(builder, &entry, functions);
		stack->known = code_profile_stack(builder, functions, entry.depth);
	}
}

static void clear_samples(struct code_resolver *resolver)
{
	resolver->samples = array_give_back(resolver->samples, &resolver->samples_capacity,
					    resolver->n_samples, sizeof(*resolver->samples));
	resolver->n_samples = 0;
	resolver->lost = 0;
}

static void clear_stacks(struct code_resolver *resolver)
{
	resolver->stacks = array_give_back(resolver->stacks, &resolver->stacks_capacity,
					   resolver->n_stacks, sizeof(*resolver->stacks));
	resolver->addresses = array_give_back(resolver->addresses, &resolver->addresses_capacity,
					      resolver->n_addresses, sizeof(*resolver->addresses));
	resolver->functions = array_give_back(resolver->functions, &resolver->functions_capacity,
					      resolver->n_addresses, sizeof(*resolver->functions));
	resolver->n_stacks = resolver->n_resolved = resolver->n_addresses = 0;
	hash_table_clear(&resolver->shared);
}

void code_resolver_gather(struct code_resolver *resolver, const struct code_event *events,
			  size_t n_events, code_task_start *task_start, void *arg,
			  uint64_t deadline_ns)
{
	struct cut cut = {.random = resolver->random};
	uint32_t *numbers = xcalloc(n_events, sizeof(*numbers));

	if (!resolver->growing)
		resolver->growing = code_profile_builder_new();
	resolver->cuts++;
	hash_table_init(&cut.numbers, 0);
	for (size_t i = 0; i < n_events; i++)
		numbers[i] = code_profile_event(resolver->growing, &events[i]);
	collect_places(resolver, &cut);
	resolver->late = code_names_resolve(resolver->names, cut.places, cut.n_places,
					    deadline_ns) < cut.n_places;
	add_functions(resolver, &cut);
	set_functions(resolver, &cut);
	report_mappings(resolver, &cut);
	add_samples(resolver, numbers, n_events, task_start, arg);
	code_maps_drop_past(code_names_maps(resolver->names));
	code_profile_add_lost(resolver->growing, resolver->lost);
	clear_samples(resolver);
	if (!resolver->ordered || resolver->late || !has_room_for_stack(resolver))
		clear_stacks(resolver);
	hash_table_fini(&cut.numbers);
	free(cut.places);
	free(cut.function_of_place);
	free(numbers);
}

struct code_profile *code_resolver_copy(const struct code_resolver *resolver)
{
	return resolver->growing ? code_profile_copy(resolver->growing) : NULL;
}

struct code_profile *code_resolver_cut(struct code_resolver *resolver,
				       const struct code_event *events, size_t n_events,
				       code_task_start *task_start, void *arg, uint64_t deadline_ns)
{
	code_resolver_gather(resolver, events, n_events, task_start, arg, deadline_ns);
	struct code_profile *profile = code_profile_end(resolver->growing);

	resolver->growing = NULL;
	clear_stacks(resolver);
	return profile;
}

void code_resolver_drop(struct code_resolver *resolver)
{
	code_maps_drop_past(code_names_maps(resolver->names));
	code_profile_builder_free(resolver->growing);
	resolver->growing = NULL;
	clear_samples(resolver);
	clear_stacks(resolver);
}

const char *code_resolver_note(struct code_resolver *resolver)
{
	const char *note =
		resolver->lanes ? code_lanes_note(resolver->lanes, resolver->late) : NULL;

	return note ? note : kernel_symbols_why(code_names_kernel(resolver->names));
}
