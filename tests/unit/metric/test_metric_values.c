// SPDX-License-Identifier: MIT
/*
 * The vendors' metrics of the built-in table, computed for made-up counts, and compared with the
 * values that Python computes of the vendors' files: tests/metric_values.py describes the text and
 * the counts. METRIC_VALUES is another file of these.
 *
 * Each metric is computed on two machines: one with two sockets and threads, one with neither.
 * Their PMUs have no counters here: the figures of the events are set, then metric_eval() runs as
 * in a snapshot.
 */
#include "tests/unit/shared/cpu_machine.h"

#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/event/plan.h"
#include "core/metric/metric.h"
#include "core/metric/metric_vendor.h"
#include "core/sys/cpu_facts.h"
#include "core/sys/cpu_kind.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MACHINES = 2, PMUS_MAX = 96, CHAS_MAX = 3 };

/* The values of MACHINES in metric_values.py. */
static const struct facts {
	uint64_t cores, sockets, threads, chas, tsc_hz;
} facts_of[MACHINES] = {
	{.cores = 8, .sockets = 2, .threads = 2, .chas = 3, .tsc_hz = 2000000000},
	{.cores = 2, .sockets = 1, .threads = 1, .chas = 2, .tsc_hz = 3000000000},
};

/*
 * The same operations in the same order have the same result. Formulas that name metrics have
 * another order, and values in the file have 12 digits.
 */
#define TOLERANCE 1e-9
/* Of 100 less the sum of metrics, which are up to 10^10 for such counts. */
#define TOLERANCE_OF_REST 1e-5

static uint64_t hash_of(const char *name, size_t length)
{
	uint64_t total = 0xcbf29ce484222325;

	for (size_t i = 0; i < length; i++)
		total = (total ^ (unsigned char)name[i]) * 0x100000001b3;
	return total;
}

