// SPDX-License-Identifier: MIT
/*
 * Adds the counts of each interval to counters that only grow. An event that was counted for a part
 * of an interval is added as its estimate for the whole interval: monitoring divides one counter by
 * another, so both must cover the same time.
 */
#include "core/output/metrics_export_internal.h"

#include "core/base/util.h"
#include "core/output/out_sums.h"
#include "core/snapshot/rollup.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Accounts of each kind. A machine may have more processes, but hardly as many that ran lately. */
enum { ACCOUNTS_MAX = 32768 };

enum {
	SHORT_LABEL_BYTES = 2 * 3 * sizeof(((struct row *)0)->user), /* comm is shorter */
	LABELS_BYTES =
		2 * SHORT_LABEL_BYTES + 64, /* all labels but the cgroup, with names and quotes */
};
static_assert(sizeof(((struct row *)0)->comm) <= sizeof(((struct row *)0)->user),
	      "a comm has room where a user's name has");

struct metrics_export *metrics_export_new(size_t top)
{
	struct metrics_export *export = xcalloc(1, sizeof(*export));

	pthread_mutex_init(&export->lock, NULL);
	export->top = top;
	for (size_t i = 0; i < METRICS_EXPORT_CROWDS; i++)
		export_counters_init(&export->crowds[i], ACCOUNTS_MAX);
	return export;
}

void metrics_export_free(struct metrics_export *export)
{
	if (!export)
		return;
	for (size_t i = 0; i < METRICS_EXPORT_CROWDS; i++)
		export_counters_fini(&export->crowds[i]);
	for (size_t i = 0; i < export->n_cpus; i++) {
		export_counters_sums_fini(&export->cpus[i].all);
		export_counters_sums_fini(&export->cpus[i].idle);
	}
	free(export->cpus);
	for (size_t i = 0; i < METRICS_EXPORT_WHOLES; i++)
		export_counters_sums_fini(&export->wholes[i].sums);
	metrics_export_names_fini(&export->names);
	pthread_mutex_destroy(&export->lock);
	free(export);
}

/* A snapshot while it is added. */
struct intake {
	struct metrics_export *export;
	const struct snapshot *snapshot;
	size_t *names;    /* for each event its index in export->names; SIZE_MAX: no name */
	char **cgroups;   /* for each cgroup of the snapshot the value of its label */
	char *text;       /* buffer for the labels of a row */
	size_t text_size; /* enough for any row */
};

static void add_tally(const struct intake *intake, const uint64_t *tally, bool machine,
		      struct export_counters_sums *sums)
{
	const struct columns *columns = intake->snapshot->columns;
	const struct out_counts_of counts = {
		.columns = columns, .tally = tally, .machine = machine};

	for (size_t i = 0; i < event_set_shown(&columns->events); i++) {
		if (intake->names[i] == SIZE_MAX)
			continue;
		const struct out_scaled scaled = out_scaled_of(&counts, i);
		if (scaled.known)
			export_counters_sums_add(sums, intake->names[i], scaled.count);
	}
}

static void name_events(struct intake *intake)
{
	struct metrics_export *export = intake->export;
	const struct snapshot *snapshot = intake->snapshot;
	const struct out_counts_of totals = {
		.columns = snapshot->columns, .tally = snapshot->totals, .machine = true};

	intake->names =
		xcalloc(event_set_shown(&snapshot->columns->events), sizeof(*intake->names));
	for (size_t i = 0; i < export->names.n; i++)
		export->events[i].counted = false;
	for (size_t i = 0; i < event_set_shown(&snapshot->columns->events); i++) {
		const struct event *event = &snapshot->columns->events.items[i];
		size_t name = SIZE_MAX;

		if (event->scale > 0)
			name = metrics_export_names_add(&export->names, event);
		intake->names[i] = name;
		if (name != SIZE_MAX)
			export->events[name] = (struct metrics_export_event){
				.counted = true,
				.figure = out_event_figure(&totals, i),
			};
	}
}

