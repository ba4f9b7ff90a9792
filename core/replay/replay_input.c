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
	bool in_directory;
	struct replay_directory directory; /* if in_directory */
	size_t next;                       /* index of the file that replay_input_next() opens */
	char name[REPLAY_DIRECTORY_NAME];
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

	if (input->fd < 0 || at > INT64_MAX - (uint64_t)input->from)
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

bool replay_input_is_here(void)
{
	struct stat status;

	return stat(REPLAY_DIRECTORY_USUAL, &status) == 0 && S_ISREG(status.st_mode);
}

static int refuse_path(struct error *err, int code, const char *path)
{
	if (code == -ENOENT && replay_input_is_here())
		return error_set(err, code,
				 "'%.120s' cannot be read: %s. There is " REPLAY_DIRECTORY_USUAL
				 ": pmctop --replay " REPLAY_DIRECTORY_USUAL,
				 path, error_why(code));
	return error_set(err, code, "'%.120s' cannot be read: %s.", path, error_why(code));
}

/* The bytes are now the bytes of a regular file. */
static void set_file(struct replay_input *input, int fd, off_t from, off_t size)
{
	input->fd = fd;
	input->from = from;
	input->bytes.seekable = true;
	input->bytes.size = size > from ? (uint64_t)(size - from) : 0;
}

static int open_directory(struct replay_input *input, int fd, const char *path, struct error *err)
{
	int result = replay_directory_init(&input->directory, fd, path, err);

	input->in_directory = result == 0;
	set_file(input, -1, 0, 0);
	return result;
}

/* Takes over fd. */
static int set_input(struct replay_input *input, int fd, const char *path, struct error *err)
{
	bool standard = fd == STDIN_FILENO;
	const char *shown = standard ? "standard input" : path;
	struct stat stat;

	input->fd = fd;
	if (fstat(fd, &stat) < 0)
		return refuse_path(err, -errno, shown);
	if (S_ISDIR(stat.st_mode) && standard)
		return error_set(err, -EISDIR, "Standard input is a directory. Name it.");
	if (S_ISDIR(stat.st_mode))
		return open_directory(input, fd, shown, err);
	if (standard && isatty(fd))
		return error_set(err, -EINVAL,
				 "Standard input is a terminal, not a recording. Example: pmctop "
				 "--record - ... | pmctop --replay -");
	if (S_ISREG(stat.st_mode)) {
		off_t from = standard ? lseek(fd, 0, SEEK_CUR) : 0;
		set_file(input, fd, from > 0 ? from : 0, stat.st_size);
	}
	return 0;
}

int replay_input_open(const char *path, struct replay_input **out, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	/* O_NONBLOCK: the open of a FIFO without a writer does not wait. */
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return refuse_path(err, -errno, path);
	struct replay_input *input = xcalloc(1, sizeof(*input));
	input->bytes = (struct perfdata_input){.read = input_read, .arg = input};
	int result = set_input(input, fd, path, err);
	if (result < 0)
		replay_input_close(input);
	else
		*out = input;
	return result;
}

static void close_file(struct replay_input *input)
{
	if (input->fd > STDIN_FILENO)
		close(input->fd);
	set_file(input, -1, 0, 0);
}

void replay_input_close(struct replay_input *input)
{
	if (!input)
		return;
	close_file(input);
	if (input->in_directory)
		replay_directory_fini(&input->directory);
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

const struct replay_directory *replay_input_directory(const struct replay_input *input)
{
	return input->in_directory ? &input->directory : NULL;
}

void replay_input_restart(struct replay_input *input)
{
	input->next = 0;
}

int replay_input_next(struct replay_input *input, struct error *err)
{
	struct stat stat;

	if (!input->in_directory || input->next == replay_directory_n(&input->directory))
		return 0;
	close_file(input);
	replay_directory_name(&input->directory, input->next++, input->name);
	int fd = openat(input->directory.fd, input->name,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int code = fd < 0 || fstat(fd, &stat) < 0 ? -errno : 0;
	if (code == 0 && S_ISREG(stat.st_mode)) {
		set_file(input, fd, 0, stat.st_size);
		return 1;
	}
	if (fd >= 0)
		close(fd);
	return code < 0 ? error_set(err, code, "It cannot be read: %s.", error_why(code))
			: error_set(err, -EINVAL, "It is not a regular file.");
}

const char *replay_input_name(const struct replay_input *input)
{
	return input->name;
}
