// SPDX-License-Identifier: MIT
/*
 * Where /proc does not show all tasks that run: in a pid namespace, and with hidepid. A figure of
 * the machine never divides what all tasks did by what the visible ones did.
 */
#include "tests/unit/shared/engine_run.h"

#include "core/metric/preset.h"
#include "core/view/finding.h"
#include "tests/unit/shared/cases.h"

#include <stdio.h>
#include <string.h>

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

/*
 * In a pid namespace the records have tid 0 for tasks outside, too. CPU 1 has no other records. How
 * much of its time was idle is in /proc/stat.
 */
static const struct outside {
	const char *name;
	bool own;          /* this pid namespace is not the first */
	bool replaced;     /* /proc/stat is a file of the container's manager */
	long ticks, idle;  /* of CPU 1, in a second; < 0: /proc/stat cannot be read */
	double percent;    /* of CPU 1, as it is shown ... */
	double known;      /* ... and its share */
	double others;     /* CPUs */
	const char *first; /* finding */
} outsides[] = {
	{"the first namespace", false, false, 100, 0, 0, 1, 0, NULL},
	{"nothing runs outside", true, false, 0, 100, 0, 1, 0, "idle"},
	{"one CPU is busy", true, false, 100, 0, 100, 1, 1,
	 "tasks outside of this pid namespace use ~1.0 of 2 CPUs"},
	{"three fifths of it", true, false, 60, 40, 60, 1, 0.6,
	 "tasks outside of this pid namespace use ~0.6 of 2 CPUs"},
	{"/proc/stat is unknown", true, false, -1, 0, 0, 0, 0, NULL},
	{"/proc/stat is the container's", true, true, 0, 100, 0, 0, 0, NULL},
};

static void set_stat(struct fk *fk, long busy, long idle)
{
	char text[128] = "";

	if (busy >= 0)
		snprintf(text, sizeof(text), "cpu0 0 0 0 %ld 0 0 0 0\ncpu1 %ld 0 0 %ld 0 0 0 0\n",
			 busy + idle, busy, idle);
	fk_file(fk, "/proc/stat", text);
}

static void tasks_outside(void **state)
{
	const struct outside *this = *state;
	struct fk *fk = fk_new(&(struct fk_config){.cpus = 2});
	struct sys sys = fk_sys(fk);
	const struct engine_config config = {.preset = preset_find("basic")};
	struct findings findings;

	if (this->own)
		fk_file(fk, "/proc/self/ns/pid", OWN_PIDS);
	if (this->replaced)
		fk_file(fk, "/proc/self/mountinfo",
			"22 20 0:20 / /proc rw - proc proc rw\n"
			"31 22 0:40 /proc/stat /proc/stat rw - fuse.lxcfs lxcfs rw\n");
	fk_task(fk, &(struct fk_spec){.tid = 100});
	set_stat(fk, this->ticks < 0 ? -1 : 1000, 1000);
	struct engine *engine = open_engine_with(&sys, &config);
	snapshot_free(next_snapshot(engine, fk, NS_PER_S / 100));
	for (int second = 1; second < 3; second++) {
		set_stat(fk, this->ticks < 0 ? -1 : 1000 + second * this->ticks,
			 1000 + second * this->idle);
		struct snapshot *snapshot = next_snapshot(engine, fk, NS_PER_S);
		int index = columns_metric(snapshot->columns, "cpu_percent");
		struct figure busy = snapshot->cpus[1].figures[index];

		findings_of_snapshot(snapshot, &findings);
		assert_float_equal(busy.value, this->percent, 1);
		assert_float_equal(busy.share, this->known, 0.02);
		assert_float_equal((double)snapshot->others[TALLY_TASK_CLOCK] / NS_PER_S,
				   this->others, 0.02);
		assert_true(snapshot_conserves(snapshot, NULL));
		if (this->first) {
			assert_true(findings.n > 0);
			assert_memory_equal(findings.items[0].text, this->first,
					    strlen(this->first));
		}
		for (size_t i = 0; i < findings.n && !this->first; i++)
			assert_int_equal(findings.items[i].verdict,
					 this->own ? VERDICT_NONE : VERDICT_IDLE);
		snapshot_free(snapshot);
	}
	close_all(engine, fk);
}

/* What runs on CPU 1 has no number here. Its time is in no figure of the kernel's share. */
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
		CASES(tasks_outside, outsides),
		CASES(waits_of_unseen_tasks, unseen),
	};

	return cases_run("engine_namespaces", tables, ARRAY_SIZE(tables), others,
			 ARRAY_SIZE(others));
}
