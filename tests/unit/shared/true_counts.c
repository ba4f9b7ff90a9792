// SPDX-License-Identifier: MIT
#include "tests/unit/shared/true_counts.h"

#include "core/base/util.h"
#include "tests/unit/shared/true_formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 2, TERMS_MAX = 256 };

/* An event of a PMU: config and config1. */
struct code {
	uint64_t words[WORDS];
};

void true_counts_begin(struct true_counts *counts)
{
	counts->begin_ns = fk_now(counts->fk);
	for (size_t i = 0; i < counts->n_tasks; i++)
		counts->tasks[i].before_ns =
			fk_truth_task(counts->fk, counts->tasks[i].tid, FK_TASK_CLOCK);
}

void true_counts_end(struct true_counts *counts)
{
	counts->interval_ns = fk_now(counts->fk) - counts->begin_ns;
	for (size_t i = 0; i < counts->n_tasks; i++)
		counts->tasks[i].counted_ns =
			fk_truth_task(counts->fk, counts->tasks[i].tid, FK_TASK_CLOCK) -
			counts->tasks[i].before_ns;
}

static bool row_has(const struct true_row *row, const struct true_task *task)
{
	return row->tid ? task->tid == row->tid : row->cpu < 0 || task->cpu == row->cpu;
}

/* Whether a PMU counts on one of the row's CPUs. */
static bool takes_part(const struct true_row *row, const struct fk_pmu *pmu)
{
	int cpu = row->cpu;

	for (size_t i = 0; row->tid && i < row->counts->n_tasks; i++)
		if (row->counts->tasks[i].tid == row->tid)
			cpu = row->counts->tasks[i].cpu;
	if (cpu >= 0 && (cpu < pmu->first_cpu || cpu > pmu->last_cpu))
		return false;
	return !row->pmu || strcmp(row->pmu, pmu->name) == 0;
}

static double cpu_time_ns(const struct true_row *row)
{
	double ns = 0;

	for (size_t i = 0; i < row->counts->n_tasks; i++)
		if (row_has(row, &row->counts->tasks[i]))
			ns += (double)row->counts->tasks[i].counted_ns;
	return ns;
}

static const char *file_text(const struct fk_file_entry *files, size_t n, const char *folder,
			     const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++) {
		const char *file = files[i].name;

		if (strncmp(file, folder, strlen(folder)) == 0 &&
		    strncmp(file + strlen(folder), name, length) == 0 &&
		    !file[strlen(folder) + length])
			return files[i].text;
	}
	return NULL;
}

/* Puts a value where a format says: "config1:8-15,32-55". */
static void place_bits(struct code *code, const char *format, uint64_t value)
{
	uint64_t *word = &code->words[strncmp(format, "config1", 7) == 0];

	for (const char *at = strchr(format, ':'); at && *at; at = strchr(at, ',')) {
		unsigned first, last;
		int n = sscanf(at + 1, "%u-%u", &first, &last);

		for (unsigned bit = first; bit <= (n == 2 ? last : first); bit++, value >>= 1)
			*word |= (value & 1) << bit;
		at++;
	}
}

/* Encodes "event=0x3c,umask=1,edge" with the files of a PMU. */
static struct code encode(const struct fk_file_entry *files, size_t n, const char *terms)
{
	struct code code = {{0}};

	for (const char *at = terms; *at;) {
		size_t length = strcspn(at, ","), name = strcspn(at, ",=");
		uint64_t value = at[name] == '=' ? strtoull(at + name + 1, NULL, 0) : 1;
		const char *format = file_text(files, n, "format/", at, name);

		if (format)
			place_bits(&code, format, value);
		else if (strncmp(at, "config", name) == 0)
			code.words[0] |= value;
		else if (strncmp(at, "config1", name) == 0)
			code.words[1] |= value;
		else
			fail_msg("'%s' has an unknown term", terms);
		at += length + (at[length] == ',');
	}
	return code;
}

static double core_count(const struct true_row *row, const struct fk_pmu *pmu, struct code code,
			 char level)
{
	double sum = 0;

	for (size_t i = 0; i < row->counts->n_tasks; i++) {
		const struct true_task *task = &row->counts->tasks[i];
		struct fk *fk = row->counts->fk;
		double user = (double)task->user.num / (double)task->user.den;

		if (!row_has(row, task))
			continue;
		double count = (double)fk_truth_code(fk, task->tid, pmu->name, code.words[0],
						     code.words[1]) *
			       (double)task->counted_ns /
			       (double)fk_truth_task(fk, task->tid, FK_TASK_CLOCK);
		sum += count * (level == 'u' ? user : level == 'k' ? 1 - user : 1);
	}
	return sum;
}

