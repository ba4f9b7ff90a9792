// SPDX-License-Identifier: MIT
/*
 * vfork(2), because a fork of a process with hundreds of MiB takes milliseconds, and slows down its
 * parent afterwards. So the child makes only system calls, with all signals blocked, until the
 * exec.
 *
 * The process is killed by its pidfd: other code of the program may wait for any child (-1), and
 * then its number may be that of another process.
 */
#include "core/code/symbol_child.h"

#include "core/code/symbol_message.h"
#include "core/code/symbol_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 1 << 16 }; /* that are closed one by one */

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Linux before 5.9 has no close_range(2). Descriptors of pmctop are closed by the exec, too. */
static void close_others(void)
{
	struct rlimit limit;
	int most = DESCRIPTORS_MAX;

	if (syscall(SYS_close_range, SYMBOL_SOCKET + 1, ~0u, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS_MAX)
		most = (int)limit.rlim_cur;
	for (int fd = SYMBOL_SOCKET + 1; fd < most; fd++)
		close(fd);
}

static int exec_program(int socket, const char *executable)
{
	static char name[] = SYMBOL_WORKER_NAME;
	char *const argv[] = {name, NULL}, *const environment[] = {NULL};
	int rc = symbol_sandbox_drop();

	if (rc)
		return rc;
	/* Ctrl-C and Ctrl-Z in the terminal are for pmctop, which ends its child itself. */
	setsid();
	/* dup2() of the same number would leave it to be closed by the exec. */
	if (socket == SYMBOL_SOCKET ? fcntl(socket, F_SETFD, 0) : dup2(socket, SYMBOL_SOCKET) < 0)
		return -errno;
	close_others();
	execve(executable, argv, environment);
	return -errno;
}

/* In the memory of the parent. */
static _Noreturn void run_child(int socket, const char *executable)
{
	int rc = exec_program(socket, executable);
	const struct symbol_reply reply = {.kind = SYMBOL_FAILED_START, .n = (uint32_t)-rc};

	/* One of the two is the socket, as far as exec_program() came. */
	if (send(socket, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
		send(SYMBOL_SOCKET, &reply, sizeof(reply), MSG_NOSIGNAL);
	_exit(1);
}

static pid_t vfork_child(int socket, const char *executable)
{
	pid_t pid = vfork();

	if (pid == 0)
		run_child(socket, executable);
	return pid < 0 ? -errno : pid;
}

int symbol_child_start(struct symbol_child *child, const char *executable)
{
	sigset_t all, before;
	int sockets[2];

	*child = (struct symbol_child){.pidfd = -1, .socket = -1};
	if (!executable)
		executable = "/proc/self/exe";
	if (access(executable, F_OK))
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t pid = vfork_child(sockets[1], executable);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	if (pid < 0) {
		close(sockets[0]);
		return pid;
	}
	*child = (struct symbol_child){
		.pid = pid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.socket = sockets[0],
	};
	return 0;
}

void symbol_child_kill(struct symbol_child *child)
{
	if (child->socket >= 0)
		close(child->socket);
	child->socket = -1;
	if (child->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0);
	else if (child->pid > 0)
		kill(child->pid, SIGKILL);
}

bool symbol_child_ended(struct symbol_child *child, int *wait_status)
{
	int status, rc;

	if (child->pid == 0)
		return true;
	do
		rc = waitpid(child->pid, &status, WNOHANG);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return false;
	if (rc > 0)
		*wait_status = status;
	child->pid = 0;
	if (child->pidfd >= 0)
		close(child->pidfd);
	child->pidfd = -1;
	return true;
}

void symbol_child_close(struct symbol_child *child)
{
	if (child->socket >= 0)
		close(child->socket);
	if (child->pidfd >= 0)
		close(child->pidfd);
	*child = (struct symbol_child){.pidfd = -1, .socket = -1};
}
