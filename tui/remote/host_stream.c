// SPDX-License-Identifier: MIT
/*
 * A chunk is at most PIPE_BUF, so a pipe that is ready takes it as a whole and no write blocks a
 * signal. Regular files are always ready, but may not answer: a thread writes them.
 */
#include "tui/remote/host_stream.h"

#include "core/base/safe_path.h"
#include "core/base/util.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static_assert(sizeof(((struct channel *)0)->bytes) <= PIPE_BUF, "a pipe takes a chunk at once");

int host_stream_open(struct host_stream *stream, struct unwritten *unwritten, struct error *err)
{
	struct stat status;

	if (stream->fd < 0 || fstat(stream->fd, &status) || !S_ISREG(status.st_mode))
		return 0;
	return file_writer_new(stream->fd, unwritten, &stream->writer, err);
}

/* Bytes that the descriptor is to take. */
static bool has_chunk(const struct host_stream *stream)
{
	return stream->channel && stream->channel->n > 0 && stream->fd >= 0;
}

struct pollfd host_stream_poll(const struct host_stream *stream)
{
	if (!stream->channel || stream->ended)
		return (struct pollfd){.fd = -1};
	if (has_chunk(stream))
		return stream->writer ? (struct pollfd){.fd = file_writer_room(stream->writer),
							.events = POLLIN}
				      : (struct pollfd){.fd = stream->fd, .events = POLLOUT};
	return (struct pollfd){.fd = stream->channel->from, .events = POLLIN};
}

/* The first bytes of a recording: anything else is a message, for example of a login shell. */
static bool begins_like_recording(const struct host_stream *stream)
{
	static const char magic[] = "PERFILE2";

	for (size_t i = 0; i < stream->channel->n && stream->copied + i < strlen(magic); i++)
		if (stream->channel->bytes[stream->channel->at + i] != magic[stream->copied + i])
			return false;
	return true;
}

static void drop_rest(struct host_stream *stream)
{
	stream->fd = -1;
	stream->channel->n = 0;
}

static void set_write_error(struct host_stream *stream, int code)
{
	if (stream->path)
		safe_path_refuse(stream->path, code, &stream->error);
	else
		error_set(&stream->error, code, "Standard output cannot be written: %s.%s",
			  error_why(code), error_remedy(code));
}

static void write_chunk(struct host_stream *stream)
{
	struct channel *channel = stream->channel;

	if (stream->recording && !begins_like_recording(stream)) {
		error_set(&stream->error, -EPROTO,
			  "'%.120s': the host sent no recording. Nothing more is written.",
			  stream->path);
		drop_rest(stream);
		return;
	}
	const char *chunk = channel->bytes + channel->at;
	if (stream->writer && !file_writer_append(stream->writer, chunk, channel->n))
		return;
	int rc = stream->writer ? file_writer_error(stream->writer)
				: write_all(stream->fd, chunk, channel->n, NULL);
	if (rc) {
		set_write_error(stream, rc);
		drop_rest(stream);
		return;
	}
	stream->copied += channel->n;
	channel->n = 0;
}

void host_stream_copy(struct host_stream *stream)
{
	struct channel *channel = stream->channel;

	if (channel->n == 0) {
		stream->ended = channel_read(channel) != 0;
		stream->read_ns = monotonic_ns();
		/* Whether a pipe takes it is polled first. */
		if (stream->fd >= 0 && !stream->writer)
			return;
	}
	if (channel->n > 0 && stream->fd >= 0)
		write_chunk(stream);
	else
		channel->n = 0;
}

uint64_t host_stream_waits_since(const struct host_stream *stream)
{
	return has_chunk(stream) ? stream->read_ns : 0;
}

void host_stream_close(struct host_stream *stream)
{
	int rc = file_writer_free(stream->writer);

	stream->writer = NULL;
	if (rc && !stream->error.code)
		set_write_error(stream, rc);
}