/* Adds scaled counts that are sums of other series (core/output/out_sums.h). */
static void add_sum(const struct intake *intake, const struct out_scaled *scaled,
		    struct export_counters_sums *sums)
{
	for (size_t i = 0; i < event_set_shown(&intake->snapshot->columns->events); i++)
		if (intake->names[i] != SIZE_MAX && scaled[i].known)
			export_counters_sums_add(sums, intake->names[i], scaled[i].count);
}

/* Tasks + others + idle + unattributed = machine, tasks = target. */
static void add_wholes(const struct intake *intake, const struct rows *processes)
{
	const struct snapshot *snapshot = intake->snapshot;
	struct out_sums sums;
	const uint64_t *const tallies[METRICS_EXPORT_WHOLES] = {
		[METRICS_EXPORT_MACHINE] = snapshot->totals,
		[METRICS_EXPORT_IDLE] = snapshot->idle,
		[METRICS_EXPORT_UNATTRIBUTED] = snapshot->unattributed,
		[METRICS_EXPORT_OTHERS] = snapshot_has_others(snapshot) ? snapshot->others : NULL,
		[METRICS_EXPORT_TARGET] = snapshot->target,
	};

	out_sums_init_rows(snapshot, processes, &sums);
	const struct out_scaled *const scaled[METRICS_EXPORT_WHOLES] = {
		[METRICS_EXPORT_MACHINE] = sums.totals,
		[METRICS_EXPORT_UNATTRIBUTED] = sums.unattributed,
		[METRICS_EXPORT_TARGET] = sums.target,
	};
	for (size_t i = 0; i < METRICS_EXPORT_WHOLES; i++) {
		bool tasks = i == METRICS_EXPORT_OTHERS || i == METRICS_EXPORT_TARGET;
		struct export_counters_sums *to = &intake->export->wholes[i].sums;

		intake->export->wholes[i].present = tallies[i];
		if (scaled[i])
			add_sum(intake, scaled[i], to);
		else if (tallies[i])
			add_tally(intake, tallies[i], !tasks, to);
	}
	out_sums_fini(&sums);
}

static struct metrics_export_cpu *find_cpu(struct metrics_export *export, int cpu)
{
	size_t i = 0;

	while (i < export->n_cpus && export->cpus[i].cpu < cpu)
		i++;
	if (i < export->n_cpus && export->cpus[i].cpu == cpu)
		return &export->cpus[i];
	export->cpus = array_reserve(export->cpus, &export->cpus_capacity, export->n_cpus + 1,
				     sizeof(*export->cpus));
	memmove(&export->cpus[i + 1], &export->cpus[i],
		(export->n_cpus - i) * sizeof(*export->cpus));
	export->n_cpus++;
	export->cpus[i] = (struct metrics_export_cpu){.cpu = cpu};
	return &export->cpus[i];
}

static void add_cpus(const struct intake *intake)
{
	struct metrics_export *export = intake->export;

	for (size_t i = 0; i < export->n_cpus; i++)
		export->cpus[i].present = false;
	for (size_t i = 0; i < intake->snapshot->n_cpus; i++) {
		const struct snapshot_cpu *from = &intake->snapshot->cpus[i];

		if (!from->tally || from->cpu < 0)
			continue;
		struct metrics_export_cpu *cpu = find_cpu(export, from->cpu);
		cpu->present = true;
		cpu->socket = from->socket;
		cpu->node = from->node;
		memcpy(cpu->type, from->type, sizeof(cpu->type));
		add_tally(intake, from->tally, false, &cpu->all);
		add_tally(intake, from->idle, false, &cpu->idle);
	}
}

