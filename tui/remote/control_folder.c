// SPDX-License-Identifier: MIT
#include "tui/remote/control_folder.h"

#include "core/base/hash_table.h"
#include "core/base/safe_path.h"
#include "core/base/util.h"
#include "tui/remote/held_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PARENT_MAX = 40, PREFIX_BYTES = 33 };

static bool is_plain(const char *path)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

	return strlen(path) <= PARENT_MAX && path[strspn(path, plain)] == '\0';
}

/* Opens the directory that gets the folder. `name` gets its path without links. */
static int open_parent(const char *wanted, char name[PATH_MAX], struct error *err)
{
	int fd = wanted && wanted[0] == '/' ? safe_path_open_fixed(wanted, name) : -ENOENT;

	if (fd >= 0 && is_plain(name))
		return fd;
	if (fd >= 0)
		close(fd);
	fd = safe_path_open_fixed("/tmp", name);
	if (fd >= 0 && is_plain(name))
		return fd;
	if (fd >= 0)
		close(fd);
	if (fd == -EPERM)
		return error_set(
			err, fd,
			"A folder for ssh's socket cannot be made in /tmp: another user may "
			"replace /tmp. Set TMPDIR to a folder of your own.");
	int code = fd < 0 ? fd : -ENAMETOOLONG;
	return error_set(err, code, "A folder for ssh's socket cannot be made in /tmp: %s.%s",
			 error_why(code), error_remedy(code));
}

/*
 * The begin of the names of folders of this machine since its boot. A socket's path is short, so it
 * has a hash of the machine's name and boot id. False if that is unknown.
 */
static bool set_prefix(char prefix[PREFIX_BYTES])
{
	char boot[HELD_FOLDER_BOOT_BYTES] = "";
	struct utsname machine = {0};
	bool known = held_folder_boot_id(boot) && uname(&machine) == 0;
	uint64_t hash = hash_bytes(hash_text(machine.nodename), boot, sizeof(boot));

	snprintf(prefix, PREFIX_BYTES, "pmctop-control-%016" PRIx64 "-", hash);
	return known;
}

/* Makes the folder in folder->parent and holds it. */
static int make_held(struct control_folder *folder, const char *name)
{
	struct stat status;

	if (mkdirat(folder->parent, name, 0700) < 0)
		return -errno;
	folder->folder =
		openat(folder->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->folder < 0) {
		int code = -errno;

		unlinkat(folder->parent, name, AT_REMOVEDIR);
		return code;
	}
	if (fstat(folder->folder, &status) < 0)
		return -errno;
	if (status.st_uid != geteuid() || status.st_mode & 077)
		return -EPERM;
	folder->alive = held_folder_hold(folder->folder);
	return folder->alive < 0 ? folder->alive : 0;
}

int control_folder_make(const char *parent, struct control_folder *folder, struct error *err)
{
	char place[PATH_MAX], prefix[PREFIX_BYTES], name[PREFIX_BYTES + 8];
	uint32_t random;

	*folder = (struct control_folder){.folder = -1, .alive = -1};
	folder->parent = open_parent(parent, place, err);
	if (folder->parent < 0)
		return folder->parent;
	if (set_prefix(prefix))
		held_folder_remove_stale(folder->parent, prefix, geteuid());
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		xalloc_failed(); /* not with a kernel that is new enough for the rest */
	snprintf(name, sizeof(name), "%s%08" PRIx32, prefix, random);
	snprintf(folder->path, sizeof(folder->path), "%.*s/%s", PARENT_MAX, place, name);
	snprintf(folder->socket, sizeof(folder->socket), "%s/s", folder->path);
	int code = make_held(folder, name);
	if (code == 0)
		return 0;
	control_folder_remove(folder);
	return error_set(err, code, "A folder for ssh's socket cannot be made in %s: %s.%s", place,
			 error_why(code), error_remedy(code));
}

void control_folder_remove(struct control_folder *folder)
{
	if (!folder->path[0])
		return;
	if (folder->folder >= 0)
		held_folder_remove(folder->parent, strrchr(folder->path, '/') + 1, folder->folder);
	const int fds[] = {folder->alive, folder->folder, folder->parent};
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*folder = (struct control_folder){0};
}
