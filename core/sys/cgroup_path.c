// SPDX-License-Identifier: MIT
#include "core/sys/cgroup_path.h"

#include "core/base/util.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES = 16 << 10 }; /* version 1: a line of up to PATH_MAX for each controller */

#define DELETED " (deleted)"

bool cgroup_list_has(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	for (const char *item = list, *end = list + length; item < end; item++) {
		const char *comma = memchr(item, ',', (size_t)(end - item));
		const char *item_end = comma ? comma : end;

		if ((size_t)(item_end - item) == word_length &&
		    memcmp(item, word, word_length) == 0)
			return true;
		item = item_end;
	}
	return false;
}

/* "hierarchy:controller,controller:path". A line of version 2 has no controllers. */
struct line {
	const char *controllers, *path;
	size_t controllers_length, path_length;
};

/* Parses the next line with a path, and moves *text behind it. False at the end. */
static bool next_line(const char **text, struct line *line)
{
	while (**text) {
		const char *begin = *text, *end = strchrnul(begin, '\n');
		const char *list = memchr(begin, ':', (size_t)(end - begin));
		const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;

		*text = *end ? end + 1 : end;
		if (!path || path[1] != '/')
			continue;
		*line = (struct line){
			.controllers = list + 1,
			.controllers_length = (size_t)(path - list - 1),
			.path = path + 1,
			.path_length = (size_t)(end - path - 1),
		};
		return true;
	}
	return false;
}

/*
 * Whether a hierarchy of version 1 has a controller that services and containers use. In others
 * (cpuset) a task may have another path.
 */
static bool has_service_controller(const struct line *line)
{
	static const char *const words[] = {"memory", "pids", "cpu", "name=systemd"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (cgroup_list_has(line->controllers, line->controllers_length, words[i]))
			return true;
	return false;
}

static size_t depth_of(const struct line *line)
{
	size_t depth = 0;

	for (size_t i = 0; i + 1 < line->path_length; i++)
		depth += line->path[i] == '/';
	return depth + (line->path_length > 1);
}

static void copy_path(const struct line *line, char *path, size_t size)
{
	size_t length = line->path_length, deleted = strlen(DELETED);

	if (length > deleted && memcmp(line->path + length - deleted, DELETED, deleted) == 0)
		length -= deleted;
	length = size_min(length, size - 1);
	memcpy(path, line->path, length);
	path[length] = '\0';
}

bool cgroup_parse(const char *text, char *path, size_t size)
{
	struct line line, best = {0};
	size_t best_depth = 0;

	while (next_line(&text, &line)) {
		bool unified = line.controllers_length == 0;
		if (!unified && !has_service_controller(&line))
			continue;
		size_t depth = depth_of(&line);
		/* A path of version 2 comes before all others. */
		if (unified && depth > 0)
			depth = SIZE_MAX;
		if (best.path && depth <= best_depth)
			continue;
		best = line;
		best_depth = depth;
	}
	if (!best.path)
		return false;
	copy_path(&best, path, size);
	return true;
}

bool cgroup_parse_controller(const char *text, const char *controller, char *path, size_t size)
{
	struct line line;

	while (next_line(&text, &line)) {
		if (controller ? !cgroup_list_has(line.controllers, line.controllers_length,
						  controller)
			       : line.controllers_length > 0)
			continue;
		copy_path(&line, path, size);
		return true;
	}
	return false;
}

static ssize_t read_file(const struct sys *sys, pid_t tid, char text[FILE_BYTES])
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/cgroup", tid);
	return sys_file_read(sys, name, text, FILE_BYTES);
}

bool cgroup_of(const struct sys *sys, pid_t tid, char *path, size_t size)
{
	char text[FILE_BYTES];

	return read_file(sys, tid, text) >= 0 && cgroup_parse(text, path, size);
}

bool cgroup_paths_of(const struct sys *sys, pid_t tid, struct cgroup_paths *paths)
{
	char text[FILE_BYTES];

	if (read_file(sys, tid, text) < 0 || !cgroup_parse(text, paths->name, sizeof(paths->name)))
		return false;
	if (!cgroup_parse_controller(text, "cpu", paths->cpu, sizeof(paths->cpu)) &&
	    !cgroup_parse_controller(text, NULL, paths->cpu, sizeof(paths->cpu)))
		paths->cpu[0] = '\0';
	return true;
}

int cgroup_of_controller(const struct sys *sys, pid_t tid, const char *controller, char *path,
			 size_t size)
{
	char text[FILE_BYTES];
	ssize_t length = read_file(sys, tid, text);

	if (length < 0)
		return (int)length;
	return cgroup_parse_controller(text, controller, path, size) ? 0 : -ENOENT;
}
