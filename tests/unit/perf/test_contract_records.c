// SPDX-License-Identifier: MIT
/*
 * What core relies on in the rings of perf_event_open: the records, their order and counts, LOST
 * records, and when a wait ends. It runs on every kernel of world.h. For opening and reading events
 * see test_contract_open.c.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define RECORDS 4096
/* header, id, pid and tid, time, CPU, nr, enabled, running; the counts follow */
#define SAMPLE_BYTES (8 * 8 + 8 * MEMBERS)

static void every_switch_makes_a_record(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	struct perf_group group;
	size_t mine = 0, from_idle = 0;
	uint64_t switches = 0, gaps = 0;

	world_group(world, 16, &group);
	perf_group_enable(&group);
	uint64_t start_ns = sys_now_ns(&world->sys);
	for (int i = 0; i < 100; i++)
		me_sleeps(world);
	struct reading end = reading_take(&world->sys, group.fds[LEADER]);
	size_t n = reader_all(group.page, records, RECORDS);
	uint64_t end_ns = sys_now_ns(&world->sys);

	assert_in_range(n, 100, RECORDS);
	for (size_t i = 0; i < n; i++) {
		const struct reader_record *record = &records[i];

		if (record->type != PERF_RECORD_SAMPLE)
			continue; /* another task of the machine */
		assert_int_equal(record->size, SAMPLE_BYTES);
		assert_int_equal(record->id, group.ids[SWITCHES]);
		assert_int_equal(record->cpu, world->cpu);
		assert_int_equal(record->misc, PERF_RECORD_MISC_KERNEL);
		assert_int_equal(record->nr, MEMBERS);
		assert_true(record->values[SWITCHES] > switches);
		gaps += record->values[SWITCHES] - switches - 1;
		switches = record->values[SWITCHES];
		assert_in_range(record->time_ns, start_ns, end_ns);
		assert_true(record->running_ns <= record->enabled_ns);
		if (i) {
			assert_true(record->time_ns >= records[i - 1].time_ns);
			assert_true(record->values[TICK] >= records[i - 1].values[TICK]);
		}
		mine += record->tid == world->me && record->pid == world->me;
		from_idle += record->tid == 0 && record->pid == 0;
	}
	assert_true(mine >= 100);
	/*
	 * The idle task makes a sample at every switch on one kernel, none on another
	 * (fk_silent_idle). In a pid namespace, tasks outside have its tid, and make samples.
	 */
	assert_true(from_idle == 0 || gaps == 0 || !world_has_first_pids(world));
	if (world->fk)
		assert_int_equal(from_idle, world->silent_idle ? 0 : 100);
	/* N of the reading is the N of the last record. */
	assert_true(end.values[SWITCHES] <= switches + 1);
	assert_true(end.values[SWITCHES] >= 200);
	perf_group_close(&group);
	free(records);
}

/* The first record from *at on of that type and task. Moves *at behind it. */
static const struct reader_record *next_record(const struct reader_record *records, size_t n,
					       size_t *at, uint32_t type, pid_t pid, pid_t tid)
{
	for (; *at < n; ++*at) {
		const struct reader_record *record = &records[*at];
		bool sample = type == PERF_RECORD_SAMPLE;

		if (record->type == type && (sample ? record->pid : record->task_pid) == pid &&
		    (sample ? record->tid : record->task_tid) == tid) {
			++*at;
			return record;
		}
	}
	fail_msg("no record of type %u for %d/%d", type, (int)pid, (int)tid);
	return NULL;
}

static void tasks_make_records(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	const struct reader_record *record;
	struct perf_group group;
	size_t at = 0;

	world_group(world, 16, &group);
	/* The group is not enabled yet, but its sibling is, and makes records. */
	me_is_called(world, "sevench");
	me_is_called(world, "fifteen letters");
	perf_group_enable(&group);
	pid_t child = me_forks(world, false);
	pid_t execed = me_forks(world, true);
	pid_t thread = me_threads(world);
	size_t n = reader_all(group.page, records, RECORDS);

	assert_in_range(n, 10, RECORDS);
	record = next_record(records, n, &at, PERF_RECORD_COMM, world->me, world->me);
	assert_string_equal(record->comm, "sevench");
	assert_int_equal(record->size, 8 + 8 + 8 + 32);
	assert_int_equal(record->misc, 0);
	assert_int_equal(record->id, group.ids[SWITCHES]);
	assert_int_equal(record->tid, world->me);
	record = next_record(records, n, &at, PERF_RECORD_COMM, world->me, world->me);
	assert_string_equal(record->comm, "fifteen letters");
	assert_int_equal(record->size, 8 + 8 + 16 + 32);

	record = next_record(records, n, &at, PERF_RECORD_FORK, child, child);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->task_ptid, world->me);
	assert_int_equal(record->pid, world->me);
	assert_int_equal(record->tid, world->me);
	assert_int_equal(record->cpu, world->cpu);
	assert_true(record->task_time_ns <= record->time_ns + NS_PER_MS);
	record = next_record(records, n, &at, PERF_RECORD_EXIT, child, child);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->tid, child);
	next_record(records, n, &at, PERF_RECORD_SAMPLE, child, child);

	next_record(records, n, &at, PERF_RECORD_FORK, execed, execed);
	record = next_record(records, n, &at, PERF_RECORD_COMM, execed, execed);
	assert_string_equal(record->comm, "true");
	assert_int_equal(record->misc, PERF_RECORD_MISC_COMM_EXEC);
	next_record(records, n, &at, PERF_RECORD_EXIT, execed, execed);

	record = next_record(records, n, &at, PERF_RECORD_FORK, world->me, thread);
	assert_int_equal(record->task_ppid, world->me);
	assert_int_equal(record->task_ptid, world->me);
	record = next_record(records, n, &at, PERF_RECORD_EXIT, world->me, thread);
	assert_int_equal(record->task_ppid, record->task_ptid);
	/* The last switch has its pid, but no tid any more. */
	next_record(records, n, &at, PERF_RECORD_SAMPLE, world->me, -1);
	perf_group_close(&group);
	free(records);
}

