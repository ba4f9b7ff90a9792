// SPDX-License-Identifier: MIT
#ifndef PMCTOP_HOST_STREAM_H
#define PMCTOP_HOST_STREAM_H

#include "core/base/error.h"
#include "tui/remote/channel.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies the output of a channel to a descriptor here. After an error of the descriptor the rest of
 * the output is read and dropped, so that the channel goes on.
 */
struct host_stream {
	struct channel *channel; /* NULL: none */
	int fd;                  /* where the bytes go; -1: they are dropped */
	const char *path;        /* name of the file, for messages; NULL: standard output */
	bool recording;          /* the output must be perf.data */
	uint64_t copied;         /* bytes */
	bool ended;              /* the channel's output has ended, and all of it is written */
	struct error error;      /* the first one; code 0: none */
};

/* What to poll for: more output, or that the descriptor takes what is there. */
struct pollfd host_stream_poll(const struct host_stream *stream);
/* Reads or writes what is ready. It does not block if host_stream_poll()'s descriptor is ready. */
void host_stream_copy(struct host_stream *stream);

#endif
