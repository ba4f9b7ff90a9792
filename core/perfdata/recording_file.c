// SPDX-License-Identifier: MIT
/*
 * Two threads and a list of pieces between them, under one lock. The thread that counts appends a
 * piece and continues. The writer takes the first piece, writes it and keeps its memory as a spare.
 * The first error is kept and ends the writing: the waiting pieces and all later ones are dropped.
 * Before each write the file's size is compared with what was written, since another program may
 * have truncated the file.
 */
#include "core/perfdata/recording_file.h"

#include "core/base/thread.h"
#include "core/base/util.h"
#include "core/perfdata/perfdata_raw.h"
#include "core/perfdata/perfdata_sections.h"
#include "core/perfdata/recording_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WAITING_MAX = 64 << 20, /* greatest number of queued bytes */
	SPARE_MAX = 8,          /* pieces kept for reuse */
	PIPE_PIECE = 4096,      /* PIPE_BUF: a pipe that is ready takes so much at once */
	PIPE_LOOK_MS = 50,
};

struct piece {
	struct perfdata data; /* the first member, which callers fill */
	char stamp[32];       /* of the previous file; "": the same file */
	struct piece *next;
};

struct recording_file {
	struct recording_name name;
	bool named;                  /* not standard output */
	bool stream;                 /* a pipe, or another output that may block */
	struct unwritten *unwritten; /* borrowed; may be NULL */
	pthread_t thread;

	/* Of the thread. */
	int fd;
	uint64_t written;     /* bytes of this file, in whole pieces */
	struct perfdata text; /* scratch: a piece, translated */
	struct perfdata_sections sections;

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct piece *first, **last; /* waiting pieces */
	struct piece *spare;
	size_t waiting, n_spare; /* bytes; pieces */
	uint64_t all_written;    /* bytes of all files */
	bool close;
	struct error error; /* why it has ended; code 0: it has not */
};

static bool is_closing(struct recording_file *file)
{
	pthread_mutex_lock(&file->lock);
	bool result = file->close;
	pthread_mutex_unlock(&file->lock);
	return result;
}

/* Waits until the output is writable; -ETIMEDOUT while closing, if it was not for long. */
static int await_reader(struct recording_file *file)
{
	struct pollfd ready = {.fd = file->fd, .events = POLLOUT};
	uint64_t patience_ns = 0;

	while (poll(&ready, 1, PIPE_LOOK_MS) == 0) {
		if (!is_closing(file))
			continue;
		if (patience_ns == 0)
			patience_ns = monotonic_ns() + RECORDING_FILE_PATIENCE_NS;
		if (monotonic_ns() >= patience_ns)
			return -ETIMEDOUT;
	}
	return 0;
}

static int write_bytes(struct recording_file *file, const unsigned char *bytes, size_t n)
{
	while (n > 0) {
		int result = file->stream ? await_reader(file) : 0;
		if (result < 0)
			return result;
		ssize_t some = write(file->fd, bytes, file->stream ? size_min(n, PIPE_PIECE) : n);
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return -errno;
		bytes += some;
		n -= (size_t)some;
	}
	return 0;
}

static int explain_end(struct error *err, int code)
{
	if (code == -EPIPE)
		return error_set(err, code, "The recording has ended: its reader closed the pipe.");
	if (code == -ETIMEDOUT || code == -EAGAIN)
		return error_set(err, code, "The recording has ended: its reader stopped reading.");
	return error_set(err, code,
			 "The recording has ended: %s.%s What was written before can be read.",
			 error_why(code), error_remedy(code));
}

static int explain_changed(const struct recording_file *file, const char *what, struct error *err)
{
	return error_set(err, -ESTALE,
			 "'%.120s': another program %s the recording. Record to another file.",
			 file->name.path, what);
}

/* After a truncation the next write would leave zeros before it, and the size would be right. */
static int check_size(const struct recording_file *file, struct error *err)
{
	struct stat status;

	if (!file->named)
		return 0;
	if (fstat(file->fd, &status) < 0)
		return explain_end(err, -errno);
	return (uint64_t)status.st_size < file->written ? explain_changed(file, "truncated", err)
							: 0;
}

