// SPDX-License-Identifier: MIT
#ifndef PMCTOP_FAKE_KERNEL_PERF_GROUP_H
#define PMCTOP_FAKE_KERNEL_PERF_GROUP_H

#include "core/base/util.h"
#include "core/sys/sys.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Events as pmctop opens them, for tests of the fake kernel and contract tests. It does not use
 * core/perf/group and core/event, because these are tested against the fake kernel. Errors fail the
 * calling cmocka test.
 */
#define TICK_OFF_NS (1000 * NS_PER_S)

/* Counts only; enabled at once. */
struct perf_event_attr attr_counting(uint32_t type, uint64_t config);
/* A software event that writes a record (READER_SAMPLE_TYPE) every `period`. */
struct perf_event_attr attr_sampling(uint64_t config, uint64_t period);

/* A tracepoint that writes such a record, with RAW, each time. */
struct perf_event_attr attr_tracing(uint64_t id);

/* The result of a read in READER_READ_FORMAT. */
struct reading {
	uint64_t nr, enabled_ns, running_ns, values[16];
};

struct reading reading_take(const struct sys *sys, int fd);

/*
 * Opens the leader, disabled, then the other counters, then the switches, which own the ring and
 * report tasks, then the tick, which writes to that ring. The group owns descriptors and ring. A
 * test that closes or unmaps one itself sets it to -1 or NULL.
 */
enum { PERF_GROUP_MAX = 16 };

struct perf_group {
	const struct sys *sys;
	size_t n;
	int fds[PERF_GROUP_MAX];
	uint64_t ids[PERF_GROUP_MAX];
	size_t switches, tick; /* indices in fds */
	struct perf_event_mmap_page *page;
	size_t size; /* of the mapping */
};

void perf_group_open(struct perf_group *group, const struct sys *sys, int cpu, size_t pages,
		     const struct perf_event_attr *counters, size_t n_counters);
/* The same, with another event that samples switches: one of attr_tracing(). */
void perf_group_open_with(struct perf_group *group, const struct sys *sys, int cpu, size_t pages,
			  const struct perf_event_attr *switches,
			  const struct perf_event_attr *counters, size_t n_counters);
/*
 * As perf_group_open(), but records go to the ring of another group, which reports tasks; it owns
 * no ring.
 */
void perf_group_join(struct perf_group *group, const struct perf_group *ring, int cpu,
		     const struct perf_event_attr *counters, size_t n_counters);
void perf_group_enable(const struct perf_group *group);
void perf_group_disable(const struct perf_group *group);
void perf_group_period(const struct perf_group *group, uint64_t ns); /* of the tick */
void perf_group_close(struct perf_group *group);

#endif
