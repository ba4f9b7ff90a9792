// SPDX-License-Identifier: MIT
/*
 * A name that tables show can only be found through processes: the cgroup of each is read, and its
 * name compared. A path is found in the file system too, in each hierarchy that may be mounted.
 */
#include "core/attrib/cgroup_find.h"

#include "core/base/util.h"
#include "core/sys/cgroup_name.h"
#include "core/sys/cgroup_path.h"
#include "core/sys/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CGROUP_ROOT "/sys/fs/cgroup"

bool cgroup_is_within(const char *path, const char *above)
{
	size_t length = strlen(above);

	return strcmp(above, "/") == 0 ||
	       (strncmp(path, above, length) == 0 && (path[length] == '\0' || path[length] == '/'));
}

/* Mount points below CGROUP_ROOT: of the only hierarchy, or of several. */
static const char *const hierarchies[] = {"",     "/unified", "/memory", "/pids", "/cpu,cpuacct",
					  "/cpu", "/systemd"};

static bool has_processes(const struct sys *sys, const char *hierarchy, const char *path)
{
	char full[2 * CGROUP_PATH_MAX], text[16];

	snprintf(full, sizeof(full), CGROUP_ROOT "%s%s/cgroup.procs", hierarchy, path);
	/* The file of a threaded cgroup exists, but cannot be read. */
	ssize_t result = sys_file_read(sys, full, text, sizeof(text));
	return result >= 0 || result == -EOPNOTSUPP || result == -EACCES;
}

static bool is_cgroup(const struct sys *sys, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(hierarchies); i++)
		if (has_processes(sys, hierarchies[i], path))
			return true;
	return false;
}

/* Skips the mount point of a path of the file system. */
static const char *skip_mount(const struct sys *sys, const char *what)
{
	if (!cgroup_is_within(what, CGROUP_ROOT))
		return what;
	what += strlen(CGROUP_ROOT);
	for (size_t i = 1; i < ARRAY_SIZE(hierarchies); i++) {
		size_t length = strlen(hierarchies[i]);
		if (strncmp(what, hierarchies[i], length) == 0 &&
		    (what[length] == '/' || !what[length]) && !has_processes(sys, "", ""))
			return what + length;
	}
	return what;
}

/* Searches for a process in a cgroup that has that name or path. */
struct cgroup_search {
	const struct sys *sys;
	const char *name;
	char *path; /* owned */
};

static int compare_name(void *arg, const char *entry)
{
	struct cgroup_search *search = arg;
	char path[CGROUP_PATH_MAX], name[CGROUP_PATH_MAX];

	if (!proc_pid(entry) || !cgroup_of(search->sys, proc_pid(entry), path, sizeof(path)))
		return 0;
	cgroup_name(path, name, sizeof(name));
	if (strcmp(name, search->name) != 0 && strcmp(path, search->name) != 0)
		return 0;
	search->path = xstrdup(path);
	return 1;
}

/*
 * Normalises a path as /proc has it: "//a/./b/" becomes "/a/b". Returns false if it is too long for
 * `path`, or has a "..".
 */
static bool normalise_path(const char *text, char *path, size_t size)
{
	size_t length = 0, part;

	for (path[0] = '\0'; *text; text += part) {
		text += strspn(text, "/");
		part = strcspn(text, "/");
		if (part == 0 || (part == 1 && text[0] == '.'))
			continue;
		if ((part == 2 && strncmp(text, "..", 2) == 0) || length + part + 2 > size)
			return false;
		length += (size_t)snprintf(path + length, size - length, "/%.*s", (int)part, text);
	}
	if (length == 0)
		snprintf(path, size, "/");
	return true;
}

char *cgroup_find(const struct sys *sys, const char *what)
{
	struct cgroup_search search = {.sys = sys, .name = what};
	char path[CGROUP_PATH_MAX];

	sys_dir_each(sys, "/proc", compare_name, &search);
	if (!search.path && normalise_path(skip_mount(sys, what), path, sizeof(path)) &&
	    is_cgroup(sys, path))
		search.path = xstrdup(path);
	return search.path;
}
