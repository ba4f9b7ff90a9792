// SPDX-License-Identifier: MIT
#include "tests/unit/shared/true_counts.h"

#include "core/base/util.h"

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
	int n = snprintf(terms, TERMS_MAX, "%s%s=%s", rest, name, value);
	assert_true(n > 0 && n < TERMS_MAX);
}

/* What the vendor has behind a name. */
struct modified {
	char terms[TERMS_MAX];
	char level;    /* 'u', 'k' or 0 */
	bool one_unit; /* of several boxes one, and the mean of the sockets: clocks */
};

/* Applies "c1", "e1", "i1", "u0xfc", "SUP" and the like. */
static bool apply_modifier(struct modified *event, bool core, const char *modifier)
{
	const struct {
		const char *modifier, *term;
	} letters[] = {{"c", core ? "cmask" : "thresh"},
		       {"e", "edge"},
		       {"i", "inv"},
		       {"u", "umask"},
		       {"ocr_msr_val=", "offcore_rsp"},
		       {"filter1=", "config1"}};

	if (strcasecmp(modifier, "SUP") == 0 || strcasecmp(modifier, "USER") == 0) {
		event->level = strcasecmp(modifier, "SUP") == 0 ? 'k' : 'u';
		return true;
	}
	if (strcmp(modifier, "one_unit") == 0)
		return event->one_unit = true;
	if (strcmp(modifier, "perf_metrics") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		const char *value = modifier + strlen(letters[i].modifier);

		if (strncmp(modifier, letters[i].modifier, strlen(letters[i].modifier)) != 0 ||
		    !*value || strspn(value, "0123456789xabcdefABCDEF") != strlen(value))
			continue;
		set_term(event->terms, letters[i].term, value);
		return true;
	}
	return false;
}

/* The count of terms on a PMU of the table. */
static double terms_count(const struct true_row *row, const char *pmu, const struct modified *event)
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
		sum += core_count(row, core, encode(core->files, core->n_files, event->terms),
				  event->level);
	}
	for (size_t i = 0; i < config->n_devices; i++) {
		if (!is_box(config->devices[i]->name, pmu))
			continue;
		if (row->tid || row->cpu >= 0)
			return (double)NAN;
		found = true;
		sum += device_count(row, config->devices[i], event->terms);
		if (event->one_unit) {
			sum /= (double)config->cpus / config->socket_cpus;
			break;
		}
	}
	return found ? sum : (double)NAN;
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
		struct modified event = {.level = level};
		char modifier[64];

		snprintf(event.terms, sizeof(event.terms), "%s", items[i].terms);
		for (const char *at = colon; at && *at == ':' && at < name + length;) {
			size_t end = strcspn(at + 1, ":");

			snprintf(modifier, sizeof(modifier), "%.*s", (int)end, at + 1);
			at += 1 + end;
			if (!apply_modifier(&event, strncmp(items[i].pmu, "cpu", 3) == 0, modifier))
				return (double)NAN;
		}
		double count = terms_count(row, items[i].pmu, &event);
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
	const char *slash = strchr(name, '/');
	if (slash) { /* PMU/terms/ */
		struct modified event = {.level = level};
		char pmu[64];

		snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
		snprintf(event.terms, sizeof(event.terms), "%.*s", (int)strcspn(slash + 1, "/"),
			 slash + 1);
		return terms_count(row, pmu, &event);
	}
	const char *in_linux = level ? name : linux_name(name);
	double value = generic_count(row, name, length, level);
	if (isnan(value))
		value = alias_count(row, in_linux, level ? length : strlen(in_linux), level);
	if (isnan(value))
		value = vendor_count(row, name, length, level);
	return value;
}
