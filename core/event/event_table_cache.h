// SPDX-License-Identifier: MIT
#ifndef PMCTOP_EVENT_TABLE_CACHE_H
#define PMCTOP_EVENT_TABLE_CACHE_H

#include "core/base/notes.h"
#include "core/event/event_table.h"
#include "core/sys/sys.h"
#include "core/tables/tables.h"

/*
 * The table for the CPUs of a machine, read when it is first needed: the built-in one, and the
 * user's files. One thread.
 */
struct event_table_cache;
struct event_table_cache *event_table_cache_new(const struct sys *sys);
/*
 * Sets the places of the user's files and the CPU, before the table is needed. Texts are borrowed.
 * cpu_id NULL: the CPUs of the machine.
 */
void event_table_cache_set(struct event_table_cache *cache, const struct tables_places *places,
			   const char *cpu_id);
void event_table_cache_free(struct event_table_cache *cache); /* NULL is fine */
/* NULL: there is none. The cache owns it. */
const struct event_table *event_table_cache_get(struct event_table_cache *cache);

/* What is wrong with the user's files, once the table has been needed. */
const struct notes *event_table_cache_notes(const struct event_table_cache *cache);

#endif
