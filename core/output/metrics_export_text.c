// SPDX-License-Identifier: MIT
/*
 * Prints OpenMetrics 1.0, or Prometheus' text format 0.0.4, which node_exporter reads from files
 * and promtool checks. Only OpenMetrics has the lines UNIT and EOF, and names counters without
 * _total in the lines TYPE and HELP. The type `info` exists only there and is not used, because a
 * reader of the other format would refuse the whole text.
 *
 *   https://prometheus.io/docs/specs/om/open_metrics_spec/
 *   https://prometheus.io/docs/instrumenting/metrics_export_formats/
 */
#include "core/output/metrics_export_internal.h"

#include "core/base/text.h"
#include "core/base/util.h"
#include "core/base/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct export_writer {
	const struct metrics_export *export;
	enum metrics_export_dialect dialect;
	FILE *out;
};

/* The sums of one line, and its labels; "": it has none. */
struct series {
	const char *labels;
	const struct export_counters_sums *sums;
};

enum metric_type {
	TYPE_COUNTER,
	TYPE_GAUGE,
};

struct family {
	const char *prefix, *word; /* "cpu", "cycles" */
	enum metric_type type;
	const char *unit; /* the last part of `word`; "": none */
	const char *of;   /* text in front of `help`; "": none */
	const char *help;
};

static const char *total_of(const struct export_writer *writer, const struct family *family,
			    bool sample)
{
	bool openmetrics = writer->dialect == METRICS_EXPORT_OPENMETRICS;

	return family->type == TYPE_COUNTER && (sample || !openmetrics) ? "_total" : "";
}

static void put_name(const struct export_writer *writer, const struct family *family, bool sample)
{
	fprintf(writer->out, "pmctop_%s%s%s%s", family->prefix, family->prefix[0] ? "_" : "",
		family->word, total_of(writer, family, sample));
}

static void put_family(const struct export_writer *writer, const struct family *family)
{
	FILE *out = writer->out;

	fputs("# HELP ", out);
	put_name(writer, family, false);
	fputc(' ', out);
	metrics_export_put_help(out, family->of);
	fprintf(out, "%s\n# TYPE ", family->help);
	put_name(writer, family, false);
	fputs(family->type == TYPE_COUNTER ? " counter\n" : " gauge\n", out);
	if (!family->unit[0] || writer->dialect != METRICS_EXPORT_OPENMETRICS)
		return;
	fputs("# UNIT ", out);
	put_name(writer, family, false);
	fprintf(out, " %s\n", family->unit);
}

/* Prints a line up to its value. `label` (NULL: none) may have any text as its value. */
static void put_sample(const struct export_writer *writer, const struct family *family,
		       const char *labels, const char *label, const char *value)
{
	FILE *out = writer->out;

	put_name(writer, family, true);
	if (labels[0] || label)
		fprintf(out, "{%s", labels);
	if (label) {
		fprintf(out, "%s%s=\"", labels[0] ? "," : "", label);
		metrics_export_put_label(out, value);
		fputc('"', out);
	}
	fputs(labels[0] || label ? "} " : " ", out);
}

static void put_counts(const struct export_writer *writer, const struct family *family,
		       size_t event, const struct series *series, size_t n)
{
	const struct metrics_export_name *name = &writer->export->names.items[event];

	for (size_t i = 0; i < n; i++) {
		if (!export_counters_sums_has(series[i].sums, event))
			continue;
		put_sample(writer, family, series[i].labels, name->word ? NULL : "event",
			   name->event);
		metrics_export_put_count(writer->out, name, series[i].sums->counts[event]);
		fputc('\n', writer->out);
	}
}

static bool has_any(const struct export_writer *writer, size_t event, const struct series *series,
		    size_t n)
{
	if (!writer->export->events[event].counted)
		return false;
	for (size_t i = 0; i < n; i++)
		if (export_counters_sums_has(series[i].sums, event))
			return true;
	return false;
}

