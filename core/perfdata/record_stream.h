// SPDX-License-Identifier: MIT
#ifndef PMCTOP_RECORD_STREAM_H
#define PMCTOP_RECORD_STREAM_H

#include "core/perfdata/perfdata_events.h"
#include "core/perfdata/perfdata_tracing.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where the bytes of a stream come from. */
struct record_source {
	/* Reads 1 to n bytes and returns their number; 0 at the end; or -errno. */
	ssize_t (*fill)(void *arg, void *bytes, size_t n);
	/* Passes over at most n bytes and returns their number. NULL: they must be read. */
	uint64_t (*jump)(void *arg, uint64_t n);
	void *arg;
};

/* Facts of earlier records that decide how later ones are read. The streams of a reader share it.
 */
struct record_context {
	bool swapped;                    /* the other byte order */
	bool native;                     /* NATIVE_BEGIN was read: pmctop wrote the recording */
	struct perfdata_events events;   /* empty unless `swapped` */
	struct perfdata_tracing tracing; /* of the latest PERFDATA_TRACING_DATA */
	struct perfdata *made; /* gets the names in it (perfdata_tracing_read()); borrowed */
};

/*
 * Bytes as records, one after the other. A window moves along the bytes and holds the next record
 * whole. Bytes between records that are no record are passed over.
 */
struct record_stream {
	struct record_source source;
	struct record_context *context;
	unsigned char *bytes; /* the window, RECORD_STREAM_BYTES; owned */
	size_t begin, end;    /* unused bytes in the window */
	unsigned char *copy;  /* of a record that is not aligned in the window; owned */
	uint64_t skip;        /* bytes up to the next record */
	bool tracing;         /* these bytes belong to a PERFDATA_TRACING_DATA */
	bool bad_size;        /* the next record has the impossible size `size` */
	size_t size;
};

enum { RECORD_STREAM_BYTES = 1 << 18 };

/* Borrows the context. */
void record_stream_init(struct record_stream *stream, const struct record_source *source,
			struct record_context *context);
void record_stream_fini(struct record_stream *stream); /* zeroed is fine */
/* Drops all bytes in the window. The stream continues with the bytes that fill() returns next. */
void record_stream_clear(struct record_stream *stream);

/*
 * The next record, in this machine's byte order, valid until the next call: 1; 0 at the end of the
 * source; -ENODATA: it ends inside of a record; -EBADMSG with bad_size; or -errno of fill().
 */
int record_stream_next(struct record_stream *stream, const struct perf_event_header **record);

/*
 * Passes over the bytes behind the last record that are no record, so that their facts are in the
 * context: 1; 0: the source ends before; or -errno of fill().
 */
int record_stream_skip(struct record_stream *stream);

/* Bytes in the window. */
static inline size_t record_stream_has(const struct record_stream *stream)
{
	return stream->end - stream->begin;
}

static inline const unsigned char *record_stream_at(const struct record_stream *stream)
{
	return stream->bytes + stream->begin;
}

/*
 * Makes n bytes available at record_stream_at(), at most half of the window: 1; 0: there are fewer
 * before the end; or -errno of fill().
 */
int record_stream_load(struct record_stream *stream, size_t n);
/* The next n bytes of the window are used. They stay in memory until the next record_stream_load().
 */
void record_stream_pass(struct record_stream *stream, size_t n);

#endif
