// SPDX-License-Identifier: MIT
/*
 * Two buffers: one is filled while the thread writes the other.
 */
#include "tui/remote/file_writer.h"

#include "core/base/thread.h"
#include "core/base/util.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
	QUEUE_BYTES = 32 << 20,
	PIECE_BYTES = 64 << 10, /* what is still unwritten is known to a piece */
};

struct buffer {
	char *bytes;
	size_t n, capacity;
};

struct file_writer {
	int fd, room_fd; /* room_fd: eventfd */
	struct unwritten *unwritten;
	pthread_t thread;
	struct buffer taken; /* of the thread */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct buffer queue;
	bool full, end;
	int error;
};

/* After an error the rest is dropped. */
static int write_taken(struct file_writer *writer, int rc)
{
	struct buffer *taken = &writer->taken;

	for (size_t at = 0, some; at < taken->n; at += some) {
		some = size_min(taken->n - at, PIECE_BYTES);
		if (rc == 0)
			rc = write_all(writer->fd, taken->bytes + at, some, NULL);
		unwritten_take(writer->unwritten, some);
	}
	taken->n = 0;
	return rc;
}

static void *writer_run(void *arg)
{
	struct file_writer *writer = arg;

	pthread_mutex_lock(&writer->lock);
	while (writer->queue.n > 0 || !writer->end) {
		if (writer->queue.n == 0) {
			pthread_cond_wait(&writer->more, &writer->lock);
			continue;
		}
		const struct buffer taken = writer->queue;
		writer->queue = writer->taken;
		writer->taken = taken;
		if (writer->full)
			eventfd_write(writer->room_fd, 1);
		writer->full = false;
		int rc = writer->error;
		pthread_mutex_unlock(&writer->lock);
		rc = write_taken(writer, rc);
		pthread_mutex_lock(&writer->lock);
		writer->error = rc;
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

int file_writer_new(int fd, struct unwritten *unwritten, struct file_writer **out,
		    struct error *err)
{
	struct file_writer *writer = xcalloc(1, sizeof(*writer));
	int rc;

	writer->fd = fd;
	writer->unwritten = unwritten;
	writer->room_fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	if (writer->room_fd < 0) {
		rc = error_set_no_descriptor(err, -errno);
		free(writer);
		return rc;
	}
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->more, NULL);
	rc = thread_start(&writer->thread, writer_run, writer);
	if (rc == 0) {
		*out = writer;
		return 0;
	}
	close(writer->room_fd);
	free(writer);
	return error_set_not_started(err, rc, "A thread");
}

int file_writer_free(struct file_writer *writer)
{
	if (!writer)
		return 0;
	pthread_mutex_lock(&writer->lock);
	writer->end = true;
	pthread_cond_signal(&writer->more);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	int rc = writer->error;
	close(writer->room_fd);
	pthread_cond_destroy(&writer->more);
	pthread_mutex_destroy(&writer->lock);
	free(writer->queue.bytes);
	free(writer->taken.bytes);
	free(writer);
	return rc;
}

static void grow(struct buffer *buffer, size_t n)
{
	if (n <= buffer->capacity)
		return;
	buffer->capacity = 2 * n;
	buffer->bytes = xreallocarray(buffer->bytes, buffer->capacity, 1);
}

bool file_writer_append(struct file_writer *writer, const void *bytes, size_t n)
{
	struct buffer *queue = &writer->queue;
	eventfd_t ignored;

	pthread_mutex_lock(&writer->lock);
	writer->full = !writer->error && queue->n + n > QUEUE_BYTES;
	bool full = writer->full;
	if (full) {
		eventfd_read(writer->room_fd, &ignored);
	} else if (!writer->error) {
		grow(queue, queue->n + n);
		memcpy(queue->bytes + queue->n, bytes, n);
		queue->n += n;
		unwritten_add(writer->unwritten, n);
		pthread_cond_signal(&writer->more);
	}
	pthread_mutex_unlock(&writer->lock);
	return !full;
}

int file_writer_room(const struct file_writer *writer)
{
	return writer->room_fd;
}

int file_writer_error(struct file_writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	int rc = writer->error;
	pthread_mutex_unlock(&writer->lock);
	return rc;
}