/* Prints a metric for each event that is counted now. Events without a word share one metric. */
static void put_events(const struct export_writer *writer, const char *prefix, const char *help,
		       const struct series *series, size_t n)
{
	const struct metrics_export_names *names = &writer->export->names;
	bool shared = false;

	for (size_t i = 0; i < names->n; i++) {
		const struct metrics_export_name *name = &names->items[i];
		const struct family family = {prefix,     name->word,  TYPE_COUNTER,
					      name->unit, name->label, help};

		if (!name->word || !has_any(writer, i, series, n))
			continue;
		put_family(writer, &family);
		put_counts(writer, &family, i, series, n);
	}
	for (size_t i = 0; i < names->n; i++) {
		const struct family family = {prefix, "event", TYPE_COUNTER, "", "events", help};

		if (names->items[i].word || !has_any(writer, i, series, n))
			continue;
		if (!shared)
			put_family(writer, &family);
		shared = true;
		put_counts(writer, &family, i, series, n);
	}
}

static bool any_cpu(const struct metrics_export *export)
{
	for (size_t i = 0; i < export->n_cpus; i++)
		if (export->cpus[i].present)
			return true;
	return false;
}

static void put_wholes(const struct export_writer *writer)
{
	static const struct {
		const char *prefix, *help;
	} wholes[METRICS_EXPORT_WHOLES] = {
		[METRICS_EXPORT_MACHINE] = {"machine", ": the whole machine, with its idle time."},
		[METRICS_EXPORT_IDLE] = {"idle", ": all CPUs, in their idle time."},
		[METRICS_EXPORT_UNATTRIBUTED] =
			{"unattributed", ": credited to no task, because records were lost."},
		[METRICS_EXPORT_OTHERS] =
			{"others",
			 ": tasks that were not selected, or are outside of the pid namespace."},
		[METRICS_EXPORT_TARGET] = {"target", ": all selected tasks."},
	};

	for (size_t i = 0; i < METRICS_EXPORT_WHOLES; i++) {
		const struct series series = {"", &writer->export->wholes[i].sums};

		if (!writer->export->wholes[i].present ||
		    (i == METRICS_EXPORT_IDLE && any_cpu(writer->export)))
			continue;
		put_events(writer, wholes[i].prefix, wholes[i].help, &series, 1);
	}
}

static void put_cpus(const struct export_writer *writer)
{
	const struct metrics_export *export = writer->export;
	struct series *all = xcalloc(export->n_cpus, sizeof(*all));
	struct series *idle = xcalloc(export->n_cpus, sizeof(*idle));
	char(*labels)[24] = xcalloc(export->n_cpus, sizeof(*labels));
	size_t n = 0;

	for (size_t i = 0; i < export->n_cpus; i++) {
		const struct metrics_export_cpu *cpu = &export->cpus[i];

		if (!cpu->present)
			continue;
		snprintf(labels[n], sizeof(labels[n]), "cpu=\"%d\"", cpu->cpu);
		all[n] = (struct series){labels[n], &cpu->all};
		idle[n] = (struct series){labels[n], &cpu->idle};
		n++;
	}
	put_events(writer, "cpu", ": on this CPU, with its idle time.", all, n);
	put_events(writer, "idle", ": on this CPU, in its idle time.", idle, n);
	free(labels);
	free(idle);
	free(all);
}

static void put_number(const struct export_writer *writer, const struct family *family,
		       uint64_t number)
{
	put_family(writer, family);
	put_sample(writer, family, "", NULL, NULL);
	fprintf(writer->out, "%" PRIu64 "\n", number);
}

static void put_ns(const struct export_writer *writer, const struct family *family, uint64_t ns)
{
	put_family(writer, family);
	put_sample(writer, family, "", NULL, NULL);
	metrics_export_put_seconds(writer->out, ns);
	fputc('\n', writer->out);
}

