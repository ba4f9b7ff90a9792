// SPDX-License-Identifier: MIT
/* Which findings there are beside the greatest loss: the others, and what uses the CPUs. */
#include "tests/unit/shared/sample.h"

#include "core/view/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { TASKS = 12 };

/* A task of user 0 that ran for so many ms. */
#define TASK(pid, ppid, name, ms) \
	SAMPLE_TASK(pid, pid, ppid, 0, -1, name, (uint64_t)((ms)*NS_PER_MS))

/* A machine of two CPUs; the rest of their time they are idle. */
static struct snapshot *machine(const struct sample_row *tasks, size_t n)
{
	struct snapshot *snapshot = sample_snapshot(sample_columns("software"), tasks, n);
	uint64_t ran_ns = snapshot->totals[TALLY_TASK_CLOCK];
	uint64_t idle_ns = u64_growth(ran_ns, snapshot->n_cpus * snapshot->interval_ns);

	snapshot->totals[TALLY_TASK_CLOCK] += idle_ns;
	snapshot->idle[TALLY_TASK_CLOCK] += idle_ns;
	return snapshot;
}

static void check(const char *name, const struct sample_row *tasks, size_t n,
		  const char *const *want)
{
	struct snapshot *snapshot = machine(tasks, n);
	struct findings findings;
	size_t n_want = 0;

	findings_of_snapshot(snapshot, &findings);
	for (size_t i = 0; i < findings.n && want[i]; i++, n_want++)
		if (strcmp(findings.items[i].text, want[i]) != 0)
			fail_msg("%s: \"%s\"", name, findings.items[i].text);
	if (findings.n != n_want || want[n_want])
		fail_msg("%s: %zu findings", name, findings.n);
	snapshot_free(snapshot);
}

