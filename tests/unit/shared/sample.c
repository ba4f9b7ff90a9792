// SPDX-License-Identifier: MIT
#include "tests/unit/shared/sample.h"

void sample_events(struct event_set *set)
{
	static const struct {
		const char *name;
		enum event_kind kind;
	} events[] = {
		{"cycles", EVENT_HARDWARE},        {"instructions", EVENT_HARDWARE},
		{"branch-misses", EVENT_HARDWARE}, {"cache-misses", EVENT_HARDWARE},
		{"page-faults", EVENT_SOFTWARE},   {"cpu-migrations", EVENT_SOFTWARE},
	};

	event_set_init(set, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		set->items =
			array_reserve(set->items, &set->capacity, set->n + 1, sizeof(*set->items));
		set->items[set->n++] = (struct event){
			.name = xstrdup(events[i].name), .scale = 1, .kind = events[i].kind};
	}
}

struct figure sample_eval(struct metric *metric, const struct metric_input *input,
			  double interval_s)
{
	struct metric_readings readings = {0};

	metric_bind(metric, input->events, input->plan, &readings);
	struct figure *counts = xcalloc(readings.n, sizeof(*counts));
	metric_read(&readings, input, counts);
	struct figure figure = metric_eval(metric, counts, NULL, figure_exact(interval_s));
	free(counts);
	metric_readings_fini(&readings);
	return figure;
}

struct plan *sample_plan(void)
{
	struct plan *plan = xcalloc(1, sizeof(*plan));

	*plan = (struct plan){
		.shape = {SAMPLE_EVENTS, SAMPLE_GROUPS, 1},
		.counters = xcalloc(SAMPLE_EVENTS, sizeof(*plan->counters)),
		.first_counter = xcalloc(SAMPLE_EVENTS + 1, sizeof(*plan->first_counter)),
		.groups = xcalloc(SAMPLE_GROUPS, sizeof(*plan->groups)),
		.domains = xcalloc(1, sizeof(*plan->domains)),
		.n_events = SAMPLE_EVENTS,
		.references = 1,
	};
	plan->domains[0].n_groups = SAMPLE_GROUPS;
	for (unsigned i = 0; i < SAMPLE_EVENTS; i++) {
		plan->counters[i].event = i;
		plan->counters[i].group = i >= SAMPLE_CACHE_MISSES;
		plan->first_counter[i + 1] = i + 1;
	}
	return plan;
}

/* The preset "software" has times that the sample's events do not have: these columns instead. */
static const char *const software_metrics[] = {
	"cpu_percent", "cs_per_s", "faults_per_s", "migrations_per_s", NULL,
};

struct columns *sample_columns_of(const char *preset, const char *const *names)
{
	struct columns *columns = xcalloc(1, sizeof(*columns));
	struct error err;

	sample_events(&columns->events);
	columns->plan = sample_plan();
	metric_read_events(&columns->event_readings, &columns->events, columns->plan);
	columns->preset = xstrdup(preset);
	columns->has_topdown = true;
	columns->references = 1;
	while (names[columns->n_metrics])
		columns->n_metrics++;
	columns->n_preset = columns->n_shown = columns->n_metrics;
	columns->metrics = xcalloc(columns->n_metrics, sizeof(*columns->metrics));
	columns->defs = xcalloc(columns->n_metrics, sizeof(*columns->defs));
	for (size_t i = 0; i < columns->n_metrics; i++) {
		struct metric_def *def = &columns->defs[i];

		metric_def_copy(def, metric_def_find(names[i]));
		/* The forms for an unknown CPU. */
		if (metric_compile(def, metric_def_form(def, 0, 0), &columns->events,
				   &columns->metrics[i], &err) < 0)
			abort();
		metric_bind(&columns->metrics[i], &columns->events, columns->plan,
			    &columns->readings);
	}
	return columns;
}

struct columns *sample_columns(const char *preset)
{
	bool software = strcmp(preset, "software") == 0;

