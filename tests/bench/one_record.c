// SPDX-License-Identifier: MIT
/*
 * one_record EVENT[,EVENT...] [ID]: the kernel's cost of one record with these counts at each
 * context switch. Each CPU has a group with one sampling member, without a tick and without records
 * of forks, execs and exits. The member is the software event, or the tracepoint sched_switch with
 * that ID. The rings are drained when they are half full. Prints "ready" when that begins; ends
 * when killed.
 */
#include "core/base/util.h"
#include "core/sys/cpus.h"
#include "tests/bench/event_attrs.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 8, RING_BYTES = 2 << 20, NICE = -10 /* as pmctop */ };

static struct sys kernel;
static struct perf_event_attr switches = {
	.size = sizeof(switches),
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	.sample_period = 1,
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_READ,
	.watermark = 1,
	.wakeup_watermark = RING_BYTES / 2,
};

/* A ring, and the descriptor that wakes its reader. */
struct drained {
	struct perf_event_mmap_page *page;
	int fd;
};

static int open_member(const struct perf_event_attr *what, int cpu, int leader)
{
	struct perf_event_attr attr = *what;

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader < 0;
	/* All members have one clock, or the kernel refuses them. */
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC_RAW;
	return sys_perf_open(&kernel, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_cpu(const struct perf_event_attr *attrs, int n, int cpu, struct drained *drained)
{
	int leader = -1;
	void *address;

	for (int i = 0; i < n; i++) {
		int fd = open_member(&attrs[i], cpu, leader);
		if (fd < 0)
			return fd;
		leader = leader < 0 ? fd : leader;
	}
	drained->fd = open_member(&switches, cpu, leader);
	if (drained->fd < 0)
		return drained->fd;
	int result = sys_perf_map(&kernel, drained->fd, RING_BYTES + (size_t)sysconf(_SC_PAGESIZE),
				  &address);
	if (result == 0)
		result = sys_perf_ioctl(&kernel, leader, PERF_EVENT_IOC_ENABLE, 0);
	drained->page = result == 0 ? address : NULL;
	return result;
}

static void drain(const struct drained *drained, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t head = __atomic_load_n(&drained[i].page->data_head, __ATOMIC_ACQUIRE);

		__atomic_store_n(&drained[i].page->data_tail, head, __ATOMIC_RELEASE);
	}
}

int main(int argc, char **argv)
{
	struct perf_event_attr attrs[EVENTS_MAX];
	struct cpu_list online;

	if (argc < 2) {
		fputs("usage: one_record EVENT[,EVENT...] [ID]\n", stderr);
		return 2;
	}
	if (argc > 2) {
		switches.type = PERF_TYPE_TRACEPOINT;
		switches.config = strtoull(argv[2], NULL, 10);
		switches.sample_type |= PERF_SAMPLE_RAW;
	}
	if (sys_linux_init(&kernel) < 0 || cpus_online(&kernel, &online) < 0)
		return 1;
	int n = event_attrs(&kernel, argv[1], attrs, EVENTS_MAX);
	if (n <= 0)
		return 1;
	struct drained *drained = xcalloc(online.n, sizeof(*drained));
	struct pollfd *fds = xcalloc(online.n, sizeof(*fds));
	setpriority(PRIO_PROCESS, 0, NICE);
	for (size_t i = 0; i < online.n; i++) {
		int result = open_cpu(attrs, n, online.numbers[i], &drained[i]);
		if (result < 0) {
			fprintf(stderr, "one_record: CPU %d: %s\n", online.numbers[i],
				strerror(-result));
			return 1;
		}
		fds[i] = (struct pollfd){.fd = drained[i].fd, .events = POLLIN};
	}
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		poll(fds, online.n, 1000);
		drain(drained, online.n);
	}
}
