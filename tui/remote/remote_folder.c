// SPDX-License-Identifier: MIT
/*
 * A FIFO without a writer is not readable before the first writer has opened it. So a shell that
 * has ended already is found only if it ends after the open, or if the FIFO is gone; then the
 * folder is gone too.
 */
#include "tui/remote/remote_folder.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "tui/remote/held_folder.h"
#include "tui/remote/link_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READER_TRIES = 300, READER_RETRY_MS = 50 };

static int open_folder(const char *path, struct error *err)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, -errno, "'%.120s' (--remote) cannot be opened: %s.", path,
				 error_why(-errno));
	if (fstat(fd, &status) == 0 && !(status.st_mode & 077) &&
	    (status.st_uid == geteuid() || geteuid() == 0))
		return fd;
	close(fd);
	return error_set(err, -EPERM,
			 "'%.120s' (--remote) is not a private folder of this user. Option "
			 "'--remote' is for --ssh and --via alone.",
			 path);
}

static int read_parcel(int folder, struct parcel *parcel, struct error *err)
{
	char *bytes = xmalloc(PARCEL_BYTES_MAX + 1);
	size_t n = 0;
	ssize_t some = -1;
	struct stat status;
	int fd = openat(folder, "parcel", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		while (n <= PARCEL_BYTES_MAX &&
		       (some = read(fd, bytes + n, PARCEL_BYTES_MAX + 1 - n)) > 0)
			n += (size_t)some;
	int code = -errno;
	int rc = some < 0 ? error_set(err, code ? code : -EIO,
				      "The arguments that were sent here cannot be read: %s.",
				      error_why(code ? code : -EIO))
			  : parcel_unpack(bytes, n, parcel, err);
	if (fd >= 0)
		close(fd);
	free(bytes);
	return rc;
}

/*
 * The reader was started before this program, but may be slower. With sudo the folder belongs to
 * another user, and root must not write a file of that user's choice.
 */
static int open_recording(int folder, struct error *err)
{
	struct stat status;
	int fd = -1;

	for (unsigned i = 0; i < READER_TRIES; i++) {
		fd = openat(folder, "recording", O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 || errno != ENXIO)
			break;
		poll(NULL, 0, READER_RETRY_MS);
	}
	if (fd < 0)
		return error_set(err, -errno, "The pipe of the recording cannot be opened: %s.",
				 error_why(-errno));
	if (fstat(fd, &status) < 0 || !S_ISFIFO(status.st_mode)) {
		close(fd);
		return error_set(err, -EINVAL, "The file of the recording is no pipe.");
	}
	fcntl(fd, F_SETFL, 0);
	return fd;
}

/* The number of the shell: FOLDER is .../pmctop-ssh-USER-HOST-BOOT-SHELL-NAME. 0: unknown. */
static pid_t shell_of(const char *path)
{
	const char *name = strrchr(path, '-');
	uint64_t pid = 0;

	while (name > path && name[-1] != '-')
		name--;
	return name && text_u64(name, &pid) && pid < INT32_MAX ? (pid_t)pid : 0;
}

static struct host_link open_link(int folder, const char *path)
{
	struct host_link link = {.shell = shell_of(path)};
	struct stat status = {0};

	link.alive = openat(folder, "alive", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fstat(folder, &status))
		link.shell = 0;
	link.owner = status.st_uid;
	return link;
}

/*
 * A command of --via that stays on its machine (nsenter, chroot) has passed the blocked signals of
 * channel_config on.
 */
static void unblock_signals(void)
{
	sigset_t passed;

	sigemptyset(&passed);
	sigaddset(&passed, SIGINT);
	sigaddset(&passed, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &passed, NULL);
}

/* The variables of the terminal that ssh connects. */
static void set_variables(const struct parcel *parcel)
{
	const struct {
		const char *name, *value;
	} rows[] = {
		{"TERM", parcel->term},         {"COLORTERM", parcel->colorterm},
		{"NO_COLOR", parcel->no_color}, {"ESCDELAY", parcel->escdelay},
		{"LINES", parcel->lines},       {"COLUMNS", parcel->columns},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].value)
			setenv(rows[i].name, rows[i].value, 1);
		else
			unsetenv(rows[i].name);
	}
}

/*
 * The begin of the names of this user's folders on this machine since its boot. Of
 * pmctop-ssh-USER-HOST-BOOT-SHELL-NAME it is the part before SHELL. False if there is no boot id: a
 * script of an older version has made the folder.
 */
static bool copy_prefix(const char *name, char *prefix, size_t size)
{
	char boot[HELD_FOLDER_BOOT_BYTES];
	size_t length = strlen(name);

	for (unsigned dashes = 0; dashes < 2; length--)
		if (length == 0 || (name[length - 1] == '-' && ++dashes == 2))
			break;
	if (length >= size || !held_folder_boot_id(boot) || length <= strlen(boot) + 1)
		return false;
	memcpy(prefix, name, length);
	prefix[length] = '\0';
	const char *id = prefix + length - 1 - strlen(boot);
	return id[-1] == '-' && strncmp(id, boot, strlen(boot)) == 0;
}

/* Removes the folder, and the stale ones beside it. */
static void remove_folders(int folder, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char prefix[NAME_MAX + 1];
	struct stat status;
	int parent = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

	held_folder_remove(parent, name, folder);
	if (fstat(folder, &status) == 0 && copy_prefix(name, prefix, sizeof(prefix)))
		held_folder_remove_stale(parent, prefix, status.st_uid);
	if (parent >= 0)
		close(parent);
}

int remote_folder_receive(const char *path, struct parcel *parcel, int *recording,
			  struct error *err)
{
	int folder = open_folder(path, err);

	*recording = -1;
	*parcel = (struct parcel){0};
	if (folder < 0)
		return folder;
	int rc = read_parcel(folder, parcel, err);
	if (rc == 0)
		parcel->link = open_link(folder, path);
	if (rc == 0 && parcel->record) {
		int fd = open_recording(folder, err);

		*recording = fd < 0 ? -1 : fd;
		rc = fd < 0 ? fd : 0;
	}
	remove_folders(folder, path);
	close(folder);
	if (rc)
		parcel_fini(parcel);
	else
		set_variables(parcel);
	unblock_signals();
	return rc;
}