/* Makes one label per cgroup: many rows share few cgroups, and their names are long. */
static void make_cgroup_labels(struct intake *intake)
{
	const struct snapshot *snapshot = intake->snapshot;
	size_t longest = 0;

	intake->cgroups = xcalloc(snapshot->n_cgroups, sizeof(char *));
	for (size_t i = 0; i < snapshot->n_cgroups; i++) {
		intake->cgroups[i] = metrics_export_label(snapshot->cgroups[i]);
		longest =
			strlen(intake->cgroups[i]) > longest ? strlen(intake->cgroups[i]) : longest;
	}
	intake->text_size = longest + LABELS_BYTES;
	intake->text = xmalloc(intake->text_size);
}

static void free_labels(struct intake *intake)
{
	for (size_t i = 0; i < intake->snapshot->n_cgroups; i++)
		free(intake->cgroups[i]);
	free(intake->cgroups);
	free(intake->text);
}

static size_t append_text(const struct intake *intake, size_t at, const char *piece)
{
	return at + text_copy(intake->text + at, intake->text_size - at, piece);
}

/* Leaves out a label without a value, which means the same to Prometheus. */
static size_t append_label(const struct intake *intake, size_t at, const char *name,
			   const char *value)
{
	if (!value || !value[0])
		return at;
	at = append_text(intake, at, at > 0 ? "," : "");
	at = append_text(intake, at, name);
	at = append_text(intake, at, "=\"");
	at = append_text(intake, at, value);
	return append_text(intake, at, "\"");
}

static const char *short_label(const char *name, char label[SHORT_LABEL_BYTES])
{
	if (metrics_export_is_plain(name))
		return name;
	char *escaped = metrics_export_label(name);
	text_copy(label, SHORT_LABEL_BYTES, escaped);
	free(escaped);
	return label;
}

/*
 * Returns intake->text, which is valid until the next row. A group has only the labels that all its
 * tasks have: the rest is unknown in its row.
 */
static const char *make_labels(const struct intake *intake, const struct row *row, const char *pid)
{
	char label[SHORT_LABEL_BYTES];
	size_t at = 0;

	intake->text[0] = '\0';
	at = append_label(intake, at, "pid", row->pid > 0 ? pid : "");
	at = append_label(intake, at, "comm", short_label(row->comm, label));
	at = append_label(intake, at, "user", short_label(row->user, label));
	if (snapshot_cgroup(intake->snapshot, row))
		append_label(intake, at, "cgroup", intake->cgroups[row->cgroup]);
	return intake->text;
}

/*
 * The key of a group is its labels: two names that differ only in bytes that cannot be
 * printed are one series.
 */
static void add_row(const struct intake *intake, enum metrics_export_crowd crowd,
		    const struct row *row, const uint64_t *tally)
{
	bool task = crowd == METRICS_EXPORT_TASKS;
	uint64_t now_ns = intake->snapshot->time_ns;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", row->pid);
	const char *labels = make_labels(intake, row, pid);
	struct account *account = export_counters_run(&intake->export->crowds[crowd],
						      task ? pid : labels, task ? row->start_ns : 0,
						      labels, now_ns, tally[TALLY_TASK_CLOCK]);
	/* A task may run on after its reported end. Then its end is now. */
	if (task && (account->ended_ns || row->flags & ROW_EXITED))
		account->ended_ns = now_ns;
	add_tally(intake, tally, false, &account->sums);
}

static bool did_nothing(const struct columns *columns, const uint64_t *tally)
{
	for (size_t i = 0; i < tally_width(&columns->plan->shape); i++)
		if (tally[i])
			return false;
	return true;
}