/* Prints the accounts within the limit, and how many were left out. */
static void put_crowd(const struct export_writer *writer, enum metrics_export_crowd which)
{
	static const struct {
		const char *prefix, *help;
		struct family not_shown;
	} crowds[METRICS_EXPORT_CROWDS] = {
		[METRICS_EXPORT_TASKS] = {"task",
					  ": this process, since it was first seen.",
					  {"", "tasks_not_shown", TYPE_GAUGE, "", "",
					   "Processes that ran lately and are not among the top."}},
		[METRICS_EXPORT_CGROUPS] = {"cgroup",
					    ": the tasks in this cgroup.",
					    {"", "cgroups_not_shown", TYPE_GAUGE, "", "",
					     "Cgroups that ran lately and are not among the top."}},
		[METRICS_EXPORT_USERS] = {"user",
					  ": the tasks of this user.",
					  {"", "users_not_shown", TYPE_GAUGE, "", "",
					   "Users who ran lately and are not among the top."}},
		[METRICS_EXPORT_COMMANDS] =
			{"command",
			 ": the processes with this name, also ended ones.",
			 {"", "commands_not_shown", TYPE_GAUGE, "", "",
			  "Commands that ran lately and are not among the top."}},
	};
	const struct metrics_export *export = writer->export;
	struct account **accounts;
	size_t left_out, n = export_counters_choose(&export->crowds[which], export->top,
						    export->time_ns, &accounts, &left_out);
	struct series *series = xcalloc(n, sizeof(*series));

	for (size_t i = 0; i < n; i++)
		series[i] = (struct series){accounts[i]->labels, &accounts[i]->sums};
	put_events(writer, crowds[which].prefix, crowds[which].help, series, n);
	put_number(writer, &crowds[which].not_shown, left_out);
	free(series);
	free(accounts);
}

static void put_topology(const struct export_writer *writer)
{
	static const struct family family = {
		"", "topology_info", TYPE_GAUGE, "", "", "Socket, NUMA node and type of a CPU."};
	const struct metrics_export *export = writer->export;

	if (any_cpu(export))
		put_family(writer, &family);
	for (size_t i = 0; i < export->n_cpus; i++) {
		const struct metrics_export_cpu *cpu = &export->cpus[i];
		char labels[100];
		int length;

		if (!cpu->present)
			continue;
		length = snprintf(labels, sizeof(labels), "cpu=\"%d\"", cpu->cpu);
		if (cpu->socket >= 0)
			length += snprintf(labels + length, sizeof(labels) - (size_t)length,
					   ",socket=\"%d\"", cpu->socket);
		if (cpu->node >= 0)
			snprintf(labels + length, sizeof(labels) - (size_t)length, ",node=\"%d\"",
				 cpu->node);
		put_sample(writer, &family, labels, cpu->type[0] ? "type" : NULL, cpu->type);
		fputs("1\n", writer->out);
	}
}

/*
 * Prints how far a counter can be trusted: the share of the last interval in which it was counted.
 */
static void put_shares(const struct export_writer *writer)
{
	static const struct family family = {"",
					     "event_counted_ratio",
					     TYPE_GAUGE,
					     "ratio",
					     "",
					     "Share of the last interval in which an event was "
					     "counted; below 1 its counters are "
					     "estimates."};
	const struct metrics_export *export = writer->export;
	bool any = false;

	for (size_t i = 0; i < export->names.n; i++) {
		const struct metrics_export_event *event = &export->events[i];
		char share[32];

		if (!event->counted || !figure_known(event->figure))
			continue;
		if (!any)
			put_family(writer, &family);
		any = true;
		put_sample(writer, &family, "", "event", export->names.items[i].event);
		text_trimmed(share, sizeof(share),
			     event->figure.state == FIGURE_VALID ? 1 : (double)event->figure.share,
			     4);
		fprintf(writer->out, "%s\n", share);
	}
}

static void put_build(const struct export_writer *writer)
{
	static const struct family family = {"", "build_info", TYPE_GAUGE,
					     "", "",           "The version of pmctop."};

	put_family(writer, &family);
	put_sample(writer, &family, "schema=\"pmctop/1\"", "version", version);
	fputs("1\n", writer->out);
}

