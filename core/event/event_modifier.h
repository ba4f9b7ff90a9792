// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_MODIFIER_H
#define PMCTOP_EVENT_MODIFIER_H

#include "core/base/error.h"
#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The modifiers behind the name of an event, with the letters of perf:
 *
 *	u k h   count in user space, in the kernel, in the hypervisor; several letters add up
 *	G H     count in guests, on the host
 *	I       do not count while the CPU is idle
 *	p P     precise (p to ppp), as precise as possible: for samples, without effect on counts
 *
 * ":uk" and ":u:k" are the same. `text` is empty or begins with a colon. The modifiers are applied
 * to every code of the event. 0, or -EINVAL and a sentence that names the event: for a letter that
 * is unknown, repeated between two colons or contradicts others, and for any letter of a socket's
 * event.
 */
int event_modify(const char *name, const char *text, struct event *event, struct error *err);

/* Applies the levels of the context, unless the name has modifiers for them. */
void event_set_levels(const struct event_context *context, struct event *event);

/* Whether the bytes are only letters from above, at least one. */
bool event_is_modifier(const char *text, size_t length);

#endif
