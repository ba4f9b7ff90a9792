// SPDX-License-Identifier: MIT
/*
 * swarm [-r RATE] COUNT [MILLISECONDS=1]: many short-lived tasks.
 *
 * Forks COUNT children, at most 8 at a time, with -r at most RATE a second. Each has the name
 * "swarm-kid", uses MILLISECONDS of CPU time and exits. At the end it prints a line of JSON:
 * the number of children and their CPU time by the kernel, which a tool that counts short-lived
 * tasks must find.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/load/pace.h"

#define ALIVE_MAX 8

static uint64_t cpu_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000U + (uint64_t)ts.tv_nsec;
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * 1000000000U + (uint64_t)tv->tv_usec * 1000U;
}

/* Uses CPU time with few reads of the clock. */
static void run_child(uint64_t ns)
{
	prctl(PR_SET_NAME, "swarm-kid");
	while (cpu_now_ns() < ns)
		for (volatile int i = 0; i < 1000; i++)
			;
}

/* Waits for one child and adds its CPU time; 0, or -1 when there is none. */
static int reap(uint64_t *cpu_ns)
{
	struct rusage ru;

	if (wait4(-1, NULL, 0, &ru) < 0)
		return -1;
	*cpu_ns += timeval_ns(&ru.ru_utime) + timeval_ns(&ru.ru_stime);
	return 0;
}

int main(int argc, char **argv)
{
	double rate = 0;
	int opt;

	while ((opt = getopt(argc, argv, "r:")) == 'r')
		rate = strtod(optarg, NULL);
	if (opt != -1 || argc - optind < 1 || argc - optind > 2) {
		fputs("usage: swarm [-r RATE] COUNT [MILLISECONDS=1]\n", stderr);
		return 2;
	}

	unsigned long count = strtoul(argv[optind], NULL, 10);
	double ms = argc - optind > 1 ? strtod(argv[optind + 1], NULL) : 1;
	unsigned long forked = 0, reaped = 0;
	struct timespec next = {0};
	uint64_t cpu_ns = 0;

	for (; forked < count; forked++) {
		if (forked - reaped == ALIVE_MAX && reap(&cpu_ns) == 0)
			reaped++;

		pid_t pid = fork();

		if (pid < 0) {
			perror("swarm: fork");
			break;
		}
		if (pid == 0) {
			run_child((uint64_t)(ms * 1e6));
			_exit(0);
		}
		if (rate > 0)
			pace_wait(&next, rate);
	}
	while (reap(&cpu_ns) == 0)
		reaped++;
	printf("{\"children\":%lu,\"cpu_ns\":%llu}\n", reaped, (unsigned long long)cpu_ns);
	return reaped == count ? 0 : 1;
}
