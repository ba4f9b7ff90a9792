// SPDX-License-Identifier: MIT
/*
 * spin [-n COPIES] [-c CPU] [SECONDS]: keeps CPUs busy in user space, in registers alone.
 *
 * The loop is a xorshift generator. Each step needs the previous one, and the exit status depends
 * on the last value (never 0), so compilers keep the loop. The clock is read once in millions of
 * instructions, so a profile has the loop alone. Without SECONDS it runs until it is killed.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS_PER_CHECK (1U << 20)

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static uint64_t spin_steps(uint64_t x)
{
	for (uint32_t i = 0; i < STEPS_PER_CHECK; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static int spin(double seconds)
{
	double end_s = now_s() + seconds;
	uint64_t x = 88172645463325252U;

	do
		x = spin_steps(x);
	while (seconds <= 0 || now_s() < end_s);
	return x == 0;
}

static int usage(void)
{
	fputs("usage: spin [-n COPIES] [-c CPU] [SECONDS]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	long copies = 1;
	int opt;

	while ((opt = getopt(argc, argv, "n:c:")) != -1) {
		cpu_set_t cpus;

		switch (opt) {
		case 'n':
			copies = strtol(optarg, NULL, 10);
			break;
		case 'c':
			CPU_ZERO(&cpus);
			CPU_SET((size_t)strtoul(optarg, NULL, 10), &cpus);
			if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
				perror("spin: sched_setaffinity");
				return 1;
			}
			break;
		default:
			return usage();
		}
	}
	if (argc - optind > 1)
		return usage();

	double seconds = optind < argc ? strtod(argv[optind], NULL) : 0;
	pid_t parent = getpid();

	for (long i = 1; i < copies; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("spin: fork");
			return 1;
		}
		if (pid == 0) {
			/* All copies end with the first one. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return getppid() == parent ? spin(seconds) : 0;
		}
	}

	int status = spin(seconds);

	while (wait(NULL) > 0)
		;
	return status;
}
