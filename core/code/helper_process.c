// SPDX-License-Identifier: MIT
/*
 * vfork(2), because a fork of a process with hundreds of MiB takes milliseconds, and slows down its
 * parent afterwards. So the child makes only system calls, with all signals blocked, until the
 * exec. The parent goes on as soon as the new program has its own memory. Only then does the kernel
 * close the descriptors that an exec closes.
 *
 * The process is killed by its pidfd: other code of the program may wait for any child (-1), and
 * then another process may have its number.
 */
#include "core/code/helper_process.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/code/opener_message.h"
#include "core/code/symbol_message.h"
#include "core/code/symbol_sandbox.h"
#include "core/code/user_worker.h"
#include "core/sys/proc.h"

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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DESCRIPTORS_MAX = 1 << 16, /* that are closed one by one */
	DOUBLINGS_MAX = 9,         /* of a pause */
};
#define STEADY_NS (60 * NS_PER_S) /* after this time a process that ends is the first again */

/* What the child of vfork(2) needs. */
struct launch {
	const char *executable;
	char *name;
	char number[16]; /* of the socket */
	int socket;
	uint64_t rights;
};

static int exec_program(struct launch *launch)
{
	char *const argv[] = {launch->name, launch->number, NULL}, *const environment[] = {NULL};
	int rc = launch->rights ? symbol_sandbox_keep(launch->rights) : symbol_sandbox_drop();

	if (rc)
		return rc;
	/* Ctrl-C and Ctrl-Z in the terminal are for pmctop, which ends its helpers itself. */
	setsid();
	if (fcntl(launch->socket, F_SETFD, 0))
		return -errno;
	execve(launch->executable, argv, environment);
	return -errno;
}

/* In the memory of the parent. */
static _Noreturn void run_child(struct launch *launch)
{
	int rc = exec_program(launch);
	const struct helper_hello failed = {HELPER_FAILED, (uint32_t)-rc};

	send(launch->socket, &failed, sizeof(failed), MSG_NOSIGNAL);
	_exit(1);
}

static pid_t vfork_child(struct launch *launch)
{
	pid_t pid = vfork();

	if (pid == 0)
		run_child(launch);
	return pid < 0 ? -errno : pid;
}

/*
 * Whether this is a helper itself. A program that does not call helper_process_enter() would start
 * itself again and again.
 */
static bool is_helper(void)
{
	static const char *const names[] = {OPENER_WORKER_NAME, SYMBOL_WORKER_NAME,
					    USER_WORKER_NAME};
	char own[64] = "";
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, own, sizeof(own) - 1);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (n > 0 && strcmp(own, names[i]) == 0)
			return true;
	return false;
}

int helper_process_start(struct helper_process *process, const char *executable, const char *name,
			 uint64_t rights)
{
	struct launch launch = {
		.executable = executable ? executable : "/proc/self/exe",
		.name = xstrdup(name),
		.rights = rights,
	};
	sigset_t all, before;
	int sockets[2], rc = 0;

	*process = HELPER_NONE;
	if (is_helper())
		rc = -ELOOP;
	else if (access(launch.executable, F_OK) ||
		 socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		rc = -errno;
	if (rc) {
		free(launch.name);
		return rc;
	}
	launch.socket = sockets[1];
	snprintf(launch.number, sizeof(launch.number), "%d", sockets[1]);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t pid = vfork_child(&launch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	free(launch.name);
	if (pid < 0) {
		close(sockets[0]);
		return pid;
	}
	*process = (struct helper_process){
		.pid = pid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.socket = sockets[0],
	};
	return 0;
}

/* Linux before 5.9 has no close_range(2). */
static void close_others(void)
{
	struct rlimit limit;
	int most = DESCRIPTORS_MAX;

	if (syscall(SYS_close_range, HELPER_SOCKET + 1, ~0u, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS_MAX)
		most = (int)limit.rlim_cur;
	for (int fd = HELPER_SOCKET + 1; fd < most; fd++)
		close(fd);
}

bool helper_process_enter(int argc, char **argv, const char *name)
{
	sigset_t none;
	uint64_t socket;

	if (argc < 1 || strcmp(argv[0], name) != 0)
		return false;
	/* An ordinary user may start this program by that name. */
	if (argc != 2 || text_u64(argv[1], &socket) == 0 || socket > INT_MAX ||
	    (socket != HELPER_SOCKET && dup2((int)socket, HELPER_SOCKET) < 0))
		_exit(HELPER_BROKEN);
	close_others();
	prctl(PR_SET_NAME, name);
	/* All were blocked for the exec. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return true;
}

/* The filter of the parser allows neither send(2) nor recv(2). */
void helper_process_send(const void *bytes, size_t n)
{
	struct iovec part = {(void *)(uintptr_t)bytes, n};
	const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	do
		sent = sendmsg(HELPER_SOCKET, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		_exit(HELPER_ENDED);
}

void helper_process_hello(enum helper_hello_kind kind, uint32_t n)
{
	const struct helper_hello hello = {kind, n};

	helper_process_send(&hello, sizeof(hello));
}

size_t helper_process_receive(void *request, size_t size, int fds[HELPER_SENT_MAX])
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(HELPER_SENT_MAX * sizeof(int))];
	} control;
	struct iovec part = {request, size};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got;

	do
		got = recvmsg(HELPER_SOCKET, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		_exit(got == 0 || errno == ECONNRESET ? HELPER_ENDED : HELPER_BROKEN);
	for (unsigned i = 0; i < HELPER_SENT_MAX; i++)
		fds[i] = -1;
	const struct cmsghdr *sent = CMSG_FIRSTHDR(&message);
	if (sent && sent->cmsg_level == SOL_SOCKET && sent->cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(sent),
		       size_min(sent->cmsg_len - CMSG_LEN(0), HELPER_SENT_MAX * sizeof(int)));
	return (size_t)got;
}

void helper_process_kill(struct helper_process *process)
{
	if (process->socket >= 0)
		close(process->socket);
	process->socket = -1;
	if (process->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
	else if (process->pid > 0)
		kill(process->pid, SIGKILL);
}

bool helper_process_ended(struct helper_process *process, int *wait_status)
{
	int status, rc;

	if (process->pid == 0)
		return true;
	do
		rc = waitpid(process->pid, &status, WNOHANG);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return false;
	if (rc > 0)
		*wait_status = status;
	process->pid = 0;
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
	return true;
}

void helper_process_close(struct helper_process *process)
{
	if (process->socket >= 0)
		close(process->socket);
	if (process->pidfd >= 0)
		close(process->pidfd);
	*process = HELPER_NONE;
}

uint64_t helper_process_resume_ns(unsigned *ends, uint64_t start_ns, uint64_t pause_ns)
{
	uint64_t now_ns = monotonic_ns();

	if (now_ns - start_ns > STEADY_NS)
		*ends = 0;
	return now_ns + (pause_ns << size_min((*ends)++, DOUBLINGS_MAX));
}

uint64_t helper_process_stands_ns(const struct helper_process *process, const struct sys *sys,
				  struct helper_progress *progress)
{
	struct proc_schedstat done = {.slices = 0};
	struct proc_stat stat = {.state = '?'};
	uint64_t now_ns = monotonic_ns();

	proc_thread_schedstat(sys, process->pid, process->pid, &done);
	proc_stat_read(sys, process->pid, &stat);
	if (progress->since_ns == 0 || stat.state == 'R' || done.slices != progress->slices)
		progress->since_ns = now_ns;
	progress->slices = done.slices;
	return now_ns - progress->since_ns;
}
