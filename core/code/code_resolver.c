// SPDX-License-Identifier: MIT
/*
 * A sample becomes a run of frames when it is copied: addresses of the kernel, then of the process.
 * At the cut each frame becomes the number of its place, each place a function, each run of frames
 * a stack of the profile.
 */
#include "core/code/code_resolver.h"

#include "core/base/error.h"
#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/code/symbol_client.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { WAITS_NOTED = 2, COMPLETED_MOST = 4096 }; /* samples that are searched */

struct frames {
	uint32_t first; /* in the addresses */
	uint16_t kernel, user;
};

struct held_sample {
	pid_t pid, tid;
	uint32_t cpu;
	uint32_t event;
	uint64_t weight, time_ns, cookie;
	struct frames frames;
};

struct code_resolver {
	struct code_names *names;
	struct symbol_client *client; /* NULL: the caller has given other functions */
	code_resolver_mapped *mapped; /* NULL: none */
	void *mapped_arg;
	uint64_t odd; /* of keys */
	char note[256];
	bool late; /* at the last cut some places had no function yet */
	uint64_t lost;
	struct held_sample *samples;
	size_t n_samples, samples_capacity;
	uint64_t *addresses;
	size_t n_addresses, addresses_capacity;
};

/* What a cut needs besides. */
struct cut {
	uint64_t odd;
	struct code_place *places; /* each once */
	size_t n_places, capacity;
	struct hash_table numbers;   /* of places + 1, by hash */
	uint32_t *place_of_address;  /* index in places, of each address */
	uint32_t *function_of_place; /* index in the profile */
};

static enum symbol_file client_file(void *ctx, uint64_t key)
{
	return symbol_client_file(ctx, key);
}

static int client_add(void *ctx, uint64_t key, int binary, int debug)
{
	return symbol_client_add(ctx, key, binary, debug);
}

static size_t client_find(void *ctx, const struct symbol_query *queries, size_t n,
			  uint64_t deadline_ns, symbol_found *found, void *arg)
{
	return symbol_client_find(ctx, queries, n, deadline_ns, found, arg);
}

static int client_locate(void *ctx, uint64_t key, const char *name, uint64_t deadline_ns,
			 uint64_t *address)
{
	return symbol_client_locate(ctx, key, name, deadline_ns, address);
}

static int client_demangle(void *ctx, const char *mangled, uint64_t deadline_ns,
			   char name[SYMBOL_NAME_BYTES])
{
	return symbol_client_demangle(ctx, mangled, deadline_ns, name);
}

struct code_resolver *code_resolver_new(const struct code_names_config *config)
{
	struct code_resolver *resolver = xcalloc(1, sizeof(*resolver));
	struct code_names_config used = *config;

	if (!used.symbols.find) {
		resolver->client =
			symbol_client_new(&(struct symbol_client_config){.executable = NULL});
		used.symbols =
			(struct code_symbols){client_file,   client_add,      client_find,
					      client_locate, client_demangle, resolver->client};
	}
	resolver->names = code_names_new(&used);
	resolver->odd = hash_random_odd();
	return resolver;
}