/* Ends a file. If the sections cannot be written it remains a stream. */
static int end_file(struct recording_file *file, struct error *err)
{
	if (!file->named)
		return 0;
	int result = check_size(file, err);
	if (result < 0)
		return result;
	result = perfdata_sections_write(&file->sections, file->fd, file->written);
	if (result == 0)
		return 0;
	int code = result < 0 ? result : -EIO;
	int ignored = result > 0 ? 0 : ftruncate(file->fd, (off_t)file->written);
	(void)ignored;
	return error_set(err, code,
			 "'%.80s': the sections for perf cannot be written: %s.%s pmctop can "
			 "replay it.",
			 file->name.path, error_why(code), error_remedy(code));
}

/* Files before the last one may be removed (recording_name.h); the last one must still have a name.
 */
static int end_last_file(struct recording_file *file, struct error *err)
{
	struct stat status;
	int result = end_file(file, err);

	if (result == 0 && file->named && fstat(file->fd, &status) == 0 && status.st_nlink == 0)
		result = explain_changed(file, "removed", err);
	return result;
}

static int begin_next_file(struct recording_file *file, const char *stamp, struct error *err)
{
	int result = end_file(file, err);

	if (result == 0)
		result = recording_name_next(&file->name, &file->fd, stamp, err);
	if (result == 0)
		file->written = 0;
	return result;
}

static int write_piece(struct recording_file *file, const struct piece *piece, struct error *err)
{
	file->text.n = 0;
	perfdata_translate(&file->text, &piece->data);
	int result =
		piece->stamp[0] ? begin_next_file(file, piece->stamp, err) : check_size(file, err);
	if (result < 0)
		return result;
	result = write_bytes(file, file->text.bytes, file->text.n);
	if (result == 0) {
		if (file->text.n > 0)
			perfdata_sections_note(&file->sections, file->text.bytes, file->text.n,
					       file->written);
		file->written += file->text.n;
		return 0;
	}
	/* No record is left half written. */
	int ignored = !file->named ? 0 : ftruncate(file->fd, (off_t)file->written);
	(void)ignored;
	return explain_end(err, result);
}

static void piece_free(struct piece *piece)
{
	perfdata_fini(&piece->data);
	free(piece);
}

static void give_up_pieces(struct piece **list)
{
	for (struct piece *piece = *list, *next; piece; piece = next) {
		next = piece->next;
		perfdata_translate(NULL, &piece->data);
		piece_free(piece);
	}
	*list = NULL;
}

/* Frees or keeps a written piece. The lock is held. */
static void keep_spare(struct recording_file *file, struct piece *piece)
{
	file->waiting -= piece->data.n;
	unwritten_take(file->unwritten, piece->data.n);
	piece->data.n = 0;
	if (file->n_spare == SPARE_MAX) {
		piece_free(piece);
		return;
	}
	piece->next = file->spare;
	file->spare = piece;
	file->n_spare++;
}

static int close_last_file(struct recording_file *file, struct error *err)
{
	int result = 0;

	if (file->named && file->written == 0)
		recording_name_remove(&file->name, file->fd);
	else
		result = end_last_file(file, err);
	close(file->fd);
	return result;
}

static void *writer_run(void *arg)
{
	struct recording_file *file = arg;
	struct error err = {0};

	recording_name_tidy(&file->name);
	pthread_mutex_lock(&file->lock);
	while (!file->error.code) {
		struct piece *piece = file->first;
		if (!piece && file->close)
			break;
		if (!piece) {
			pthread_cond_wait(&file->more, &file->lock);
			continue;
		}
		file->first = piece->next;
		if (!file->first)
			file->last = &file->first;
		pthread_mutex_unlock(&file->lock);
		int result = write_piece(file, piece, &err);
		pthread_mutex_lock(&file->lock);
		keep_spare(file, piece);
		if (result == 0)
			file->all_written += file->text.n;
		else if (!file->error.code)
			file->error = err;
	}
	pthread_mutex_unlock(&file->lock);
	int result = file->fd >= 0 ? close_last_file(file, &err) : 0;
	pthread_mutex_lock(&file->lock);
	if (result < 0 && !file->error.code)
		file->error = err;
	pthread_mutex_unlock(&file->lock);
	unwritten_close(file->unwritten);
	return NULL;
}

