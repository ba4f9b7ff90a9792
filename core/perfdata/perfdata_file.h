// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_FILE_H
#define PMCTOP_PERFDATA_FILE_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_read.h"
#include "core/perfdata/perfdata_tracing.h"
#include "core/perfdata/perfdata_write.h"
#include "core/perfdata/simpleperf_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The parts of a file in perf's usual format that are not records: events with their ids, and
 * features, each in a section. perf writes the events before the records, and the features behind
 * them. If the input is not seekable, it is read in this order: its bytes up to
 * perfdata_file_data() must be there when perfdata_file_step() is called, and the rest from
 * perfdata_file_late() on.
 */
struct perfdata_file;

enum {
	PERFDATA_FILE_HEAD = 72,        /* least size of the header */
	PERFDATA_FILE_EVENTS = 16 << 20 /* most bytes before the records, if not seekable */
};

/*
 * Reads the header, in the other byte order if `swapped`. What the sections contain of the
 * tracepoint goes to *tracing, and what they contain of symbols to *symbols (NULL: not wanted),
 * borrowed for the file's life. 0 and a file owned by the caller; or -errno, with *err filled as
 * perfdata_reader_next() does, except if the input cannot be read.
 */
int perfdata_file_new(const struct perfdata_input *input, bool swapped,
		      struct perfdata_tracing *tracing, struct simpleperf_symbols *symbols,
		      struct perfdata_file **file, struct error *err);
void perfdata_file_free(struct perfdata_file *file); /* NULL is fine */

/*
 * Appends some of the records that a pipe would have first, a bounded number of bytes: 1; 0: no
 * more; or -errno with *err filled.
 */
int perfdata_file_step(struct perfdata_file *file, struct perfdata *to, struct error *err);

/*
 * Of an input that is not seekable: all its bytes are read, and its size is set. Returns whether
 * perfdata_file_step() has more.
 */
bool perfdata_file_late(struct perfdata_file *file);

/* Offsets of the records. `end` is greater than the size of a truncated input. */
void perfdata_file_data(const struct perfdata_file *file, uint64_t *begin, uint64_t *end);
/* perf has not written the size of the data: it was killed, or still runs. */
bool perfdata_file_unfinished(const struct perfdata_file *file);

/*
 * Appends the names of events in the feature EVENT_DESC as PERFDATA_UPDATE records. n bytes in this
 * machine's byte order; invalid parts are left out.
 */
void perfdata_event_desc(struct perfdata *to, const unsigned char *bytes, size_t n);

#endif
