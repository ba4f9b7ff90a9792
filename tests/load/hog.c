// SPDX-License-Identifier: MIT
/*
 * hog COUNT [shared]: keeps COUNT counters of every CPU, like an exclusive profiler, or shares
 * them, like perf stat.
 *
 * Pinned events always stay on the PMU, so groups of other programs lose their counters and new
 * groups get none. Shared events take turns with them. Prints a line when it has the
 * counters, then waits to be killed.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(int cpu, int pinned)
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
			if (open_counter(cpu, argc < 3) < 0) {
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
