// SPDX-License-Identifier: MIT
/*
 * ticks [HZ]: interrupts each CPU HZ times a second (10000), until it is ended.
 *
 * QEMU's timer for the overflow of an event counter ends one event too early. It finds no overflow,
 * and it looks at the counters again at the next exception. (The cycle counter's timer is
 * right.) So samples of instructions were taken at the next system call or tick, which may be in
 * another function. An interrupt is taken in the function that runs.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / (argc > 1 ? strtoull(argv[1], NULL, 10) : 10000),
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	/* Without a ring it makes no record. */
	for (long cpu = 0; cpu < cpus; cpu++)
		if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC) < 0) {
			perror("ticks");
			return 1;
		}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
