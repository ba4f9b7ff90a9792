// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_TRACING_H
#define PMCTOP_PERFDATA_TRACING_H

#include "core/perf/switch_format.h"
#include "core/perfdata/perfdata_write.h"

#include <stddef.h>

/*
 * HEADER_TRACING_DATA: the texts of tracefs by which samples of tracepoints are decoded. In a
 * stream they follow a record of PERFDATA_TRACING_DATA, in a file they are the feature
 * PERFDATA_TRACING. The layout is that of trace.dat(5), version 6, up to its saved command lines:
 *
 *	17 08 44 "tracing", "0.6", u8 big endian, u8 bytes of a long, u32 bytes of a page
 *	"header_page", u64 size, text; "header_event", u64 size, text
 *	u32 formats of ftrace itself, of each: u64 size, text
 *	u32 systems, of each: name, u32 formats, of each: u64 size, text
 *	u32 size of kallsyms, u32 size of printk formats, u64 size of saved command lines
 *
 * Names end with a NUL, texts do not. The texts of sizes 0 are left out.
 */

/* The record and what follows it, with no format but that of sched:sched_switch. */
void perfdata_tracing(struct perfdata *data, const struct switch_texts *texts);

/*
 * Finds sched:sched_switch in such bytes, of this machine's byte order. 0; -ENOENT where it is not
 * among the formats; -EBADMSG where the bytes or its format are not understood. *format is filled
 * in only for 0. Pure; any bytes will do.
 */
int perfdata_tracing_read(const unsigned char *bytes, size_t n, struct switch_format *format);

/* What a recording has of it. */
struct perfdata_tracing {
	int result; /* as perfdata_tracing_read(); -ENOENT also where the recording has none */
	struct switch_format format;
};

#endif
