// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_MODIFIER_H
#define PMCTOP_EVENT_MODIFIER_H

#include "core/base/error.h"
#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What stands behind a name and says when it is counted, with perf's letters:
 *
 *	u k h   in user space, in the kernel, in the hypervisor; several are all of them
 *	G H     in guests, on the host
 *	I       not while the CPU is idle
 *	p P     precise (p to ppp), as precise as it goes: of samples, and nothing to a counter
 *
 * ":uk" and ":u:k" are the same. `text` is empty or begins with a colon. Applied to every code of
 * the event; -EINVAL and a sentence that names the event for a letter unknown, repeated between
 * two colons, or that contradicts others; for letters at all where a PMU counts for everyone.
 */
int event_modify(const char *name, const char *text, struct event *event, struct error *err);

/* What the context says of levels, where the name itself said nothing. */
void event_set_levels(const struct event_context *context, struct event *event);

/* Whether that many bytes hold letters from above and no other, at least one. */
bool event_is_modifier(const char *text, size_t length);

#endif
