// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_FILE_H
#define PMCTOP_RECORDING_FILE_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_write.h"
#include "core/perfdata/recording_name.h"

#include <stdint.h>

/*
 * Where a recording goes: a file, or standard output. A thread of its own writes, so that a slow
 * disk and a reader that has stopped keep nobody from counting: what waits is bounded, and who is
 * too slow for that loses the rest of the recording, never a record of the rings.
 *
 * A file is new, for its user alone, and locked for as long as it is written. One of that name that
 * was a recording before becomes NAME.old, as with perf; one that was anything else, that is
 * somebody else's or no file at all stays as it is (core/perfdata/recording_name.h).
 */
struct recording_file;

/* path: "-" is standard output. 0, or -errno and a sentence. */
int recording_file_open(const char *path, const struct recording_rules *rules,
			struct recording_file **file, struct error *err);
/* Nothing more is put: the thread ends when all is written. */
void recording_file_end(struct recording_file *file);
/*
 * Waits until all is written, but for a reader that takes nothing no longer than
 * RECORDING_FILE_PATIENCE_NS. A file that nothing was written to is removed. 0, or -errno and a
 * sentence: not all that was put was written, the sections for perf are missing
 * (core/perfdata/perfdata_sections.h), or another program truncated the file or removed the last
 * one. NULL is fine.
 */
int recording_file_close(struct recording_file *file, struct error *err);
#define RECORDING_FILE_PATIENCE_NS (1 * NS_PER_S)

/* An empty one, to be filled with whole records and put. */
struct perfdata *recording_file_new_part(struct recording_file *file);
/*
 * Hands it over, to be translated and written. Where it begins a new file, the one so far is
 * renamed to PATH.stamp before, and the oldest are removed by the rules; NULL: it goes on.
 */
void recording_file_append(struct recording_file *file, struct perfdata *data, const char *stamp);

/* How large all files of it are, with what is not written yet. Any thread. */
uint64_t recording_file_bytes(struct recording_file *file);

/* Whether all that was put is, or will be, written: else -errno and a sentence. Any thread. */
int recording_file_state(struct recording_file *file, struct error *err);

#endif
