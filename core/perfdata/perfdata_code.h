// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_CODE_H
#define PMCTOP_PERFDATA_CODE_H

#include "core/code/code_maps.h"
#include "core/code/code_sample.h"
#include "core/perf/code_record.h"
#include "core/perfdata/perfdata_write.h"

#include <stdint.h>
#include <sys/types.h>

/*
 * Samples of code and what their addresses belong to, in the layout that perf reads. All samples
 * have CODE_SAMPLE_TYPE, also samples of software events: the kernel has no PERIOD for these, but
 * their weight is known. Ids are the recording's own, from PERFDATA_CODE_ID on: the ids of
 * members of groups have another layout there, with counts (PERFDATA_SAMPLE_TYPE).
 */
struct perf_event_attr perfdata_code_attr(uint32_t type, uint64_t config);
void perfdata_code_sample(struct perfdata *data, uint64_t id, const struct code_sample *sample);

/* A mapping of a process from time_ns on. */
void perfdata_code_mapping(struct perfdata *data, uint64_t id, uint64_t time_ns, pid_t pid,
			   const struct code_mapping *mapping);
/*
 * Code of the kernel that existed before the recording: `name` is "[kernel.kallsyms]_text" or the
 * name of a module in brackets. `reference` is the address of that symbol, 0 for modules.
 */
void perfdata_kernel_mapping(struct perfdata *data, uint64_t start, uint64_t bytes,
			     uint64_t reference, const char *name);
/* Code that the kernel adds, or removes (`name` NULL). */
void perfdata_ksymbol(struct perfdata *data, uint64_t id, const struct code_record *record);

#endif
