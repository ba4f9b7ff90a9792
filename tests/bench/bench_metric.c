// SPDX-License-Identifier: MIT
/* The cost of the figures of a refresh: 50 metrics of 20,000 tasks. */
#include "tests/unit/shared/counted.h"

#include "core/base/util.h"
#include "core/metric/metric.h"
#include "core/snapshot/snapshot.h"
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>

enum { METRICS = 50, TASKS = 20000, REFRESHES = 5 };

/* Formulas like the built-in ones, with two to four events each. */
static const char *const expressions[] = {
	"instructions / cycles",
	"1000 * cache-misses / instructions",
	"100 * branch-misses / branches",
	"100 * max(0, cycles - instructions) / cycles",
	"100 * max(0, 1 - (branches + cache-misses + 4 * branch-misses) / (4 * cycles))",
};

int main(void)
{
	static const struct counted_event events[] = {
		{"cycles", 2e6, 1},          {"instructions", 3e6, 1}, {"branches", 5e5, 0.5},
		{"branch-misses", 4e3, 0.5}, {"cache-misses", 3e3, 1},
	};
	struct counted counted;
	struct columns columns = {.n_metrics = METRICS};
	struct metric_def def = {.name = "bench"};
	struct rows rows;

	counted_init(&counted, 1e-3, 1, events, ARRAY_SIZE(events));
	columns.events = counted.events;
	columns.plan = counted.plan;
	columns.metrics = xcalloc(METRICS, sizeof(*columns.metrics));
	for (size_t i = 0; i < METRICS; i++) {
		struct error err;

		def.forms[0].expression = expressions[i % ARRAY_SIZE(expressions)];
		if (metric_compile(&def, 0, &columns.events, &columns.metrics[i], &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		metric_bind(&columns.metrics[i], &columns.events, columns.plan, &columns.readings);
	}
	rows_init(&columns, TASKS, &rows);
	for (size_t i = 0; i < TASKS; i++)
		for (size_t k = 0; k < tally_width(&columns.plan->shape); k++)
			rows_tally(&columns, &rows, i)[k] = counted.tally[k];

	uint64_t best_ns = UINT64_MAX;
	for (unsigned i = 0; i < REFRESHES; i++) {
		uint64_t began_ns = thread_cpu_ns();

		rows_evaluate(&columns, (struct metric_scope){figure_exact(1), NULL}, &rows);
		uint64_t took_ns = thread_cpu_ns() - began_ns;
		best_ns = took_ns < best_ns ? took_ns : best_ns;
	}
	print_figure("50 metrics of 20,000 tasks", (double)best_ns / 1e6, "ms");

	rows_fini(&rows);
	for (size_t i = 0; i < METRICS; i++)
		metric_fini(&columns.metrics[i]);
	free(columns.metrics);
	metric_readings_fini(&columns.readings);
	counted_fini(&counted);
	return 0;
}
