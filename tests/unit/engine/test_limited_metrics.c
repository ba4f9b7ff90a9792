// SPDX-License-Identifier: MIT
/*
 * All metrics of the vendors' tables on the machines of limited_machines.h, as
 * test_limited_machines.c has events.
 */
#include "core/event/event_table_cache.h"
#include "tests/fake_kernel/limited_machines.h"
#include "tests/unit/shared/cases.h"
#include "tests/unit/shared/engine_run.h"
#include "tests/unit/shared/limited_scene.h"
#include "tests/unit/shared/true_metric.h"

#include "core/event/event_table_cache.h"

#include <stdio.h>
#include <string.h>

/*
 * Every metric of the vendor, so many at a time, each other time with the watchdog. A metric that
 * is not among the columns has a note with the reason.
 */
enum { AT_A_TIME = 10 };

/* The column of a metric, or -ENOENT. */
static int find_column(const struct snapshot *snapshot, const struct event_table_metric *metric)
{
	static const char *const prefixes[] = {"vendor_", "cpu_core_", "cpu_atom_", ""};
	char name[160];
	int index = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes) && index < 0; i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], metric->name);
		index = columns_metric(snapshot->columns, name);
	}
	return index;
}

/* Returns whether one of its figures is known. */
static bool check_vendor_metric(struct limited_scene *scene,
				const struct event_table_metric *metric)
{
	struct limited_subject subject;
	char name[32];
	size_t compared = scene->compared;
	int index = find_column(scene->snapshot, metric);

	if (index < 0) {
		snprintf(name, sizeof(name), "%.30s", metric->name); /* notes cut long names */
		if (!has_note(scene->snapshot, name))
			fail_msg("%s: %s is missing without a note", scene->name, metric->name);
		return false;
	}
	limited_read_metric(scene, (size_t)index, &subject);
	for (size_t i = 0; i < LIMITED_ROWS; i++) {
		const struct true_row row = limited_row(scene, i);

		subject.truths[i] = true_metric(&row, metric);
	}
	limited_check(scene, &subject);
	return scene->compared > compared;
}

/* Returns how many have a figure. */
static size_t check_metrics(const struct limited_machine *this, size_t first, bool watched)
{
	struct engine_column columns[AT_A_TIME + 1];
	struct engine_config config = {.preset = &preset_none, .columns = columns};
	char names[AT_A_TIME][160];
	struct limited_scene scene;
	size_t n = 0, known = 0;

	limited_scene_begin(&scene, this->name, this->config, watched);
	const struct event_table *table = scene.counts.table;
	for (; n < AT_A_TIME && first + n < table->n_metrics; n++) {
		snprintf(names[n], sizeof(names[n]), "vendor_%s", table->metrics[first + n].name);
		columns[n] = (struct engine_column){ENGINE_METRIC, names[n], true};
	}
	columns[n] = (struct engine_column){ENGINE_METRIC, "ipc"}; /* there must be one */
	config.n_columns = n + 1;
	limited_scene_count(&scene, &config);
	for (size_t i = 0; i < n; i++)
		known += check_vendor_metric(&scene, &table->metrics[first + i]);
	limited_scene_end(&scene);
	return known;
}

static void test_metrics(void **state)
{
	const struct limited_machine *this = *state;
	struct fk *fk = fk_new(this->config);
	struct sys sys = fk_sys(fk);
	struct event_table_cache *cache = event_table_cache_new(&sys);
	size_t n = event_table_cache_get(cache)->n_metrics, known = 0;

	event_table_cache_free(cache);
	fk_free(fk);
	for (size_t first = 0; first < n; first += AT_A_TIME)
		known += check_metrics(this, first, first / AT_A_TIME % 2);
	print_message("%s: %zu of %zu\n", this->name, known, n);
	assert_true(known >= this->metrics);
}

int main(void)
{
	static struct limited_machine machines[LIMITED_MACHINES];
	struct cases table = {test_metrics, machines, 0, sizeof(*machines)};

	for (size_t i = 0; i < LIMITED_MACHINES; i++)
		if (limited_machines[i].metrics > 0)
			machines[table.n++] = limited_machines[i];
	return cases_run("limited metrics", &table, 1, NULL, 0);
}
