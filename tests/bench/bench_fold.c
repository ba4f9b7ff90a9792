// SPDX-License-Identifier: MIT
/*
 * bench_fold [TASKS=2] [RECORDS=2000000] [switches|traced]: the cost of a record, from the bytes in
 * the ring to the tally of its task: core/collect/cpu_counter_set without a kernel. TASKS take
 * turns on a CPU. "switches": with SWITCH records, as on kernels that do not report some switches.
 * "traced": samples have the RAW part of sched:sched_switch. Prints ns of CPU time. The
 * instructions of a record are the difference of two runs under callgrind with different RECORDS.
 */
#include "core/attrib/tasks.h"
#include "core/base/util.h"
#include "core/collect/cpu_counter_set.h"
#include "core/sys/sys.h"
#include "tests/bench/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_TID = 1000, RING_BYTES = 2 << 20, ROUND_BYTES = 512 << 10 };

static const char *const event_names[] = {"page-faults",  "cpu-migrations",   "minor-faults",
					  "major-faults", "alignment-faults", "emulation-faults"};

/* Linux with stubs of perf events. This program writes the ring. */
static struct sys linux_sys;
static int last_fd = 100;
static void *ring_memory;

static int stub_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		     unsigned long flags)
{
	(void)ctx, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return ++last_fd;
}

static ssize_t stub_read(void *ctx, int fd, void *buffer, size_t size)
{
	(void)ctx, (void)fd;
	memset(buffer, 0, size);
	return (ssize_t)size;
}

static int stub_ioctl(void *ctx, int fd, unsigned long request, uintptr_t argument)
{
	uint64_t id = (uint64_t)fd;

	(void)ctx;
	if (request == PERF_EVENT_IOC_ID)
		memcpy((uint64_t *)argument, &id, sizeof(id)); // NOLINT
	return 0;
}

static int stub_map(void *ctx, int fd, size_t size, void **address)
{
	(void)ctx, (void)fd;
	ring_memory = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), size);
	memset(ring_memory, 0, size);
	*address = ring_memory;
	return 0;
}

static int stub_unmap(void *ctx, void *address, size_t size)
{
	(void)ctx, (void)size;
	free(address);
	return 0;
}

static int stub_close(void *ctx, int fd)
{
	(void)ctx, (void)fd;
	return 0;
}

struct writer {
	struct ring *ring;
	const struct attrib_layout *layout;
	uint64_t switch_id, origin_ns, head, n;
	unsigned tasks;
	bool switches, traced;
};

static uint32_t tid_of(const struct writer *writer, uint64_t n)
{
	return FIRST_TID + (uint32_t)(n % writer->tasks);
}

/* The format of Linux. A u32 with its size precedes it. */
static const struct switch_event tracepoint = {
	.choice = SWITCH_EVENT_TRACEPOINT,
	.format = {.prev_pid = {24, 4},
		   .prev_state = {32, 8},
		   .next_comm = {40, 16},
		   .next_pid = {56, 4},
		   .next_prio = {60, 4},
		   .bytes = 64},
};
enum { RAW_BYTES = 72 };

static void write_raw(const struct writer *writer, unsigned char *raw)
{
	const uint32_t size = RAW_BYTES - sizeof(size);
	const uint32_t prev = tid_of(writer, writer->n - 1), next = tid_of(writer, writer->n);

	memcpy(raw, &size, sizeof(size));
	memcpy(raw + sizeof(size) + tracepoint.format.prev_pid.offset, &prev, sizeof(prev));
	memcpy(raw + sizeof(size) + tracepoint.format.next_pid.offset, &next, sizeof(next));
}

static void write_record(struct writer *writer, uint64_t *words, size_t bytes, uint32_t type,
			 uint16_t misc)
{
	unsigned char *data = (unsigned char *)ring_memory + (writer->ring->map_bytes - RING_BYTES);
	size_t at = writer->head % RING_BYTES, first = size_min(bytes, RING_BYTES - at);

	memcpy(words,
	       &(struct perf_event_header){.type = type, .misc = misc, .size = (uint16_t)bytes}, 8);
	memcpy(data + at, words, first);
	memcpy(data, (char *)words + first, bytes - first);
	writer->head += bytes;
}

static void write_switch(struct writer *writer, uint32_t tid, uint32_t other, uint16_t misc)
{
	uint64_t words[6] = {0,
			     (uint64_t)other << 32 | other,
			     (uint64_t)tid << 32 | tid,
			     writer->origin_ns + writer->n * 1000,
			     0,
			     writer->switch_id + 50};

	write_record(writer, words, sizeof(words), PERF_RECORD_SWITCH_CPU_WIDE, misc);
}

static void write_sample(struct writer *writer)
{
	uint64_t words[64] = {0}, tid = tid_of(writer, writer->n);
	size_t n_values = writer->layout->n_values;

	writer->n++;
	words[1] = writer->switch_id;
	words[2] = tid << 32 | tid;
	words[3] = writer->origin_ns + writer->n * 1000;
	words[5] = n_values;
	words[6] = words[7] = writer->n * 1000;
	for (size_t k = 0; k < n_values; k++)
		words[8 + k] = k == writer->layout->switch_value ? writer->n : writer->n / (k + 1);
	if (writer->traced)
		write_raw(writer, (unsigned char *)(words + 8 + n_values));
	write_record(writer, words, (8 + n_values) * 8 + (writer->traced ? RAW_BYTES : 0),
		     PERF_RECORD_SAMPLE, 0);
}

