// SPDX-License-Identifier: MIT
/*
 * Names are kept as numbers, so a directory of many files costs 8 bytes a file. They are in the
 * order of the parts.
 */
#include "core/replay/replay_directory.h"

#include "core/base/util.h"
#include "core/perfdata/perfdata.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STAMP_DIGITS = 16 };

/* The number in a name of 'perf record --switch-output'; false: it is another name. */
static bool read_stamp(const char *name, uint64_t *stamp)
{
	const char *digits = name + strlen(REPLAY_DIRECTORY_USUAL ".");

	if (strncmp(name, REPLAY_DIRECTORY_USUAL ".", strlen(REPLAY_DIRECTORY_USUAL ".")) != 0 ||
	    strlen(digits) != STAMP_DIGITS)
		return false;
	*stamp = 0;
	for (size_t i = 0; i < STAMP_DIGITS; i++) {
		if (!isdigit((unsigned char)digits[i]))
			return false;
		*stamp = *stamp * 10 + (uint64_t)(digits[i] - '0');
	}
	return true;
}

static int compare_stamps(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static int list_stamps(struct replay_directory *directory, const char *path, struct error *err)
{
	int fd = fcntl(directory->fd, F_DUPFD_CLOEXEC, 0);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	size_t capacity = 0;
	const struct dirent *entry;
	int result = 0;

	if (!list) {
		int code = -errno;
		if (fd >= 0)
			close(fd);
		return error_set(err, code, "'%.120s' cannot be read: %s.", path, error_why(code));
	}
	while (result == 0 && (entry = readdir(list)) != NULL) {
		uint64_t stamp;
		if (!read_stamp(entry->d_name, &stamp))
			continue;
		if (directory->n_stamps == REPLAY_DIRECTORY_MAX)
			result = error_set(err, -E2BIG, "'%.120s' has more than %d recordings.",
					   path, REPLAY_DIRECTORY_MAX);
		else
			directory->stamps =
				array_reserve(directory->stamps, &capacity, directory->n_stamps + 1,
					      sizeof(*directory->stamps));
		if (result == 0)
			directory->stamps[directory->n_stamps++] = stamp;
	}
	closedir(list);
	if (directory->n_stamps > 0)
		qsort(directory->stamps, directory->n_stamps, sizeof(*directory->stamps),
		      compare_stamps);
	return result;
}

enum usual {
	USUAL_EMPTY,      /* perf has just begun it */
	USUAL_UNFINISHED, /* perf has not written the size of the data, which it does at the end */
	USUAL_COMPLETE,
};

/* Inspects perf.data. */
static enum usual inspect_usual(int directory_fd)
{
	struct perfdata_file_head head = {0};
	int fd = openat(directory_fd, REPLAY_DIRECTORY_USUAL,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got = fd < 0 ? -1 : pread(fd, &head, sizeof(head), 0);
	bool usual =
		head.magic == PERFDATA_MAGIC || head.magic == __builtin_bswap64(PERFDATA_MAGIC);
	bool stream = head.size == sizeof(struct perfdata_head) ||
		      head.size == __builtin_bswap64(sizeof(struct perfdata_head));

	if (fd >= 0)
		close(fd);
	if (got == 0)
		return USUAL_EMPTY;
	return got == sizeof(head) && usual && !stream && head.data.size == 0 ? USUAL_UNFINISHED
									      : USUAL_COMPLETE;
}

static bool has_file(const struct replay_directory *directory, const char *name)
{
	struct stat status;

	return fstatat(directory->fd, name, &status, 0) == 0 && !S_ISDIR(status.st_mode);
}

static int refuse_directory(const struct replay_directory *directory, const char *path,
			    struct error *err)
{
	struct stat status;

	if (fstatat(directory->fd, REPLAY_DIRECTORY_USUAL, &status, 0) == 0)
		return error_set(err, -EISDIR,
				 "'%.120s' has a directory " REPLAY_DIRECTORY_USUAL
				 ". Name that one.",
				 path);
	if (!has_file(directory, "data") || !has_file(directory, "data.0"))
		return error_set(err, -EISDIR,
				 "'%.120s' is a directory without " REPLAY_DIRECTORY_USUAL
				 ". Name a file.",
				 path);
	return error_set(err, -EISDIR,
			 "'%.120s' is a directory of 'perf record --threads', which cannot be "
			 "read: record without --threads.",
			 path);
}

int replay_directory_init(struct replay_directory *directory, int fd, const char *path,
			  struct error *err)
{
	*directory = (struct replay_directory){.fd = fd};
	directory->last =
		has_file(directory, REPLAY_DIRECTORY_USUAL) ? REPLAY_DIRECTORY_USUAL : NULL;
	int result = list_stamps(directory, path, err);

	/* 'perf record --threads' makes a directory of data, data.0, data.1 ... */
	if (!directory->last && directory->n_stamps == 0 && has_file(directory, "data") &&
	    !has_file(directory, "data.0"))
		directory->last = "data";
	if (result == 0 && replay_directory_n(directory) == 0)
		result = refuse_directory(directory, path, err);
	if (result < 0) {
		replay_directory_fini(directory);
		return result;
	}
	if (!directory->last || directory->n_stamps == 0)
		return 0;
	switch (inspect_usual(fd)) {
	case USUAL_EMPTY:
		directory->last = NULL;
		break;
	case USUAL_UNFINISHED:
		break;
	case USUAL_COMPLETE:
		directory->n_other = directory->n_stamps;
		directory->n_stamps = 0;
		break;
	}
	return 0;
}

void replay_directory_fini(struct replay_directory *directory)
{
	close(directory->fd);
	free(directory->stamps);
	*directory = (struct replay_directory){.fd = -1};
}

size_t replay_directory_n(const struct replay_directory *directory)
{
	return directory->n_stamps + (directory->last != NULL);
}

void replay_directory_name(const struct replay_directory *directory, size_t index, char *name)
{
	if (index < directory->n_stamps)
		snprintf(name, REPLAY_DIRECTORY_NAME, REPLAY_DIRECTORY_USUAL ".%016" PRIu64,
			 directory->stamps[index]);
	else
		text_copy(name, REPLAY_DIRECTORY_NAME, directory->last);
}
