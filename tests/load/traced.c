// SPDX-License-Identifier: MIT
/*
 * traced: a task that its tracer has stopped (state t).
 *
 * The tracer is its child, named "tracer", which prints "ready" when the stop is there. Both stay
 * so until they are killed. Exit status 77: the kernel refuses ptrace.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int trace(pid_t pid)
{
	prctl(PR_SET_NAME, "tracer");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) ||
	    waitpid(pid, NULL, __WALL) != pid) {
		perror("traced: ptrace");
		return 77;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}

int main(void)
{
	int granted[2], status;
	pid_t pid = getpid(), tracer;
	char byte;

	if (pipe(granted) || (tracer = fork()) < 0) {
		perror("traced");
		return 1;
	}
	close(granted[tracer == 0]);
	if (tracer == 0)
		return read(granted[0], &byte, 1) < 0 ? 1 : trace(pid);
	/* With yama, a child may trace its parent only after this. Others refuse the call. */
	prctl(PR_SET_PTRACER, tracer);
	close(granted[1]);
	waitpid(tracer, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
