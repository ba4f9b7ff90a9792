// SPDX-License-Identifier: MIT
/*
 * mutex [-t THREADS=16] [-w MICROSECONDS=100 | -s]: threads that work only while they hold one
 * mutex.
 *
 * Each takes the mutex, uses MICROSECONDS of CPU time and releases it: at each moment one thread
 * works and the others wait. With -s the thread that has the mutex sleeps for ever. The first
 * thread starts the others and joins them. Prints "ready" when all exist. It runs until it is
 * killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 1024

struct contest {
	pthread_mutex_t mutex;
	double work_ns;
	int sleeps;
};

static double cpu_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void *contend(void *argument)
{
	struct contest *contest = argument;

	for (;;) {
		pthread_mutex_lock(&contest->mutex);
		while (contest->sleeps)
			pause();
		for (double end = cpu_now_ns() + contest->work_ns; cpu_now_ns() < end;)
			;
		pthread_mutex_unlock(&contest->mutex);
	}
	return NULL;
}

static int usage(void)
{
	fputs("usage: mutex [-t THREADS] [-w MICROSECONDS | -s]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct contest contest = {.mutex = PTHREAD_MUTEX_INITIALIZER, .work_ns = 100e3};
	long threads = 16;
	pthread_t last = pthread_self();
	int opt;

	while ((opt = getopt(argc, argv, "st:w:")) != -1) {
		if (opt == 't')
			threads = strtol(optarg, NULL, 10);
		else if (opt == 's')
			contest.sleeps = 1;
		else if (opt == 'w')
			contest.work_ns = strtod(optarg, NULL) * 1e3;
		else
			return usage();
	}
	if (optind != argc || threads < 1 || threads > THREADS_MAX)
		return usage();
	for (long i = 0; i < threads; i++) {
		int error = pthread_create(&last, NULL, contend, &contest);

		if (error) {
			fprintf(stderr, "mutex: thread %ld: %s\n", i, strerror(error));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	return pthread_join(last, NULL);
}
