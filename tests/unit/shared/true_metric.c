// SPDX-License-Identifier: MIT
#include "tests/unit/shared/true_metric.h"

#include "core/base/util.h"
#include "tests/unit/shared/true_formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TSC_HZ 2e9 /* of the machines of limited_machines.h */

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
		{"CPUS_ONLINE", config->cpus},
		{"system.sockets[0].cpus.count_*_system.socket_count", config->cpus},
		{"TSC", TSC_HZ * (double)row->counts->interval_ns / 1e9},
		{"SYSTEM_TSC_FREQ", TSC_HZ},
	};

	if (*name && !*end)
		return number;
	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (strcasecmp(constants[i].name, name) == 0)
			return constants[i].value;
	return (double)NAN;
}

/* A metric in the formula of another, of the same cores. Shares of it are in percent, here not. */
static double metric_value(const struct metric_names *names, const char *name)
{
	const struct event_table_metric *metrics;
	size_t n = 0;

	metrics = event_table_find_metric(names->row->counts->table, name, strlen(name), &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(metrics[i].pmu, names->metric->pmu) == 0)
			return true_metric(names->row, &metrics[i]) /
			       (strncmp(metrics[i].unit, "percent", 7) == 0 ? 100 : 1);
	return (double)NAN;
}

static double name_value(void *arg, const char *name)
{
	const struct metric_names *names = arg;
	char meaning[256];

	if (names->metric->formula[0] == '=') {
		double value = metric_value(names, name);

		if (isnan(value))
			value = true_count(names->row, name);
		return isnan(value) ? constant(names->row, name) : value;
	}

	if (find_meaning(names->metric->events, name, meaning, sizeof(meaning))) {
		/* As an event it is the count of all CPUs. */
		return strcmp(meaning, "TSC") == 0
			       ? constant(names->row, meaning) * names->row->counts->config->cpus
			       : true_count(names->row, meaning);
	}
	if (find_meaning(names->metric->constants, name, meaning, sizeof(meaning)))
		return constant(names->row, meaning);
	return constant(names->row, name);
}

double true_metric(const struct true_row *row, const struct event_table_metric *metric)
{
	struct true_row on_pmu = *row;
	struct metric_names names = {&on_pmu, metric};

	if (strcmp(metric->pmu, "cpu") != 0)
		on_pmu.pmu = metric->pmu;
	return true_formula(metric->formula + (metric->formula[0] == '='),
			    &(struct true_names){.value = name_value, .arg = &names});
}
