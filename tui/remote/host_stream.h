// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_STREAM_H
#define PMCTOP_HOST_STREAM_H

#include "core/base/error.h"
#include "tui/remote/channel.h"
#include "tui/remote/file_writer.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies the output of a channel to a descriptor here. After an error of the descriptor the rest of
 * the output is read and dropped, so that the channel goes on.
 */
struct host_stream {
	struct channel *channel;    /* NULL: none */
	int fd;                     /* where the bytes go; -1: they are dropped */
	struct file_writer *writer; /* of a regular file; NULL: another one */
	const char *path;           /* name of the file, for messages; NULL: standard output */
	bool recording;             /* the output must be perf.data */
	uint64_t copied;            /* bytes */
	uint64_t read_ns;           /* time of the last read of the channel */
	bool ended;                 /* the channel's output has ended, and all of it is copied */
	struct error error;         /* the first one; code 0: none */
};

/*
 * Prepares the descriptor. What is written later is counted in `unwritten`, which may be NULL. 0,
 * or -errno and a sentence.
 */
int host_stream_open(struct host_stream *stream, struct unwritten *unwritten, struct error *err);
/* Waits without a limit until all is written. */
void host_stream_close(struct host_stream *stream);

/* What to poll for: more output, or that the descriptor takes what is there. */
struct pollfd host_stream_poll(const struct host_stream *stream);
/* Reads or writes what is ready. It does not block if host_stream_poll()'s descriptor is ready. */
void host_stream_copy(struct host_stream *stream);
/* Time of the last read, if the descriptor does not take what was read; 0: it does. */
uint64_t host_stream_waits_since(const struct host_stream *stream);

#endif
