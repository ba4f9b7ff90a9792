// SPDX-License-Identifier: MIT
/*
 * The functions of an interval: a profile as it was live, with its names. The samples in the
 * recording are for perf. So a replay shows the same on each machine, opens none of its files, and
 * is the same after a seek.
 *
 * The limits are in core/code/code_profile.h.
 */
#include "core/replay/replay_native.h"

#include "core/base/util.h"
#include "core/code/code_resolver.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 64, NAMES_BYTES_MAX = 64 << 20 };
#define SQUARES_ROUNDING 1e-9

void native_clear_code(struct replay_native *native)
{
	struct native_code *code = &native->code;

	if (code->builder)
		code_profile_free(code_profile_end(code->builder));
	code->builder = NULL;
	code->n_events = code->n_functions = code->names_bytes = 0;
}

void native_free_code(struct replay_native *native)
{
	native_clear_code(native);
	free(native->code.events);
	free(native->code.functions);
}

struct code_profile *native_end_code(struct replay_native *native)
{
	struct code_profile *profile =
		native->code.builder ? code_profile_end(native->code.builder) : NULL;

	native->code.builder = NULL;
	native_clear_code(native);
	return profile;
}

int native_parse_code_events(struct replay_native *native, struct native_words *words)
{
	struct native_code *code = &native->code;
	const struct columns *columns = native->state->columns;
	uint64_t lost = native_word(words);
	size_t n = native_number(words, EVENTS_MAX);
	const uint64_t *counted = native_array(words, n);

	if (words->broken || !native->cut || code->builder)
		return -EBADMSG;
	code->builder = code_profile_builder_new();
	code_profile_add_lost(code->builder, lost);
	code->events = xreallocarray(code->events, n + 1, sizeof(*code->events));
	for (size_t i = 0; i < n; i++) {
		struct code_event event = {.counted = UINT_MAX};
		if (counted[i] < columns->events.n)
			event.counted = (unsigned)counted[i];
		native_text_to(words, event.name, sizeof(event.name));
		code->events[i] = code_profile_event(code->builder, &event);
	}
	code->n_events = n;
	return words->broken ? -EBADMSG : 0;
}

static void add_function(struct native_code *code, struct code_function function)
{
	code->names_bytes += strlen(function.name) + strlen(function.module);
	if (function.why && (!function.why[0] || function.kind != CODE_UNNAMED))
		function.why = NULL;
	code->functions[code->n_functions++] = code_profile_function(code->builder, &function);
}

/* Adds n functions, whose kinds were parsed. */
static void parse_functions(struct native_code *code, struct native_words *words,
			    const uint64_t *kinds, size_t n)
{
	struct code_function *functions = xcalloc(n, sizeof(*functions));
	size_t parsed = 0;

	for (; parsed < n && !words->broken; parsed++) {
		functions[parsed].name = native_bytes(words);
		functions[parsed].module = native_bytes(words);
		functions[parsed].kind = (enum code_kind)kinds[parsed];
		words->broken |= !functions[parsed].name[0] || kinds[parsed] > CODE_REST;
	}
	bool has_why = !words->broken && words->at < words->end;
	for (size_t i = 0; has_why && i < n; i++)
		functions[i].why = native_text(words);
	for (size_t i = 0; i < parsed; i++) {
		if (!words->broken)
			add_function(code, functions[i]);
		xfree(functions[i].name);
		xfree(functions[i].module);
		xfree(functions[i].why);
	}
	free(functions);
}

int native_parse_code_functions(struct replay_native *native, struct native_words *words)
{
	struct native_code *code = &native->code;
	size_t n = native_number(words, CODE_PROFILE_FUNCTIONS + 1 - code->n_functions);
	const uint64_t *kinds = native_array(words, n);

	if (words->broken || !code->builder)
		return -EBADMSG;
	code->functions = array_reserve(code->functions, &code->functions_capacity,
					code->n_functions + n, sizeof(*code->functions));
	parse_functions(code, words, kinds, n);
	return words->broken || code->names_bytes > NAMES_BYTES_MAX ? -EBADMSG : 0;
}

/* Functions of a stack, as they are in the profile. */
static void parse_frames(const struct native_code *code, struct native_words *words, uint32_t depth,
			 uint32_t *frames)
{
	const uint64_t *pairs = native_array(words, (depth + 1) / 2);

	for (uint32_t i = 0; pairs && i < depth; i++) {
		uint32_t function = (uint32_t)(pairs[i / 2] >> (i % 2 * 32));
		words->broken |= function >= code->n_functions;
		if (!words->broken)
			frames[i] = code->functions[function];
	}
}

/* A sum of squares is at most the square of the sum, but for the rounding of both. */
static bool are_squares(double squares, uint64_t sum)
{
	return squares >= 0 && squares <= (double)sum * (double)sum * (1 + SQUARES_ROUNDING);
}

static void parse_entry(struct native_code *code, struct native_words *words)
{
	uint64_t ids = native_word(words);
	struct code_task task = {.pid = (pid_t)(uint32_t)ids,
				 .tid = (pid_t)(uint32_t)(ids >> 32),
				 .start_ns = native_word(words)};
	struct code_entry entry = {0};
	uint32_t frames[CODE_RESOLVER_FRAMES];
	uint64_t event = native_word(words);
	int64_t cpu = (int64_t)native_word(words);

	entry.samples = native_number(words, UINT32_MAX);
	entry.weight = native_number(words, INT64_MAX);
	entry.squares = native_double(words);
	entry.depth = (uint32_t)native_number(words, CODE_RESOLVER_FRAMES);
	words->broken |= !native_is_pid(task.pid) || !native_is_pid(task.tid) ||
			 event >= code->n_events || cpu < -1 || cpu > INT_MAX || entry.depth == 0 ||
			 entry.samples == 0 || !are_squares(entry.squares, entry.weight);
	if (words->broken)
		return;
	parse_frames(code, words, entry.depth, frames);
	if (words->broken)
		return;
	entry.task = code_profile_task(code->builder, &task);
	entry.event = code->events[event];
	entry.cpu = (int)cpu;
	code_profile_add(code->builder, &entry, frames);
}

int native_parse_code_stacks(struct replay_native *native, struct native_words *words)
{
	struct native_code *code = &native->code;
	uint64_t n = native_number(words, (uint64_t)(words->end - words->at));

	for (uint64_t i = 0; i < n && code->builder && !words->broken; i++)
		parse_entry(code, words);
	return words->broken || !code->builder ? -EBADMSG : 0;
}
