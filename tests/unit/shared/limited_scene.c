// SPDX-License-Identifier: MIT
#include "tests/unit/shared/limited_scene.h"

#include "core/base/figure_mark.h"
#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "tests/fake_kernel/limited_machines.h"
#include "tests/unit/shared/engine_run.h"

#include <math.h>
#include <stdlib.h>

/*
 * Rates are constant, so a figure that is scaled up is as right as an exact one, except for the
 * moments at which groups and intervals begin. Not so where it is of several tasks: a group is not
 * on for the same share of each one's time, because turns are random. Such a figure may be
 * anywhere between the figures of the tasks.
 */
#define NEAR       0.002
#define NEAR_MIXED 0.1

const struct limited_machine limited_machines[LIMITED_MACHINES] = {
	{"Skylake-SP", &fk_skylake_sp, 259},
	{"Skylake-SP, one thread", &fk_skylake_sp_single, 259},
	{"Ice Lake-SP", &fk_ice_lake_sp, 279},
	{"Sapphire Rapids", &fk_sapphire_rapids, 301},
	{"Granite Rapids", &fk_granite_rapids, 305},
	{"Alder Lake", &fk_alder_lake, 226},
	{"Zen 4", &fk_zen4, 0},
	{"Zen 5", &fk_zen5, 0},
	{"Neoverse N2", &fk_neoverse_n2, 36},
	{"Neoverse V2", &fk_neoverse_v2, 47},
};

/* Tasks 50 and 51 take turns on CPU 0; the others have theirs alone. CPUs 2, 3, 6 and 7 are idle.
 */
static const struct {
	pid_t tid;
	int cpu;
} places[] = {{50, 0}, {51, 0}, {52, 1}, {53, 4}, {54, 5}};

/* What is compared: the machine, its busy CPUs, its tasks. */
static const struct {
	const char *name;
	int cpu;
	pid_t tid;
} rows[LIMITED_ROWS] = {
	{"the machine", -1, 0}, {"CPU 0", 0, 0},     {"CPU 1", 1, 0},     {"CPU 4", 4, 0},
	{"CPU 5", 5, 0},        {"task 50", -1, 50}, {"task 51", -1, 51}, {"task 52", -1, 52},
	{"task 53", -1, 53},    {"task 54", -1, 54},
};
enum { FIRST_TASK = 5 };

static void add_task(struct limited_scene *scene, size_t i)
{
	unsigned n = (unsigned)i;
	struct fk_spec spec = {
		.tid = places[i].tid,
		.comm = "busy",
		.user = {3, 4 + n},
		.seed = 11 + n,
		.rates =
			{
				[FK_CYCLES] = {3, 1},
				[FK_INSTRUCTIONS] = {2 + n, 1},
				[FK_REF_CYCLES] = {2, 1},
				[FK_BUS_CYCLES] = {1, 10},
				[FK_BRANCHES] = {40 + n, 100},
				[FK_BRANCH_MISSES] = {2 + n, 100},
				[FK_CACHE_REFERENCES] = {30 + n, 1000},
				[FK_CACHE_MISSES] = {7 + n, 1000},
				[FK_STALLED_FRONTEND] = {20 + n, 100},
				[FK_STALLED_BACKEND] = {60 + n, 100},
				[FK_L1D_LOADS] = {50 + n, 100},
				[FK_L1D_LOAD_MISSES] = {5 + n, 1000},
				[FK_L1I_LOAD_MISSES] = {3 + n, 1000},
				[FK_LLC_LOADS] = {11 + n, 1000},
				[FK_LLC_LOAD_MISSES] = {4 + n, 1000},
				[FK_DTLB_LOAD_MISSES] = {8 + n, 10000},
				[FK_ITLB_LOAD_MISSES] = {5 + n, 10000},
			},
	};

	fk_task(scene->counts.fk, &spec);
	scene->counts.tasks[scene->counts.n_tasks++] =
		(struct true_task){.tid = spec.tid, .cpu = places[i].cpu, .user = spec.user};
}

void limited_scene_begin(struct limited_scene *scene, const char *name,
			 const struct fk_config *config, bool watched)
{
	struct fk *fk = fk_new(config);

	*scene = (struct limited_scene){
		.counts = {.fk = fk, .config = config},
		.sys = fk_sys(fk),
		.name = name,
		.watched = watched,
	};
	scene->cache = event_table_cache_new(&scene->sys);
	scene->counts.table = event_table_cache_get(scene->cache);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_task(scene, i);
	fk_watchdog(fk, watched);
	fk_ping_pong(fk, 0, 50, 51, NS_PER_MS, UINT32_MAX);
	for (size_t i = 2; i < ARRAY_SIZE(places); i++)
		fk_switch(fk, places[i].cpu, places[i].tid);
	fk_advance(fk, NS_PER_MS);
}

/* Lets it count, and takes a snapshot of a second. */
void limited_scene_count(struct limited_scene *scene, const struct engine_config *config)
{
	struct fk *fk = scene->counts.fk;

	scene->engine = open_engine_with(&scene->sys, config);
	snapshot_free(next_snapshot(scene->engine, fk, NS_PER_S));
	snapshot_free(next_snapshot(scene->engine, fk, NS_PER_S));
	true_counts_begin(&scene->counts);
	scene->snapshot = next_snapshot(scene->engine, fk, NS_PER_S);
	true_counts_end(&scene->counts);
}

