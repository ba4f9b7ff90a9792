// SPDX-License-Identifier: MIT
/*
 * hog COUNT [shared]: takes COUNT counters of every CPU and keeps them, as an exclusive profiler
 * does; or shares them, as perf stat does.
 *
 * Pinned events stay on the PMU whatever others ask for, so groups that others have opened go off
 * it and new ones never get on; shared ones take turns with them. Prints a line when it has them,
 * then waits to be killed.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int take(int cpu, int pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = pinned != 0,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	if (count <= 0) {
		fprintf(stderr, "usage: hog COUNT [shared]\n");
		return 2;
	}
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		for (long i = 0; i < count; i++) {
			if (take(cpu, argc < 3) < 0) {
				perror("hog");
				return 77;
			}
		}
	}
	printf("taken\n");
	fflush(stdout);
	pause();
	return 0;
}
