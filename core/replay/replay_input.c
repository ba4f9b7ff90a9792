// SPDX-License-Identifier: MIT
/*
 * A file is read with pread. A pipe is polled before each read instead of made non-blocking, since
 * the flag is shared with the other processes that have it open.
 */
#include "core/replay/replay_input.h"

#include "core/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct replay_input {
	struct perfdata_input bytes;
	int fd;
	off_t from; /* offset of the beginning: standard input may have been read before */
};

/* Other processes may share the pipe, so its flags are not changed: poll() comes before read(). */
static ssize_t read_pipe(int fd, void *bytes, size_t n)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	int ready = poll(&pollfd, 1, 0);

	if (ready == 0 || (ready < 0 && errno == EINTR))
		return -EAGAIN;
	ssize_t got = ready < 0 ? -1 : read(fd, bytes, n);
	if (got >= 0)
		return got;
	return errno == EINTR || errno == EAGAIN ? -EAGAIN : -errno;
}

static ssize_t read_file(const struct replay_input *input, uint64_t at, void *bytes, size_t n)
{
	ssize_t got;

	if (at > INT64_MAX - (uint64_t)input->from)
		return 0;
	do
		got = pread(input->fd, bytes, n, input->from + (off_t)at);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static ssize_t input_read(void *arg, uint64_t at, void *bytes, size_t n)
{
	const struct replay_input *input = arg;

	return input->bytes.seekable ? read_file(input, at, bytes, n)
				     : read_pipe(input->fd, bytes, n);
}

/* 'perf record --threads' makes a directory of data, data.0, data.1 ... */
static int refuse_directory(struct error *err, int fd, const char *path)
{
	if (faccessat(fd, "data", F_OK, 0) < 0 || faccessat(fd, "data.0", F_OK, 0) < 0)
		return error_set(err, -EISDIR, "'%.120s' is a directory. Name a file.", path);
	return error_set(err, -EISDIR,
			 "'%.120s' is a directory of 'perf record --threads', which cannot be "
			 "read: record without --threads.",
			 path);
}

static int refuse_path(struct error *err, int code, const char *path)
{
	return error_set(err, code, "'%.120s' cannot be read: %s.", path, error_why(code));
}

int replay_input_open(const char *path, struct replay_input **out, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	/* O_NONBLOCK: the open of a FIFO without a writer does not wait. */
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *shown = standard ? "standard input" : path;
	struct stat stat;

	if (fd < 0)
		return refuse_path(err, -errno, path);
	int result = 0;
	if (fstat(fd, &stat) < 0)
		result = refuse_path(err, -errno, shown);
	else if (S_ISDIR(stat.st_mode))
		result = refuse_directory(err, fd, shown);
	else if (standard && isatty(fd))
		result = error_set(err, -EINVAL,
				   "Standard input is a terminal, not a recording. Example: pmctop "
				   "--record - ... | pmctop --replay -");
	if (result < 0) {
		if (!standard)
			close(fd);
		return result;
	}
	struct replay_input *input = xcalloc(1, sizeof(*input));
	input->fd = fd;
	input->bytes = (struct perfdata_input){.read = input_read, .arg = input};
	if (S_ISREG(stat.st_mode)) {
		off_t from = standard ? lseek(fd, 0, SEEK_CUR) : 0;
		input->from = from > 0 ? from : 0;
		input->bytes.seekable = true;
		input->bytes.size =
			stat.st_size > input->from ? (uint64_t)(stat.st_size - input->from) : 0;
	}
	*out = input;
	return 0;
}

void replay_input_close(struct replay_input *input)
{
	if (!input)
		return;
	if (input->fd != STDIN_FILENO)
		close(input->fd);
	free(input);
}

const struct perfdata_input *replay_input_bytes(const struct replay_input *input)
{
	return &input->bytes;
}

int replay_input_fd(const struct replay_input *input)
{
	return input->fd;
}
