// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_MAPS_INTERNAL_H
#define PMCTOP_CODE_MAPS_INTERNAL_H

#include "core/code/code_maps.h"

/* What the files of code_maps share. */

struct code_maps {
	struct code_maps_config config;
	struct hash_table processes; /* by pid */
	struct hash_table objects;   /* by hash of name and inode */
	uint64_t random;             /* in these keys: other users choose the names */
	struct code_process *newest, *oldest;
	size_t n_mappings;
	size_t n_past;    /* of these */
	uint32_t changes; /* the last code_process.change */
	/* For code_maps_drop_past(). */
	pid_t *ended, *changed;
	size_t n_ended, ended_capacity;
	size_t n_changed, changed_capacity;
	bool no_query; /* before Linux 6.11 */
};

/* code_mappings.c */

void maps_clear_ids(struct code_process *process);
/* Their objects live until the mappings are read again, so that files need not be opened again. */
void maps_set_mappings_aside(struct code_maps *maps, struct code_process *process);
void maps_drop_old_mappings(struct code_maps *maps, struct code_process *process);
/*
 * Replaces what the mapping covers. One that is not executable is not kept. time_ns: what it
 * replaces becomes past; 0: it was there before.
 */
void maps_add_mapping(struct code_maps *maps, struct code_process *process,
		      const struct proc_mapping *from, const struct code_build_id *build_id,
		      uint64_t time_ns);

/* code_past.c */

/* Keeps what was in the range until a time; `next`: what is there now. */
void past_add(struct code_maps *maps, struct code_process *process, const struct code_mapping *next,
	      uint64_t time_ns);
/* Keeps all mappings. */
void past_add_all(struct code_maps *maps, struct code_process *process, uint64_t time_ns);
/* Drops the n oldest. */
void past_drop(struct code_maps *maps, struct code_process *process, size_t n);
void past_clear(struct code_maps *maps, struct code_process *process);

/* code_mappings.c, for code_past.c */

/* The index of the first mapping that ends behind the address. */
size_t maps_find_index(const struct code_process *process, uint64_t address);
void maps_put_object(struct code_maps *maps, struct code_object *object);

#endif
