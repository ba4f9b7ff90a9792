// SPDX-License-Identifier: MIT
/*
 * vforker [MILLISECONDS=100]: a task in the state D that waits for no disk.
 *
 * It calls vfork() again and again. Each child sleeps that long in the memory of its parent, which
 * the kernel holds in D meanwhile. Prints "ready" before the first. It runs until it is killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	useconds_t us = (argc > 1 ? (useconds_t)strtoul(argv[1], NULL, 10) : 100) * 1000;

	puts("ready");
	fflush(stdout);
	for (;;) {
		pid_t child = vfork();

		if (child < 0) {
			perror("vforker: vfork");
			return 1;
		}
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			usleep(us);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}
