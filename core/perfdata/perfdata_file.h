// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_FILE_H
#define PMCTOP_PERFDATA_FILE_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/perfdata_tracing.h"
#include "core/perfdata/perfdata_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What stands around the records in perf's usual format, a file that is not only read forwards:
 * events with their ids, and features, each in a section of its own.
 */
struct perfdata_file;

enum { PERFDATA_FILE_HEAD = 72 }; /* the least that the header of such a file has */

/*
 * Reads the header. Of the other byte order if `swapped`. What the sections have of the tracepoint
 * goes to *tracing, borrowed for the file's life. 0 and a file that is the caller's; or
 * -errno and a sentence, as perfdata_reader_next() has it; where the input cannot be read, none.
 */
int perfdata_file_new(const struct perfdata_input *input, bool swapped,
		      struct perfdata_tracing *tracing, struct perfdata_file **file,
		      struct error *err);
void perfdata_file_free(struct perfdata_file *file); /* NULL is fine */

/* As perfdata_reader_is_native_file(). */
bool perfdata_file_is_native(const struct perfdata_file *file);

/*
 * Appends some of the records that a pipe would have before all others: 1; 0 where there are no
 * more; or -errno and a sentence. What is appended is bounded.
 */
int perfdata_file_step(struct perfdata_file *file, struct perfdata *to, struct error *err);

/* Where the records stand; `end` may lie behind the input's, where that is cut off. */
void perfdata_file_data(const struct perfdata_file *file, uint64_t *begin, uint64_t *end);

/*
 * What the feature EVENT_DESC says, n bytes in this machine's byte order, as PERFDATA_UPDATE
 * records: the events' names. What makes no sense in it is left out.
 */
void perfdata_event_desc(struct perfdata *to, const unsigned char *bytes, size_t n);

#endif
