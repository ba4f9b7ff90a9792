// SPDX-License-Identifier: MIT
/*
 * Times that no event of the kernel's tells, by the names that perf stat has for them: /proc knows.
 */
#include "core/base/util.h"
#include "core/event/event_resolver.h"

#include <string.h>

int event_proc_resolve(const struct event_context *context, const char *name, struct event *event,
		       const char **rest, struct error *err)
{
	(void)err;
	if (!context->sys ||
	    (strcmp(name, EVENT_USER_TIME) != 0 && strcmp(name, EVENT_SYSTEM_TIME) != 0))
		return EVENT_NOT_MINE;
	event->kind = EVENT_PROC;
	text_copy(event->unit, sizeof(event->unit), "ns");
	*rest = name + strlen(name);
	return 0;
}
