// SPDX-License-Identifier: MIT
#ifndef PMCTOP_CODE_MAPS_INTERNAL_H
#define PMCTOP_CODE_MAPS_INTERNAL_H

#include "core/code/code_maps.h"

/* What the files of code_maps share. */

struct code_maps {
	struct code_maps_config config;
	struct hash_table processes; /* by pid */
	struct hash_table objects;   /* by hash of name and inode */
	uint64_t random;             /* in these keys: names are those of other users */
	struct code_process *newest, *oldest;
	size_t n_mappings;
	pid_t *ended;
	size_t n_ended, ended_capacity;
	bool no_query; /* before Linux 6.11 */
};

/* code_mappings.c */

void maps_clear_ids(struct code_process *process);
/* Their objects live until the mappings are read again, so that files need not be opened again. */
void maps_set_mappings_aside(struct code_maps *maps, struct code_process *process);
void maps_drop_old_mappings(struct code_maps *maps, struct code_process *process);
/* Replaces what the mapping covers. One that is not executable is not kept. */
void maps_add_mapping(struct code_maps *maps, struct code_process *process,
		      const struct proc_mapping *from, const struct code_build_id *build_id);

#endif
