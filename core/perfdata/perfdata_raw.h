// SPDX-License-Identifier: MIT
#ifndef PMCTOP_PERFDATA_RAW_H
#define PMCTOP_PERFDATA_RAW_H

#include "core/perf/record.h"
#include "core/perf/ring.h"
#include "core/perf/switch_format.h"
#include "core/perfdata/perfdata_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Records of rings on their way into a recording. The thread that drains the rings copies them as
 * the kernel wrote them. The thread that writes the file translates them. Until then they stand
 * among the other records of a perfdata.
 */

/* What becomes of the samples of one group on one CPU. */
struct perfdata_stream {
	uint64_t switch_id, tick_id;
	struct switch_format format; /* of switch samples, where `traced` */
	bool traced;                 /* a tracepoint makes them ... */
	bool recorded;               /* ... and its RAW part is recorded too */
	size_t n_values;
	uint64_t *ids;      /* of each value; owned */
	uint64_t *base;     /* enum record_reading, as the recording begins; owned */
	uint64_t last_ns;   /* when the last record of its CPU was made */
	uint64_t origin_ns; /* when enabled ns was 0; 0: not known yet */
};

/*
 * Records out of a CPU's ring, as the kernel wrote them. The samples are of these streams, told
 * apart by how many values they have (NULL: of none), which are kept until they are dropped.
 */
enum { PERFDATA_STREAMS = 2 };
void perfdata_raw(struct perfdata *data, struct perfdata_stream *const streams[PERFDATA_STREAMS],
		  const struct ring_part parts[2]);
/* A sample of that stream that the kernel did not write, on the CPU with that number. */
void perfdata_tick(struct perfdata *data, struct perfdata_stream *stream, int cpu,
		   const struct record *tick);
/* No records of it come any more: it is freed when what was added before has been translated. */
void perfdata_drop(struct perfdata *data, struct perfdata_stream *stream);
/*
 * Appends to `to` what is to be written of `data`: of raw records those that record_decode()
 * understands. Samples have the layout of PERFDATA_SAMPLE_TYPE then. One that somebody else's event
 * gave its id and time has our id again, and the time that its group tells. To be called exactly
 * once for all data that streams are dropped in, in their order; `to` may be NULL.
 */
void perfdata_translate(struct perfdata *to, const struct perfdata *data);

#endif
