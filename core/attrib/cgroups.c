// SPDX-License-Identifier: MIT
#include "core/attrib/cgroups.h"

#include "core/base/hash_table.h"
#include "core/base/util.h"
#include "core/sys/cgroup_path.h"

#include <stdlib.h>
#include <string.h>

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
	free(cgroup->memory.path);
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
		cgroup->table = cgroups;
		hash_table_add(&cgroups->table, key)->item = cgroup;
	}
	return cgroup_ref(cgroup);
}

struct cgroup *cgroup_ref(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup->references++;
	return cgroup;
}

void cgroups_put(struct cgroups *cgroups, struct cgroup *cgroup)
{
	while (cgroup && --cgroup->references == 0) {
		struct cgroup *parent = cgroup->parent;
		hash_table_remove_item(&cgroups->table, hash_text(cgroup->path), cgroup);
		cgroup_free(cgroup);
		cgroup = parent;
	}
}

struct cgroup *cgroup_parent(struct cgroup *cgroup)
{
	const char *slash = strrchr(cgroup->path, '/');

	if (cgroup->parent || !slash || slash[1] == '\0')
		return cgroup->parent;
	size_t length = slash > cgroup->path ? (size_t)(slash - cgroup->path) : 1;
	char *path = xstrndup(cgroup->path, length);
	cgroup->parent = cgroups_get(cgroup->table, path);
	free(path);
	return cgroup->parent;
}

size_t cgroups_count(const struct cgroups *cgroups)
{
	return cgroups->table.n;
}

bool cgroups_read(struct cgroups *cgroups, const struct sys *sys, pid_t tid, struct cgroup **cgroup,
		  struct cgroup **cpu_cgroup)
{
	struct cgroup_paths paths;

	*cgroup = *cpu_cgroup = NULL;
	if (!cgroup_paths_of(sys, tid, &paths))
		return false;
	*cgroup = cgroups_get(cgroups, paths.name);
	if (paths.cpu[0])
		*cpu_cgroup = cgroups_get(cgroups, paths.cpu);
	return true;
}
