// SPDX-License-Identifier: MIT
/*
 * Where /proc does not show all tasks that run: in a pid namespace, and with hidepid. A figure of
 * the machine never divides what all tasks did by what the visible ones did.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/metric/preset.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>

#define OWN_PIDS "pid:[4026532300]"

/* Ticks of two CPUs: a task in user mode on the first, and time in the kernel on the second. */
static void set_ticks(struct fk *fk, unsigned user, unsigned system)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "cpu %u 0 %u 0 0 0 0 0\ncpu0 %u 0 0 0 0 0 0 0\ncpu1 0 0 %u 0 0 0 0 0\n", user,
		 system, user, system);
	fk_file(fk, "/proc/stat", text);
}

static struct figure machine_figure(const struct snapshot *snapshot, const char *metric)
{
	int index = columns_metric(snapshot->columns, metric);

	assert_true(index >= 0);
	return snapshot->figures[index];
}

/* What runs on CPU 1 has no number here: it counts as idle, so its time is in no figure. */
static void kernel_share_of_a_pid_namespace(void **state)
{
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2, .no_pmu = true});
	struct sys sys = fk_sys(fk);
	const struct engine_config config = {.preset = preset_find("kernel")};

	(void)state;
	fk_file(fk, "/proc/self/ns/pid", OWN_PIDS);
	fk_task(fk, &(struct fk_spec){.tid = 100});
	fk_switch(fk, 0, 100);
	set_ticks(fk, 0, 0);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	set_ticks(fk, 100, 100);
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	int index = columns_metric(snapshot->columns, "kernel_percent");
	struct figure machine = machine_figure(snapshot, "kernel_percent");

	assert_true(figure_known(machine));
	assert_true(machine.value < 0.1);
	for (size_t i = 0; i < snapshot->n_cpus; i++)
		assert_false(figure_known(snapshot->cpus[i].figures[index]));
	snapshot_free(snapshot);
	close_all(engine, fk);
}

/* The sum of all tasks is a lower bound where some may be unseen. The user's own is not. */
static const struct unseen {
	const char *name;
	const char *path, *text; /* a file; NULL: none */
	pid_t target;            /* 0: all tasks */
	unsigned unseen_ticks;   /* on CPU 1, of no task */
	enum figure_state waits;
} unseen[] = {
	{"all are seen", NULL, NULL, 0, 0, FIGURE_VALID},
	{"hidepid", "/proc/self/mountinfo",
	 "22 26 0:20 / /proc rw - proc proc rw,hidepid=invisible\n", 0, 0, FIGURE_LOST},
	{"a pid namespace", "/proc/self/ns/pid", OWN_PIDS, 0, 0, FIGURE_LOST},
	{"a target: others are not read", NULL, NULL, 50, 0, FIGURE_LOST},
	{"ended between two scans", NULL, NULL, 0, 50, FIGURE_LOST},
};

static void waits_of_unseen_tasks(void **state)
{
	const struct unseen *this = *state;
	struct fk *fk = fk_new(&(struct fk_config){
		.cpus = 2, .no_pmu = true, .unprivileged = true, .uid = 1000, .paranoid = 2});
	struct sys sys = fk_sys(fk);
	pid_t target = this->target;
	const struct engine_config config = {
		.preset = preset_find("waiting"),
		.target = {.pids = &target, .n_pids = target ? 1 : 0},
	};

	if (this->path)
		fk_file(fk, this->path, this->text);
	fk_task(fk, &(struct fk_spec){.tid = 50, .uid = 1000});
	fk_switch(fk, 0, 50);
	set_ticks(fk, 0, 0);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S));
	set_ticks(fk, 100, this->unseen_ticks);
	struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
	int index = columns_metric(snapshot->columns, "runq_percent");

	assert_int_equal(snapshot->mode, COUNT_MODE_TASK);
	assert_int_equal(machine_figure(snapshot, "runq_percent").state, this->waits);
	assert_non_null(snapshot->target_figures);
	assert_int_equal(snapshot->target_figures[index].state, FIGURE_VALID);
	assert_true(snapshot->target_figures[index].value ==
		    task_figure(snapshot, 50, "runq_percent").value);
	snapshot_free(snapshot);
	close_all(engine, fk);
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(kernel_share_of_a_pid_namespace),
	};
	static const struct cases tables[] = {
		CASES(waits_of_unseen_tasks, unseen),
	};

	return cases_run("engine_namespaces", tables, ARRAY_SIZE(tables), others,
			 ARRAY_SIZE(others));
}
