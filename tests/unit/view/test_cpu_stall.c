// SPDX-License-Identifier: MIT
/* The order of CPUs by their stalls, and CPUs unfolded below their sockets. */
#include "core/view/cpu_stall.h"
#include "core/view/view.h"
#include "tests/unit/shared/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* CPUs 0..3 with that busy time and IPC. */
static struct snapshot *machine(const char *preset, const unsigned (*cpus)[2], size_t n)
{
	struct snapshot *snapshot = sample_snapshot_new(sample_columns(preset), "h", "cpu");

	sample_cpus(snapshot, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t busy_ns = cpus[i][0] * NS_PER_S / 100;
		struct sample_row busy = {
			.counts = {[TALLY_TASK_CLOCK] = busy_ns, [SAMPLE_CYCLES] = 2 * busy_ns}};
		struct sample_row idle = {.counts = {[TALLY_TASK_CLOCK] = NS_PER_S - busy_ns}};
		struct snapshot_cpu *cpu = &snapshot->cpus[i];

		busy.counts[SAMPLE_INSTRUCTIONS] = 2 * busy_ns * cpus[i][1] / 100;
		sample_tally(&busy, cpu->tally);
		sample_tally(&idle, cpu->idle);
		tally_add(&snapshot->columns->plan->shape, cpu->tally, cpu->idle);
		cpu->cpus = 1;
		cpu->socket = (int)i / 2;
	}
	sample_evaluate(snapshot);
	return snapshot;
}

static const unsigned four[][2] = {{100, 250}, {50, 40}, {100, 90}, {20, 10}};

static void stalls_below_an_ipc_of_one(void **state)
{
	static const double want[] = {0, 30, 10, 18};
	struct snapshot *snapshot = machine("overview", four, 4);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct figure stall = cpu_stall(snapshot->columns, &snapshot->cpus[i]);

		assert_int_equal(stall.state, FIGURE_VALID);
		assert_true(fabs(stall.value - want[i]) < 0.01);
	}
	assert_true(fabs(cpu_stall_in_unit(snapshot, ROLLUP_SOCKET, 0).value - 15) < 0.01);
	assert_int_equal(cpu_stall_in_unit(snapshot, ROLLUP_SOCKET, 7).state, FIGURE_NOT_COUNTED);
	snapshot_free(snapshot);
}

static void does_not_stall_while_idle(void **state)
{
	struct snapshot *snapshot = machine("overview", (const unsigned[][2]){{0, 0}, {9, 9}}, 2);
	struct figure stall = cpu_stall(snapshot->columns, &snapshot->cpus[0]);

	(void)state;
	assert_int_equal(stall.state, FIGURE_VALID);
	assert_true(stall.value == 0);
	sample_silence(&snapshot->cpus[1]);
	stall = cpu_stall(snapshot->columns, &snapshot->cpus[1]);
	assert_int_equal(stall.state, FIGURE_NOT_COUNTED);
	assert_true(cpu_busy(&snapshot->cpus[1]) < 0);
	snapshot_free(snapshot);
}

static void is_in_order(void **state)
{
	static const struct {
		const char *name, *preset;
		struct view_spec spec;
		const char *want;
	} rows[] = {
		{"the worst first", "overview", {.by = ROLLUP_CPU, .sort = "worst"}, "1 3 2 0 "},
		{"the best first",
		 "overview",
		 {.by = ROLLUP_CPU, .sort = "worst", .reverse = true},
		 "0 2 3 1 "},
		{"the busiest without counted cycles",
		 "software",
		 {.by = ROLLUP_CPU, .sort = "worst"},
		 "0 2 1 3 "},
		{"by number", "overview", {.by = ROLLUP_CPU}, "0 1 2 3 "},
		{"sockets", "overview", {.by = ROLLUP_SOCKET, .sort = "worst"}, "0 1 "},
		{"folded",
		 "overview",
		 {.by = ROLLUP_SOCKET, .sort = "worst", .folds = true},
		 "+ 0 + 1 "},
		{"unfolded",
		 "overview",
		 {.by = ROLLUP_SOCKET, .sort = "worst", .folds = true, .unfolded = {false, true}},
		 "+ 0 - 1 3 2 "},
		{"both, by number downwards",
		 "overview",
		 {.by = ROLLUP_SOCKET,
		  .sort = "socket",
		  .reverse = true,
		  .folds = true,
		  .unfolded = {true, true}},
		 "- 1 3 2 - 0 1 0 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *snapshot = machine(rows[i].preset, four, 4);
		char text[64] = "";
		struct view view;

		view_init(snapshot, &rows[i].spec, &view);
		for (size_t line = 0; line < view.n; line++) {
			struct cell cell;

			view_cell(&view, line, 0, &cell);
			strcat(strcat(text, cell.text), " ");
			assert_true(view_is_unit(&view, line) ==
				    (rows[i].spec.by == ROLLUP_SOCKET &&
				     view_cpu(&view, line)->cpus > 1));
		}
		if (strcmp(text, rows[i].want) != 0)
			fail_msg("%s: %s", rows[i].name, text);
		view_fini(&view);
		snapshot_free(snapshot);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stalls_below_an_ipc_of_one),
		cmocka_unit_test(does_not_stall_while_idle),
		cmocka_unit_test(is_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
