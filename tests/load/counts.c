// SPDX-License-Identifier: MIT
/*
 * counts [-s] [-i MILLISECONDS=100] [-n LINES]: counts whole CPUs beside pmctop, as `perf stat -a
 * -I` does.
 *
 * One counting group per online CPU, opened by perf_event_open without any code of pmctop: cycles
 * and instructions, or with -s three software events, which every machine has. Each interval it
 * prints a line of JSON: the growth of each count, summed over the CPUs and not scaled, and the
 * enabled and running times of the groups. "time" is the real-time clock at the end of the
 * interval. Exit status 77: this machine has no such counters.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX 3
#define CPUS_MAX   4096

struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct event hardware[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
};

static const struct event software[] = {
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};

/* What read() gives for PERF_FORMAT_GROUP with both times. */
struct reading {
	uint64_t events;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t values[EVENTS_MAX];
};

static int group_open(const struct event *events, size_t n, int cpu)
{
	int leader = -1;

	for (size_t i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.type = events[i].type,
			.size = sizeof(attr),
			.config = events[i].config,
			.disabled = leader < 0,
			.exclude_guest = events[i].type == PERF_TYPE_HARDWARE,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader,
				      PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			return -errno;
		if (leader < 0)
			leader = fd;
	}
	return leader;
}

/*
 * Opens a group on every online CPU ("0-3,8" is the file's form); the number of groups or -errno.
 */
static int groups_open(const struct event *events, size_t n, int *groups)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	int cpus = 0, first, last;

	if (!file)
		return -errno;
	while (fscanf(file, "%d", &first) == 1) {
		if (fscanf(file, "-%d", &last) != 1)
			last = first;
		for (int cpu = first; cpu <= last && cpus < CPUS_MAX; cpu++) {
			int fd = group_open(events, n, cpu);

			if (fd < 0) {
				fclose(file);
				return fd;
			}
			groups[cpus++] = fd;
		}
		if (fgetc(file) != ',')
			break;
	}
	fclose(file);
	return cpus;
}

static void groups_read(const int *groups, int cpus, size_t n, struct reading *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (int i = 0; i < cpus; i++) {
		struct reading one;

		/* 0 is the end of file of a CPU that has gone offline. */
		if (read(groups[i], &one, sizeof(one)) < (ssize_t)(3 * sizeof(uint64_t)))
			continue;
		sum->enabled_ns += one.enabled_ns;
		sum->running_ns += one.running_ns;
		for (size_t k = 0; k < n; k++)
			sum->values[k] += one.values[k];
	}
}

static void line_print(const struct event *events, size_t n, const struct reading *now,
		       const struct reading *before)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	printf("{\"time\":%lld.%06ld", (long long)ts.tv_sec, ts.tv_nsec / 1000);
	for (size_t k = 0; k < n; k++)
		printf(",\"%s\":%llu", events[k].name,
		       (unsigned long long)(now->values[k] - before->values[k]));
	printf(",\"enabled_ns\":%llu,\"running_ns\":%llu}\n",
	       (unsigned long long)(now->enabled_ns - before->enabled_ns),
	       (unsigned long long)(now->running_ns - before->running_ns));
	fflush(stdout);
}

static int usage(void)
{
	fputs("usage: counts [-s] [-i MILLISECONDS=100] [-n LINES]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static int groups[CPUS_MAX];
	const struct event *events = hardware;
	size_t n = sizeof(hardware) / sizeof(hardware[0]);
	long interval_ms = 100, lines = 0;
	int opt;

	while ((opt = getopt(argc, argv, "si:n:")) != -1) {
		switch (opt) {
		case 's':
			events = software;
			n = sizeof(software) / sizeof(software[0]);
			break;
		case 'i':
			interval_ms = strtol(optarg, NULL, 10);
			break;
		case 'n':
			lines = strtol(optarg, NULL, 10);
			break;
		default:
			return usage();
		}
	}
	if (optind < argc || interval_ms < 1)
		return usage();

	int cpus = groups_open(events, n, groups);

	if (cpus < 0) {
		fprintf(stderr, "counts: %s\n", strerror(-cpus));
		return cpus == -ENOENT || cpus == -EOPNOTSUPP ? 77 : 1;
	}
	for (int i = 0; i < cpus; i++)
		ioctl(groups[i], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);

	struct reading before, now;
	struct timespec due;

	groups_read(groups, cpus, n, &before);
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (long i = 0; lines == 0 || i < lines; i++) {
		due.tv_nsec += interval_ms % 1000 * 1000000;
		due.tv_sec += interval_ms / 1000 + due.tv_nsec / 1000000000;
		due.tv_nsec %= 1000000000;
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
			;
		groups_read(groups, cpus, n, &now);
		line_print(events, n, &now, &before);
		before = now;
	}
	return 0;
}
