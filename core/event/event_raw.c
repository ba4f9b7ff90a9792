// SPDX-License-Identifier: MIT
/* r1a8: what a core PMU takes for its config, in hexadecimal. */
#include "core/event/event_resolver.h"

#include <string.h>

int event_raw_resolve(const struct event_context *context, const char *name, struct event *event,
		      const char **rest, struct error *err)
{
	size_t n = event_core_pmus(context);
	uint64_t config;

	(void)err;
	if (name[0] != 'r' || !event_parse_hex(name + 1, ":", &config, rest))
		return EVENT_NOT_MINE;
	event->kind = EVENT_HARDWARE;
	/* With one PMU the kernel finds it by itself; the type 4 is that of every such machine. */
	if (n < 2)
		event_add_code(event, 0, PERF_TYPE_RAW, config);
	else
		for (size_t i = 0; i < n; i++)
			event_add_code(event, i, context->pmus->items[i].type, config);
	return 0;
}