/* Consumes the ring. Returns the number of ticks in it. */
static size_t ticks_of(const struct perf_group *group, struct reader_record *records)
{
	size_t n = reader_all(group->page, records, RECORDS), ticks = 0;

	for (size_t i = 0; i < n; i++)
		ticks += records[i].type == PERF_RECORD_SAMPLE && records[i].id == group->ids[TICK];
	return ticks;
}

static void the_tick_names_the_running_task(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	struct perf_group group;
	static const struct {
		const char *name;
		uint64_t period_ns, spin_ns, at_least_ns;
	} rows[] = {
		{"10 us", 10000, 95000, 10000},
		{"30 us", 30000, 95000, 30000},
		{"1 ns is 10 us", 1, 95000, 10000},
	};

	world_group(world, 16, &group);
	perf_group_enable(&group);
	me_sleeps(world);
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		size_t ticks = 0;
		uint64_t last_n = 0, armed_ns;

		reader_all(group.page, records, RECORDS);
		last_n = reading_take(&world->sys, group.fds[LEADER]).values[SWITCHES];
		armed_ns = sys_now_ns(&world->sys);
		perf_group_period(&group, rows[r].period_ns);
		me_spins(world, rows[r].spin_ns);
		perf_group_period(&group, TICK_OFF_NS);
		uint64_t armed_for_ns = sys_now_ns(&world->sys) - armed_ns;
		size_t n = reader_all(group.page, records, RECORDS);
		for (size_t i = 0; i < n; i++) {
			const struct reader_record *record = &records[i];

			if (record->type != PERF_RECORD_SAMPLE)
				continue;
			/* If another program samples switches, samples may have its id. */
			if (record->id != group.ids[TICK]) {
				assert_int_equal(record->values[SWITCHES], ++last_n);
				continue;
			}
			assert_int_equal(record->nr, MEMBERS);
			assert_int_equal(record->values[SWITCHES], last_n);
			ticks += record->tid == world->me;
			/* A timer is never early. */
			assert_true(record->time_ns >= armed_ns + rows[r].at_least_ns);
		}
		if (!ticks || ticks > armed_for_ns / rows[r].at_least_ns + 5)
			fail_msg("%s: %zu ticks", rows[r].name, ticks);
		/* No tick after disarming, except one that was due while another task had the CPU.
		 */
		me_spins(world, 50000);
		assert_true(ticks_of(&group, records) <= (world->fk ? 0 : 1));
	}
	perf_group_close(&group);
	free(records);
}

/* While its group is disabled, the rest of a tick's period does not pass. */
static void a_tick_keeps_the_rest_of_its_period(void **state)
{
	struct world *world = *state;
	struct reader_record *records = xcalloc(RECORDS, sizeof(*records));
	struct perf_group group;

	world_group(world, 16, &group);
	perf_group_enable(&group);
	uint64_t n_before = reading_take(&world->sys, group.fds[LEADER]).values[TICK], armed_ns;
	do { /* again if this process was off the CPU for so long that it came already */
		perf_group_enable(&group);
		perf_group_period(&group, TICK_OFF_NS);
		armed_ns = sys_now_ns(&world->sys);
		perf_group_period(&group, 200000);
		me_spins(world, 50000);
		sys_perf_ioctl(&world->sys, group.fds[LEADER], PERF_EVENT_IOC_DISABLE, 0);
		armed_ns = sys_now_ns(&world->sys) - armed_ns;
		if (armed_ns >= 200000)
			reader_all(group.page, records, RECORDS);
	} while (armed_ns >= 200000);
	me_spins(world, 300000);
	assert_int_equal(ticks_of(&group, records), 0);
	perf_group_enable(&group);
	me_spins(world, 170000);
	size_t ticks = ticks_of(&group, records);
	for (int tries = 0; !world->fk && ticks == 0 && tries < 1000; tries++) {
		me_spins(world, 100000);
		ticks = ticks_of(&group, records);
	}
	assert_true(ticks >= 1);
	assert_true(reading_take(&world->sys, group.fds[LEADER]).values[TICK] > n_before);
	perf_group_close(&group);
	free(records);
}

