// SPDX-License-Identifier: MIT
/* Shared columns, conservation, busy time. */
#include "tests/unit/shared/sample.h"

#include "core/snapshot/snapshot.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* pid, tid, start, flags, comm, ns of CPU, cycles */
#define THREAD(p, t, start, what, name, ns, c)                                \
	{                                                                     \
		.row = {.pid = (p),                                           \
			.tid = (t),                                           \
			.ppid = 1,                                            \
			.uid = 1000,                                          \
			.start_ns = (start),                                  \
			.threads = 1,                                         \
			.flags = (what),                                      \
			.comm = name,                                         \
			.user = "db"},                                        \
		.counts = {[TALLY_TASK_CLOCK] = (ns), [SAMPLE_CYCLES] = (c)}, \
	}

static const struct sample_row two_tasks[] = {
	THREAD(7, 7, 5, 0, "a", NS_PER_S / 2, 100),
	THREAD(8, 8, 5, 0, "b", NS_PER_S / 4, 200),
};

static uint64_t *part_of(struct snapshot *snapshot, const char *part)
{
	if (strcmp(part, "row") == 0)
		return rows_tally(snapshot->columns, &snapshot->threads, 1);
	if (strcmp(part, "cpu") == 0)
		return snapshot->cpus[0].tally;
	if (strcmp(part, "idle") == 0)
		return snapshot->idle;
	if (strcmp(part, "unattributed") == 0)
		return snapshot->unattributed;
	return snapshot->totals;
}

static void conserves(void **state)
{
	static const struct {
		const char *name, *part;
		size_t event;
		uint64_t add;
		bool want;
	} rows[] = {
		{"as it is", "row", 0, 0, true},
		{"a row has one more", "row", SAMPLE_CYCLES, 1, false},
		{"a row has one less", "row", SAMPLE_CYCLES, UINT64_MAX, false},
		{"a CPU has one more", "cpu", TALLY_TASK_CLOCK, 1, false},
		{"idle has one more", "idle", SAMPLE_MIGRATIONS, 1, false},
		{"unattributed has one more", "unattributed", TALLY_SWITCHES, 1, false},
		{"the totals have one more", "totals", SAMPLE_INSTRUCTIONS, 1, false},
		{"group times need not", "totals", SAMPLE_GROUP_0, 1, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = sample_snapshot(sample_columns("overview"), two_tasks,
							    ARRAY_SIZE(two_tasks));
		size_t event = 99;

		part_of(snapshot, rows[i].part)[rows[i].event] += rows[i].add;
		if (snapshot_conserves(snapshot, &event) != rows[i].want)
			fail_msg("%s", rows[i].name);
		if (!rows[i].want && event != rows[i].event)
			fail_msg("%s: event %zu", rows[i].name, event);
		assert_true(snapshot_conserves(snapshot, NULL) == rows[i].want);
		snapshot_free(snapshot);
	}
}

/* A lost count moved to unattributed conserves. CPUs that were not counted are ignored. */
static void conserves_without_cpus(void **state)
{
	struct snapshot *snapshot =
		sample_snapshot(sample_columns("overview"), two_tasks, ARRAY_SIZE(two_tasks));

	(void)state;
	rows_tally(snapshot->columns, &snapshot->threads, 0)[SAMPLE_CYCLES] -= 40;
	assert_false(snapshot_conserves(snapshot, NULL));
	snapshot->unattributed[SAMPLE_CYCLES] += 40;
	assert_true(snapshot_conserves(snapshot, NULL));
	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		free(snapshot->cpus[i].tally);
		snapshot->cpus[i].tally = NULL;
	}
	assert_true(snapshot_conserves(snapshot, NULL));
	snapshot_free(snapshot);
}

static void evaluate(const struct snapshot *snapshot, const uint64_t *tally, const uint64_t *idle,
		     struct figure *figures)
{
	const struct busy_part part = {.tally = tally, .idle = idle};

	snapshot_evaluate_busy(snapshot, &part, figures);
}

/* %CPU of a CPU is its busy share. IPC and GHz are of the busy time. */
static void busy_is_without_idle(void **state)
{
	struct columns *columns = sample_columns("overview");
	uint64_t tally[SAMPLE_WIDTH] = {[TALLY_TASK_CLOCK] = NS_PER_S, [SAMPLE_CYCLES] = 1000,
					[SAMPLE_INSTRUCTIONS] = 3000,  [SAMPLE_GROUP_0] = NS_PER_S,
					[SAMPLE_GROUP_1] = NS_PER_S,   [SAMPLE_DOMAIN] = NS_PER_S};
	uint64_t idle[SAMPLE_WIDTH] = {[TALLY_TASK_CLOCK] = NS_PER_S * 3 / 4,
				       [SAMPLE_CYCLES] = 200,
				       [SAMPLE_INSTRUCTIONS] = 200,
				       [SAMPLE_GROUP_0] = NS_PER_S * 3 / 4,
				       [SAMPLE_GROUP_1] = NS_PER_S * 3 / 4 + 1,
				       [SAMPLE_DOMAIN] = NS_PER_S * 3 / 4};
	const struct snapshot of_second = {.columns = columns, .interval_ns = NS_PER_S};
	struct figure figures[16];
	int cpu = columns_metric(columns, "cpu_percent"), ipc = columns_metric(columns, "ipc");

	(void)state;
	assert_int_equal(columns_metric(columns, "nonsense"), -ENOENT);
	evaluate(&of_second, tally, idle, figures);
	assert_true(fabs(figures[cpu].value - 25) < 1e-9);
	assert_true(fabs(figures[ipc].value - 3.5) < 1e-9);
	assert_int_equal(figures[ipc].state, FIGURE_VALID);

	evaluate(&of_second, tally, NULL, figures);
	assert_true(fabs(figures[cpu].value - 100) < 1e-9);
	assert_true(fabs(figures[ipc].value - 3) < 1e-9);

	/* Idle exceeds the total, by the difference of two clocks: 0, not 2^64. */
	idle[TALLY_TASK_CLOCK] = NS_PER_S + 3;
	evaluate(&of_second, tally, idle, figures);
	assert_true(figures[cpu].value == 0);

	/* All idle: nothing to divide. */
	evaluate(&of_second, tally, tally, figures);
	assert_int_equal(figures[ipc].state, FIGURE_UNDEFINED);
	assert_int_equal(figures[cpu].state, FIGURE_VALID);
	columns_unref(columns);
}

static void *ref_and_unref(void *arg)
{
	struct columns *columns = arg;

	for (int i = 0; i < 20000; i++)
		columns_unref(columns_ref(columns));
	return NULL;
}

/* The sanitizers see a free too early, too late or twice. */
static void columns_are_shared(void **state)
{
	struct columns *columns = sample_columns("overview");
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ref_and_unref, columns), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(columns->references, 1);

	struct snapshot *a = sample_snapshot(columns_ref(columns), two_tasks, 2);
	struct snapshot *b = sample_snapshot(columns_ref(columns), two_tasks, 2);
	b->notes = xcalloc(1, sizeof(*b->notes));
	b->notes[b->n_notes++] = xstrdup("a note");
	columns_unref(columns);
	snapshot_free(a);
	assert_int_equal(b->columns->references, 1);
	snapshot_free(b);
	snapshot_free(NULL);
	columns_unref(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conserves),
		cmocka_unit_test(conserves_without_cpus),
		cmocka_unit_test(busy_is_without_idle),
		cmocka_unit_test(columns_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
