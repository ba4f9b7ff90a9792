// SPDX-License-Identifier: MIT
/*
 * What core relies on if the tracepoint sched:sched_switch samples context switches: N, the task,
 * the RAW part, and that other programs' events change nothing. It runs on every kernel of world.h.
 */
#include "core/base/util.h"
#include "core/perf/switch_format.h"
#include "tests/fake_kernel/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

enum { RECORDS = 4096, PAGES = 64 };

/* Mounts tracefs for this test, in a mount namespace, if it is not mounted. */
static void mount_tracefs(void)
{
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

static void read_format(const struct world *world, struct switch_format *format)
{
	enum switch_format_state state = switch_format_read(&world->sys, format);

	if (!world->fk && state == SWITCH_FORMAT_NOT_MOUNTED) {
		mount_tracefs();
		state = switch_format_read(&world->sys, format);
	}
	if (state == SWITCH_FORMAT_READ)
		return;
	fprintf(stderr, "SKIPPED on this kernel: tracefs cannot be read (%d)\n", (int)state);
	skip();
}

/* Skips the test if the kernel refuses the tracepoint. */
static void open_group(const struct world *world, const struct switch_format *format,
		       struct perf_group *group)
{
	struct perf_event_attr leader = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_event_attr switches = attr_tracing(format->id), probe = switches;
	int fd = sys_perf_open(&world->sys, &probe, -1, world->cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && !world->fk) {
		fprintf(stderr, "SKIPPED on this kernel: the tracepoint: %s\n", strerror(-fd));
		skip();
	}
	assert_true(fd >= 0);
	sys_close(&world->sys, fd);
	perf_group_open_with(group, &world->sys, world->cpu, PAGES, &switches, &leader, 1);
}

struct sample {
	struct reader_record record;
	struct switch_raw raw;
};

/* The samples of switches in their order. Checks each. */
static size_t read_samples(const struct switch_format *format, const struct perf_group *group,
			   struct sample *samples)
{
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	size_t n_records = reader_all(group->page, records, RECORDS), n = 0;

	assert_in_range(n_records, 0, RECORDS);
	for (size_t i = 0; i < n_records; i++) {
		const struct record decoded = {
			.sample = {.rest = records[i].rest, .rest_bytes = records[i].n_rest}};
		struct sample *sample = &samples[n];

		if (records[i].type != PERF_RECORD_SAMPLE || records[i].id == group->ids[TICK])
			continue;
		sample->record = records[i];
		assert_int_equal(records[i].id, group->ids[SWITCHES]);
		assert_int_equal(records[i].nr, MEMBERS);
		assert_int_equal(records[i].size, samples[0].record.size);
		assert_int_equal(switch_raw_read(format, &decoded, &sample->raw), 0);
		/* N counts every record, also between tasks that the kernel does not report. */
		assert_int_equal(records[i].values[SWITCHES],
				 samples[0].record.values[SWITCHES] + n);
		n++;
	}
	free(records);
	return n;
}

static void every_switch_names_both_tasks(void **state)
{
	struct world *world = *state;
	struct switch_format format;
	struct perf_group group;
	size_t mine = 0, to_me = 0;

	read_format(world, &format);
	open_group(world, &format, &group);
	struct sample *samples = xcalloc(RECORDS, sizeof(*samples));
	perf_group_enable(&group);
	for (int i = 0; i < 100; i++)
		me_sleeps(world);
	size_t n = read_samples(&format, &group, samples);
	bool first_namespace = world_has_first_pids(world);

	assert_true(n >= 100);
	assert_int_equal(samples[0].record.values[SWITCHES], 1);
	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = &samples[i];

		if (first_namespace && sample->record.tid != -1)
			assert_int_equal(sample->raw.prev_pid, sample->record.tid);
		if (sample->record.tid != world->me)
			continue;
		mine++;
		/* The task sleeps, or another one preempts it. */
		assert_true((sample->raw.prev_state & 0xff) == 1 ||
			    (sample->raw.prev_state & 0xff) == 0);
	}
	for (size_t i = 0; first_namespace && i < n; i++)
		to_me += samples[i].raw.next_pid == world->me;
	assert_true(mine >= 100);
	/* There is no switch to a task that the kernel does not report. */
	if (world->fk)
		assert_int_equal(to_me, world->silent_idle ? 0 : 100);
	perf_group_close(&group);
	free(samples);
}

/* The call chain of a later listener makes samples of the software event longer. */
static int open_rival(const struct world *world)
{
	struct perf_event_attr attr = attr_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (world->fk)
		fk_rival(world->fk, &(struct fk_rival){.chain_bytes = 104});
	return world->fk ? -1 : world_open(world, attr, -1);
}

static void samples_are_not_shared(void **state)
{
	struct world *world = *state;
	struct switch_format format;
	struct perf_group group;

	read_format(world, &format);
	open_group(world, &format, &group);
	struct sample *samples = xcalloc(RECORDS, sizeof(*samples));
	perf_group_enable(&group);
	int rival = open_rival(world);
	for (int i = 0; i < 20; i++)
		me_sleeps(world);
	size_t n = read_samples(&format, &group, samples);

	assert_true(n >= 20);
	/* 64 bytes of fields, padding, and the size. */
	assert_int_equal(samples[0].record.n_rest, 72);
	if (rival >= 0)
		sys_close(&world->sys, rival);
	perf_group_close(&group);
	free(samples);
}

static void a_thread_that_exits_is_named(void **state)
{
	struct world *world = *state;
	struct switch_format format;
	struct perf_group group;
	const struct sample *last = NULL;

	read_format(world, &format);
	open_group(world, &format, &group);
	struct sample *samples = xcalloc(RECORDS, sizeof(*samples));
	perf_group_enable(&group);
	pid_t thread = me_threads(world);
	size_t n = read_samples(&format, &group, samples);

	for (size_t i = 0; i < n; i++)
		if (samples[i].raw.prev_pid == thread)
			last = &samples[i];
	if (world_has_first_pids(world)) {
		assert_non_null(last);
		assert_int_equal(last->raw.prev_state & 0xff, 0x10);
		if (world->fk)
			assert_int_equal(last->record.tid, -1);
	}
	perf_group_close(&group);
	free(samples);
}

static void its_clock_is_not_boottime(void **state)
{
	struct world *world = *state;
	struct switch_format format;
	struct perf_group group;

	read_format(world, &format);
	open_group(world, &format, &group); /* skips if denied */
	perf_group_close(&group);
	struct perf_event_attr attr = attr_tracing(format.id);
	attr.clockid = CLOCK_BOOTTIME;
	assert_int_equal(
		sys_perf_open(&world->sys, &attr, -1, world->cpu, -1, PERF_FLAG_FD_CLOEXEC),
		-EINVAL);
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(every_switch_names_both_tasks)},
		{WORLD_CASE(samples_are_not_shared)},
		{WORLD_CASE(a_thread_that_exits_is_named)},
		{WORLD_CASE(its_clock_is_not_boottime)},
	};

	return world_run("contract: switches", cases, ARRAY_SIZE(cases));
}