	return sample_columns_of(preset,
				 software ? software_metrics : preset_find(preset)->metrics);
}

void sample_tally(const struct sample_row *from, uint64_t *tally)
{
	memcpy(tally, from->counts, sizeof(from->counts));
	tally[SAMPLE_GROUP_0] = from->counts[TALLY_TASK_CLOCK];
	tally[SAMPLE_DOMAIN] = from->counts[TALLY_TASK_CLOCK];
	tally[SAMPLE_GROUP_1] = from->shared ? from->group_1_ns : from->counts[TALLY_TASK_CLOCK];
}

void sample_rows(const struct columns *columns, const struct sample_row *from, size_t n,
		 struct rows *rows)
{
	rows_init(columns, n, rows);
	for (size_t i = 0; i < n; i++) {
		rows->items[i] = from[i].row;
		sample_tally(&from[i], rows_tally(columns, rows, i));
	}
}

struct snapshot *sample_snapshot_new(struct columns *columns, const char *host, const char *pmu)
{
	struct snapshot *snapshot = xcalloc(1, sizeof(*snapshot));
	size_t width = tally_width(&columns->plan->shape);

	*snapshot = (struct snapshot){
		.columns = columns,
		.sequence = 1,
		.time_ns = 5 * NS_PER_S,
		.realtime_ns = 1763650000123456789u,
		.interval_ns = NS_PER_S,
		.mode = COUNT_MODE_SYSTEM,
		.tasks = 231,
		.totals = xcalloc(width, sizeof(uint64_t)),
		.idle = xcalloc(width, sizeof(uint64_t)),
		.unattributed = xcalloc(width, sizeof(uint64_t)),
		.figures = xcalloc(columns->n_metrics, sizeof(struct figure)),
	};
	text_copy(snapshot->host, sizeof(snapshot->host), host);
	text_copy(snapshot->pmu, sizeof(snapshot->pmu), pmu);
	return snapshot;
}

void sample_fill_rows(struct snapshot *snapshot, const struct sample_row *from, size_t n)
{
	sample_rows(snapshot->columns, from, n, &snapshot->threads);
	rows_evaluate(snapshot->columns, snapshot_scope(snapshot), &snapshot->threads);
}

void sample_cpus(struct snapshot *snapshot, size_t n)
{
	const struct columns *columns = snapshot->columns;
	size_t width = tally_width(&columns->plan->shape);

	snapshot->n_cpus = n;
	snapshot->cpus = xcalloc(n, sizeof(*snapshot->cpus));
	for (size_t i = 0; i < n; i++)
		snapshot->cpus[i] = (struct snapshot_cpu){
			.cpu = (int)i,
			.tally = xcalloc(width, sizeof(uint64_t)),
			.idle = xcalloc(width, sizeof(uint64_t)),
			.figures = xcalloc(columns->n_metrics, sizeof(struct figure)),
		};
}

void sample_machine(struct snapshot *snapshot)
{
	static const double values[MACHINE_VALUES] = {
		[MACHINE_LOAD_1M] = 7.25,
		[MACHINE_LOAD_5M] = 3.5,
		[MACHINE_LOAD_15M] = 1.25,
		[MACHINE_RUNNABLE] = 3,
		[MACHINE_CPUS] = 2,
		[MACHINE_MEMORY] = 8145404.0 * 1024,
		[MACHINE_MEMORY_AVAILABLE] = 303812.0 * 1024,
		[MACHINE_SWAP] = 2097152.0 * 1024,
		[MACHINE_SWAP_FREE] = 1048576.0 * 1024,
		[MACHINE_CPU_PRESSURE] = 12.5,
		[MACHINE_IO_PRESSURE] = 82.25,
		[MACHINE_IO_PRESSURE_FULL] = 75,
		[MACHINE_MEMORY_PRESSURE] = 64.5,
		[MACHINE_MEMORY_PRESSURE_FULL] = 60,
		[MACHINE_STEAL] = 0.5,
		[MACHINE_PROCESSES] = 80,
		[MACHINE_THREADS] = 231,
		[MACHINE_IOWAIT] = 45,
		[MACHINE_FORKS] = 2.5,
		[MACHINE_MEMORY_CACHE] = 204800.0 * 1024,
	};

	for (size_t i = 0; i < MACHINE_VALUES; i++)
		machine_set(&snapshot->machine, (enum machine_value)i, values[i]);
	snapshot->machine.n_interrupts = 2;
	snapshot->machine.interrupts[0] =
		(struct machine_interrupt){.cpu = 1, .soft = true, .percent = 60, .name = "NET_RX"};
	snapshot->machine.interrupts[1] = (struct machine_interrupt){.cpu = 0, .percent = 7.5};
}

