// SPDX-License-Identifier: MIT
/*
 * A table of cgroups by path, and the parser of /proc/PID/cgroup. That file has a line per mounted
 * hierarchy: one for version 2, and one for each of version 1. The path of one line is chosen.
 */
#include "core/attrib/cgroups.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 16 << 10 }; /* version 1: a line of up to PATH_MAX for each controller */

#define DELETED " (deleted)"

struct cgroups {
	struct hash_table table; /* by path */
};

struct cgroups *cgroups_new(void)
{
	struct cgroups *cgroups = xcalloc(1, sizeof(*cgroups));

	hash_table_init(&cgroups->table, 0);
	return cgroups;
}

static void cgroup_free(struct cgroup *cgroup)
{
	if (!cgroup)
		return;
	free(cgroup->path);
	free(cgroup);
}

void cgroups_free(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	for (size_t i = 0; i < cgroups->table.n_slots; i++)
		cgroup_free(cgroups->table.slots[i].item);
	hash_table_fini(&cgroups->table);
	free(cgroups);
}

static struct cgroup *find_path(const struct cgroups *cgroups, uint64_t key, const char *path)
{
	struct hash_slot *slot = hash_table_slot(&cgroups->table, key);

	while (slot->item && strcmp(((struct cgroup *)slot->item)->path, path) != 0)
		slot = hash_table_next(&cgroups->table, slot);
	return slot->item;
}

struct cgroup *cgroups_get(struct cgroups *cgroups, const char *path)
{
	uint64_t key = hash_text(path);
	struct cgroup *cgroup = find_path(cgroups, key, path);

	if (!cgroup) {
		cgroup = xcalloc(1, sizeof(*cgroup));
		cgroup->path = xstrdup(path);
		hash_table_add(&cgroups->table, key)->item = cgroup;
	}
	cgroup->references++;
	return cgroup;
}

void cgroups_put(struct cgroups *cgroups, struct cgroup *cgroup)
{
	if (!cgroup || --cgroup->references > 0)
		return;
	hash_table_remove_item(&cgroups->table, hash_text(cgroup->path), cgroup);
	cgroup_free(cgroup);
}

size_t cgroups_count(const struct cgroups *cgroups)
{
	return cgroups->table.n;
}

/* Whether a word is in "cpu,cpuacct". */
static bool list_has(const char *list, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *item = list; item < end; item++) {
		const char *comma = memchr(item, ',', (size_t)(end - item));
		const char *item_end = comma ? comma : end;

		if ((size_t)(item_end - item) == length && memcmp(item, word, length) == 0)
			return true;
		item = item_end;
	}
	return false;
}

/*
 * Whether a hierarchy of version 1 has a controller that services and containers use. In others
 * (cpuset) a task may have another path.
 */
static bool has_service_controller(const char *controllers, const char *end)
{
	static const char *const words[] = {"memory", "pids", "cpu", "name=systemd"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (list_has(controllers, end, words[i]))
			return true;
	return false;
}

static size_t depth_of(const char *path, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; i + 1 < length; i++)
		depth += path[i] == '/';
	return depth + (length > 1);
}

bool cgroup_parse(const char *text, char *path, size_t size)
{
	const char *best = NULL;
	size_t best_length = 0, best_depth = 0;

	/* hierarchy:controller,controller:path; a path has any bytes but a newline */
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		const char *list = memchr(line, ':', (size_t)(end - line));
		const char *list_end =
			list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
		if (!list_end || list_end[1] != '/')
			continue;
		bool unified = list_end == list + 1;
		if (!unified && !has_service_controller(list + 1, list_end))
			continue;
		size_t length = (size_t)(end - list_end - 1);
		size_t depth = depth_of(list_end + 1, length);
		/* A path of version 2 comes before all others. */
		if (unified && depth > 0)
			depth = SIZE_MAX;
		if (best && depth <= best_depth)
			continue;
		best = list_end + 1;
		best_length = length;
		best_depth = depth;
	}
	if (!best)
		return false;
	if (best_length > strlen(DELETED) &&
	    memcmp(best + best_length - strlen(DELETED), DELETED, strlen(DELETED)) == 0)
		best_length -= strlen(DELETED);
	best_length = size_min(best_length, size - 1);
	memcpy(path, best, best_length);
	path[best_length] = '\0';
	return true;
}

bool cgroup_of(const struct sys *sys, pid_t tid, char *path, size_t size)
{
	char name[32], text[FILE_BYTES];

	snprintf(name, sizeof(name), "/proc/%d/cgroup", tid);
	return sys_file_read(sys, name, text, sizeof(text)) >= 0 && cgroup_parse(text, path, size);
}

struct cgroup *cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid)
{
	char path[CGROUP_PATH_MAX];

	return cgroup_of(sys, tid, path, sizeof(path)) ? cgroups_get(cgroups, path) : NULL;
}
