// SPDX-License-Identifier: MIT
/*
 * confine 1|2 cpu PERCENT COMMAND [ARG...]: runs COMMAND with PERCENT of one CPU.
 * confine 1|2 memory MEGABYTES COMMAND [ARG...]: runs COMMAND with that much memory.
 *
 * The limit is a cgroup of version 1 or 2, "pmctop-load-PID" at the root of its hierarchy. This
 * process joins it and executes COMMAND. Exit status 77: the cgroup cannot be made, for the reason
 * on stderr.
 *
 * A second process removes the cgroup however COMMAND ends. It reads from a pipe whose other end
 * COMMAND and its children inherit: the pipe ends when the last of them is gone. It is in a session
 * of its own, because tests/run kills whole process groups.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RETRY_US 10000

/* The kernel's period of a quota is 100 ms. */
static const struct limit {
	const char *controller;
	const char *files[2]; /* of version 1 and 2 */
	double unit;
} limits[] = {
	{"cpu", {"cpu.cfs_quota_us", "cpu.max"}, 100000 / 100},
	{"memory", {"memory.limit_in_bytes", "memory.max"}, 1 << 20},
};

struct cgroup {
	char root[PATH_MAX / 2]; /* where the hierarchy is mounted */
	char path[PATH_MAX];
	int to_enable; /* version 2: the root does not pass the controller on yet */
};

__attribute__((format(printf, 1, 2))) static _Noreturn void refuse(const char *format, ...)
{
	va_list args;

	fputs("confine: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(77);
}

/* 0 or -errno. */
static int write_text(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	int error = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);

	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

static void must_write(const char *dir, const char *name, const char *text)
{
	int error = write_text(dir, name, text);

	if (error)
		refuse("%s/%s: writing '%s': %s", dir, name, text, strerror(-error));
}

/* Whether a file of version 2 that lists controllers has this one. */
static int lists_controller(const char *root, const char *name, const char *controller)
{
	char path[PATH_MAX + 64], word[64];
	int found = 0;

	snprintf(path, sizeof(path), "%s/%s", root, name);

	FILE *file = fopen(path, "re");

	while (file && !found && fscanf(file, "%63s", word) == 1)
		found = strcmp(word, controller) == 0;
	if (file)
		fclose(file);
	return found;
}

static void find_root(struct cgroup *cgroup, int version, const char *controller)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;

	while (mounts && (mount = getmntent(mounts))) {
		if (strcmp(mount->mnt_type, version == 1 ? "cgroup" : "cgroup2") != 0)
			continue;
		if (version == 1
			    ? !hasmntopt(mount, controller)
			    : !lists_controller(mount->mnt_dir, "cgroup.controllers", controller))
			continue;
		snprintf(cgroup->root, sizeof(cgroup->root), "%s", mount->mnt_dir);
		endmntent(mounts);
		return;
	}
	refuse("no cgroup hierarchy of version %d with the controller %s is mounted", version,
	       controller);
}

static void pass_controller_on(const struct cgroup *cgroup, const char *controller, char sign)
{
	char text[64];

	snprintf(text, sizeof(text), "%c%s", sign, controller);
	if (sign == '+')
		must_write(cgroup->root, "cgroup.subtree_control", text);
	else
		write_text(cgroup->root, "cgroup.subtree_control", text);
}

/* Returns when the cgroup is gone. */
static void remove_after(const struct cgroup *cgroup, const char *controller, int pipe_end)
{
	char byte;

	while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
		;
	/* The last task leaves the cgroup a moment after it has closed its files. */
	while (rmdir(cgroup->path) && errno == EBUSY)
		usleep(RETRY_US);
	if (cgroup->to_enable)
		pass_controller_on(cgroup, controller, '-');
}

/* The second process is nobody's child: COMMAND can wait for its own children. */
static void start_remover(const struct cgroup *cgroup, const char *controller)
{
	int ends[2], status;

	if (pipe(ends))
		refuse("pipe: %s", strerror(errno));

	pid_t child = fork();

	if (child < 0)
		refuse("fork: %s", strerror(errno));
	if (child == 0) {
		if (setsid() < 0 || fork() != 0)
			_exit(0);
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		close(ends[1]);
		remove_after(cgroup, controller, ends[0]);
		_exit(0);
	}
	close(ends[0]);
	waitpid(child, &status, 0);
}

static void join_cgroup(const struct cgroup *cgroup, const char *controller, const char *file,
			const char *value)
{
	start_remover(cgroup, controller);
	if (cgroup->to_enable)
		pass_controller_on(cgroup, controller, '+');
	if (mkdir(cgroup->path, 0755))
		refuse("%s: %s", cgroup->path, strerror(errno));
	must_write(cgroup->path, file, value);
	must_write(cgroup->path, "cgroup.procs", "0");
}

int main(int argc, char **argv)
{
	int version = argc > 4 ? argv[1][0] - '0' : 0;
	double amount = argc > 4 ? strtod(argv[3], NULL) : 0;
	struct cgroup cgroup = {0};
	char value[32];

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const struct limit *limit = &limits[i];

		if (version < 1 || version > 2 || amount <= 0 ||
		    strcmp(argv[2], limit->controller) != 0)
			continue;
		find_root(&cgroup, version, limit->controller);
		snprintf(cgroup.path, sizeof(cgroup.path), "%s/pmctop-load-%d", cgroup.root,
			 getpid());
		cgroup.to_enable =
			version == 2 &&
			!lists_controller(cgroup.root, "cgroup.subtree_control", limit->controller);
		snprintf(value, sizeof(value), "%.0f", amount * limit->unit);
		join_cgroup(&cgroup, limit->controller, limit->files[version - 1], value);
		execvp(argv[4], argv + 4);
		perror(argv[4]);
		return 127;
	}
	fputs("usage: confine 1|2 cpu PERCENT|memory MEGABYTES COMMAND [ARG...]\n", stderr);
	return 2;
}
