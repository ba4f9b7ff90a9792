// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORDING_FILE_H
#define PMCTOP_RECORDING_FILE_H

#include "core/base/error.h"
#include "core/perfdata/perfdata_write.h"
#include "core/perfdata/recording_name.h"

#include <stdint.h>

/*
 * The output of a recording: a file, a pipe, or standard output. A thread writes it, so that a slow
 * disk or reader does not delay counting. The queue is bounded. If the output is too slow, the
 * recording ends with an error; no record of the rings is lost for it.
 *
 * A new file belongs to the user, has mode 0600, and is locked while it is written. A recording of
 * that name becomes NAME.old, as with perf. Another file, or a file of another user, is not touched
 * (core/perfdata/recording_name.h).
 */
struct recording_file;

/*
 * path "-" is standard output. A pipe of the rules is taken over, also after an error. 0, or -errno
 * with *err filled.
 */
int recording_file_open(const char *path, const struct recording_rules *rules,
			struct recording_file **file, struct error *err);
/* No more is appended: the thread ends when all is written. */
void recording_file_end(struct recording_file *file);
/*
 * Waits until all is written; for a blocked reader at most RECORDING_FILE_PATIENCE_NS. Removes a
 * file without contents. 0, or -errno with *err filled: a part was not written, the sections for
 * perf are missing (core/perfdata/perfdata_sections.h), or another program truncated the file or
 * removed the last one. NULL is fine.
 */
int recording_file_close(struct recording_file *file, struct error *err);
#define RECORDING_FILE_PATIENCE_NS (600 * NS_PER_MS) /* q and signals end pmctop within 1 s */

/* An empty perfdata, to be filled with whole records and appended. */
struct perfdata *recording_file_new_part(struct recording_file *file);
/*
 * Takes over the data, to be translated and written. With a stamp, a new file begins with it: the
 * current one is renamed to PATH.stamp, and the oldest files are removed by the rules.
 */
void recording_file_append(struct recording_file *file, struct perfdata *data, const char *stamp);

/* Bytes of all files, with those not written yet. Any thread. */
uint64_t recording_file_bytes(struct recording_file *file);

/* 0 if all that was appended is or will be written, else -errno with *err filled. Any thread. */
int recording_file_state(struct recording_file *file, struct error *err);

#endif
