// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_RESOLVER_H
#define PMCTOP_EVENT_RESOLVER_H

#include "core/base/suggest.h"
#include "core/event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Shared by the resolvers; only event*.c include this. A resolver parses a name from its front,
 * fills kind and codes of an event with all other members set, and sets *rest to the modifiers or
 * the end. Returns 0, EVENT_NOT_MINE if the name is of another kind (the event is unchanged), or
 * -errno and a sentence. The context is never NULL, but its members may be. After an error the
 * caller calls event_fini().
 */
enum { EVENT_NOT_MINE = 1 };

typedef int event_resolver_fn(const struct event_context *context, const char *name,
			      struct event *event, const char **rest, struct error *err);

event_resolver_fn event_generic_resolve, event_sysfs_resolve, event_alias_resolve,
	event_raw_resolve, event_tracepoint_resolve, event_breakpoint_resolve, event_probe_resolve,
	event_pfm_resolve, event_proc_resolve, event_wait_resolve, event_vendor_resolve;

/*
 * The reason why an unknown name may be a tracepoint: -errno and a sentence. 0 if it cannot be one.
 */
int event_tracepoint_explain(const struct event_context *context, const char *name,
			     struct error *err);
/* The same if the vendor has an event of that name, but the kernel does not offer its PMU. */
int event_vendor_explain(const struct event_context *context, const char *name, struct error *err);

/* The first name of a generic event ("context-switches") for any of its names ("cs"), or NULL. */
const char *event_generic_title(const char *name);
/* The first name of the generic event with that type and config, or NULL. */
const char *event_generic_name(uint32_t type, uint64_t config);

/* Offer the names of a resolver to find the nearest. */
void event_generic_suggest(struct suggest *suggest);
void event_vendor_suggest(const struct event_context *context, struct suggest *suggest);
void event_pfm_suggest(struct suggest *suggest);

/* Names of events in sysfs. */
struct event_aliases {
	char **names;
	size_t n, capacity;
};
void event_alias_list(const struct event_context *context, struct event_aliases *aliases);
void event_alias_list_fini(struct event_aliases *aliases);
/* Adds a name to the struct event_aliases in `arg`; 1 once that is full. For sys_dir_each(). */
int event_alias_add(void *arg, const char *name);

/* Whether the events that a vendor's table has for a PMU (event_table.h) are on context->pmus[i].
 */
bool event_vendor_is_on(const struct event_context *context, const char *pmu, size_t i);
/*
 * Linux' name in sysfs for an event that the vendor has as PERF_METRICS.RETIRING and the like, or
 * NULL.
 */
const char *event_vendor_alias(const char *name, size_t length);
/* How context->pmus[pmu] counts one event of the vendor. */
struct event_vendor_terms {
	char text[512];
	bool kernel_only, user_only;
	bool one_unit;                       /* not on other PMUs of its kind */
	const struct event_table_item *item; /* NULL: PERF_METRICS */
};
/*
 * Fills the terms for a name with the vendor's modifiers: "UOPS_RETIRED.MS:c1:e1". EVENT_NOT_MINE
 * if the PMU has no such event, -ENOTSUP and a sentence for a modifier that cannot be counted.
 */
int event_vendor_terms(const struct event_context *context, size_t pmu, const char *name,
		       size_t length, struct event_vendor_terms *terms, struct error *err);
/* Adds what the table has about the counters of a core PMU for an item. */
void event_vendor_constrain(const struct event_context *context,
			    const struct event_table_item *item,
			    struct counter_constraint *constraint);
/* Whether a PMU has that name, also without its number or "uncore_" in front, or with * and ?. */
bool event_pmu_matches(const char *pattern, const char *name);
/*
 * Appends the codes of `length` bytes of terms for a PMU, and sets the kind of the event. -EINVAL
 * if the codes before are of PMUs that count other things, or as event_term_encode().
 */
int event_encode_on_pmu(const struct event_context *context, size_t pmu, const char *terms,
			size_t length, struct event *event, struct error *err);

/*
 * Appends a code with size, type and config. It excludes guests if the kind of the event, which is
 * set before, is HARDWARE. The returned address is valid until the next call.
 */
struct perf_event_attr *event_add_code(struct event *event, size_t pmu, uint32_t type,
				       uint64_t config);

/* The number of core PMUs with a name. They are the first of pmus->items. */
size_t event_core_pmus(const struct event_context *context);

/* Appends a type and config that every core PMU supports: a code for each if there are several. */
void event_add_generic(const struct event_context *context, struct event *event, uint32_t type,
		       uint64_t config);

/*
 * Parses "12" or "0x1f" up to the end or a character of `ends`, and sets *end to it. False if there
 * is no number, or it has more than 64 bits; then *number and *end are undefined.
 */
bool event_parse_number(const char *text, const char *ends, uint64_t *number, const char **end);
/* The same for at most 16 hexadecimal digits without 0x. */
bool event_parse_hex(const char *text, const char *ends, uint64_t *number, const char **end);

/* At most `length` bytes of a text, printable and short, for a sentence. */
struct quoted {
	char text[128];
};
struct quoted event_quote(const char *text, size_t length);

/* Compares without case and locale. `a` has n_a bytes. */
bool event_same_name(const char *a, size_t n_a, const char *b);
/* Letters, digits, _ and, not at the front, - and . (safe as a name in a path). */
bool event_is_word(const char *text, size_t length);

/* Directories of tracefs; the first that exists is used. */
enum { EVENT_TRACEFS_ROOTS = 2 };
extern const char *const event_tracefs_roots[EVENT_TRACEFS_ROOTS];

#endif
