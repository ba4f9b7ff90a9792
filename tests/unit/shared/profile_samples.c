// SPDX-License-Identifier: MIT
#include "tests/unit/shared/profile_samples.h"

#include "core/base/util.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

static uint32_t add_function(struct code_profile_builder *builder, char *text)
{
	char *at = strchr(text, '@');
	struct code_function function = {text, at ? at + 1 : "", at ? CODE_USER : CODE_UNNAMED};

	char *why = at ? strchr(at, '!') : NULL;

	if (at)
		*at = '\0';
	if (why) {
		*why = '\0';
		function.kind = CODE_UNNAMED;
		function.why = why + 1;
	}
	if (strcmp(function.module, "[kernel]") == 0)
		function.kind = CODE_KERNEL;
	return code_profile_function(builder, &function);
}

static void add_samples(struct code_profile_builder *builder, const struct profile_samples *from)
{
	char *stack = xstrdup(from->stack), *rest = stack, *frame;
	uint32_t frames[DEPTH_MAX], depth = 0;

	while ((frame = strsep(&rest, ";")) != NULL) {
		assert(depth < DEPTH_MAX);
		frames[depth++] = add_function(builder, frame);
	}
	const struct code_task task = {from->pid, from->tid, from->start_ns};
	struct code_event event = {.counted = UINT_MAX};
	text_copy(event.name, sizeof(event.name), from->event);
	const struct code_entry entry = {
		.task = code_profile_task(builder, &task),
		.event = code_profile_event(builder, &event),
		.cpu = from->cpu,
		.depth = depth,
		.samples = from->samples,
		.weight = from->weight,
		.squares = (double)from->weight * (double)from->weight / (double)from->samples,
	};
	code_profile_add(builder, &entry, frames);
	free(stack);
}

struct code_profile *profile_of_samples(const struct code_event *events, size_t n_events,
					const struct profile_samples *samples, size_t n)
{
	struct code_profile_builder *builder = code_profile_builder_new();

	for (size_t i = 0; i < n_events; i++)
		code_profile_event(builder, &events[i]);
	for (size_t i = 0; i < n; i++)
		add_samples(builder, &samples[i]);
	return code_profile_end(builder);
}
