// SPDX-License-Identifier: MIT
#include "tui/remote/control_folder.h"

#include "core/base/text.h"
#include "core/base/util.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "pmctop-control-"

enum { PARENT_MAX = 40, SOCKET_PATH_MAX = 90 };

static bool is_plain(const char *path)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";

	return path && path[0] == '/' && strlen(path) <= PARENT_MAX &&
	       path[strspn(path, plain)] == '\0';
}

/* Whether the name is that of a folder of a process that has ended. */
static bool is_stale(const char *name)
{
	uint64_t pid;
	size_t length = strlen(PREFIX);

	if (strncmp(name, PREFIX, length) != 0)
		return false;
	size_t used = text_u64(name + length, &pid);
	return used > 0 && name[length + used] == '-' && pid > 1 && pid < INT32_MAX &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Only folders of this user. Their names are known to be those of folders, not of links. */
static void remove_stale(const char *parent)
{
	DIR *stream = opendir(parent);
	struct stat status;

	for (const struct dirent *entry; stream && (entry = readdir(stream));) {
		struct control_folder old;

		if (!is_stale(entry->d_name) ||
		    snprintf(old.path, sizeof(old.path), "%s/%s", parent, entry->d_name) >=
			    SOCKET_PATH_MAX ||
		    lstat(old.path, &status) < 0 || !S_ISDIR(status.st_mode) ||
		    status.st_uid != geteuid())
			continue;
		snprintf(old.socket, sizeof(old.socket), "%s/s", old.path);
		control_folder_remove(&old);
	}
	if (stream)
		closedir(stream);
}

int control_folder_make(const char *parent, struct control_folder *folder, struct error *err)
{
	if (!is_plain(parent))
		parent = "/tmp";
	remove_stale(parent);
	snprintf(folder->path, sizeof(folder->path), "%s/" PREFIX "%d-XXXXXX", parent, getpid());
	if (!mkdtemp(folder->path)) {
		int code = -errno;

		folder->path[0] = '\0';
		return error_set(err, code, "A folder for ssh's socket cannot be made in %s: %s.%s",
				 parent, error_why(code), error_remedy(code));
	}
	snprintf(folder->socket, sizeof(folder->socket), "%s/s", folder->path);
	return 0;
}

void control_folder_remove(struct control_folder *folder)
{
	if (!folder->path[0])
		return;
	unlink(folder->socket);
	rmdir(folder->path);
	folder->path[0] = '\0';
}
