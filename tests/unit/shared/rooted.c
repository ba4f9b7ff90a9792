// SPDX-License-Identifier: MIT
#include "tests/unit/shared/rooted.h"

#include "core/base/util.h"
#include "tests/unit/shared/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { PATH_BYTES = 8192 };

/* Writes the real path. */
static const char *real_path(const struct rooted *rooted, const char *path, char to[PATH_BYTES])
{
	bool own = strncmp(path, "/proc/self/", strlen("/proc/self/")) == 0;

	snprintf(to, PATH_BYTES, "%s%s", own ? "" : rooted->root, path);
	return to;
}

static ssize_t rooted_file_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct rooted *rooted = ctx;
	char real[PATH_BYTES];

	return sys_file_read(&rooted->to, real_path(rooted, path, real), buffer, size);
}

static ssize_t rooted_link_read(void *ctx, const char *path, char *buffer, size_t size)
{
	struct rooted *rooted = ctx;
	char real[PATH_BYTES];
	size_t length = strlen(rooted->root);
	ssize_t n = sys_link_read(&rooted->to, real_path(rooted, path, real), buffer, size);

	if (n < (ssize_t)length || strncmp(buffer, rooted->root, length) != 0)
		return n;
	memmove(buffer, buffer + length, (size_t)n - length + 1);
	return n - (ssize_t)length;
}

static int rooted_file_owner(void *ctx, const char *path, uid_t *owner)
{
	struct rooted *rooted = ctx;
	char real[PATH_BYTES];

	return sys_file_owner(&rooted->to, real_path(rooted, path, real), owner);
}

static int rooted_file_open(void *ctx, const char *path)
{
	struct rooted *rooted = ctx;
	char real[PATH_BYTES];

	if (rooted->open_error)
		return rooted->open_error;
	int fd = sys_file_open(&rooted->to, real_path(rooted, path, real));
	rooted->opened += fd >= 0;
	return fd;
}

static ssize_t rooted_file_pread(void *ctx, int fd, void *buffer, size_t size, uint64_t offset)
{
	return sys_file_pread(&((struct rooted *)ctx)->to, fd, buffer, size, offset);
}

static int rooted_file_status(void *ctx, int fd, struct stat *status)
{
	return sys_file_status(&((struct rooted *)ctx)->to, fd, status);
}

static int rooted_file_ioctl(void *ctx, int fd, unsigned long request, void *argument)
{
	return sys_file_ioctl(&((struct rooted *)ctx)->to, fd, request, argument);
}

static int rooted_dir_each(void *ctx, const char *path, int (*fn)(void *arg, const char *name),
			   void *arg)
{
	struct rooted *rooted = ctx;
	char real[PATH_BYTES];

	return sys_dir_each(&rooted->to, real_path(rooted, path, real), fn, arg);
}

static int rooted_close(void *ctx, int fd)
{
	struct rooted *rooted = ctx;

	rooted->opened--;
	return sys_close(&rooted->to, fd);
}

static uint64_t rooted_now_ns(void *ctx)
{
	const struct rooted *rooted = ctx;

	return rooted->now_ns ? rooted->now_ns : sys_now_ns(&rooted->to);
}

void rooted_init(struct rooted *rooted)
{
	*rooted = (struct rooted){.root = "/tmp/pmctop-root-XXXXXX"};
	assert_non_null(mkdtemp(rooted->root));
	assert_int_equal(sys_linux_init(&rooted->to), 0);
	rooted->ops = (struct sys_ops){
		.file_read = rooted_file_read,
		.link_read = rooted_link_read,
		.file_owner = rooted_file_owner,
		.file_open = rooted_file_open,
		.file_pread = rooted_file_pread,
		.file_status = rooted_file_status,
		.file_ioctl = rooted_file_ioctl,
		.dir_each = rooted_dir_each,
		.close = rooted_close,
		.now_ns = rooted_now_ns,
	};
	rooted->sys = (struct sys){&rooted->ops, rooted};
}

void rooted_fini(struct rooted *rooted)
{
	remove_tree(rooted->root);
	sys_linux_fini(&rooted->to);
}

const char *rooted_path(const struct rooted *rooted, const char *path)
{
	static char paths[4][PATH_BYTES];
	static unsigned next;
	char *to = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(to, PATH_BYTES, "%s%s", rooted->root, path);
	return to;
}

void rooted_folders(const struct rooted *rooted, const char *path)
{
	char full[PATH_BYTES];

	snprintf(full, sizeof(full), "%s%s", rooted->root, path);
	for (char *at = full + strlen(rooted->root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(full, 0755) != 0 && errno != EEXIST)
			fail_msg("%s cannot be made", full);
		*at = '/';
	}
}

void rooted_text(const struct rooted *rooted, const char *path, const char *text)
{
	rooted_folders(rooted, path);
	write_file(rooted_path(rooted, path), text);
}

void rooted_link(const struct rooted *rooted, const char *path, const char *target)
{
	rooted_folders(rooted, path);
	unlink(rooted_path(rooted, path));
	if (symlink(rooted_path(rooted, target), rooted_path(rooted, path)) != 0)
		fail_msg("%s cannot be linked", path);
}
