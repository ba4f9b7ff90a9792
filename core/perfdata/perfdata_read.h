// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_READ_H
#define PMCTOP_PERFDATA_READ_H

#include "core/base/error.h"
#include "core/perf/switch_format.h"
#include "core/perfdata/perfdata.h"
#include "core/perfdata/simpleperf_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Any perf.data as one stream of records, as in pipe mode: in this machine's byte order, whole,
 * aligned and decompressed. A file in perf's usual format has events, names and features in
 * sections. These come first, as the records that a pipe would have (PERFDATA_ATTR,
 * PERFDATA_UPDATE, PERFDATA_FEATURE). If such a file comes from a pipe, features and the names of
 * events come last. See tools/perf/Documentation/perf.data-file-format.txt. Of a native file no
 * section is read.
 *
 * All bytes are untrusted: each size and offset is checked. Memory is bounded: 32 MB; 64 MB of
 * symbols of simpleperf; with compressed records also what the zstd stream needs (128 MB at most, 8
 * up to 'perf record -z 19'); with the other byte order also the events.
 */
struct perfdata_reader;

/* Where the bytes come from. */
struct perfdata_input {
	/*
	 * Reads 1 to n bytes at offset `at` and returns their number; 0 at the end; -EAGAIN: none
	 * yet; or another -errno. If not seekable, `at` never decreases.
	 */
	ssize_t (*read)(void *arg, uint64_t at, void *bytes, size_t n);
	void *arg;
	bool seekable;
	uint64_t size; /* if seekable */
};

/* Reads nothing yet. Borrows the input. */
struct perfdata_reader *perfdata_reader_new(const struct perfdata_input *input);
void perfdata_reader_free(struct perfdata_reader *reader); /* NULL is fine */

/*
 * The next record, valid until the next call: 1; 0 at the end; -EAGAIN: none yet; or -errno with
 * *err filled: -EINVAL (no perf.data, or a kind that is not supported), -EBADMSG (broken), -ENODATA
 * (truncated; the records before were whole). 0 and errors are final.
 */
int perfdata_reader_next(struct perfdata_reader *reader, const struct perf_event_header **record,
			 struct error *err);

/* Goes back to the beginning of a seekable input. */
void perfdata_reader_rewind(struct perfdata_reader *reader);

/*
 * The format of sched:sched_switch in the recording so far (core/perfdata/perfdata_tracing.h): 0
 * and *format, valid for the reader's life. -ENOENT: none, or the other byte order. -EBADMSG:
 * broken.
 */
int perfdata_reader_switch_format(const struct perfdata_reader *reader,
				  const struct switch_format **format);
/* The format of the tracepoint of wake-ups with that number, or NULL. */
const struct waking_format *perfdata_reader_waking_format(const struct perfdata_reader *reader,
							  uint64_t id);

/*
 * The symbols that simpleperf has put into the file, once its first record was returned that is no
 * feature; NULL: none. Owned by the reader; a rewind keeps them.
 */
struct simpleperf_symbols *perfdata_reader_symbols(struct perfdata_reader *reader);

/* Whether perf was killed, or still runs: records may be missing at the end. */
bool perfdata_reader_unfinished(const struct perfdata_reader *reader);

/* Bytes of the input that were used. */
uint64_t perfdata_reader_position(const struct perfdata_reader *reader);

#endif
