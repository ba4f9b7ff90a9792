// SPDX-License-Identifier: MIT
/* /proc/self/mountinfo, and then a path: a directory below a mount point, or none. */
#include "tests/fuzz/fuzz.h"

#include "core/sys/cgroup_dir.h"

static void check_dir(const struct cgroup_dir *dir, const char *point, const char *path)
{
	fuzz_check(dir->version == 1 || dir->version == 2, "a directory has a version");
	fuzz_check(strncmp(dir->path, point, strlen(point)) == 0, "it is below the mount point");
	fuzz_check(strlen(dir->path) <= strlen(point) + strlen(path), "it is not longer than both");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	char *path = fuzz_text(&bytes), *text = fuzz_text(&bytes);
	struct cgroup_mounts mounts;
	struct cgroup_dir dir;

	cgroup_mounts_parse(text, &mounts);
	for (enum cgroup_controller i = 0; i < CGROUP_CONTROLLERS; i++) {
		const struct cgroup_mount *mount = &mounts.items[i];
		if (mount->version)
			fuzz_check(mount->root[0] == '/' && mount->point[0] == '/',
				   "paths of a mount begin at the root");
		if (cgroup_dir_find(&mounts, i, path, &dir) == 0)
			check_dir(&dir, mount->point, path);
	}
	cgroup_mounts_fini(&mounts);
	free(path);
	free(text);
	return 0;
}
