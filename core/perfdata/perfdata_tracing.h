// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_TRACING_H
#define PMCTOP_PERFDATA_TRACING_H

#include "core/perf/switch_format.h"
#include "core/perfdata/perfdata_write.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * HEADER_TRACING_DATA: the texts of tracefs that describe the samples of tracepoints. In a stream
 * they follow a PERFDATA_TRACING_DATA, in a file they are the feature PERFDATA_TRACING. The layout
 * is trace.dat(5), version 6, up to its saved command lines:
 *
 *      17 08 44 "tracing", "0.6", u8 big endian, u8 bytes of a long, u32 bytes of a page
 *      "header_page", u64 size, text; "header_event", u64 size, text
 *      u32 formats of ftrace, of each: u64 size, text
 *      u32 systems, of each: name, u32 formats, of each: u64 size, text
 *      u32 size of kallsyms, u32 size of printk formats, u64 size of saved command lines
 *
 * Names end with a NUL, texts do not. Texts of size 0 are left out.
 */

/* Appends the record and its data, with the format of sched:sched_switch only. */
void perfdata_tracing(struct perfdata *data, const struct switch_texts *texts);

/* sched:sched_waking, sched:sched_wakeup, sched:sched_wakeup_new */
enum { PERFDATA_WAKINGS = 3 };

/* The formats in a recording. */
struct perfdata_tracing {
	/*
	 * 0; -ENOENT: sched:sched_switch is not among them, or there are none; -EBADMSG: the bytes
	 * or the format are invalid.
	 */
	int result;
	struct switch_format format; /* of sched:sched_switch, with result 0 */
	struct waking_format wakings[PERFDATA_WAKINGS];
	size_t n_wakings;
};

/*
 * Parses the formats from untrusted bytes in this machine's byte order. Appends a struct
 * perfdata_tracepoint to *names (NULL: not wanted) for each of the first PERFDATA_TRACEPOINTS_MAX.
 */
void perfdata_tracing_read(const unsigned char *bytes, size_t n, struct perfdata_tracing *tracing,
			   struct perfdata *names);
/* Whether bytes are the beginning of such texts. */
bool perfdata_tracing_begins(const unsigned char *bytes, size_t n);
enum { PERFDATA_TRACEPOINTS_MAX = 8192 };

#endif
