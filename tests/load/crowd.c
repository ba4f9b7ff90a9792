// SPDX-License-Identifier: MIT
/*
 * crowd [-p PROCESSES=0] [-w WAKING=0] [-s SLEEPING=0] [-b BUSY=1] [SECONDS]: one process with many
 * threads, few of them busy, and with many sleeping children.
 *
 * WAKING of the children run for some microseconds four times a second. Busy threads are named
 * "busy", stay in user mode and have the nice value 19. The others are named "sleeper". Prints
 * "ready" when all exist. Stacks have the smallest size, so that an ordinary user can have
 * thousands. Without SECONDS it runs until it is killed.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/load/pace.h"

static void *sleeper_run(void *unused)
{
	prctl(PR_SET_NAME, "sleeper");
	for (;;)
		pause();
	return unused;
}

/* Runs four times a second, and not all children at once. */
static void waker_run(long number)
{
	struct timespec next = {.tv_nsec = 0};

	usleep((useconds_t)(number % 250 * 1000));
	for (;;) {
		pace_wait(&next, 4);
		for (volatile unsigned i = 0; i < 10000; i++)
			;
	}
}

/* Starts children that end with this process. The first `waking` run now and then. */
static void start_children(long count, long waking)
{
	for (long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0) {
			perror("crowd: fork");
			exit(1);
		}
		if (child == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (i < waking)
				waker_run(i);
			sleeper_run(NULL);
		}
	}
}

static void *busy_run(void *unused)
{
	uint64_t x = 88172645463325252U;

	prctl(PR_SET_NAME, "busy");
	setpriority(PRIO_PROCESS, 0, 19); /* of this thread */
	/* x is never 0, but compilers cannot prove that. */
	while (x != 0) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return unused;
}

static void start(long count, void *(*run)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (long i = 0; i < count; i++) {
		int error = pthread_create(&thread, &attr, run, NULL);

		if (error) {
			fprintf(stderr, "crowd: thread %ld: %s\n", i, strerror(error));
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	long processes = 0, waking = 0, sleeping = 0, busy = 1;
	int opt;

	while ((opt = getopt(argc, argv, "p:w:s:b:")) != -1) {
		switch (opt) {
		case 'p':
			processes = strtol(optarg, NULL, 10);
			break;
		case 'w':
			waking = strtol(optarg, NULL, 10);
			break;
		case 's':
			sleeping = strtol(optarg, NULL, 10);
			break;
		case 'b':
			busy = strtol(optarg, NULL, 10);
			break;
		default:
			fputs("usage: crowd [-p PROCESSES] [-w WAKING] [-s SLEEPING] [-b BUSY] "
			      "[SECONDS]\n",
			      stderr);
			return 2;
		}
	}
	/* Busy threads last, because they delay the start of others. */
	start_children(processes, waking);
	start(sleeping, sleeper_run);
	start(busy, busy_run);
	printf("ready\n");
	fflush(stdout);
	if (optind >= argc)
		pause();
	sleep((unsigned)strtoul(argv[optind], NULL, 10));
	_exit(0);
}
