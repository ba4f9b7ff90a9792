// SPDX-License-Identifier: MIT
/*
 * busy_loop: a thread on each CPU that computes in registers alone, until it is killed.
 *
 * Prints a line of JSON every quarter of a second: the steps since the last line, and the CPU time
 * of the threads meanwhile. The time of interrupts is a part of that of the thread they interrupt,
 * so steps per second of CPU time are fewer where interrupts take longer. Other programs that run
 * on the CPU do not count.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/load/pace.h"

enum { CPUS_MAX = 64, STEPS = 4096, LINES_PER_S = 4 };

struct loop {
	_Alignas(64) atomic_ullong steps;
	pthread_t thread;
	clockid_t clock;
};

static struct loop loops[CPUS_MAX];

static void *run_loop(void *arg)
{
	struct loop *loop = arg;
	uint64_t x = 88172645463325252U;

	/* x is never 0, but compilers cannot prove that. */
	while (x != 0) {
		for (unsigned i = 0; i < STEPS; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		atomic_fetch_add_explicit(&loop->steps, STEPS, memory_order_relaxed);
	}
	return NULL;
}

static void start_loop(struct loop *loop, size_t cpu)
{
	pthread_attr_t attr;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	if (pthread_create(&loop->thread, &attr, run_loop, loop) ||
	    pthread_getcpuclockid(loop->thread, &loop->clock)) {
		fprintf(stderr, "busy_loop: CPU %zu: no thread\n", cpu);
		exit(1);
	}
}

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
	struct timespec next = {0};
	double steps = 0, spent_s = 0;
	size_t n = 0;
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && n < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &all))
			start_loop(&loops[n++], cpu);
	for (;;) {
		double steps_now = 0, spent_now_s = 0;
		pace_wait(&next, LINES_PER_S);
		for (size_t i = 0; i < n; i++) {
			steps_now += (double)atomic_load(&loops[i].steps);
			spent_now_s += now_s(loops[i].clock);
		}
		printf("{\"steps\":%.0f,\"cpu_seconds\":%.9f}\n", steps_now - steps,
		       spent_now_s - spent_s);
		fflush(stdout);
		steps = steps_now;
		spent_s = spent_now_s;
	}
}