static void names_what_uses_the_cpus(void **state)
{
	static const struct {
		const char *name;
		struct sample_row tasks[TASKS];
		const char *want[4];
	} rows[] = {
		{"one process",
		 {TASK(77, 5, "spin", 990), TASK(78, 5, "little", 20)},
		 {"spin (77) uses 1.0 of 2 CPUs"}},
		{"two, the busier first",
		 {TASK(77, 5, "spin", 700), TASK(78, 5, "hog", 900)},
		 {"hog (78) uses 0.9 of 2 CPUs", "spin (77) uses 0.7 of 2 CPUs"}},
		{"children of one process",
		 {TASK(5, 1, "make", 20), TASK(77, 5, "cc1", 300), TASK(78, 5, "cc1", 320),
		  TASK(79, 5, "cc1", 340)},
		 {"make (5) and 3 descendants use 1.0 of 2 CPUs"}},
		{"grandchildren, and a parent that did not run",
		 {TASK(5, 1, "make", 20), TASK(6, 5, "sh", 1), TASK(77, 6, "cc1", 300),
		  TASK(78, 6, "as", 320)},
		 {"sh (6) and 2 descendants use 0.6 of 2 CPUs"}},
		{"a process beside a build",
		 {TASK(4, 1, "spin", 900), TASK(5, 1, "make", 20), TASK(77, 5, "cc1", 300),
		  TASK(78, 5, "cc1", 320)},
		 {"spin (4) uses 0.9 of 2 CPUs", "make (5) and 2 descendants use 0.6 of 2 CPUs"}},
		{"many of the first process",
		 {TASK(4, 1, "c", 200), TASK(5, 1, "a", 120), TASK(6, 1, "b", 100),
		  TASK(7, 1, "a", 140), TASK(8, 1, "b", 110)},
		 {"5 processes (most: a) use 0.7 of 2 CPUs"}},
		{"descendants of a process with a sentence of its own",
		 {TASK(5, 1, "master", 900), TASK(77, 5, "worker", 300),
		  TASK(78, 5, "worker", 320)},
		 {"master (5) uses 0.9 of 2 CPUs",
		  "2 descendants of master (5) use 0.6 of 2 CPUs"}},
		{"beside a named descendant",
		 {TASK(5, 1, "make", 20), TASK(76, 5, "cc1", 900), TASK(77, 5, "cc1", 300),
		  TASK(78, 5, "cc1", 320)},
		 {"cc1 (76) uses 0.9 of 2 CPUs",
		  "make (5) and 2 other descendants use 0.6 of 2 CPUs"}},
		{"below one that ran a little",
		 {TASK(3, 1, "sshd", 1), TASK(5, 3, "make", 0), TASK(77, 5, "cc1", 300),
		  TASK(78, 5, "cc1", 320)},
		 {"make (5) and 2 descendants use 0.6 of 2 CPUs"}},
		{"kernel threads",
		 {TASK(2, 0, "kthreadd", 1), TASK(77, 2, "kworker", 300),
		  TASK(78, 2, "kworker", 320)},
		 {"3 processes (most: kworker) use 0.6 of 2 CPUs"}},
		{"little", {TASK(77, 5, "spin", 450)}, {NULL}},
		{"nothing",
		 {TASK(77, 5, "spin", 5)},
		 {"idle: less than 5% of the CPUs' time was used"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = 0;

		while (n < TASKS && rows[i].tasks[n].row.pid)
			n++;
		check(rows[i].name, rows[i].tasks, n, rows[i].want);
	}
}

/* A figure that is not exact has its mark in the sentence, too. */
static void marks_what_is_not_exact(void **state)
{
	static const struct {
		unsigned flags;
		uint64_t doubt_ns;
		const char *want[2];
	} rows[] = {
		{0, 5 * NS_PER_MS, {"spin (77) uses 0.9 of 2 CPUs"}},
		{0, 50 * NS_PER_MS, {"spin (77) uses ~0.9 of 2 CPUs"}},
		{ROW_LOST, 0, {"spin (77) uses at least 0.9 of 2 CPUs"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample_row task = TASK(77, 5, "spin", 900);

		task.row.flags = rows[i].flags;
		task.row.doubt_ns = rows[i].doubt_ns;
		check(rows[i].want[0], &task, 1, rows[i].want);
	}
}

/* More than fit: the first ones stay. */
static void keeps_the_greatest(void **state)
{
	struct sample_row tasks[FINDINGS_MAX + 2];
	struct findings findings;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		tasks[i] = (struct sample_row)TASK((pid_t)(10 + i), 1, "hog", 500 + i);
	struct snapshot *snapshot = machine(tasks, ARRAY_SIZE(tasks));
	findings_of_snapshot(snapshot, &findings);
	assert_int_equal(findings.n, FINDINGS_MAX);
	assert_int_equal(findings.items[0].pid, 10 + FINDINGS_MAX + 1);
	snapshot_free(snapshot);
}

#define MIB                 (1024.0 * 1024)
#define VALUE(which, value) .values[which] = (value), .known[which] = true

/* What the machine lacks stands before what uses its CPUs. */
static void names_what_the_machine_lacks(void **state)
{
	static const struct {
		struct snapshot_machine machine;
		const char *want[4];
	} rows[] = {
		{{VALUE(MACHINE_MEMORY, 8000 * MIB), VALUE(MACHINE_MEMORY_AVAILABLE, 500 * MIB)},
		 {"memory is nearly full: 500M free of 7.8G"}},
		{{VALUE(MACHINE_MEMORY_PRESSURE, 12.5), VALUE(MACHINE_SWAP, 1000 * MIB),
		  VALUE(MACHINE_SWAP_FREE, 20 * MIB)},
		 {"swap is nearly full: 20.0M free of 1.0G",
		  "some task waits for memory 12.5% of the time (memory pressure)"}},
		{{VALUE(MACHINE_IO_PRESSURE, 40), VALUE(MACHINE_STEAL, 6)},
		 {"some task waits for a device 40.0% of the time (io pressure)",
		  "the hypervisor takes 6.0% of the CPUs' time (steal)"}},
		{{VALUE(MACHINE_STEAL, 23)}, {"steal: the hypervisor took 23 % of the CPUs' time"}},
		{{VALUE(MACHINE_CPU_PRESSURE, 80), VALUE(MACHINE_LOAD_1M, 9)}, {NULL}},
		{{.interrupts = {{.cpu = 3, .soft = true, .percent = 95, .name = "NET_RX"}},
		  .n_interrupts = 1},
		 {"CPU 3 spends 95.0% in softirqs (most: NET_RX)"}},
	};
	const struct sample_row spin = TASK(77, 5, "spin", 990);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = machine(&spin, 1);
		struct findings findings;
		size_t k = 0;

		snapshot->machine = rows[i].machine;
		findings_of_snapshot(snapshot, &findings);
		for (; rows[i].want[k]; k++) {
			assert_true(k < findings.n);
			assert_string_equal(findings.items[k].text, rows[i].want[k]);
		}
		assert_int_equal(findings.n, k + 1);
		assert_string_equal(finding_word(finding_number(&findings.items[k])), "use");
		snapshot_free(snapshot);
	}
}

/* Two lines are about two processes. */
static void parts_findings_about_a_process(void **state)
{
	const struct sample_row tasks[] = {
		{.row = {.pid = 4, .tid = 4, .threads = 1, .comm = "ping"},
		 .counts = {[TALLY_TASK_CLOCK] = 600 * NS_PER_MS, [TALLY_SWITCHES] = 50000}},
		{.row = {.pid = 4, .tid = 5, .threads = 1, .comm = "ping"},
		 .counts = {[TALLY_TASK_CLOCK] = 700 * NS_PER_MS}},
		TASK(77, 5, "spin", 600),
	};
	struct snapshot *snapshot = machine(tasks, ARRAY_SIZE(tasks));
	struct findings findings;

	(void)state;
	findings_of_snapshot(snapshot, &findings);
	assert_int_equal(findings.n, 3);
	assert_string_equal(finding_word(finding_number(&findings.items[0])), "thrashing switches");
	assert_int_equal(findings.items[0].pid, 4);
	assert_int_equal(findings.items[1].pid, 77);
	assert_int_equal(findings.items[2].pid, 4);
	snapshot_free(snapshot);
}

/* No task alone is beyond the limit. */
static void names_most_of_a_sum(void **state)
{
	struct sample_row tasks[TASKS];
	struct findings findings;

	(void)state;
	for (size_t i = 0; i < TASKS; i++)
		tasks[i] = (struct sample_row){
			.row = {.pid = (pid_t)(10 + i), .tid = (pid_t)(10 + i), .comm = "srv"},
			.counts = {
				[TALLY_TASK_CLOCK] = 150 * NS_PER_MS, [TALLY_SWITCHES] = 4000 + i}};
	struct snapshot *snapshot = machine(tasks, TASKS);
	findings_of_snapshot(snapshot, &findings);
	assert_string_equal(findings.items[0].text,
			    "thrashing switches: cs/s 48.1k >= 40.0k; most: srv (21), cs/s 4011");
	assert_int_equal(findings.items[0].pid, 21);
	snapshot_free(snapshot);
}

/* A finding is the same as before, if it is about the same. */
static void knows_since_when(void **state)
{
	const struct sample_row first[] = {TASK(77, 5, "spin", 990)};
	const struct sample_row second[] = {TASK(78, 5, "hog", 900), TASK(77, 5, "spin", 700)};
	struct findings before, now, later;
	struct snapshot *snapshots[] = {machine(first, 1), machine(second, 2), machine(second, 2)};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(snapshots); i++)
		snapshots[i]->sequence = i + 1, snapshots[i]->realtime_ns = (i + 2) * NS_PER_S;
	findings_of_snapshot(snapshots[0], &before);
	findings_follow(&before, &(struct findings){.n = 0}, snapshots[0]);
	assert_int_equal(before.items[0].since_ns, NS_PER_S);
	findings_of_snapshot(snapshots[1], &now);
	findings_follow(&now, &before, snapshots[1]);
	assert_int_equal(now.items[0].since_ns, 2 * NS_PER_S);
	assert_int_equal(now.items[1].since_ns, NS_PER_S);
	findings_of_snapshot(snapshots[2], &later);
	findings_follow(&later, &now, snapshots[2]);
	assert_int_equal(later.items[0].since_ns, 2 * NS_PER_S);
	assert_int_equal(later.items[1].since_ns, NS_PER_S);
	/* After a seek nothing is known of the time between. */
	findings_follow(&later, &before, snapshots[2]);
	assert_int_equal(later.items[1].since_ns, 3 * NS_PER_S);
	for (size_t i = 0; i < ARRAY_SIZE(snapshots); i++)
		snapshot_free(snapshots[i]);
}

static void knows_since_when_of_a_loss(void **state)
{
	struct sample_row tasks[] = {
		{.row = {.pid = 4, .tid = 4, .threads = 1, .comm = "ping"},
		 .counts = {[TALLY_TASK_CLOCK] = 600 * NS_PER_MS, [TALLY_SWITCHES] = 50000}},
		{.row = {.pid = 5, .tid = 5, .threads = 1, .comm = "pong"},
		 .counts = {[TALLY_TASK_CLOCK] = 500 * NS_PER_MS, [TALLY_SWITCHES] = 50000}},
	};
	struct findings before = {.n = 0}, now;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct snapshot *snapshot = machine(tasks, ARRAY_SIZE(tasks));
		snapshot->sequence = i + 1;
		snapshot->realtime_ns = (i + 2) * NS_PER_S;
		findings_of_snapshot(snapshot, &now);
		findings_follow(&now, &before, snapshot);
		assert_int_equal(now.items[0].pid, tasks[i].row.pid);
		assert_int_equal(now.items[0].since_ns, NS_PER_S);
		snapshot_free(snapshot);
		before = now;
		tasks[1].counts[TALLY_TASK_CLOCK] = 700 * NS_PER_MS;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_uses_the_cpus),
		cmocka_unit_test(marks_what_is_not_exact),
		cmocka_unit_test(keeps_the_greatest),
		cmocka_unit_test(names_what_the_machine_lacks),
		cmocka_unit_test(parts_findings_about_a_process),
		cmocka_unit_test(names_most_of_a_sum),
		cmocka_unit_test(knows_since_when),
		cmocka_unit_test(knows_since_when_of_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