void sample_silence(struct snapshot_cpu *cpu)
{
	free(cpu->tally);
	free(cpu->idle);
	free(cpu->figures);
	*cpu = (struct snapshot_cpu){.cpu = cpu->cpu};
}

void sample_silence_of(struct snapshot *snapshot, size_t i)
{
	struct snapshot_cpu *cpu = &snapshot->cpus[i];

	for (size_t k = 0; k < tally_width(&snapshot->columns->plan->shape); k++) {
		snapshot->totals[k] -= cpu->tally[k];
		snapshot->idle[k] -= cpu->idle[k];
	}
	sample_silence(cpu);
}

void sample_cgroups(struct snapshot *snapshot, const char *const *paths, size_t n)
{
	snapshot->cgroups = xcalloc(n, sizeof(char *));
	while (snapshot->n_cgroups < n) {
		snapshot->cgroups[snapshot->n_cgroups] = xstrdup(paths[snapshot->n_cgroups]);
		snapshot->n_cgroups++;
	}
}

void sample_sleeping(struct snapshot *snapshot, const struct row *rows, size_t n)
{
	snapshot->sleeping = xcalloc(n, sizeof(*rows));
	memcpy(snapshot->sleeping, rows, n * sizeof(*rows));
	snapshot->n_sleeping = n;
}

void sample_evaluate(struct snapshot *snapshot)
{
	const struct columns *columns = snapshot->columns;

	for (size_t i = 0; i < snapshot->n_cpus; i++) {
		const struct snapshot_cpu *cpu = &snapshot->cpus[i];

		if (!cpu->tally)
			continue;
		plan_estimate_turns(columns->plan, cpu->tally);
		const struct busy_part part = {.tally = cpu->tally, .idle = cpu->idle};
		snapshot_evaluate_busy(snapshot, &part, cpu->figures);
		tally_add(&columns->plan->shape, snapshot->totals, cpu->tally);
		tally_add(&columns->plan->shape, snapshot->idle, cpu->idle);
	}
	const struct busy_part all = {
		.machine = true, .tally = snapshot->totals, .idle = snapshot->idle};
	snapshot_evaluate_busy(snapshot, &all, snapshot->figures);
}

struct snapshot *sample_snapshot(struct columns *columns, const struct sample_row *from, size_t n)
{
	struct snapshot *snapshot = sample_snapshot_new(columns, "h", "armv8_pmuv3");
	uint64_t *idle;

	sample_fill_rows(snapshot, from, n);
	sample_cpus(snapshot, 2);
	for (size_t i = 0; i < n; i++)
		tally_add(&columns->plan->shape, snapshot->cpus[0].tally,
			  rows_tally(columns, &snapshot->threads, i));
	idle = snapshot->cpus[1].idle;
	idle[TALLY_TASK_CLOCK] = NS_PER_S;
	idle[SAMPLE_CYCLES] = 7;
	idle[SAMPLE_GROUP_0] = NS_PER_S;
	idle[SAMPLE_GROUP_1] = NS_PER_S;
	idle[SAMPLE_DOMAIN] = NS_PER_S;
	tally_add(&columns->plan->shape, snapshot->cpus[1].tally, idle);
	sample_evaluate(snapshot);
	return snapshot;
}