/* "uncore_cha_0" is one of "uncore_cha". */
static bool is_box(const char *device, const char *pmu)
{
	size_t length = strlen(pmu);

	return strncmp(device, pmu, length) == 0 &&
	       (!device[length] ||
		(device[length] == '_' &&
		 strspn(device + length + 1, "0123456789") == strlen(device + length + 1)));
}

/* Of all sockets. */
static double device_count(const struct true_row *row, const struct fk_device *device,
			   const char *terms)
{
	const struct true_counts *counts = row->counts;
	struct code code = encode(device->files, device->n_files, terms);
	unsigned cpus = counts->config->cpus;
	double sum = 0;

	for (unsigned cpu = 0; cpu < cpus; cpu += device->socket_cpus ? device->socket_cpus : cpus)
		sum += (double)fk_truth_device_code(counts->fk, device->name, code.words[0],
						    code.words[1], (int)cpu);
	/* It has counted since the machine began, 1000 s. */
	return sum * (double)counts->interval_ns / (double)(fk_now(counts->fk) - 1000 * NS_PER_S);
}

/* The count of terms on a PMU of the table. */
static double terms_count(const struct true_row *row, const char *pmu, const char *terms,
			  char level)
{
	const struct fk_config *config = row->counts->config;
	double sum = 0;
	bool found = false;

	for (size_t i = 0; i < config->n_pmus; i++) {
		const struct fk_pmu *core = &config->pmus[i];

		if ((strcmp(pmu, "cpu") != 0 && strcmp(pmu, core->name) != 0) ||
		    !takes_part(row, core))
			continue;
		found = true;
		sum += core_count(row, core, encode(core->files, core->n_files, terms), level);
	}
	for (size_t i = 0; i < config->n_devices; i++) {
		if (!is_box(config->devices[i]->name, pmu))
			continue;
		if (row->tid || row->cpu >= 0)
			return NAN;
		found = true;
		sum += device_count(row, config->devices[i], terms);
	}
	return found ? sum : (double)NAN;
}

/* A generic event of the kernel. */
static double generic_count(const struct true_row *row, const char *name, size_t length, char level)
{
	static const struct {
		const char *name;
		enum fk_event event;
	} generics[] = {
		{"cycles", FK_CYCLES},
		{"instructions", FK_INSTRUCTIONS},
		{"cache-references", FK_CACHE_REFERENCES},
		{"cache-misses", FK_CACHE_MISSES},
		{"branches", FK_BRANCHES},
		{"branch-misses", FK_BRANCH_MISSES},
		{"bus-cycles", FK_BUS_CYCLES},
		{"ref-cycles", FK_REF_CYCLES},
		{"stalled-cycles-frontend", FK_STALLED_FRONTEND},
		{"stalled-cycles-backend", FK_STALLED_BACKEND},
		{"L1-dcache-loads", FK_L1D_LOADS},
		{"L1-dcache-load-misses", FK_L1D_LOAD_MISSES},
		{"L1-icache-load-misses", FK_L1I_LOAD_MISSES},
		{"LLC-loads", FK_LLC_LOADS},
		{"LLC-load-misses", FK_LLC_LOAD_MISSES},
		{"dTLB-load-misses", FK_DTLB_LOAD_MISSES},
		{"iTLB-load-misses", FK_ITLB_LOAD_MISSES},
	};
	const struct fk_config *config = row->counts->config;
	double sum = 0;
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(generics); i++) {
		if (strlen(generics[i].name) != length || strncmp(generics[i].name, name, length))
			continue;
		for (size_t p = 0; p < config->n_pmus; p++) {
			const struct fk_pmu *pmu = &config->pmus[p];
			size_t at = 0;

			while (at < pmu->n_codes && pmu->codes[at].event != generics[i].event)
				at++;
			if (at == pmu->n_codes || !takes_part(row, pmu))
				continue;
			found = true;
			sum += core_count(
				row, pmu,
				(struct code){{pmu->codes[at].config, pmu->codes[at].config1}},
				level);
		}
	}
	return found ? sum : (double)NAN;
}

