// SPDX-License-Identifier: MIT
#include "record_file.h"

#include "util.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	WAITING_MAX = 64 << 20, /* bytes that may wait to be written */
	SPARE_MAX = 8,          /* of those that are used again */
	PIPE_PIECE = 4096,      /* PIPE_BUF: a pipe that is ready takes so much at once */
	PIPE_LOOK_MS = 100,
};

struct piece {
	struct perfdata data; /* the first: what the outside knows of it */
	char stamp[32];       /* "": it goes on in the same file */
	struct piece *next;
};

struct record_file {
	char *path;
	bool named;  /* it is our own: not standard output */
	bool stream; /* a pipe, or another one that may keep us waiting */
	pthread_t thread;

	/* The thread's own. */
	int fd;
	int doomed_fd;        /* of a file that was replaced; -1: none was */
	uint64_t written;     /* bytes of this file, in whole pieces */
	struct perfdata text; /* scratch: a piece, translated */

	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t more;
	struct piece *first, **last; /* that wait */
	struct piece *spare;
	size_t waiting, n_spare; /* bytes; pieces */
	uint64_t all_written;    /* bytes of all files */
	bool close;
	struct error error; /* why it has ended; code 0: it has not */
};

/* ---- opening */

static int refuse(struct error *err, int code, const char *path, const char *why)
{
	return error_set(err, code, "'%.120s' %s", path, why);
}

static int refuse_code(struct error *err, int code, const char *path)
{
	const char *why = strerrordesc_np(-code); /* strerror would ask the locale */

	return error_set(err, code, "'%.120s' cannot be recorded to: %s.", path,
			 why ? why : "unknown error");
}

static bool is_recording(int fd, const struct stat *status)
{
	uint64_t magic = 0;

	return status->st_size == 0 ||
	       (pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && magic == PERFDATA_MAGIC);
}

/*
 * What has the name already gets another, if it is ours to move. What had that is held open: to
 * free the blocks of a large file takes its time, which is the thread's.
 */
static int make_way(const char *path, int *doomed_fd, struct error *err)
{
	char old[PATH_MAX];
	struct stat status;
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result = fd < 0 ? -errno : 0;

	if (result == -ELOOP)
		return refuse(err, result, path,
			      "is a symbolic link: name what it stands for instead.");
	if (result == -EISDIR)
		return refuse(err, result, path, "is a directory: name a file in it.");
	if (result < 0)
		return refuse_code(err, result, path);
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		result = refuse(err, -EINVAL, path,
				"is no file: '-' records to standard output, into a pipe.");
	else if (status.st_uid != geteuid())
		result = refuse(err, -EPERM, path, "belongs to somebody else: take another name.");
	else if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		result = refuse(err, -EBUSY, path, "is being recorded to: take another name.");
	else if (!is_recording(fd, &status))
		result = refuse(err, -EEXIST, path, "is no recording: take another name.");
	else if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		result = refuse_code(err, -ENAMETOOLONG, path);
	else if (status.st_size > 0)
		*doomed_fd = open(old, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (result == 0 && (status.st_size == 0 ? unlink(path) : rename(path, old)) < 0)
		result = refuse_code(err, -errno, path);
	close(fd);
	return result;
}

static void close_doomed(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

/* A new file of that name, locked: a descriptor, or -errno and a sentence. */
static int create_locked(const char *path, int *doomed_fd, struct error *err)
{
	struct stat mine, named;
	int fd = create(path);

	if (fd == -EEXIST) {
		int result = make_way(path, doomed_fd, err);
		if (result < 0)
			return result;
		fd = create(path);
	}
	if (fd < 0)
		return refuse_code(err, fd, path);
	/* Between the two calls somebody else may have made way for theirs. */
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &mine) == 0 &&
	    lstat(path, &named) == 0 && mine.st_ino == named.st_ino)
		return fd;
	close(fd);
	return refuse(err, -EBUSY, path, "is being recorded to: take another name.");
}

/* ---- writing, on the thread */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool closing(struct record_file *file)
{
	pthread_mutex_lock(&file->lock);
	bool result = file->close;
	pthread_mutex_unlock(&file->lock);
	return result;
}

/* Until it takes something; -ETIMEDOUT where it is to be closed and has not for long. */
static int await_reader(struct record_file *file)
{
	struct pollfd ready = {.fd = file->fd, .events = POLLOUT};
	uint64_t patience_ns = 0;

	while (poll(&ready, 1, PIPE_LOOK_MS) == 0) {
		if (!closing(file))
			continue;
		if (patience_ns == 0)
			patience_ns = now_ns() + RECORD_FILE_PATIENCE_NS;
		if (now_ns() >= patience_ns)
			return -ETIMEDOUT;
	}
	return 0;
}

static int write_all(struct record_file *file, const unsigned char *bytes, size_t n)
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

/* The file so far gets the stamp, and a new one its name. */
static int begin_file(struct record_file *file, const char *stamp, struct error *err)
{
	char stamped[PATH_MAX];

	if (snprintf(stamped, sizeof(stamped), "%s.%s", file->path, stamp) >= (int)sizeof(stamped))
		return refuse_code(err, -ENAMETOOLONG, file->path);
	if (rename(file->path, stamped) < 0)
		return refuse_code(err, -errno, file->path);
	close(file->fd);
	file->written = 0;
	file->fd = create_locked(file->path, &file->doomed_fd, err);
	return file->fd < 0 ? file->fd : 0;
}