void limited_scene_end(struct limited_scene *scene)
{
	snapshot_free(scene->snapshot);
	event_table_cache_free(scene->cache);
	close_all(scene->engine, scene->counts.fk);
}

struct true_row limited_row(const struct limited_scene *scene, size_t i)
{
	return (struct true_row){.counts = &scene->counts, .cpu = rows[i].cpu, .tid = rows[i].tid};
}

static const struct snapshot_cpu *cpu_of(const struct snapshot *snapshot, int cpu)
{
	size_t i = 0;

	while (i + 1 < snapshot->n_cpus && snapshot->cpus[i].cpu != cpu)
		i++;
	assert_int_equal(snapshot->cpus[i].cpu, cpu);
	return &snapshot->cpus[i];
}

static bool is_near(double value, double truth, double near)
{
	return fabs(value - truth) <= near * fabs(truth) + 1e-9;
}

/* Whether the figure of a CPU may be a mixture of the figures of the tasks that take turns there.
 */
static bool is_mixture(const struct limited_subject *subject, size_t row)
{
	double least = (double)NAN, most = (double)NAN;

	if (rows[row].tid || rows[row].cpu != 0 || subject->figures[row].state != FIGURE_SCALED)
		return false;
	for (size_t i = FIRST_TASK; i < LIMITED_ROWS; i++) {
		least = fmin(least, subject->truths[i]);
		most = fmax(most, subject->truths[i]);
	}
	return is_near(subject->figures[row].value, subject->truths[row], NEAR_MIXED) ||
	       (subject->figures[row].value >= least && subject->figures[row].value <= most);
}

/* A figure without a truth must be unknown, each other one right. */
void limited_check(struct limited_scene *scene, const struct limited_subject *subject)
{
	for (size_t i = 0; i < LIMITED_ROWS; i++) {
		struct figure figure = subject->figures[i];
		double truth = subject->truths[i];

		if (!figure_known(figure) && isnan(truth)) {
			scene->unknown++;
			continue;
		}
		scene->compared++;
		scene->scaled += figure.state == FIGURE_SCALED;
		if (isnan(truth) || !figure_known(figure) || figure.state == FIGURE_LOST ||
		    (!is_near(figure.value, truth, NEAR) && !is_mixture(subject, i)))
			fail_msg("%s%s, %s of %s: %s %g, not %g", scene->name,
				 scene->watched ? ", watched" : "", subject->name, rows[i].name,
				 figure_state_name(figure.state), figure.value, truth);
	}
}

void limited_read_metric(const struct limited_scene *scene, size_t metric,
			 struct limited_subject *subject)
{
	const struct snapshot *snapshot = scene->snapshot;

	*subject = (struct limited_subject){.name = snapshot->columns->metrics[metric].def->name};
	for (size_t i = 0; i < LIMITED_ROWS; i++) {
		if (rows[i].tid)
			subject->figures[i] = task_figure(snapshot, rows[i].tid, subject->name);
		else if (rows[i].cpu >= 0)
			subject->figures[i] = cpu_of(snapshot, rows[i].cpu)->figures[metric];
		else
			subject->figures[i] = snapshot->figures[metric];
	}
}

/* The count of an event in a tally less its idle part, in all groups. */
static struct figure event_of_tally(const struct snapshot *snapshot, size_t event,
				    const uint64_t *tally, const uint64_t *idle, bool machine)
{
	const struct columns *columns = snapshot->columns;
	uint64_t *busy = snapshot_busy_tally(columns, tally, idle);
	const struct metric_input input = {
		.events = &columns->events,
		.plan = columns->plan,
		.tally = busy,
		.machine = machine,
	};
	struct figure figure = metric_read_one(&columns->event_readings.items[event], &input);

	free(busy);
	return figure;
}

void limited_read_event(const struct limited_scene *scene, const char *name,
			struct limited_subject *subject)
{
	const struct snapshot *snapshot = scene->snapshot;
	size_t event = event_index(snapshot, name);

	*subject = (struct limited_subject){.name = name};
	for (size_t i = 0; i < LIMITED_ROWS; i++) {
		const struct true_row row = limited_row(scene, i);

		subject->truths[i] = true_count(&row, name);
		if (row.tid) {
			subject->figures[i] = event_figure(snapshot, row.tid, name);
		} else if (row.cpu >= 0) {
			const struct snapshot_cpu *cpu = cpu_of(snapshot, row.cpu);

			subject->figures[i] =
				event_of_tally(snapshot, event, cpu->tally, cpu->idle, false);
		} else {
			subject->figures[i] = event_of_tally(snapshot, event, snapshot->totals,
							     snapshot->idle, true);
		}
	}
}

void limited_print_sums(const struct limited_scene *scene)
{
	print_message("%s%s: %zu right, %zu of them scaled, %zu unknown\n", scene->name,
		      scene->watched ? ", watched" : "", scene->compared, scene->scaled,
		      scene->unknown);
}
