// SPDX-License-Identifier: MIT
/*
 * What core relies on if several groups of one CPU write to one ring, and take turns by
 * PERF_EVENT_IOC_ENABLE and DISABLE of their leaders. It runs on every kernel of world.h, so with
 * groups of software events. The number of values distinguishes their records, as ids do not.
 */
#include "core/base/util.h"
#include "tests/fake_kernel/world.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS 4096

/*
 * The leaders of A and B are of the same kind of software event, the leader of C is a clock. A has
 * the ring. nr is 3, 4 and 5.
 */
enum { A, B, C, GROUPS };

struct groups {
	struct world *world;
	struct perf_group items[GROUPS];
	struct reader_record *records;
};

static void groups_open(struct groups *groups, struct world *world)
{
	struct perf_event_attr dummy = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	struct perf_event_attr clock = attr_counting(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	groups->world = world;
	groups->records = xcalloc(RECORDS, sizeof(*groups->records));
	perf_group_open(&groups->items[A], &world->sys, world->cpu, 16, &dummy, 1);
	perf_group_join(&groups->items[B], &groups->items[A], world->cpu,
			(struct perf_event_attr[]){dummy, dummy}, 2);
	perf_group_join(&groups->items[C], &groups->items[A], world->cpu,
			(struct perf_event_attr[]){clock, dummy, dummy}, 3);
}

static void groups_close(struct groups *groups)
{
	perf_group_close(&groups->items[C]);
	perf_group_close(&groups->items[B]);
	perf_group_close(&groups->items[A]);
	free(groups->records);
}

/* Consumes the ring, and keeps the samples. */
static size_t groups_samples(struct groups *groups)
{
	size_t n = reader_all(groups->items[A].page, groups->records, RECORDS), kept = 0;

	assert_in_range(n, 0, RECORDS);
	for (size_t i = 0; i < n; i++)
		if (groups->records[i].type == PERF_RECORD_SAMPLE)
			groups->records[kept++] = groups->records[i];
	return kept;
}

static struct reading groups_read(const struct groups *groups, int which)
{
	return reading_take(&groups->world->sys, groups->items[which].fds[0]);
}

static uint64_t switches_of(const struct groups *groups, int which, const uint64_t *values)
{
	return values[groups->items[which].switches];
}

/*
 * The number of switches that N may count between two records. The idle task may make none, and on
 * a busy machine real kernels hide runs of switches (idle, a hidden task, idle).
 */
static uint64_t silent_switches(const struct groups *groups)
{
	return groups->world->fk ? 1 : 100;
}

/* Checks the records of a group: each has an N of at least one more than the one before. */
static size_t count_records(const struct groups *groups, size_t n_samples, int which, uint64_t *n,
			    uint64_t *enabled_ns)
{
	size_t found = 0;

	for (size_t i = 0; i < n_samples; i++) {
		const struct reader_record *record = &groups->records[i];

		if (record->nr != groups->items[which].n)
			continue;
		assert_true(switches_of(groups, which, record->values) > *n);
		assert_true(switches_of(groups, which, record->values) <=
			    *n + 1 + silent_switches(groups));
		assert_int_equal(record->running_ns, record->enabled_ns);
		assert_true(record->enabled_ns >= *enabled_ns);
		*n = switches_of(groups, which, record->values);
		*enabled_ns = record->enabled_ns;
		found++;
	}
	return found;
}

static void groups_take_turns(void **state)
{
	struct groups groups;
	uint64_t n[GROUPS] = {0}, enabled_ns[GROUPS] = {0};

	groups_open(&groups, *state);
	perf_group_enable(&groups.items[C]);
	for (int round = 0; round < 20; round++) {
		int on = round % 2 ? B : A, off = round % 2 ? A : B;
		struct reading before = groups_read(&groups, on), rest = groups_read(&groups, off);
		uint64_t start_ns = sys_now_ns(&groups.world->sys);

		perf_group_enable(&groups.items[on]);
		for (int i = 0; i < 5; i++)
			me_sleeps(groups.world);
		perf_group_disable(&groups.items[on]);
		struct reading after = groups_read(&groups, on);
		uint64_t took_ns = sys_now_ns(&groups.world->sys) - start_ns;
		for (int i = 0; i < 3; i++)
			me_sleeps(groups.world);

		/* One group counts on, all values of the other stay. */
		assert_true(after.enabled_ns - before.enabled_ns >= 5 * 20000);
		assert_true(after.enabled_ns - before.enabled_ns <= took_ns);
		assert_int_equal(after.running_ns, after.enabled_ns);
		assert_true(switches_of(&groups, on, after.values) >=
			    switches_of(&groups, on, before.values) + 5);
		struct reading later = groups_read(&groups, on), still = groups_read(&groups, off);
		assert_memory_equal(&after, &later, sizeof(after));
		assert_memory_equal(&rest, &still, sizeof(rest));

		/* The first record after it was enabled continues from the last reading. */
		size_t n_samples = groups_samples(&groups);
		n[on] = switches_of(&groups, on, before.values);
		enabled_ns[on] = before.enabled_ns;
		size_t found = count_records(&groups, n_samples, on, &n[on], &enabled_ns[on]);
		assert_in_range(found, 5, 1000);
		assert_true(enabled_ns[on] <= after.enabled_ns);
		assert_true(n[on] <= switches_of(&groups, on, after.values));
		assert_true(n[on] + silent_switches(&groups) >=
			    switches_of(&groups, on, after.values));
		assert_int_equal(count_records(&groups, n_samples, off, &n[off], &enabled_ns[off]),
				 0);
		/* The third group counts all the time. */
		found = count_records(&groups, n_samples, C, &n[C], &enabled_ns[C]);
		assert_in_range(found, 5, 1000);
	}
	groups_close(&groups);
}

/*
 * Of events that sample the same switch, the kernel serves the last scheduled one first. Enabling a
 * group schedules it and all others of its PMU again, in the order in which they were opened (since
 * 6.12). A clock has another PMU. All samples have the id and time of the first event (since 6.3).
 */
static void samples_of_one_switch_have_one_id(void **state)
{
	struct world *world = *state;
	struct groups groups;
	static const struct {
		const char *actions; /* a capital enables, a small letter disables */
		const char *order;   /* order of the samples of a switch */
	} rows[] = {
		{"A", "A"},   {"B", "BA"},   {"a", "B"},   {"A", "BA"},    {"bB", "BA"},
		{"abA", "A"}, {"B", "BA"},   {"C", "CBA"}, {"A", "CBA"},   {"a", "CB"},
		{"A", "BAC"}, {"cC", "CBA"}, {"b", "CA"},  {"B", "BAC"},   {"bc", "A"},
		{"C", "CA"},  {"B", "BAC"},  {"a", "BC"},  {"bcBC", "CB"}, {"A", "BAC"},
	};

	if (world->version < (6 << 8 | 12))
		skip();
	groups_open(&groups, world);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t length = strlen(rows[i].order);

		for (const char *action = rows[i].actions; *action; action++) {
			if (*action < 'a')
				perf_group_enable(&groups.items[*action - 'A']);
			else
				perf_group_disable(&groups.items[*action - 'a']);
		}
		groups_samples(&groups);
		for (int k = 0; k < 5; k++)
			me_sleeps(world);
		size_t n = groups_samples(&groups);
		assert_true(n >= 5 * length);
		assert_int_equal(n % length, 0);
		for (size_t k = 0; k < n; k++) {
			const struct reader_record *record = &groups.records[k];
			const struct reader_record *first = &groups.records[k - k % length];
			const struct perf_group *own =
				&groups.items[rows[i].order[k % length] - 'A'];
			const struct perf_group *head = &groups.items[rows[i].order[0] - 'A'];

			if (record->nr != own->n)
				fail_msg("row %zu: sample %zu has %d values", i, k,
					 (int)record->nr);
			assert_int_equal(record->id, head->ids[head->switches]);
			assert_int_equal(record->time_ns, first->time_ns);
			assert_int_equal(record->tid, first->tid);
		}
	}
	groups_close(&groups);
}

int main(void)
{
	static const struct world_case cases[] = {
		{WORLD_CASE(groups_take_turns)},
		{WORLD_CASE(samples_of_one_switch_have_one_id)},
	};

	return world_run("contract: groups", cases, ARRAY_SIZE(cases));
}
