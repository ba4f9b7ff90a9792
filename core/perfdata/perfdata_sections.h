// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_SECTIONS_H
#define PMCTOP_PERFDATA_SECTIONS_H

#include "core/perfdata/perfdata_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `perf sched` reads no streams, only files in perf's usual format (perf 6.1 to 7.1). So where a
 * file has been written as a stream that begins with NATIVE_ROOM, its end makes it such a file:
 *
 *   - the sections that perf wants are appended: features, attrs and ids
 *   - struct perfdata_file_head takes the place of struct perfdata_head and NATIVE_ROOM
 *   - records that the sections stand for (ATTR, TRACING_DATA) become ones that perf steps over
 *
 * Nothing else moves. Where the end never comes the file remains a stream.
 */
struct perfdata_sections {
	bool wanted;            /* the file has room for the head */
	struct perfdata attrs;  /* of each: the attr, and the section of its ids from 0 on */
	struct perfdata ids;    /* of all attrs */
	struct perfdata places; /* struct perfdata_section of each record to be renamed */
	struct perfdata_section features[64]; /* by enum perfdata_feature; size 0: not told */
};

void perfdata_sections_fini(struct perfdata_sections *sections); /* zeroed is fine */

/* Notes the sections in n bytes of whole records, which stand in a file from `at` on; 0: a new one.
 */
void perfdata_sections_note(struct perfdata_sections *sections, const unsigned char *bytes,
			    size_t n, uint64_t at);
/*
 * Turns the stream in fd, of `end` bytes, into a file in perf's usual format, if it has room for
 * the head. 0; -errno: it remains a stream, and what is behind `end` may be cut off; 1: pmctop
 * reads the file with all that is in it now, and perf does not. Nothing may be appended any more.
 * fd must be open for reading too.
 */
int perfdata_sections_write(const struct perfdata_sections *sections, int fd, uint64_t end);

#endif