void code_resolver_free(struct code_resolver *resolver)
{
	if (!resolver)
		return;
	code_names_free(resolver->names);
	symbol_client_free(resolver->client);
	free(resolver->samples);
	free(resolver->addresses);
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

bool code_resolver_is_full(const struct code_resolver *resolver)
{
	return resolver->n_samples >= CODE_RESOLVER_SAMPLES ||
	       resolver->n_addresses + CODE_RESOLVER_FRAMES > CODE_RESOLVER_ADDRESSES;
}

void code_resolver_sample(void *user, const struct code_sample *sample)
{
	struct code_resolver *resolver = user;
	struct frames frames = {.first = (uint32_t)resolver->n_addresses};

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
	add_frame(resolver, &frames, sample->ip, sample->kernel);
	add_chain(resolver, sample, &frames);
	resolver->samples[resolver->n_samples++] = (struct held_sample){
		.pid = sample->pid,
		.tid = sample->tid,
		.cpu = sample->cpu,
		.event = sample->event,
		.weight = sample->weight,
		.time_ns = sample->time_ns,
		.cookie = sample->cookie,
		.frames = frames,
	};
}

/* Gives a sample new frames: those that it has, and callers behind them. */
static void append_callers(struct code_resolver *resolver, struct held_sample *sample,
			   const struct code_sample *callers)
{
	struct frames frames = {.first = (uint32_t)resolver->n_addresses};
	size_t kept = (size_t)sample->frames.kernel + sample->frames.user;

	if (resolver->n_addresses + CODE_RESOLVER_FRAMES > CODE_RESOLVER_ADDRESSES)
		return;
	resolver->addresses = array_reserve(resolver->addresses, &resolver->addresses_capacity,
					    resolver->n_addresses + CODE_RESOLVER_FRAMES,
					    sizeof(*resolver->addresses));
	for (size_t i = 0; i < kept; i++)
		add_frame(resolver, &frames, resolver->addresses[sample->frames.first + i],
			  i < sample->frames.kernel);
	add_chain(resolver, callers, &frames);
	sample->frames = frames;
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
	uint64_t key =
		(wanted->address ^ (uint64_t)(uint32_t)wanted->pid << 47 ^ wanted->past) * cut->odd;
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

static void collect_places(const struct code_resolver *resolver, struct cut *cut)
{
	const struct code_maps *maps = code_names_maps(resolver->names);

	cut->place_of_address = xcalloc(resolver->n_addresses, sizeof(*cut->place_of_address));
	for (size_t i = 0; i < resolver->n_samples; i++) {
		const struct held_sample *sample = &resolver->samples[i];
		const struct frames *frames = &sample->frames;

		for (uint32_t f = 0; f < (uint32_t)frames->kernel + frames->user; f++) {
			struct code_place place = {
				.kernel = f < frames->kernel,
				.address = resolver->addresses[frames->first + f],
			};

			if (!place.kernel) {
				place.pid = sample->pid;
				place.past = code_maps_past(maps, place.pid, place.address,
							    sample->time_ns);
			}
			cut->place_of_address[frames->first + f] = place_number(cut, &place);
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

/* Sets the function in the profile of each place. */
static void add_functions(struct code_resolver *resolver, struct cut *cut,
			  struct code_profile_builder *builder)
{
	cut->function_of_place = xcalloc(cut->n_places, sizeof(*cut->function_of_place));
	for (size_t i = 0; i < cut->n_places; i++) {
		const struct code_place *place = &cut->places[i];
		uint32_t id = place->id ? place->id : code_names_unresolved(resolver->names, place);

		cut->function_of_place[i] =
			code_profile_function(builder, code_names_function(resolver->names, id));
	}
}

static void add_samples(const struct code_resolver *resolver, const struct cut *cut,
			struct code_profile_builder *builder, const uint32_t *events,
			size_t n_events, code_task_start *task_start, void *arg)
{
	for (size_t i = 0; i < resolver->n_samples; i++) {
		const struct held_sample *sample = &resolver->samples[i];
		struct code_task task = {sample->pid, sample->tid,
					 task_start ? task_start(arg, sample->tid, sample->time_ns)
						    : 0};
		struct code_entry entry = {
			.cpu = (int)sample->cpu,
			.depth = (uint32_t)sample->frames.kernel + sample->frames.user,
			.samples = 1,
			.weight = sample->weight,
			.squares = (double)sample->weight * (double)sample->weight,
		};
		uint32_t stack[CODE_RESOLVER_FRAMES];

		if (sample->event >= n_events) {
			code_profile_add_lost(builder, 1);
			continue;
		}
		entry.event = events[sample->event];
		entry.task = code_profile_task(builder, &task);
		for (uint32_t f = 0; f < entry.depth; f++)
			stack[f] =
				cut->function_of_place[cut->place_of_address[sample->frames.first +
									     f]];
		code_profile_add(builder, &entry, stack);
	}
}

static void clear_samples(struct code_resolver *resolver)
{
	resolver->samples = array_give_back(resolver->samples, &resolver->samples_capacity,
					    resolver->n_samples, sizeof(*resolver->samples));
	resolver->addresses = array_give_back(resolver->addresses, &resolver->addresses_capacity,
					      resolver->n_addresses, sizeof(*resolver->addresses));
	resolver->n_samples = resolver->n_addresses = 0;
	resolver->lost = 0;
}

struct code_profile *code_resolver_cut(struct code_resolver *resolver,
				       const struct code_event *events, size_t n_events,
				       code_task_start *task_start, void *arg, uint64_t deadline_ns)
{
	struct code_profile_builder *builder = code_profile_builder_new();
	struct cut cut = {.odd = resolver->odd};
	uint32_t *numbers = xcalloc(n_events, sizeof(*numbers));

	hash_table_init(&cut.numbers, 0);
	for (size_t i = 0; i < n_events; i++)
		numbers[i] = code_profile_event(builder, &events[i]);
	collect_places(resolver, &cut);
	resolver->late = code_names_resolve(resolver->names, cut.places, cut.n_places,
					    deadline_ns) < cut.n_places;
	add_functions(resolver, &cut, builder);
	report_mappings(resolver, &cut);
	code_maps_drop_past(code_names_maps(resolver->names));
	add_samples(resolver, &cut, builder, numbers, n_events, task_start, arg);
	code_profile_add_lost(builder, resolver->lost);
	clear_samples(resolver);
	hash_table_fini(&cut.numbers);
	free(cut.places);
	free(cut.place_of_address);
	free(cut.function_of_place);
	free(numbers);
	return code_profile_end(builder);
}

void code_resolver_drop(struct code_resolver *resolver)
{
	code_maps_drop_past(code_names_maps(resolver->names));
	clear_samples(resolver);
}

/* The note */

static const char *remedy_of_start(int error)
{
	switch (-error) {
	case EAGAIN:
		return " Raise the limit: ulimit -u";
	case EMFILE:
	case ENFILE:
		return error_remedy(error);
	case ENOENT:
	case EACCES:
		return " Is /proc mounted, and pmctop's file still there?";
	}
	return " Start pmctop again.";
}

/* Why names are missing since the child ended. */
static void note_end(const struct symbol_status *status, char *note, size_t size)
{
	char times[32] = "", cause[32] = "";

	if (status->restarts > 0)
		snprintf(times, sizeof(times), " %u times%s", status->restarts + 1,
			 WIFSIGNALED(status->wait_status) ? ", last" : "");
	if (WIFSIGNALED(status->wait_status))
		snprintf(cause, sizeof(cause), " by signal %d", WTERMSIG(status->wait_status));
	snprintf(
		note, size,
		"Some functions have no names: the process that reads symbols ended%s%s. It starts "
		"again.",
		times, cause);
}

/* Names that are known already need no child, so its end alone is no reason for a note. */
static const char *note_of_client(struct code_resolver *resolver)
{
	struct symbol_status status = {.state = SYMBOL_IDLE};

	if (resolver->client)
		symbol_client_status(resolver->client, &status);
	if (status.state == SYMBOL_FAILED)
		snprintf(resolver->note, sizeof(resolver->note),
			 "Functions have no names: the process that reads symbols cannot be "
			 "started (%s).%s",
			 error_why(status.error), remedy_of_start(status.error));
	else if (status.state == SYMBOL_WAITING && resolver->late)
		note_end(&status, resolver->note, sizeof(resolver->note));
	else if (status.waits >= WAITS_NOTED && resolver->late)
		snprintf(resolver->note, sizeof(resolver->note),
			 "Some functions have no names: the process that reads symbols does not "
			 "answer.");
	else if (status.refused > 0)
		snprintf(resolver->note, sizeof(resolver->note),
			 "The functions of %u file%s have no names: the process that reads "
			 "symbols ended twice at %s.",
			 status.refused, status.refused == 1 ? "" : "s",
			 status.refused == 1 ? "it" : "each");
	else
		return NULL;
	return resolver->note;
}

const char *code_resolver_note(struct code_resolver *resolver)
{
	const char *kernel = kernel_symbols_why(code_names_kernel(resolver->names));

	return kernel ? kernel : note_of_client(resolver);
}