/* Writes records until the reader would wake, or `most` samples. Returns their number. */
static uint64_t fill(struct writer *writer, uint64_t most)
{
	uint64_t until = writer->head + ROUND_BYTES, written = 0;

	for (; writer->head < until && written < most; written++) {
		uint32_t tid = tid_of(writer, writer->n), next = tid_of(writer, writer->n + 1);

		write_sample(writer);
		if (!writer->switches)
			continue;
		write_switch(writer, tid, next, PERF_RECORD_MISC_SWITCH_OUT);
		write_switch(writer, next, tid, 0);
	}
	writer->ring->page->data_head = writer->head;
	return written;
}

static void add_events(struct event_set *events, struct plan_wants *wants)
{
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(event_names); i++) {
		int index = event_set_add(events, event_names[i], &err);

		if (index < 0) {
			fprintf(stderr, "bench_fold: %s\n", err.text);
			exit(1);
		}
		wants->items[i].events = xcalloc(1, sizeof(unsigned));
		wants->items[i].events[0] = (unsigned)index;
		wants->items[i].n = 1;
		wants->n++;
	}
}

static void wants_fini(struct plan_wants *wants)
{
	for (size_t i = 0; i < wants->n; i++)
		free(wants->items[i].events);
}

/* The calls of sys, with the stubs above. */
static struct sys_ops stub_ops(const struct sys *sys)
{
	struct sys_ops ops = *sys->ops;

	ops.perf_open = stub_open;
	ops.perf_read = stub_read;
	ops.perf_ioctl = stub_ioctl;
	ops.perf_map = stub_map;
	ops.perf_unmap = stub_unmap;
	ops.close = stub_close;
	return ops;
}

/* Returns the CPU time of reading the records. */
static uint64_t fold_records(struct cpu_counter_set *cpus, struct writer *writer, uint64_t left)
{
	uint64_t spent_ns = 0;

	while (left > 0) {
		left -= fill(writer, left);
		uint64_t began_ns = thread_cpu_ns();
		cpu_counter_set_drain(cpus);
		spent_ns += thread_cpu_ns() - began_ns;
	}
	return spent_ns;
}

int main(int argc, char **argv)
{
	unsigned tasks = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
	uint64_t records = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000;
	const char *kind = argc > 3 ? argv[3] : "";

	if (tasks == 0 || sys_linux_init(&linux_sys) < 0)
		return 1;
	const struct sys_ops ops = stub_ops(&linux_sys);
	const struct sys sys = {&ops, linux_sys.ctx};
	struct plan_want want[ARRAY_SIZE(event_names)] = {0};
	struct plan_wants wants = {.items = want};
	struct pmu_set pmus;
	struct event_set events;
	size_t most[8] = {8, 8, 8, 8, 8, 8, 8, 8};
	struct interval interval;
	struct counted_failure failure;
	struct cpu_counters cpu;
	const int number = 0;

	pmu_set_read(&sys, &pmus);
	const struct event_context context = {.sys = &sys, .pmus = &pmus};
	event_set_init(&events, &context);
	add_events(&events, &wants);
	struct plan *plan = plan_new(&(struct plan_request){
		.events = &events, .pmus = &pmus, .wants = &wants, .most = most});
	struct tasks *table = tasks_new(&sys);
	interval_init(&interval, &plan->shape, &number, 1);
	struct attrib *attrib = attrib_new(table, &interval);
	cpu_counters_init(&cpu, &sys, attrib, strcmp(kind, "traced") == 0 ? &tracepoint : NULL,
			  number, 0, 0);
	if (cpu_counters_open(&cpu, &events, plan, RING_BYTES, false, &failure) < 0)
		return 1;

	struct cpu_counter_set cpus = {.sys = &sys, .items = &cpu, .n = 1};
	struct attrib_state state;
	attrib_state(attrib, 0, cpu.groups[0].index, &state);
	struct writer writer = {.ring = &cpu.ring,
				.layout = &plan->groups[0].layout,
				.switch_id = (uint64_t)cpu.groups[0].group.switch_fd,
				.origin_ns = state.origin_ns,
				.tasks = tasks,
				.switches = strcmp(kind, "switches") == 0,
				.traced = strcmp(kind, "traced") == 0};
	uint64_t spent_ns = fold_records(&cpus, &writer, records);
	if (interval.gaps || interval.lost_records || interval.n_ran != size_min(tasks, records)) {
		fputs("bench_fold: not all was folded in\n", stderr);
		return 1;
	}
	print_figure("record", (double)spent_ns / (double)records, "ns");

	cpu_counters_close(&cpu);
	fork_scan_fini(&cpus.fork_scan);
	attrib_free(attrib);
	interval_fini(&interval);
	tasks_free(table);
	plan_unref(plan);
	event_set_fini(&events);
	pmu_set_fini(&pmus);
	wants_fini(&wants);
	sys_linux_fini(&linux_sys);
	return 0;
}
