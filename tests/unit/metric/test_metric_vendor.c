// SPDX-License-Identifier: MIT
/*
 * The vendors' metrics as definitions: formulas, names, thresholds of a few, and whether all of all
 * CPUs can be read.
 */
#include "tests/unit/shared/cpu_machine.h"

#include "core/event/event_table.h"
#include "core/metric/metric.h"
#include "core/metric/metric_vendor.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const server[] = {"cpu", NULL};
static const char *const hybrid[] = {"cpu_core", "cpu_atom", NULL};
static const char *const arm[] = {"armv8_pmuv3_0", NULL};

static struct machine *machine_with(const char *id, const char *const *pmus)
{
	size_t n = 0;

	while (pmus[n])
		n++;
	return cpu_machine_new(id, pmus, n);
}

static const struct {
	const char *id;
	const char *const *pmus;
	const char *asked, *name, *formula, *unit;
} rows[] = {
	/* Linux' names for the shares of the slots, in a group that the slots lead. */
	{"GenuineIntel-6-AD-1", server, "memory_bound", "Memory_Bound",
	 "100 * ('topdown-mem-bound' / ('topdown-fe-bound' + 'topdown-bad-spec' + "
	 "'topdown-retiring' + 'topdown-be-bound')) + 0 * 'slots'",
	 "%"},
	{"GenuineIntel-6-AD-1", server, "vendor_tma_Info_Thread_IPC", "Info_Thread_IPC",
	 "'INST_RETIRED.ANY' / 'CPU_CLK_UNHALTED.THREAD'", ""},
};

static void test_formulas(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *machine = machine_with(rows[i].id, rows[i].pmus);
		struct metric_def def;

		if (metric_vendor_find(&machine->context, rows[i].asked, &def) < 0)
			fail_msg("%s has no %s", rows[i].id, rows[i].asked);
		assert_string_equal(def.name, rows[i].name);
		assert_string_equal(def.forms[0].expression ? def.forms[0].expression : def.refused,
				    rows[i].formula);
		assert_string_equal(def.unit, rows[i].unit);
		metric_def_fini(&def);
		cpu_machine_free(machine);
	}
}

struct counts {
	unsigned made, refused, cpus;
};

static void check_metric(const struct machine *machine, const char *id, size_t i,
			 struct counts *counts)
{
	struct metric_def def, same;
	struct error err;

	if (!metric_vendor_def(&machine->context, i, &def))
		return;
	/* It is found by its name, and shown. */
	assert_int_equal(metric_vendor_find(&machine->context, def.name, &same), 0);
	assert_string_equal(same.name, def.name);
	assert_true(def.title[0] && def.help[0] && def.width > 0);
	if (def.refused) {
		assert_null(def.forms[0].expression);
		counts->refused++;
		if (getenv("VERBOSE"))
			print_message("# %s: %s\n", id, def.refused);
	} else if (!strstr(def.forms[0].expression, " if ") &&
		   strlen(def.forms[0].expression) < 4096 &&
		   !strchr(def.forms[0].expression, '#') &&
		   metric_check(def.name, def.forms[0].expression, &err) < 0) {
		fail_msg("%s of %s: %s\n%s", def.name, id, err.text, def.forms[0].expression);
	} else {
		counts->made++;
		if (getenv("VERBOSE"))
			print_message("# %s: %s (%s) [%s] = %s\n", id, def.name, def.unit, def.help,
				      def.forms[0].expression);
	}
	metric_def_fini(&same);
	metric_def_fini(&def);
}

/* Whether the table of the CPU has metrics of several kinds of cores. */
static const char *const *pmus_of(const char *id)
{
	struct machine *machine = machine_with(id, server);
	const struct event_table *table = event_table_cache_get(machine->context.tables);
	bool kinds = false;

	for (size_t i = 0; table && i < table->n; i++)
		kinds |= strncmp(table->items[i].pmu, "cpu_", 4) == 0;
	cpu_machine_free(machine);
	return kinds ? hybrid : strncmp(id, "ARM-", 4) == 0 ? arm : server;
}

static void check_all(const char *id, struct counts *counts)
{
	struct machine *machine = machine_with(id, pmus_of(id));
	size_t n = metric_vendor_count(&machine->context);

	for (size_t i = 0; i < n; i++)
		check_metric(machine, id, i, counts);
	counts->cpus += n > 0;
	cpu_machine_free(machine);
}

/* Every metric of every CPU has a formula that can be read, or a reason. */
static void test_all(void **state)
{
	FILE *file = fopen("tests/fixtures/event_codes.txt", "r");
	struct counts counts = {0};
	char line[256];

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '=')
			check_all(line + 1, &counts);
	}
	fclose(file);
	print_message("# %u metrics of %u kinds of CPUs, and %u refused\n", counts.made,
		      counts.cpus, counts.refused);
	assert_true(counts.cpus >= 30 && counts.made >= 5000 && counts.refused < 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