static void a_full_ring_reports_its_lost_records(void **state)
{
	struct world *world = *state;
	struct reader_record record;
	struct perf_group group;
	uint64_t last = 0, lost = 0, gaps = 0;
	size_t losts = 0;

	world_group(world, 1, &group);
	perf_group_enable(&group);
	for (int round = 0; round < 3; round++) {
		while (reader_used(group.page) + SAMPLE_BYTES < group.page->data_size)
			me_sleeps(world);
		for (int i = 0; i < 20; i++)
			me_sleeps(world);
		/* One byte stays free, and head never passes tail. */
		assert_true(reader_used(group.page) < group.page->data_size);
		while (reader_next(group.page, &record)) {
			if (record.type == PERF_RECORD_LOST) {
				assert_int_equal(record.size, 24 + 32);
				assert_int_equal(record.lost_id, group.ids[SWITCHES]);
				assert_int_equal(record.id, group.ids[SWITCHES]);
				lost += record.lost;
				losts++;
			} else if (record.type == PERF_RECORD_SAMPLE) {
				gaps += record.values[SWITCHES] - last - 1;
				last = record.values[SWITCHES];
			}
		}
		me_sleeps(world);
	}
	/* The next record reports the losses of the last round. Side-band records are lost too. */
	assert_true(losts >= 2);
	assert_true(lost >= 2 * 20);
	if (!world->silent_idle)
		assert_true(gaps <= lost);
	if (world->fk && !world->silent_idle)
		assert_int_equal(gaps, lost);
	perf_group_close(&group);
}

static void a_poll_wakes_once_past_the_watermark(void **state)
{
	struct world *world = *state;
	struct perf_event_attr switches = attr_sampling(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event_attr dummy = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	size_t size = 5 * world->page_size;
	void *address;
	uint64_t used_before = 0;

	switches.wakeup_watermark = (uint32_t)world->page_size;
	int fd = world_open(world, switches, -1);
	int bare = world_open(world, dummy, -1);
	assert_int_equal(sys_perf_map(&world->sys, fd, size, &address), 0);
	struct perf_event_mmap_page *page = address;
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	struct pollfd no_ring = {.fd = bare, .events = POLLIN};

	assert_int_equal(sys_wait(&world->sys, &no_ring, 1, UINT64_MAX), 1);
	assert_int_equal(no_ring.revents, POLLHUP);
	for (int i = 0; i < 10000; i++) {
		int ready = sys_wait(&world->sys, fds, 2, 0);

		assert_int_equal(fds[1].revents, 0);
		if (ready) {
			assert_int_equal(fds[0].revents, POLLIN);
			break;
		}
		used_before = reader_used(page);
		me_sleeps(world);
	}
	assert_int_equal(fds[0].revents, POLLIN);
	assert_true(reader_used(page) > world->page_size);
	assert_true(used_before <= world->page_size + 4096);
	/* No record was read, but the descriptor is not ready again. */
	assert_int_equal(sys_wait(&world->sys, fds, 2, 0), 0);

	sys_perf_unmap(&world->sys, address, size);
	assert_int_equal(sys_wait(&world->sys, fds, 2, 0), 1);
	assert_int_equal(fds[0].revents, POLLHUP);
	sys_close(&world->sys, bare);
	sys_close(&world->sys, fd);
}

static void waits_end_at_their_deadline_or_when_woken(void **state)
{
	struct world *world = *state;
	uint64_t start_ns = sys_now_ns(&world->sys);

	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + 2 * NS_PER_MS), 0);
	assert_true(sys_now_ns(&world->sys) >= start_ns + 2 * NS_PER_MS);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, 0), 0);
	sys_wake(&world->sys);
	sys_wake(&world->sys);
	start_ns = sys_now_ns(&world->sys);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + 1000 * NS_PER_S), -EINTR);
	assert_true(sys_now_ns(&world->sys) < start_ns + 100 * NS_PER_S);
	/* Two wakes are one. */
	start_ns = sys_now_ns(&world->sys);
	assert_int_equal(sys_wait(&world->sys, NULL, 0, start_ns + NS_PER_MS), 0);
	assert_true(sys_now_ns(&world->sys) >= start_ns + NS_PER_MS);
	assert_true(sys_realtime_ns(&world->sys) > 1600000000ull * NS_PER_S);
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(every_switch_makes_a_record)},
		{WORLD_CASE(tasks_make_records)},
		{WORLD_CASE(the_tick_names_the_running_task)},
		{WORLD_CASE(a_tick_keeps_the_rest_of_its_period)},
		{WORLD_CASE(a_full_ring_reports_its_lost_records)},
		{WORLD_CASE(a_poll_wakes_once_past_the_watermark)},
		{WORLD_CASE(waits_end_at_their_deadline_or_when_woken)},
	};

	return world_run("contract: records", cases, ARRAY_SIZE(cases));
}
