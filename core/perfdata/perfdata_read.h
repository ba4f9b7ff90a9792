// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_READ_H
#define PMCTOP_PERFDATA_READ_H

#include "core/base/error.h"
#include "core/perf/switch_format.h"
#include "core/perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Any perf.data as one stream of records, as pipe mode has them: in this machine's byte order,
 * whole, aligned and decompressed. Of a file in perf's usual format, whose events, names and
 * features stand in sections of their own, these come first, as the records that a pipe would have
 * (PERFDATA_ATTR, PERFDATA_UPDATE, PERFDATA_FEATURE). See
 * tools/perf/Documentation/perf.data-file-format.txt.
 *
 * Every byte is a stranger's: whatever a header says of sizes and places is held against what is
 * there. Memory is bounded: 16 MB; where records are compressed what zstd's stream asks for besides
 * (128 MB at most, and 8 up to 'perf record -z 19'), of the other byte order what the events take.
 */
struct perfdata_reader;

/* Where the bytes come from. */
struct perfdata_input {
	/*
	 * As many as there are from `at` on, at most n: 0 at the end, -EAGAIN where there are none
	 * yet, or another -errno. Where it is not seekable `at` never goes back.
	 */
	ssize_t (*read)(void *arg, uint64_t at, void *bytes, size_t n);
	void *arg;
	bool seekable;
	uint64_t size; /* where it is seekable */
};

/* Nothing is read yet. The input is borrowed. */
struct perfdata_reader *perfdata_reader_new(const struct perfdata_input *input);
void perfdata_reader_free(struct perfdata_reader *reader); /* NULL is fine */

/*
 * The next record, good until the next call: 1; 0 at the end; -EAGAIN where there is none yet; or
 * -errno and a sentence: -EINVAL (this is no perf.data, or one of a kind that cannot be read),
 * -EBADMSG (broken), -ENODATA (cut off; what came before was whole). After any of these it stays
 * so.
 */
int perfdata_reader_next(struct perfdata_reader *reader, const struct perf_event_header **record,
			 struct error *err);

/* From the beginning, where the input is seekable. */
void perfdata_reader_rewind(struct perfdata_reader *reader);

/*
 * Whether it is a file of ours in perf's usual format (core/perfdata/perfdata_sections.h): what its
 * sections have comes before NATIVE_BEGIN. Once there is a record.
 */
bool perfdata_reader_is_native_file(const struct perfdata_reader *reader);

/*
 * What the records up to now, and the sections of a file, have of the tracepoint sched:sched_switch
 * (core/perfdata/perfdata_tracing.h): 0 and its format, good for the reader's life. -ENOENT:
 * nothing, or in the other byte order. -EBADMSG: it is broken.
 */
int perfdata_reader_switch_format(const struct perfdata_reader *reader,
				  const struct switch_format **format);

/* How far it is: bytes of the input that have been used. */
uint64_t perfdata_reader_position(const struct perfdata_reader *reader);

#endif
