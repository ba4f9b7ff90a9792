// SPDX-License-Identifier: MIT
/*
 * One socket pair connects pmctop and the child. The child sends 0 when its rights are the user's.
 * A byte from pmctop starts the exec and selects where the output goes. The exec closes the child's
 * end: pmctop then reads nothing. If the exec fails, the child sends errno. If pmctop gives up or
 * dies first, the child reads end of file and exits.
 */
#include "tui/run/launch.h"

#include "core/base/util.h"
#include "tui/term/variables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS   (10 * NS_PER_MS)
#define ZOMBIE_NS (2 * NS_PER_S)

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_usec * NS_PER_US;
}

static bool redirect_child(const struct launch *launch, enum launch_io io)
{
	switch (io) {
	case LAUNCH_KEEP:
		return true;
	case LAUNCH_TO_STDERR:
		return dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
	case LAUNCH_HIDDEN:
		break;
	}
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return setsid() >= 0 && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
	       dup2(launch->output, STDOUT_FILENO) >= 0 && dup2(launch->output, STDERR_FILENO) >= 0;
}

static ssize_t read_uninterrupted(int fd, void *value, size_t size)
{
	ssize_t got;

	do
		got = read(fd, value, size);
	while (got < 0 && errno == EINTR);
	return got;
}

static void wait_and_exec(const struct launch *launch, const struct launch_config *config, int fd)
{
	int error = -rights_return(config->rights);
	ssize_t sent = write(fd, &error, sizeof(error));
	char io;

	if (sent == sizeof(error) && !error && read_uninterrupted(fd, &io, 1) == 1 &&
	    redirect_child(launch, (enum launch_io)io)) {
		execvpe(config->command[0], config->command, config->rights->environment);
		error = errno;
		sent = write(fd, &error, sizeof(error));
	}
	_exit(LAUNCH_CANNOT_EXECUTE);
}