static uint64_t mixed(uint64_t total, unsigned vector)
{
	uint64_t z = total + (vector + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double count_of(uint64_t total, unsigned vector)
{
	uint64_t z = mixed(total, vector);

	if (z >> 59 == 0)
		return 0;
	return (double)(((z & 0xffffffff) | (uint64_t)1 << 32) >> (16 - (z >> 32) % 12));
}

static double interval_of(unsigned vector)
{
	return (double)(100 + mixed(hash_of("interval", strlen("interval")), vector) % 10000) /
	       1000;
}

/* Events that have another name, or another unit, in Linux. */
static const struct {
	const char *name, *vendor;
	double unit;
} other_names[] = {
	{"topdown-retiring", "PERF_METRICS.RETIRING", 1},
	{"topdown-bad-spec", "PERF_METRICS.BAD_SPECULATION", 1},
	{"topdown-fe-bound", "PERF_METRICS.FRONTEND_BOUND", 1},
	{"topdown-be-bound", "PERF_METRICS.BACKEND_BOUND", 1},
	{"topdown-heavy-ops", "PERF_METRICS.HEAVY_OPERATIONS", 1},
	{"topdown-br-mispredict", "PERF_METRICS.BRANCH_MISPREDICTS", 1},
	{"topdown-fetch-lat", "PERF_METRICS.FETCH_LATENCY", 1},
	{"topdown-mem-bound", "PERF_METRICS.MEMORY_BOUND", 1},
	{"slots", "TOPDOWN.SLOTS", 1},
	{"power/energy-pkg/", "FREERUN_PKG_ENERGY_STATUS", 61e-6}, /* Joules */
	{"power/energy-ram/", "FREERUN_DRAM_ENERGY_STATUS", 15.6e-6},
};

/* What an event counts: the hash of the vendor's name, and the factor of its counts. */
struct source {
	uint64_t hash;
	double factor;
};

static struct source source_of(const char *name, const struct facts *facts)
{
	static const char prefix[] = "cpu_core/", one_unit[] = ":one_unit";
	struct source source = {.factor = 1};
	char upper[256];
	size_t n;

	if (strncmp(name, prefix, strlen(prefix)) == 0)
		n = (size_t)snprintf(upper, sizeof(upper), "%.*s",
				     (int)(strlen(name) - strlen(prefix) - 1),
				     name + strlen(prefix));
	else
		n = (size_t)snprintf(upper, sizeof(upper), "%s", name);
	for (size_t i = 0; i < ARRAY_SIZE(other_names); i++)
		if (strcmp(upper, other_names[i].name) == 0) {
			n = (size_t)snprintf(upper, sizeof(upper), "%s", other_names[i].vendor);
			source.factor = other_names[i].unit;
		}
	/* The vendor means a unit of one socket, Linux counts the units of all sockets. */
	if (n > strlen(one_unit) && strcmp(upper + n - strlen(one_unit), one_unit) == 0)
		source.factor = (double)facts->sockets;
	for (size_t i = 0; i < n; i++)
		if (upper[i] >= 'a' && upper[i] <= 'z')
			upper[i] -= 'a' - 'A';
	source.hash = hash_of(upper, n);
	return source;
}

/* A machine with the CPUs of a file of metrics. */
struct values_machine {
	struct machine *machine;
	struct cpu_facts facts;
};

/* The PMUs of a machine. */
struct pmu_names {
	char names[PMUS_MAX][48];
	const char *pointers[PMUS_MAX];
	size_t n;
};

static void add_name(struct pmu_names *pmus, const char *name)
{
	size_t i = 0;

	while (i < pmus->n && strcmp(pmus->names[i], name) != 0)
		i++;
	if (i < pmus->n)
		return;
	assert_true(pmus->n < PMUS_MAX);
	snprintf(pmus->names[i], sizeof(pmus->names[i]), "%s", name);
	pmus->pointers[i] = pmus->names[i];
	pmus->n++;
}

/* The names of the events in the table, and the names that Linux has for other events. */
static void add_names(struct pmu_names *pmus, const char *id, const struct facts *facts)
{
	bool arm = strncmp(id, "ARM-", 4) == 0;
	struct event_table table;
	struct error err;
	char cha[32];

	if (event_table_read(event_table_frame, event_table_frame_bytes, id, &table, &err) < 0)
		fail_msg("%s: %s", id, err.text);
	for (size_t i = 0; i < table.n; i++) {
		bool core = arm && strcmp(table.items[i].pmu, "cpu") == 0;

		if (strcmp(table.items[i].pmu, "uncore_cha") != 0)
			add_name(pmus, core ? "armv8_pmuv3_0" : table.items[i].pmu);
		for (uint64_t k = 0; k < facts->chas; k++) {
			snprintf(cha, sizeof(cha), "uncore_cha_%u", (unsigned)k);
			if (strcmp(table.items[i].pmu, "uncore_cha") == 0)
				add_name(pmus, cha);
		}
	}
	event_table_fini(&table);
	if (!arm) {
		add_name(pmus, "power");
		add_name(pmus, "msr");
	}
}

static void add_file(struct fk *fk, const char *pmu, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	fk_file(fk, path, text);
}

/* What cpu_machine_new() does not have: events of Linux, and terms of a few kinds of CPUs. */
static void add_events(struct fk *fk, const struct pmu_names *pmus)
{
	static const struct {
		const char *pmu, *file, *text;
	} files[] = {
		{"power", "events/energy-pkg", "event=0x2"},
		{"power", "events/energy-ram", "event=0x3"},
		{"msr", "events/tsc", "event=0x0"},
		{"uncore_cbox", "format/filter_opc", "config1:20-28"},
		{"uncore_cbox", "format/filter_tid", "config1:0-5"},
		{"cpu_core", "format/eq", "config:36"},
		{"cpu", "events/slots", "event=0x0,umask=0x4"},
		{"cpu_core", "events/slots", "event=0x0,umask=0x4"},
	};
	char file[64];

	for (size_t i = 0; i < pmus->n; i++) {
		const char *pmu = pmus->names[i];

		for (size_t k = 0; k < ARRAY_SIZE(files); k++)
			if (strcmp(pmu, files[k].pmu) == 0)
				add_file(fk, pmu, files[k].file, files[k].text);
		if (strcmp(pmu, "cpu") != 0 && strcmp(pmu, "cpu_core") != 0)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(other_names); k++) {
			snprintf(file, sizeof(file), "events/%s", other_names[k].name);
			if (strncmp(other_names[k].name, "topdown-", 8) == 0)
				add_file(fk, pmu, file, "event=0x0,umask=0x80");
		}
	}
}

static void values_machine_init(struct values_machine *m, const char *id, const struct facts *facts)
{
	struct pmu_names pmus = {.n = 0};

	*m = (struct values_machine){
		.facts = {.values = {
				  [CPU_FACT_TSC_HZ] = facts->tsc_hz,
				  [CPU_FACT_CORES] = facts->cores,
				  [CPU_FACT_CPUS_ONLINE] = facts->cores * facts->threads,
				  [CPU_FACT_SOCKETS] = facts->sockets,
				  [CPU_FACT_THREADS_PER_CORE] = facts->threads,
			  }}};
	add_names(&pmus, id, facts);
	m->machine = cpu_machine_new(id, pmus.pointers, pmus.n);
	add_events(m->machine->fk, &pmus);
	m->facts.kinds = cpu_kind_read(&m->machine->sys);
	m->machine->context.cpu = &m->facts;
}

static void values_machine_fini(struct values_machine *m)
{
	if (m->machine)
		cpu_machine_free(m->machine);
}

struct totals {
	unsigned files, metrics, equal, thresholds, refused, wrong, failed;
	uint64_t values;
};

/* A metric that is computed for the vectors of a machine. */
struct formula {
	struct event_set events;
	struct metric metric;
	struct metric_readings readings;
	struct source *sources;
	struct figure *figures;
};

static int formula_init(struct formula *f, const struct values_machine *m,
			const struct metric_def *def, const struct facts *facts, struct error *err)
{
	*f = (struct formula){.figures = NULL};
	event_set_init(&f->events, &m->machine->context);
	int result = metric_choose(def, m->facts.kinds, 0, &f->events, &f->metric, err);
	if (result < 0)
		return result;
	metric_bind(&f->metric, &f->events, &(struct plan){.n_events = 0}, &f->readings);
	f->sources = xcalloc(f->readings.n + 1, sizeof(*f->sources));
	f->figures = xcalloc(f->readings.n + 1, sizeof(*f->figures));
	for (size_t i = 0; i < f->readings.n; i++) {
		const struct event *event = &f->events.items[f->readings.items[i].event];

		assert_true(event->n_codes > 0);
		f->sources[i] = source_of(event->name, facts);
	}
	return 0;
}

static void formula_fini(struct formula *f)
{
	free(f->sources);
	free(f->figures);
	metric_readings_fini(&f->readings);
	metric_fini(&f->metric);
	event_set_fini(&f->events);
}

static struct figure formula_value(struct formula *f, unsigned vector)
{
	for (size_t i = 0; i < f->readings.n; i++)
		f->figures[i] =
			figure_exact(f->sources[i].factor * count_of(f->sources[i].hash, vector));
	return metric_eval(&f->metric, f->figures, NULL, figure_exact(interval_of(vector)));
}

static void __attribute__((format(printf, 2, 3)))
fail_metric(struct totals *totals, const char *format, ...)
{
	enum { SHOWN = 100 };
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (totals->failed++ < SHOWN)
		print_message("# %s\n", text);
}

/* A line of the file: a metric, and what is said of it. */
struct line {
	const char *file, *name;
	bool wrong;          /* the vendor has another value, by mistake */
	const char *refused; /* the event for which it is refused; NULL: none */
	char **words;        /* values */
	unsigned n;
};

static bool is_undefined(const char *word)
{
	return word[0] == '-' && (word[1] == '\0' || strchr("?!", word[1]));
}

static bool is_value(const struct line *line, struct figure figure, const char *word)
{
	double want = strtod(word, NULL), tolerance = TOLERANCE * fabs(want);

	if (is_undefined(word))
		return figure.state == FIGURE_UNDEFINED;
	if (strcmp(line->name, "Bottleneck_Other_Bottlenecks") == 0)
		tolerance += TOLERANCE_OF_REST;
	return figure_known(figure) && fabs(figure.value - want) <= tolerance;
}

/* Whether the mark behind the value says the same of the threshold. */
static bool is_state(const struct line *line, struct figure figure, const char *word)
{
	char mark = word[strlen(word) - 1];

	(void)line;
	if (mark == '?')
		return figure.state == FIGURE_UNDEFINED;
	return figure_known(figure) && (figure.value != 0) == (mark == '+');
}

/* Compares the vectors of one machine. Returns how many differ. */
static unsigned compare(const struct line *line, struct formula *f, unsigned first, bool threshold,
			struct totals *totals)
{
	unsigned differ = 0;

	for (unsigned vector = first; vector < line->n; vector += MACHINES) {
		struct figure figure = formula_value(f, vector);

		if ((threshold ? is_state : is_value)(line, figure, line->words[vector]))
			continue;
		if (differ++ == 0 && !line->wrong)
			fail_metric(totals, "%s: %s: vector %u: %s%.12g (state %d), not %s",
				    line->file, line->name, vector, threshold ? "threshold " : "",
				    figure.value, figure.state, line->words[vector]);
	}
	return differ;
}

/* The threshold is a formula of metrics. */
static unsigned check_threshold(const struct values_machine *m, const struct line *line,
				unsigned first, struct totals *totals)
{
	const struct event_table *table = event_table_cache_get(m->machine->context.tables);
	size_t n;
	const struct event_table_metric *metric =
		event_table_find_metric(table, line->name, strlen(line->name), &n);
	struct error err;
	struct formula f;

	if (!metric || metric->threshold[0] == '\0')
		return 0;
	struct metric_def def = {.name = "threshold", .forms = {{.expression = metric->threshold}}};
	bool refused = line->words[0][strlen(line->words[0]) - 1] == '!';
	unsigned differ = 0;
	int result = formula_init(&f, m, &def, &facts_of[first], &err);
	if ((result < 0) != refused)
		fail_metric(totals, "%s: threshold of %s: %s", line->file, line->name,
			    result < 0 ? err.text : "not refused");
	else if (result == 0)
		differ = compare(line, &f, first, true, totals);
	totals->thresholds += result == 0 && first == 0;
	formula_fini(&f);
	return differ;
}

/* The refusal names the event. */
static void check_refusal(const struct line *line, int result, const struct error *err,
			  struct totals *totals)
{
	if (line->refused && result < 0 && strstr(err->text, line->refused))
		totals->refused++;
	else if (line->refused)
		fail_metric(totals, "%s: %s is not refused for %s: %s", line->file, line->name,
			    line->refused, result < 0 ? err->text : "no error");
	else
		fail_metric(totals, "%s: %s is refused: %s", line->file, line->name, err->text);
}

static void check_metric(const struct values_machine machines[MACHINES], const struct line *line,
			 struct totals *totals)
{
	unsigned differ = 0;

	totals->metrics++;
	for (unsigned i = 0; i < MACHINES; i++) {
		const struct values_machine *m = &machines[i];
		struct error err = {.text = ""};
		struct metric_def def;
		struct formula f;

		if (metric_vendor_find(&m->machine->context, line->name, &def) < 0) {
			fail_metric(totals, "%s: no metric %s", line->file, line->name);
			return;
		}
		int result = formula_init(&f, m, &def, &facts_of[i], &err);
		if (result < 0 || line->refused) {
			check_refusal(line, result, &err, totals);
			formula_fini(&f);
			metric_def_fini(&def);
			return;
		}
		differ += compare(line, &f, i, false, totals);
		if (!line->wrong)
			differ += check_threshold(m, line, i, totals);
		formula_fini(&f);
		metric_def_fini(&def);
	}
	totals->values += line->n;
	totals->equal += !line->wrong && differ == 0;
	totals->wrong += line->wrong;
	/* So that a mistake that the vendor corrects is seen. A few vectors may not show it. */
	if (line->wrong && differ == 0 && line->n > 100)
		fail_metric(totals, "%s: %s is not wrong", line->file, line->name);
}

/* Cuts a line into words. */
static void split(char *text, struct line *line, size_t *capacity)
{
	char *save, *word = strtok_r(text, " \n", &save);

	line->wrong = word[0] == '*';
	line->name = word + line->wrong;
	line->refused = NULL;
	line->n = 0;
	while ((word = strtok_r(NULL, " \n", &save))) {
		if (word[0] == '!')
			line->refused = word + 1;
		line->words =
			array_reserve(line->words, capacity, line->n + 1, sizeof(*line->words));
		line->words[line->n++] = word;
	}
}

static void test_values(void **state)
{
	const char *path = getenv("METRIC_VALUES");
	FILE *file = fopen(path ? path : "tests/fixtures/metric_values.txt", "r");
	struct values_machine machines[MACHINES] = {{.machine = NULL}};
	struct totals totals = {.files = 0};
	char *text = NULL, name[160] = "";
	size_t size = 0, capacity = 0;
	struct line line = {.file = name};

	(void)state;
	assert_non_null(file);
	while (getline(&text, &size, file) > 0) {
		char id[64];

		if (text[0] != '=') {
			split(text, &line, &capacity);
			check_metric(machines, &line, &totals);
			continue;
		}
		assert_int_equal(sscanf(text, "=%63s %159s", id, name), 2);
		for (unsigned i = 0; i < MACHINES; i++) {
			values_machine_fini(&machines[i]);
			values_machine_init(&machines[i], id, &facts_of[i]);
		}
		totals.files++;
	}
	for (unsigned i = 0; i < MACHINES; i++)
		values_machine_fini(&machines[i]);
	free(line.words);
	free(text);
	fclose(file);
	print_message("# %u metrics of %u files, %llu values: %u equal, %u with a threshold, "
		      "%u refused, %u wrong at the vendor, %u failures\n",
		      totals.metrics, totals.files, (unsigned long long)totals.values, totals.equal,
		      totals.thresholds, totals.refused, totals.wrong, totals.failed);
	assert_int_equal(totals.failed, 0);
	assert_true(totals.files == 31 && totals.equal >= 500 && totals.thresholds >= 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
