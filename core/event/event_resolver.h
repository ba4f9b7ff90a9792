// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_RESOLVER_H
#define PMCTOP_EVENT_RESOLVER_H

#include "core/base/suggest.h"
#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the resolvers share; only event*.c include this. A resolver reads a name from its front as
 * far as it understands, fills kind and codes of an event that is otherwise ready, and says in
 * *rest where it stopped: modifiers stand there, or the end. It returns 0, EVENT_NOT_MINE where
 * the name is none of its kind (the event is as before), or -errno and a sentence. The context is
 * never NULL; its members may be. Whoever calls gives the event up after an error.
 */
enum { EVENT_NOT_MINE = 1 };

typedef int event_resolver_fn(const struct event_context *context, const char *name,
			      struct event *event, const char **rest, struct error *err);

event_resolver_fn event_generic_resolve, event_sysfs_resolve, event_alias_resolve,
	event_raw_resolve, event_tracepoint_resolve, event_breakpoint_resolve, event_probe_resolve,
	event_pfm_resolve, event_proc_resolve;

/*
 * Why a name that nobody knows may be a tracepoint nevertheless: -errno and a sentence, or 0 where
 * there is nothing to say.
 */
int event_tracepoint_explain(const struct event_context *context, const char *name,
			     struct error *err);

/* The first name of a generic event, by any of its names ("cs": "context-switches"), or NULL. */
const char *event_generic_title(const char *name);
/* That of what the kernel counts by such a type and config, or NULL. */
const char *event_generic_name(uint32_t type, uint64_t config);

/* Names that the resolvers know, to find what is near. */
void event_generic_suggest(struct suggest *suggest);
void event_pfm_suggest(struct suggest *suggest);

/* The names in sysfs that PMUs give to events, for suggest: a list that lives as long as it. */
struct event_aliases {
	char **names;
	size_t n, capacity;
};
void event_alias_list(const struct event_context *context, struct event_aliases *aliases);
void event_alias_list_fini(struct event_aliases *aliases);
/* Adds a name to the struct event_aliases in `arg`; 1 once that is full. For sys_dir_each(). */
int event_alias_add(void *arg, const char *name);

/*
 * Appends a code with attr's size, type and config, for the CPUs: without guests where `kind` of
 * the event, set before, is HARDWARE. The address is good until the next one is added.
 */
struct perf_event_attr *event_add_code(struct event *event, size_t pmu, uint32_t type,
				       uint64_t config);

/* The core PMUs that have a name: the first that many of pmus->items. */
size_t event_core_pmus(const struct event_context *context);

/* A type and config that every core PMU knows: a code for each where there are several. */
void event_add_generic(const struct event_context *context, struct event *event, uint32_t type,
		       uint64_t config);

/*
 * "12" or "0x1f", whole or up to one of the characters in `ends`; *end is behind it. False where
 * there is none, or more than 64 bits; then *number and *end are not to be used.
 */
bool event_parse_number(const char *text, const char *ends, uint64_t *number, const char **end);
/* Hexadecimal digits without 0x, at most 16. */
bool event_parse_hex(const char *text, const char *ends, uint64_t *number, const char **end);

/* At most so many bytes of a text, fit to be quoted in a sentence: printable and short. */
struct quoted {
	char text[128];
};
struct quoted event_quote(const char *text, size_t length);

/* Without the locale, as all of core. */
bool event_same_name(const char *a, size_t n_a, const char *b);
/* Letters, digits, _ - and . but not at the front: what is safe as a part of a path. */
bool event_is_word(const char *text, size_t length);

/* Where tracefs may be mounted; the first that is there counts. */
enum { EVENT_TRACEFS_ROOTS = 2 };
extern const char *const event_tracefs_roots[EVENT_TRACEFS_ROOTS];

#endif