/* Opens a file without a name; some file systems lack O_TMPFILE. */
static int open_nameless(const char *directory)
{
	char path[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (snprintf(path, sizeof(path), "%s/pmctop-XXXXXX", directory) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int open_output(const struct launch_config *config, struct launch *launch, struct error *err)
{
	const char *directory =
		config->directory && config->directory[0] ? config->directory : "/tmp";

	if (!config->hidden)
		return 0;
	launch->output = open_nameless(directory);
	if (launch->output >= 0)
		return 0;
	int code = launch->output;
	launch->output = -1;
	return error_set(err, code,
			 "No file for the command's output in '%.80s': %s. Set $TMPDIR to another "
			 "directory, or use -b.",
			 directory, error_why(code));
}

/* Waits until the child's rights are the user's. If it was killed, launch_go() reports it. */
static int await_child(int socket)
{
	int error;

	return read_uninterrupted(socket, &error, sizeof(error)) == sizeof(error) ? -error : 0;
}

int launch_open(const struct launch_config *config, struct launch *launch, struct error *err)
{
	int ends[2];

	*launch = (struct launch){
		.command = config->command,
		.socket = -1,
		.output = -1,
	};
	int rc = open_output(config, launch, err);
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		rc = error_set_no_descriptor(err, -errno);
		goto fail;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		wait_and_exec(launch, config, ends[1]);
	}
	rc = pid < 0 ? -errno : 0;
	close(ends[1]);
	launch->socket = ends[0];
	if (!rc) {
		launch->pid = pid;
		rc = await_child(launch->socket);
	}
	if (rc) {
		error_set_not_started(err, rc, "The command's process");
		goto fail;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* An inherited SIG_IGN would discard the exit status. */
	signal(SIGCHLD, SIG_DFL);
	return 0;
fail:
	launch_close(launch);
	return rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void launch_close(struct launch *launch)
{
	close_fd(&launch->socket);
	close_fd(&launch->output);
	/* SIGKILL, because the child may have been stopped together with pmctop. */
	if (launch->pid && !launch->gone)
		kill(launch->pid, SIGKILL);
	while (launch->pid && (!launch->gone || launch->ended) &&
	       waitpid(launch->pid, NULL, 0) < 0 && errno == EINTR)
		;
	launch->pid = 0;
}

/*
 * Whether a directory of $PATH has the file. execvp() returns EACCES for a missing file if one
 * directory cannot be searched.
 */
static bool is_in_path(const char *name)
{
	const char *paths = variable_value(VARIABLE_PATH);

	for (const char *at = paths ? paths : "", *end; *at; at = *end ? end + 1 : end) {
		char file[PATH_MAX];
		struct stat status;
		end = strchrnul(at, ':');
		snprintf(file, sizeof(file), "%.*s/%s", (int)(end - at), at, name);
		if (stat(file, &status) == 0)
			return true;
	}
	return false;
}

static int set_exec_error(const char *name, int error, struct error *err)
{
	bool path = strchr(name, '/') != NULL;
	struct stat status;
	bool exists = path && stat(name, &status) == 0;

	if (error == ENOENT && exists)
		return error_set(err, -error,
				 "'%.120s' is not found: the file exists, but not its interpreter.",
				 name);
	if (error == ENOENT)
		return error_set(err, -error, "'%.120s' is not found: %s.", name,
				 path ? "there is no such file" : "no directory of $PATH has it");
	if (exists && S_ISDIR(status.st_mode))
		return error_set(err, -error, "'%.120s' is not executable: it is a directory.",
				 name);
	if (error == EACCES)
		return error_set(err, -error, "'%.120s' is not executable: chmod +x changes that.",
				 name);
	return error_set(err, -error, "'%.120s' cannot be executed: %s.", name, error_why(-error));
}

static int send_go(int socket, enum launch_io io)
{
	const char go = (char)io;

	while (send(socket, &go, 1, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int launch_go(struct launch *launch, enum launch_io io, struct error *err)
{
	char what[128];
	int error;

	launch->gone = true;
	launch->own_session = io == LAUNCH_HIDDEN;
	launch->began_ns = monotonic_ns();
	int rc = send_go(launch->socket, io);
	if (rc) {
		close_fd(&launch->socket); /* the child exits at end of file */
		launch->gone = rc == -EPIPE;
		if (launch->gone)
			return 0; /* killed before; launch_reap() reports it */
		launch->status = LAUNCH_CANNOT_EXECUTE;
		snprintf(what, sizeof(what), "'%.120s'", launch->command[0]);
		return error_set_not_started(err, rc, what);
	}
	ssize_t got = read_uninterrupted(launch->socket, &error, sizeof(error));
	close_fd(&launch->socket);
	if (got != sizeof(error))
		return 0;
	if (error == EACCES && !strchr(launch->command[0], '/') && !is_in_path(launch->command[0]))
		error = ENOENT;
	while (waitpid(launch->pid, NULL, 0) < 0 && errno == EINTR)
		;
	launch->ended = true;
	launch->ended_ns = monotonic_ns();
	launch->status = error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_EXECUTE;
	return set_exec_error(launch->command[0], error, err);
}

static void note_end(struct launch *launch, const siginfo_t *info, const struct rusage *usage)
{
	launch->ended = true;
	launch->ended_ns = monotonic_ns();
	launch->killed = info->si_code != CLD_EXITED;
	launch->status = launch->killed ? LAUNCH_KILLED + info->si_status : info->si_status;
	launch->user_ns = timeval_ns(&usage->ru_utime);
	launch->system_ns = timeval_ns(&usage->ru_stime);
}

/*
 * waitid(2) with the rusage that libc omits. Returns the pid of an ended child, 0 for none, or
 * -errno.
 */
static pid_t poll_ended(siginfo_t *info, struct rusage *usage)
{
	info->si_pid = 0;
	if (syscall(SYS_waitid, P_ALL, 0, info, WEXITED | WNOHANG | WNOWAIT, usage) < 0)
		return -errno;
	return info->si_pid;
}

/* No child is left: the command has ended, and its status was read by other code. */
static void note_unknown_end(struct launch *launch)
{
	launch->ended = true;
	launch->ended_ns = monotonic_ns();
	launch->status = LAUNCH_UNKNOWN;
}

/* The command stays a zombie for ZOMBIE_NS, so that the last values in /proc can be read. */
bool launch_reap(struct launch *launch)
{
	struct rusage usage;
	siginfo_t info;
	pid_t pid = 0;

	while (!launch->ended && (pid = poll_ended(&info, &usage)) > 0) {
		if (pid == launch->pid)
			note_end(launch, &info, &usage);
		else if (waitpid(pid, NULL, WNOHANG) <= 0)
			break;
	}
	if (pid == -ECHILD)
		note_unknown_end(launch);
	if (launch->ended && monotonic_ns() >= launch->ended_ns + ZOMBIE_NS)
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	return launch->ended;
}

void launch_interrupt(const struct launch *launch)
{
	if (launch->ended || !launch->gone)
		return;
	signal(SIGINT, SIG_IGN);
	kill(0, SIGINT);
}

void launch_terminate(struct launch *launch)
{
	/* Only this process reaps the child, so its pid is not reused. */
	if (launch->ended || !launch->gone)
		return;
	pid_t target = launch->own_session ? -launch->pid : launch->pid;
	launch->terminated = true;
	kill(target, SIGTERM);
	kill(target, SIGCONT); /* a stopped process receives SIGTERM after SIGCONT */
}

bool launch_wait(struct launch *launch, uint64_t patience_ns)
{
	const struct timespec poll_interval = {.tv_nsec = POLL_NS};
	uint64_t until_ns = monotonic_ns() + patience_ns;

	while (!launch_reap(launch) && monotonic_ns() < until_ns)
		nanosleep(&poll_interval, NULL);
	return launch->ended;
}

void launch_show(const struct launch *launch, int fd, bool (*stop)(void *arg), void *arg)
{
	struct stat status;
	char buffer[16 * 1024];

	/* The size at this time: if a daemon still writes, its later output is not copied. */
	if (launch->output < 0 || fstat(launch->output, &status))
		return;
	for (off_t at = 0; at < status.st_size;) {
		size_t want = size_min(sizeof(buffer), (size_t)(status.st_size - at));
		ssize_t got = pread(launch->output, buffer, want, at);

		if (got <= 0 || write_all(fd, buffer, (size_t)got, NULL) < 0 || stop(arg))
			return;
		at += got;
	}
}

void launch_describe(const struct launch *launch, struct snapshot_run *run)
{
	*run = (struct snapshot_run){
		.command = launch->command,
		.status = launch->ended ? launch->status : -1,
		.elapsed_ns =
			(launch->ended ? launch->ended_ns : monotonic_ns()) - launch->began_ns,
		.user_ns = launch->user_ns,
		.system_ns = launch->system_ns,
	};
}

void launch_report(const struct launch *launch, char *text, size_t size)
{
	if (!launch->ended)
		snprintf(text, size, "still runs");
	else if (launch->killed)
		snprintf(text, size, "was killed by signal %d", launch->status - LAUNCH_KILLED);
	else
		snprintf(text, size, "ended with status %d", launch->status);
}

void launch_explain_alive(const struct launch *launch, struct error *err)
{
	error_set(err, -EBUSY, "'%.120s' (pid %d) still runs: SIGTERM did not end it.",
		  launch->command[0], launch->pid);
}