static int explain(struct error *err, int code)
{
	const char *why = strerrordesc_np(-code);

	if (code == -EPIPE)
		return error_set(err, code, "The recording has ended: its reader went away.");
	if (code == -ENOSPC || code == -EDQUOT)
		return error_set(err, code,
				 "The recording has ended: no space left. What was written before "
				 "can be read.");
	return error_set(err, code, "The recording has ended: %s.", why ? why : "unknown error");
}

static int write_piece(struct record_file *file, const struct piece *piece, struct error *err)
{
	file->text.n = 0;
	perfdata_translate(&file->text, &piece->data);
	int result = piece->stamp[0] ? begin_file(file, piece->stamp, err) : 0;

	if (result < 0)
		return result;
	result = write_all(file, file->text.bytes, file->text.n);
	if (result == 0) {
		file->written += file->text.n;
		return 0;
	}
	/* No record is left half written. */
	int ignored = !file->named ? 0 : ftruncate(file->fd, (off_t)file->written);
	(void)ignored;
	return explain(err, result);
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

/* Of a piece that was written. The lock is held. */
static void keep_spare(struct record_file *file, struct piece *piece)
{
	file->waiting -= piece->data.n;
	piece->data.n = 0;
	if (file->n_spare == SPARE_MAX) {
		piece_free(piece);
		return;
	}
	piece->next = file->spare;
	file->spare = piece;
	file->n_spare++;
}

static void *run(void *arg)
{
	struct record_file *file = arg;
	struct error err = {0};

	close_doomed(&file->doomed_fd);
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
	if (file->fd >= 0 && file->named && file->written == 0)
		unlink(file->path); /* nothing came of it */
	if (file->fd >= 0)
		close(file->fd);
	return NULL;
}

/* ---- for the others */

static int start_thread(struct record_file *file)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int result = pthread_create(&file->thread, NULL, run, file);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -result;
}

static int open_output(const char *path, int *doomed_fd, struct error *err)
{
	if (strcmp(path, "-") != 0)
		return create_locked(path, doomed_fd, err);
	if (isatty(STDOUT_FILENO))
		return error_set(err, -EINVAL,
				 "A recording is nothing to look at: send '--record -' into a "
				 "pipe, or name a file.");
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return fd < 0 ? refuse_code(err, -errno, "standard output") : fd;
}

int record_file_open(const char *path, struct record_file **out, struct error *err)
{
	struct stat status;
	int doomed_fd = -1, fd = open_output(path, &doomed_fd, err);

	if (fd < 0) {
		close_doomed(&doomed_fd);
		return fd;
	}
	struct record_file *file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	file->fd = fd;
	file->doomed_fd = doomed_fd;
	file->named = strcmp(path, "-") != 0;
	file->stream = fstat(fd, &status) < 0 || !S_ISREG(status.st_mode);
	file->last = &file->first;
	pthread_mutex_init(&file->lock, NULL);
	pthread_cond_init(&file->more, NULL);
	int result = start_thread(file);
	if (result == 0) {
		*out = file;
		return 0;
	}
	close(fd);
	close_doomed(&doomed_fd);
	free(file->path);
	free(file);
	return error_set(err, result, "The recorder's thread cannot be started.");
}

void record_file_end(struct record_file *file)
{
	pthread_mutex_lock(&file->lock);
	file->close = true;
	pthread_cond_signal(&file->more);
	pthread_mutex_unlock(&file->lock);
}

void record_file_close(struct record_file *file)
{
	if (!file)
		return;
	record_file_end(file);
	pthread_join(file->thread, NULL);

	give_up_pieces(&file->first);
	give_up_pieces(&file->spare);
	perfdata_fini(&file->text);
	close_doomed(&file->doomed_fd);
	pthread_cond_destroy(&file->more);
	pthread_mutex_destroy(&file->lock);
	free(file->path);
	free(file);
}

struct perfdata *record_file_take(struct record_file *file)
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

void record_file_put(struct record_file *file, struct perfdata *data, const char *stamp)
{
	struct piece *piece = (struct piece *)data;

	if (stamp)
		text_copy(piece->stamp, sizeof(piece->stamp), stamp);
	pthread_mutex_lock(&file->lock);
	if (!file->error.code && file->waiting + data->n > WAITING_MAX)
		error_set(&file->error, -EAGAIN,
			  "The recording has ended: what it is written to is too slow.");
	if (file->error.code) {
		pthread_mutex_unlock(&file->lock);
		perfdata_translate(NULL, &piece->data);
		piece_free(piece);
		return;
	}
	file->waiting += data->n;
	*file->last = piece;
	file->last = &piece->next;
	pthread_cond_signal(&file->more);
	pthread_mutex_unlock(&file->lock);
}

uint64_t record_file_bytes(struct record_file *file)
{
	pthread_mutex_lock(&file->lock);
	uint64_t bytes = file->all_written + file->waiting;
	pthread_mutex_unlock(&file->lock);
	return bytes;
}

int record_file_state(struct record_file *file, struct error *err)
{
	pthread_mutex_lock(&file->lock);
	int code = file->error.code;
	if (code && err)
		*err = file->error;
	pthread_mutex_unlock(&file->lock);
	return code;
}