static void put_host(const struct export_writer *writer)
{
	static const struct family family = {
		"",         "host_info",
		TYPE_GAUGE, "",
		"",         "The machine, the way of counting, and the counted privilege levels."};
	const struct metrics_export *export = writer->export;
	char labels[100];

	put_family(writer, &family);
	snprintf(labels, sizeof(labels), "mode=\"%s\",count=\"%s\"", export->mode, export->levels);
	char *text = NULL;
	size_t size = 0;
	FILE *more = xopen_memstream(&text, &size);
	fprintf(more, "%s,host=\"", labels);
	metrics_export_put_label(more, export->host);
	fputc('"', more);
	if (export->replay[0]) {
		fputs(",replay=\"", more);
		metrics_export_put_label(more, export->replay);
		fputc('"', more);
	}
	fclose(more);
	put_sample(writer, &family, text, export->pmu[0] ? "pmu" : NULL, export->pmu);
	fputs("1\n", writer->out);
	free(text);
}

#define LOAD_HELP     "Threads that run, wait for a CPU or are in state D: an average."
#define PRESSURE_HELP "Time in which some tasks, or all (full), waited for a resource."

const struct export_machine_value export_machine_values[] = {
	{MACHINE_LOAD_1M, "load_average", "minutes=\"1\"", "", false, 1, LOAD_HELP},
	{MACHINE_LOAD_5M, "load_average", "minutes=\"5\"", "", false, 1, LOAD_HELP},
	{MACHINE_LOAD_15M, "load_average", "minutes=\"15\"", "", false, 1, LOAD_HELP},
	{MACHINE_RUNNABLE, "runnable_threads", "", "", false, 1,
	 "Threads that run or wait for a CPU."},
	{MACHINE_PROCESSES, "processes", "", "", false, 1, "Processes of the machine."},
	{MACHINE_MEMORY, "memory_bytes", "", "bytes", false, 1, "Memory of the machine."},
	{MACHINE_MEMORY_AVAILABLE, "memory_available_bytes", "", "bytes", false, 1,
	 "Memory that can be had without swapping."},
	{MACHINE_SWAP, "swap_bytes", "", "bytes", false, 1, "Swap space."},
	{MACHINE_SWAP_FREE, "swap_free_bytes", "", "bytes", false, 1, "Unused swap space."},
	{MACHINE_CPU_PRESSURE, "pressure_seconds", "resource=\"cpu\",kind=\"some\"", "seconds",
	 true, 0.01, PRESSURE_HELP},
	{MACHINE_IO_PRESSURE, "pressure_seconds", "resource=\"io\",kind=\"some\"", "seconds", true,
	 0.01, PRESSURE_HELP},
	{MACHINE_IO_PRESSURE_FULL, "pressure_seconds", "resource=\"io\",kind=\"full\"", "seconds",
	 true, 0.01, PRESSURE_HELP},
	{MACHINE_MEMORY_PRESSURE, "pressure_seconds", "resource=\"memory\",kind=\"some\"",
	 "seconds", true, 0.01, PRESSURE_HELP},
	{MACHINE_MEMORY_PRESSURE_FULL, "pressure_seconds", "resource=\"memory\",kind=\"full\"",
	 "seconds", true, 0.01, PRESSURE_HELP},
	{MACHINE_STEAL, "steal_ratio", "", "ratio", false, 0.01,
	 "Share of CPU time that a hypervisor took."},
	{MACHINE_IOWAIT, "iowait_ratio", "", "ratio", false, 0.01,
	 "Share of CPU time that was idle while a task waited for I/O."},
	{MACHINE_FORKS, "forks", "", "", true, 1, "Processes and threads started."},
};
const size_t export_machine_values_n = ARRAY_SIZE(export_machine_values);