/* An alias in the files of the core PMUs. */
static double alias_count(const struct true_row *row, const char *name, size_t length, char level)
{
	const struct fk_config *config = row->counts->config;
	double sum = 0;
	bool found = false;

	for (size_t i = 0; i < config->n_pmus; i++) {
		const struct fk_pmu *pmu = &config->pmus[i];
		const char *terms = file_text(pmu->files, pmu->n_files, "events/", name, length);

		if (!terms || !takes_part(row, pmu))
			continue;
		found = true;
		sum += core_count(row, pmu, encode(pmu->files, pmu->n_files, terms), level);
	}
	return found ? sum : (double)NAN;
}

/* PERF_METRICS.RETIRING and TOPDOWN.SLOTS:perf_metrics of the vendor, which Linux has in sysfs. */
static const char *linux_name(const char *name)
{
	static const char *const names[][2] = {
		{"PERF_METRICS.RETIRING", "topdown-retiring"},
		{"PERF_METRICS.BAD_SPECULATION", "topdown-bad-spec"},
		{"PERF_METRICS.FRONTEND_BOUND", "topdown-fe-bound"},
		{"PERF_METRICS.BACKEND_BOUND", "topdown-be-bound"},
		{"PERF_METRICS.HEAVY_OPERATIONS", "topdown-heavy-ops"},
		{"PERF_METRICS.BRANCH_MISPREDICTS", "topdown-br-mispredict"},
		{"PERF_METRICS.FETCH_LATENCY", "topdown-fetch-lat"},
		{"PERF_METRICS.MEMORY_BOUND", "topdown-mem-bound"},
		{"TOPDOWN.SLOTS:perf_metrics", "slots"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i][0], name) == 0)
			return names[i][1];
	return name;
}

/* Replaces a term, or adds it. */
static void set_term(char *terms, const char *name, const char *value)
{
	char rest[TERMS_MAX] = "";

	for (const char *at = terms; *at;) {
		size_t length = strcspn(at, ",");

		if (strncmp(at, name, strlen(name)) != 0 || at[strlen(name)] != '=')
			snprintf(rest + strlen(rest), sizeof(rest) - strlen(rest), "%.*s,",
				 (int)length, at);
		at += length + (at[length] == ',');
	}
	snprintf(terms, TERMS_MAX, "%s%s=%s", rest, name, value);
}

