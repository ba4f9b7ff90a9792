// SPDX-License-Identifier: MIT
/*
 * SUBSYSTEM:NAME, with its number in a file of tracefs. Names of libpfm4 have colons too
 * (PMU::EVENT, EVENT:UMASK), so a name is a tracepoint for certain only if the subsystem exists.
 */
#include "core/event/event_resolver.h"

#include "core/base/util.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const event_tracefs_roots[EVENT_TRACEFS_ROOTS] = {
	"/sys/kernel/tracing/events",
	"/sys/kernel/debug/tracing/events",
};

struct tracepoint {
	size_t subsystem, length; /* bytes of the name up to its colon, and in total */
	const char *point;
	size_t n_point;
};

static bool split_tracepoint(const char *name, struct tracepoint *tp)
{
	tp->subsystem = strcspn(name, ":");
	tp->point = name + tp->subsystem + (name[tp->subsystem] == ':');
	tp->n_point = strcspn(tp->point, ":");
	tp->length = (size_t)(tp->point - name) + tp->n_point;
	return tp->length <= 128 && event_is_word(name, tp->subsystem) &&
	       event_is_word(tp->point, tp->n_point);
}

int event_tracepoint_resolve(const struct event_context *context, const char *name,
			     struct event *event, const char **rest, struct error *err)
{
	struct tracepoint tp;
	char path[256];
	long id;

	(void)err;
	if (!context->sys || !split_tracepoint(name, &tp))
		return EVENT_NOT_MINE;
	*rest = name + tp.length;
	for (size_t i = 0; i < EVENT_TRACEFS_ROOTS; i++) {
		snprintf(path, sizeof(path), "%s/%.*s/%.*s/id", event_tracefs_roots[i],
			 (int)tp.subsystem, name, (int)tp.n_point, tp.point);
		if (proc_number(context->sys, path, &id) < 0 || id < 0)
			continue;
		event->kind = EVENT_SOFTWARE;
		event_add_code(event, 0, PERF_TYPE_TRACEPOINT, (uint64_t)id);
		return 0;
	}
	return EVENT_NOT_MINE;
}

static int stop_at_first(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

int event_tracepoint_explain(const struct event_context *context, const char *name,
			     struct error *err)
{
	struct tracepoint tp;
	char path[256];
	int found = -ENOENT;

	if (!context->sys || !split_tracepoint(name, &tp))
		return 0;
	struct quoted quoted = event_quote(name, tp.length);
	for (size_t i = 0; found == -ENOENT && i < EVENT_TRACEFS_ROOTS; i++) {
		found = sys_dir_each(context->sys, event_tracefs_roots[i], stop_at_first, NULL);
		snprintf(path, sizeof(path), "%s/%.*s", event_tracefs_roots[i], (int)tp.subsystem,
			 name);
		if (found == 0 && sys_dir_each(context->sys, path, stop_at_first, NULL) == 0)
			return error_set(err, -ENOENT,
					 "There is no tracepoint '%s'. To see all of "
					 "'%s': --list events %s:",
					 quoted.text, event_quote(name, tp.subsystem).text,
					 event_quote(name, tp.subsystem).text);
	}
	if (found == 0)
		return 0;
	if (found == -EACCES || found == -EPERM)
		return error_set(err, -EACCES,
				 "Unknown event '%s'. If it is a tracepoint: only "
				 "root may read its number in tracefs. Try sudo.",
				 quoted.text);
	return error_set(err, -ENOENT,
			 "Unknown event '%s'. Tracepoints need tracefs: sudo mount "
			 "-t tracefs tracefs /sys/kernel/tracing",
			 quoted.text);
}