static int open_stdout(struct error *err)
{
	if (isatty(STDOUT_FILENO))
		return error_set(
			err, -EINVAL,
			"A recording cannot be written to a terminal. Send '--record -' into a "
			"pipe, or name a file.");
	/* main() opens a closed descriptor with O_PATH. */
	if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return error_set(err, -EBADF,
				 "Standard output: it is closed or cannot be written. Send "
				 "'--record -' into a pipe, or name a file.");
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return fd < 0 ? error_set(err, -errno, "Cannot record to standard output: %s.%s",
				  error_why(-errno), error_remedy(-errno))
		      : fd;
}

int recording_file_open(const char *path, const struct recording_rules *rules,
			struct recording_file **out, struct error *err)
{
	struct recording_name name = {.doomed_fd = -1};
	struct stat status;
	bool named = strcmp(path, "-") != 0 && !rules->pipe;
	unwritten_name(rules->unwritten, named || rules->pipe ? path : "standard output");
	int fd = rules->pipe ? rules->pipe
		 : named     ? recording_name_open(&name, path, rules, err)
			     : open_stdout(err);

	if (fd < 0) {
		unwritten_close(rules->unwritten);
		return fd;
	}
	struct recording_file *file = xcalloc(1, sizeof(*file));
	file->name = name;
	file->fd = fd;
	file->named = named;
	file->stream = fstat(fd, &status) < 0 || !S_ISREG(status.st_mode);
	file->last = &file->first;
	file->unwritten = rules->unwritten;
	unwritten_open(file->unwritten);
	pthread_mutex_init(&file->lock, NULL);
	pthread_cond_init(&file->more, NULL);
	int result = thread_start(&file->thread, writer_run, file);
	if (result == 0) {
		*out = file;
		return 0;
	}
	unwritten_close(file->unwritten);
	close(fd);
	recording_name_fini(&file->name);
	free(file);
	return error_set_not_started(err, result, "The recorder's thread");
}

void recording_file_end(struct recording_file *file)
{
	pthread_mutex_lock(&file->lock);
	file->close = true;
	pthread_cond_signal(&file->more);
	pthread_mutex_unlock(&file->lock);
}

int recording_file_close(struct recording_file *file, struct error *err)
{
	if (!file)
		return 0;
	recording_file_end(file);
	pthread_join(file->thread, NULL);
	int result = recording_file_state(file, err);

	give_up_pieces(&file->first);
	give_up_pieces(&file->spare);
	perfdata_fini(&file->text);
	perfdata_sections_fini(&file->sections);
	pthread_cond_destroy(&file->more);
	pthread_mutex_destroy(&file->lock);
	recording_name_fini(&file->name);
	free(file);
	return result;
}

struct perfdata *recording_file_new_part(struct recording_file *file)
{
	pthread_mutex_lock(&file->lock);
	struct piece *piece = file->spare;
	if (piece) {
		file->spare = piece->next;
		file->n_spare--;
	}
	pthread_mutex_unlock(&file->lock);
	if (!piece)
		piece = xcalloc(1, sizeof(*piece));
	piece->stamp[0] = '\0';
	piece->next = NULL;
	return &piece->data;
}

void recording_file_append(struct recording_file *file, struct perfdata *data, const char *stamp)
{
	struct piece *piece = (struct piece *)data;
	size_t bytes = data->n;

	if (stamp)
		text_copy(piece->stamp, sizeof(piece->stamp), stamp);
	pthread_mutex_lock(&file->lock);
	if (!file->error.code && file->waiting + bytes > WAITING_MAX)
		error_set(&file->error, -EAGAIN,
			  "The recording has ended: its disk or pipe is too slow.");
	if (file->error.code) {
		pthread_mutex_unlock(&file->lock);
		perfdata_translate(NULL, &piece->data);
		piece_free(piece);
		return;
	}
	file->waiting += bytes;
	unwritten_add(file->unwritten, bytes);
	*file->last = piece;
	file->last = &piece->next;
	pthread_cond_signal(&file->more);
	pthread_mutex_unlock(&file->lock);
}

uint64_t recording_file_bytes(struct recording_file *file)
{
	pthread_mutex_lock(&file->lock);
	uint64_t bytes = file->all_written + file->waiting;
	pthread_mutex_unlock(&file->lock);
	return bytes;
}

int recording_file_state(struct recording_file *file, struct error *err)
{
	pthread_mutex_lock(&file->lock);
	int code = file->error.code;
	if (code && err)
		*err = file->error;
	pthread_mutex_unlock(&file->lock);
	return code;
}