static void put_machine(const struct export_writer *writer)
{
	const struct snapshot_machine *machine = &writer->export->machine;
	const char *word = "";

	for (size_t i = 0; i < export_machine_values_n; i++) {
		const struct export_machine_value *metric = &export_machine_values[i];
		const struct family family = {
			"",           metric->word, metric->counter ? TYPE_COUNTER : TYPE_GAUGE,
			metric->unit, "",           metric->help};
		char number[48];

		if (!machine->known[metric->value])
			continue;
		if (strcmp(word, metric->word) != 0)
			put_family(writer, &family);
		word = metric->word;
		put_sample(writer, &family, metric->labels, NULL, NULL);
		text_trimmed(number, sizeof(number), machine->values[metric->value], 6);
		fprintf(writer->out, "%s\n", number);
	}
}

/* A profile has no intervals, and idle and fine are no illness. */
static bool is_exported(unsigned finding)
{
	return finding < VERDICTS ? verdict_is_loss((enum verdict)finding)
				  : finding != VERDICTS + FINDING_OF_VERDICT &&
					    finding != VERDICTS + FINDING_OF_PROFILE;
}

static void put_findings(const struct export_writer *writer)
{
	static const struct family family = {
		"",           "finding_seconds",
		TYPE_COUNTER, "seconds",
		"",           "Time of the intervals with such a finding."};

	put_family(writer, &family);
	for (unsigned i = 0; i < FINDING_WORDS; i++) {
		if (!is_exported(i))
			continue;
		put_sample(writer, &family, "", "kind", finding_word(i));
		metrics_export_put_seconds(writer->out, writer->export->finding_ns[i]);
		fputc('\n', writer->out);
	}
}

static void put_last_snapshot(const struct export_writer *writer)
{
	static const struct family snapshots = {"", "snapshots", TYPE_COUNTER,
						"", "",          "Intervals that were added up."};
	static const struct family lost = {
		"", "lost_records", TYPE_COUNTER, "", "", "Kernel records that were lost."};
	static const struct family records = {"", "records", TYPE_COUNTER,
					      "", "",        "Kernel records that were read."};
	static const struct family own = {"", "own_cpu_seconds",         TYPE_COUNTER, "seconds",
					  "", "CPU time used by pmctop."};
	static const struct family interval = {
		"", "interval_seconds", TYPE_GAUGE, "seconds", "", "Length of the last interval."};
	static const struct family time = {"",         "snapshot_timestamp_seconds",
					   TYPE_GAUGE, "seconds",
					   "",         "When the last interval ended."};
	static const struct family threads = {"", "threads", TYPE_GAUGE,
					      "", "",        "Threads of the machine."};
	const struct metrics_export *export = writer->export;

	put_number(writer, &snapshots, export->snapshots);
	put_number(writer, &lost, export->lost_records);
	if (export->self_cpu_ns > 0) {
		put_number(writer, &records, export->records);
		put_ns(writer, &own, export->self_cpu_ns);
	}
	put_ns(writer, &interval, export->interval_ns);
	if (export->realtime_ns > 0)
		put_ns(writer, &time, export->realtime_ns);
	if (export->threads)
		put_number(writer, &threads, export->threads);
	put_machine(writer);
	if (writer->export->intervals)
		put_findings(writer);
	put_host(writer);
}

char *metrics_export_text(struct metrics_export *export, enum metrics_export_dialect dialect,
			  size_t *size)
{
	char *text = NULL;
	const struct export_writer writer = {export, dialect, xopen_memstream(&text, size)};

	pthread_mutex_lock(&export->lock);
	put_build(&writer);
	if (export->snapshots > 0) {
		put_last_snapshot(&writer);
		put_shares(&writer);
		put_topology(&writer);
		put_wholes(&writer);
		put_cpus(&writer);
		for (size_t i = 0; i < METRICS_EXPORT_CROWDS; i++)
			put_crowd(&writer, (enum metrics_export_crowd)i);
	}
	pthread_mutex_unlock(&export->lock);
	if (dialect == METRICS_EXPORT_OPENMETRICS)
		fputs("# EOF\n", writer.out);
	fclose(writer.out);
	return text;
}
