// SPDX-License-Identifier: MIT
/*
 * busy_loop: a thread on each CPU that computes in registers alone, until it is killed.
 *
 * Prints a line of JSON every quarter of a second: the steps since the last line, the CPU time of
 * the threads, and how much of that were interrupts. Other programs that run on the CPU do not
 * count. A thread reads the clock all the time. Where it stands still for longer than GAP_NS, the
 * thread did not run; what of this is CPU time of the thread were interrupts, of the hypervisor
 * too.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/load/pace.h"

enum { CPUS_MAX = 64, STEPS = 64, GAP_NS = 1000, LINES_PER_S = 4 };

struct loop {
	_Alignas(64) atomic_ullong steps;
	atomic_ullong gaps_ns; /* of all times that it did not run */
	pthread_t thread;
	clockid_t clock;
};

static struct loop loops[CPUS_MAX];

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* One thread adds. */
static void add(atomic_ullong *sum, uint64_t n)
{
	uint64_t before = atomic_load_explicit(sum, memory_order_relaxed);

	atomic_store_explicit(sum, before + n, memory_order_relaxed);
}

static void *run_loop(void *arg)
{
	struct loop *loop = arg;
	uint64_t x = 88172645463325252U, last_ns = now_ns(CLOCK_MONOTONIC);

	/* x is never 0, but compilers cannot prove that. */
	while (x != 0) {
		for (unsigned i = 0; i < STEPS; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
		uint64_t ns = now_ns(CLOCK_MONOTONIC);
		if (ns - last_ns > GAP_NS)
			add(&loop->gaps_ns, ns - last_ns);
		last_ns = ns;
		add(&loop->steps, STEPS);
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

struct sums {
	uint64_t steps, gaps_ns, cpu_ns;
};

static struct sums sum_of(size_t n)
{
	struct sums sums = {0};

	for (size_t i = 0; i < n; i++) {
		sums.steps += atomic_load(&loops[i].steps);
		sums.gaps_ns += atomic_load(&loops[i].gaps_ns);
		sums.cpu_ns += now_ns(loops[i].clock);
	}
	return sums;
}

int main(void)
{
	struct timespec next = {0};
	struct sums before = {0};
	uint64_t before_ns = now_ns(CLOCK_MONOTONIC);
	size_t n = 0;
	cpu_set_t all;

	sched_getaffinity(0, sizeof(all), &all);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && n < CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &all))
			start_loop(&loops[n++], cpu);
	for (;;) {
		pace_wait(&next, LINES_PER_S);
		struct sums now = sum_of(n);
		uint64_t ns = now_ns(CLOCK_MONOTONIC);
		double cpu_s = (double)(now.cpu_ns - before.cpu_ns) / 1e9;
		double others_s = (double)(ns - before_ns) / 1e9 * (double)n - cpu_s;
		printf("{\"steps\":%.0f,\"cpu_seconds\":%.9f,\"interrupt_seconds\":%.9f}\n",
		       (double)(now.steps - before.steps), cpu_s,
		       (double)(now.gaps_ns - before.gaps_ns) / 1e9 - others_s);
		fflush(stdout);
		before = now;
		before_ns = ns;
	}
}
