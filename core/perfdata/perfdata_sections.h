// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SECTIONS_H
#define PMCTOP_PERFDATA_SECTIONS_H

#include "core/perfdata/perfdata_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `perf sched` reads files in perf's usual format only, no streams (perf 6.1 to 7.1). So a file
 * that was written as a stream, and begins with NATIVE_ROOM, becomes such a file at its end:
 *
 * - the sections that perf needs are appended: features, attrs and ids
 * - struct perfdata_file_head replaces struct perfdata_head and NATIVE_ROOM
 * - records that are in the sections (ATTR, TRACING_DATA) get a type that perf ignores
 *
 * Nothing else moves. A file without its end remains a stream. The sections are for perf:
 * core/perfdata/perfdata_read.h reads the records between them as that stream, so the complete
 * intervals of a file that is cut off can be shown.
 */
struct perfdata_sections {
	bool wanted; /* the file has NATIVE_ROOM */
	struct perfdata
		attrs; /* of each: the attr, and the section of its ids, with offsets from 0 */
	struct perfdata ids;    /* of all attrs */
	struct perfdata places; /* struct perfdata_section of each record that gets another type */
	struct perfdata_section features[64]; /* by enum perfdata_feature; size 0: none */
};

void perfdata_sections_fini(struct perfdata_sections *sections); /* zeroed is fine */

/* Notes the sections in n bytes of whole records at offset `at`; 0: a new file. */
void perfdata_sections_note(struct perfdata_sections *sections, const unsigned char *bytes,
			    size_t n, uint64_t at);
/*
 * Converts the stream in fd, of `end` bytes, into a file in perf's usual format, if it has
 * NATIVE_ROOM. 0; -errno: it is still a stream, and bytes behind `end` can be cut off; 1: pmctop
 * can read the file with all its bytes, perf cannot. Nothing may be appended later. fd must be
 * readable.
 */
int perfdata_sections_write(const struct perfdata_sections *sections, int fd, uint64_t end);

#endif
