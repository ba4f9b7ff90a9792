// SPDX-License-Identifier: MIT
/*
 * neighbours [-d BYTES=8] [SECONDS]: two threads, each on a CPU of its own, that count in two words
 * BYTES apart, each in its own.
 *
 * With 8 both words are in one cache line, which the CPUs take from each other (false sharing).
 * With 128 each CPU keeps its own. The additions are atomic: the store buffer would hide a plain
 * one's wait. Prints "ready" when both threads exist. With SECONDS it then prints the number of
 * additions. Without it runs until it is killed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 64
#define LINES      8

static _Alignas(LINE_BYTES) uint64_t words[LINES * LINE_BYTES / sizeof(uint64_t)];

static void *count_on(void *argument)
{
	uint64_t *counter = argument;

	for (;;)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The nth CPU that this process may use, the last one if there are fewer. */
static size_t allowed_cpu(int nth)
{
	size_t found = 0;
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && nth >= 0; cpu++) {
		if (!CPU_ISSET(cpu, &cpus))
			continue;
		found = cpu;
		nth--;
	}
	return found;
}

static int start_counter(int nth, void *counter, pthread_t *thread)
{
	pthread_attr_t attributes;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(allowed_cpu(nth), &cpus);
	pthread_attr_init(&attributes);
	pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);

	int error = pthread_create(thread, &attributes, count_on, counter);

	pthread_attr_destroy(&attributes);
	return error;
}

static int usage(void)
{
	fputs("usage: neighbours [-d BYTES] [SECONDS]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	size_t distance = sizeof(uint64_t);
	pthread_t thread;
	int opt;

	while ((opt = getopt(argc, argv, "d:")) != -1) {
		if (opt != 'd')
			return usage();
		distance = strtoul(optarg, NULL, 10);
	}
	if (argc - optind > 1 || distance < sizeof(uint64_t) || distance % sizeof(uint64_t) ||
	    distance + sizeof(uint64_t) > sizeof(words))
		return usage();

	size_t apart = distance / sizeof(uint64_t);

	for (int i = 0; i < 2; i++) {
		int error = start_counter(i, words + (size_t)i * apart, &thread);

		if (error) {
			fprintf(stderr, "neighbours: %s\n", strerror(error));
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	if (optind == argc)
		return pthread_join(thread, NULL);
	usleep((useconds_t)(strtod(argv[optind], NULL) * 1e6));

	uint64_t additions = __atomic_load_n(&words[0], __ATOMIC_RELAXED) +
			     __atomic_load_n(&words[apart], __ATOMIC_RELAXED);

	printf("%llu additions\n", (unsigned long long)additions);
	return 0;
}
