// SPDX-License-Identifier: MIT
#ifndef PMCTOP_TABLE_FIELDS_H
#define PMCTOP_TABLE_FIELDS_H

#include "core/tables/table_reading.h"

/* For table*.c of this room only: members of an entry, which several layouts have. */

/* The text of a member, or NULL. */
const char *table_member(const json_t *entry, const char *name);
/*
 * The number of a member, decimal or "0x10": the first of "0xB7, 0xBB"; 0 if there is no such
 * member. False and a fault if it is not a number.
 */
bool table_number(struct table_reading *reading, const struct table_json_entry *entry,
		  const char *name, uint64_t *number);
/* The mask of counters in "0,1,2,3" or "Fixed counter 0"; 0: unknown, or one fixed counter. */
uint64_t table_counters(const char *text);
/* "CBO" is "uncore_cbox". False if it is too long. */
bool table_pmu_of_unit(const char *unit, char *pmu, size_t size);
/* "adopr", those that the entry has. */
void table_flags(const json_t *entry, char flags[8]);
/* The registers beside the counters: "offcore_rsp", "ldlat"; NULL: there is no term for it. */
const char *table_register(uint64_t index);
/* The terms of an event that Linux counts on a fixed counter, or NULL. */
const char *table_fixed_terms(const char *name);

/*
 * Terms, one behind the other. If one does not fit, `text` is "" from then on, which
 * table_text_add_event() refuses.
 */
struct table_terms {
	char text[512];
	size_t length;
};
void table_terms_add(struct table_terms *terms, const char *term, uint64_t value);

#endif
