// SPDX-License-Identifier: MIT
/*
 * The vendors' metrics as definitions: formulas, names, thresholds of a few, and whether all of all
 * CPUs can be read.
 */
#include "tests/unit/shared/cpu_machine.h"

#include "core/event/event_table.h"
#include "core/metric/metric.h"
#include "core/metric/metric_vendor.h"
#include "core/sys/cpu_facts.h"

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

enum { PMUS_MAX = 64 };

#define DEVICES "/sys/bus/event_source/devices/"

static const char *const server[] = {"cpu"};
static const char *const hybrid[] = {"cpu_core", "cpu_atom"};
static const char *const arm[] = {"armv8_pmuv3_0"};

static void add_pmu(const char **pmus, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(pmus[i], name) == 0)
			return;
	assert_true(*n < PMUS_MAX);
	pmus[(*n)++] = name;
}

/* Whether the table of the CPU has events of several kinds of cores. */
static bool is_hybrid(const struct event_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (strncmp(table->items[i].pmu, "cpu_", 4) == 0)
			return true;
	return false;
}

static void add_alias(struct machine *machine, const char *pmu, const char *name, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, name);
	fk_file(machine->fk, path, text);
}

/* What the core PMUs of a new CPU have, and what other PMUs have. */
static void add_files(struct machine *machine)
{
	static const char *const topdown[] = {
		"retiring",  "bad-spec",      "fe-bound",  "be-bound",
		"heavy-ops", "br-mispredict", "fetch-lat", "mem-bound",
	};

	for (size_t i = 0; i < machine->pmus.n; i++) {
		const char *pmu = machine->pmus.items[i].name;
		char name[64], text[64];

		if (strcmp(pmu, "cpu") != 0 && strcmp(pmu, "cpu_core") != 0)
			continue;
		add_alias(machine, pmu, "format/eq", "config:36");
		add_alias(machine, pmu, "events/slots", "event=0x00,umask=0x4");
		for (size_t k = 0; k < ARRAY_SIZE(topdown); k++) {
			snprintf(name, sizeof(name), "events/topdown-%s", topdown[k]);
			snprintf(text, sizeof(text), "event=0x00,umask=%#zx", 0x80 + k);
			add_alias(machine, pmu, name, text);
		}
	}
	add_alias(machine, "power", "events/energy-pkg", "event=0x02");
	add_alias(machine, "power", "events/energy-ram", "event=0x03");
	add_alias(machine, "power", "format/event", "config:0-7");
	add_alias(machine, "msr", "events/tsc", "event=0x00");
	add_alias(machine, "msr", "format/event", "config:0-63");
	add_alias(machine, "uncore_cbox", "format/filter_opc", "config1:23-31");
	add_alias(machine, "uncore_cbox", "format/filter_tid", "config1:0-5");
}

/* A machine that has every PMU of the table. */
static struct machine *machine_of_id(const char *id)
{
	bool is_arm = strncmp(id, "ARM-", 4) == 0;
	struct machine *machine = cpu_machine_new(id, is_arm ? arm : server, 1);
	const struct event_table *table = event_table_cache_get(machine->context.tables);
	const char *pmus[PMUS_MAX];
	size_t n = 0;

	if (!table)
		return machine;
	bool kinds = is_hybrid(table);
	for (size_t i = 0; i < (kinds ? ARRAY_SIZE(hybrid) : 1); i++)
		add_pmu(pmus, &n, is_arm ? arm[i] : kinds ? hybrid[i] : server[i]);
	for (size_t i = 0; i < table->n; i++)
		if (strncmp(table->items[i].pmu, "cpu", 3) != 0)
			add_pmu(pmus, &n, table->items[i].pmu);
	add_pmu(pmus, &n, "power");
	add_pmu(pmus, &n, "msr");
	struct machine *full = cpu_machine_new(id, pmus, n);
	cpu_machine_free(machine);
	add_files(full);
	return full;
}

static const struct {
	const char *id;
	const char *asked, *name, *formula, *unit;
} rows[] = {
	/* Linux' names for the shares of the slots, in a group that the slots lead. */
	{"GenuineIntel-6-AD-1", "memory_bound", "Memory_Bound",
	 "100 * ('topdown-mem-bound' / ('topdown-fe-bound' + 'topdown-bad-spec' + "
	 "'topdown-retiring' + 'topdown-be-bound')) + 0 * 'slots'",
	 "%"},
	{"GenuineIntel-6-AD-1", "vendor_tma_Info_Thread_IPC", "Info_Thread_IPC",
	 "'INST_RETIRED.ANY' / 'CPU_CLK_UNHALTED.THREAD'", ""},
};

static void test_formulas(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *machine = machine_of_id(rows[i].id);
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
	unsigned made, refused, unknown, cpus;
};

/* All names of the formula are known. */
static void check_events(const struct machine *machine, const char *id,
			 const struct metric_def *def, struct counts *counts)
{
	struct cpu_facts facts = {.kinds = 0};
	struct event_context context = machine->context;
	struct event_set events;
	struct metric metric;
	struct error err;

	for (size_t i = 0; i < CPU_FACTS; i++)
		facts.values[i] = 2;
	context.cpu = &facts;
	event_set_init(&events, &context);
	if (metric_choose(def, 0, 0, &events, &metric, &err) < 0) {
		if (!strstr(err.text, "no typical latency"))
			fail_msg("%s of %s: %s", def->name, id, err.text);
		counts->unknown++;
	}
	metric_fini(&metric);
	event_set_fini(&events);
}

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
	} else if (metric_check(def.name, def.forms[0].expression, &err) < 0) {
		fail_msg("%s of %s: %s\n%s", def.name, id, err.text, def.forms[0].expression);
	} else {
		check_events(machine, id, &def, counts);
		counts->made++;
		if (getenv("VERBOSE"))
			print_message("# %s: %s (%s) [%s] = %s\n", id, def.name, def.unit, def.help,
				      def.forms[0].expression);
	}
	metric_def_fini(&same);
	metric_def_fini(&def);
}

static void check_all(const char *id, struct counts *counts)
{
	struct machine *machine = machine_of_id(id);
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
	print_message("# %u metrics of %u kinds of CPUs. %u refused, %u name one that is refused\n",
		      counts.made, counts.cpus, counts.refused, counts.unknown);
	assert_true(counts.cpus >= 35 && counts.made >= 6900);
	assert_true(counts.refused <= 200 && counts.unknown <= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