/* Applies "c1", "e1", "i1", "u0xfc" and the like, as the vendor has them behind a name. */
static bool apply_modifier(char *terms, const char *modifier)
{
	static const struct {
		const char *modifier, *term;
	} letters[] = {{"c", "cmask"}, {"e", "edge"}, {"i", "inv"}, {"u", "umask"}};

	if (strncmp(modifier, "filter1=", 8) == 0) {
		set_term(terms, "config1", modifier + 8);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (*modifier == *letters[i].modifier &&
		    strspn(modifier + 1, "0123456789xabcdef") == strlen(modifier + 1)) {
			set_term(terms, letters[i].term, modifier + 1);
			return true;
		}
	return false;
}

/* An event of the vendor's table, with the vendor's modifiers. */
static double vendor_count(const struct true_row *row, const char *name, size_t length, char level)
{
	const struct event_table *table = row->counts->table;
	const char *colon = memchr(name, ':', length);
	size_t n, bare = colon ? (size_t)(colon - name) : length;
	const struct event_table_item *items =
		table ? event_table_find(table, name, bare, &n) : NULL;
	double sum = 0;
	bool found = false;

	for (size_t i = 0; items && i < n; i++) {
		char terms[TERMS_MAX], modifier[64];

		snprintf(terms, sizeof(terms), "%s", items[i].terms);
		for (const char *at = colon; at && *at == ':' && at < name + length;) {
			size_t end = strcspn(at + 1, ":");

			snprintf(modifier, sizeof(modifier), "%.*s", (int)end, at + 1);
			at += 1 + end;
			if (!apply_modifier(terms, modifier))
				return NAN;
		}
		double count = terms_count(row, items[i].pmu, terms, level);
		found |= !isnan(count);
		sum += isnan(count) ? 0 : count;
	}
	return found ? sum : (double)NAN;
}

static double slots_per_cycle(const struct true_row *row)
{
	const struct fk_pmu *pmu = &row->counts->config->pmus[0];
	const char *text = file_text(pmu->files, pmu->n_files, "caps/", "slots", 5);

	return text ? (double)strtoul(text, NULL, 0) : (double)NAN;
}

double true_count(const struct true_row *row, const char *name)
{
	size_t length = strlen(name);
	char level = 0;

	if (strcmp(name, "interval_s") == 0)
		return (double)row->counts->interval_ns / 1e9;
	if (strcmp(name, "cpu_time_s") == 0)
		return cpu_time_ns(row) / 1e9;
	if (strcmp(name, "task-clock") == 0)
		return cpu_time_ns(row);
	if (strcmp(name, "slots_per_cycle") == 0)
		return slots_per_cycle(row);
	if (length > 2 && name[length - 2] == ':' && strchr("uk", name[length - 1])) {
		level = name[length - 1];
		length -= 2;
	}
	if (name[0] == 'r' && strspn(name + 1, "0123456789abcdef") == strlen(name) - 1) {
		const struct fk_pmu *pmu = &row->counts->config->pmus[0];

		return core_count(row, pmu, (struct code){{strtoull(name + 1, NULL, 16)}}, level);
	}
	const char *in_linux = level ? name : linux_name(name);
	double value = generic_count(row, name, length, level);
	if (isnan(value))
		value = alias_count(row, in_linux, level ? length : strlen(in_linux), level);
	if (isnan(value))
		value = vendor_count(row, name, length, level);
	return value;
}

static double count_of_name(void *row, const char *name)
{
	return true_count(row, name);
}

struct name_check {
	const struct true_row *row;
	bool unknown; /* one of the names was */
};

static double check_name(void *arg, const char *name)
{
	struct name_check *check = arg;

	check->unknown |= isnan(true_count(check->row, name));
	return 1;
}

double true_figure(const struct true_row *row, const char *formula)
{
	const struct fk_config *config = row->counts->config;
	struct true_row part = *row, one = *row;
	const struct true_names names = {.value = count_of_name, .arg = &part};
	size_t n = 0;

	for (size_t i = 0; i < config->n_pmus; i++) {
		struct name_check check = {.row = &one};

		one.pmu = config->pmus[i].name;
		true_formula(formula, &(struct true_names){.value = check_name, .arg = &check});
		if (check.unknown)
			continue;
		part.pmu = one.pmu;
		n++;
	}
	if (n != 1)
		part.pmu = NULL;
	return true_formula(formula, &names);
}

struct metric_names {
	const struct true_row *row;
	const struct event_table_metric *metric;
};

/* The meaning of a name in a list "a=X b=Y"; false: it is not there. */
static bool find_meaning(const char *list, const char *name, char *meaning, size_t size)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += strspn(at, " ")) {
		size_t end = strcspn(at, " ");

		if (strncmp(at, name, length) == 0 && at[length] == '=') {
			snprintf(meaning, size, "%.*s", (int)(end - length - 1), at + length + 1);
			return true;
		}
		at += end;
	}
	return false;
}

static double constant(const struct true_row *row, const char *name)
{
	const struct fk_config *config = row->counts->config;
	unsigned threads = config->threads_per_core;
	unsigned sockets = config->cpus / config->socket_cpus;
	char *end;
	double number = strtod(name + (*name == '~'), &end); /* ~: a typical value */
	const struct {
		const char *name;
		double value;
	} constants[] = {
		{"DURATIONTIMEINSECONDS", (double)row->counts->interval_ns / 1e9},
		{"DURATIONTIMEINMILLISECONDS", (double)row->counts->interval_ns / 1e6},
		{"HYPERTHREADING_ON", threads > 1},
		{"THREADS_PER_CORE", threads},
		{"SOCKET_COUNT", sockets},
		{"CORES_PER_SOCKET", (double)config->socket_cpus / threads},
		{"CHAS_PER_SOCKET", 2},
		{"SYSTEM_TSC_FREQ", 2e9},
	};

	if (*name && !*end)
		return number;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strcasecmp(constants[i].name, name) == 0)
			return constants[i].value;
	return NAN;
}

static double name_value(void *arg, const char *name)
{
	const struct metric_names *names = arg;
	char meaning[256];

	if (find_meaning(names->metric->events, name, meaning, sizeof(meaning)))
		return true_count(names->row, meaning);
	if (find_meaning(names->metric->constants, name, meaning, sizeof(meaning)))
		return constant(names->row, meaning);
	return constant(names->row, name);
}

double true_metric(const struct true_row *row, const struct event_table_metric *metric)
{
	struct metric_names names = {row, metric};

	return true_formula(metric->formula,
			    &(struct true_names){.value = name_value, .arg = &names});
}