static void add_crowd(const struct intake *intake, enum metrics_export_crowd crowd)
{
	static const enum rollup by[] = {
		[METRICS_EXPORT_TASKS] = ROLLUP_PROCESS,
		[METRICS_EXPORT_CGROUPS] = ROLLUP_CGROUP,
		[METRICS_EXPORT_USERS] = ROLLUP_USER,
		[METRICS_EXPORT_COMMANDS] = ROLLUP_COMMAND,
	};
	const struct snapshot *snapshot = intake->snapshot;
	struct rows rows;

	export_counters_pass(&intake->export->crowds[crowd], snapshot->time_ns,
			     snapshot->interval_ns);
	rollup_tallies(snapshot, by[crowd], &rows);
	if (crowd == METRICS_EXPORT_TASKS)
		add_wholes(intake, &rows);
	for (size_t i = 0; i < rows.n; i++) {
		const uint64_t *tally = rows_tally(snapshot->columns, &rows, i);

		if (!did_nothing(snapshot->columns, tally))
			add_row(intake, crowd, &rows.items[i], tally);
	}
	rows_fini(&rows);
}

static void add_machine(struct metrics_export *export, const struct snapshot *snapshot)
{
	double interval_s = (double)snapshot->interval_ns / (double)NS_PER_S;
	const struct snapshot_machine *from = &snapshot->machine;
	struct snapshot_machine *to = &export->machine;

	for (size_t i = 0; i < export_machine_values_n; i++) {
		const struct export_machine_value *metric = &export_machine_values[i];
		double value = from->values[metric->value] * metric->factor;

		if (!metric->counter && !from->known[metric->value])
			to->known[metric->value] = false;
		else if (!metric->counter)
			machine_set(to, metric->value, value);
		else if (from->known[metric->value])
			machine_set(to, metric->value,
				    to->values[metric->value] + value * interval_s);
	}
}

static void add_findings(struct metrics_export *export, const struct snapshot *snapshot)
{
	bool found[FINDING_WORDS] = {false};
	struct findings findings;

	if (snapshot->run)
		return;
	findings_of_snapshot(snapshot, &findings);
	for (size_t i = 0; i < findings.n; i++)
		found[finding_number(&findings.items[i])] = true;
	for (size_t i = 0; i < FINDING_WORDS; i++)
		export->finding_ns[i] += found[i] ? snapshot->interval_ns : 0;
}

/* Whether the snapshot was added before: a replay can go back and show an interval again. */
static bool is_added(const struct metrics_export *export, const struct snapshot *snapshot)
{
	return snapshot->replay[0] && !snapshot->run && snapshot->time_ns <= export->time_ns;
}

void metrics_export_add(struct metrics_export *export, const struct snapshot *snapshot)
{
	struct intake intake = {.export = export, .snapshot = snapshot};

	pthread_mutex_lock(&export->lock);
	if (is_added(export, snapshot)) {
		pthread_mutex_unlock(&export->lock);
		return;
	}
	export->snapshots++;
	export->intervals |= !snapshot->run;
	export->lost_records += snapshot->lost_records;
	export->records += snapshot->cost.records;
	export->self_cpu_ns += snapshot->cost.cpu_ns;
	export->time_ns = snapshot->time_ns;
	export->realtime_ns = snapshot->realtime_ns;
	export->interval_ns = snapshot->interval_ns;
	export->threads = snapshot->tasks;
	add_machine(export, snapshot);
	add_findings(export, snapshot);
	memcpy(export->host, snapshot->host, sizeof(export->host));
	memcpy(export->replay, snapshot->replay, sizeof(export->replay));
	memcpy(export->pmu, snapshot->pmu, sizeof(export->pmu));
	text_copy(export->mode, sizeof(export->mode), count_mode_name(snapshot->mode));
	export->levels = event_levels_name(snapshot->columns->levels);
	name_events(&intake);
	add_cpus(&intake);
	make_cgroup_labels(&intake);
	for (size_t i = 0; i < METRICS_EXPORT_CROWDS; i++)
		add_crowd(&intake, (enum metrics_export_crowd)i);
	free_labels(&intake);
	free(intake.names);
	pthread_mutex_unlock(&export->lock);
}

bool metrics_export_is_of_intervals(const struct metrics_export *export)
{
	return export->intervals;
}
