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

/* How the samples of one group on one CPU are recorded. */
struct perfdata_stream {
	uint64_t switch_id, tick_id;
	struct switch_format format; /* of switch samples, if `traced` */
	bool traced;                 /* a tracepoint makes the samples ... */
	bool recorded;               /* ... and its RAW part is recorded */
	size_t n_values;
	uint64_t *ids;      /* event id of each value; owned */
	uint64_t *base;     /* the reading at the beginning of the recording (enum record_reading);
			       owned */
	uint64_t last_ns;   /* time of the last record of the CPU */
	uint64_t origin_ns; /* time at which enabled_ns was 0; 0: unknown */
};

/*
 * Records of a CPU's ring, unchanged. Their samples belong to these streams, which differ in the
 * number of values (NULL: none) and must exist until they are dropped.
 */
enum { PERFDATA_STREAMS = 2 };
void perfdata_raw(struct perfdata *data, struct perfdata_stream *const streams[PERFDATA_STREAMS],
		  const struct ring_part parts[2]);
/* A sample of the stream that is not from the ring, on the CPU of that number. */
void perfdata_tick(struct perfdata *data, struct perfdata_stream *stream, int cpu,
		   const struct record *tick);
/* No more records of the stream follow: it is freed when those added before are translated. */
void perfdata_drop(struct perfdata *data, struct perfdata_stream *stream);
/*
 * Appends the records of `data` to `to`, raw records in the format of a recording. Raw records that
 * record_decode() refuses are left out. Samples get the layout of PERFDATA_SAMPLE_TYPE. A sample
 * that has the id and time of an event of another program gets the id of its stream, and a time
 * from the enabled time of its group. To be called exactly once for all data with raw records or
 * dropped streams, in their order; `to` may be NULL.
 */
void perfdata_translate(struct perfdata *to, const struct perfdata *data);

#endif
