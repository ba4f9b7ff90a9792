// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_BUILD_IDS_H
#define PMCTOP_PERFDATA_BUILD_IDS_H

#include "core/code/code_maps.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The build ids of files, as perf lists them behind or before the records of a recording. The
 * kernel's file is "[kernel.kallsyms]". Zeroed is empty.
 *
 * Bounded: further ones than PERFDATA_BUILD_IDS_MAX, or more than PERFDATA_BUILD_IDS_BYTES of
 * names, are ignored.
 */
enum { PERFDATA_BUILD_IDS_MAX = 1 << 17, PERFDATA_BUILD_IDS_BYTES = 16 << 20 };

struct perfdata_build_id;

struct perfdata_build_ids {
	struct perfdata_build_id *items; /* owned */
	size_t n, capacity;
	size_t bytes;    /* of all names */
	size_t n_sorted; /* the first so many are sorted */
};

void perfdata_build_ids_fini(struct perfdata_build_ids *ids);

/* Adds the build id of a PERFDATA_BUILD_ID; ignores other and invalid records. */
void perfdata_build_ids_add(struct perfdata_build_ids *ids, const struct perf_event_header *record);

/*
 * Returns the build id of the file of that name (the path, or the name of a module in brackets),
 * valid until the next call with `ids`, or NULL. `pid` is the guest's. Without a build id for that
 * pid, the host's (pid -1) is returned.
 */
const struct code_build_id *perfdata_build_ids_find(struct perfdata_build_ids *ids,
						    const char *name, pid_t pid);

#endif
