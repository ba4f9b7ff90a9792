// SPDX-License-Identifier: MIT
/*
 * The vendors' metrics as definitions: formulas, names, thresholds of a few, and whether all of all
 * CPUs can be read.
 */
#include "tests/unit/shared/cpu_machine.h"

#include "core/base/util.h"
#include "core/event/event_table_cache.h"
#include "core/metric/metric.h"
#include "core/metric/metric_vendor.h"
#include "core/metric/metric_vendor_formula.h"
#include "core/sys/cpu_facts.h"

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
	const char *id, *asked, *name, *formula, *unit;
} rows[] = {
	/* Linux' names for the shares of the slots, in a group that the slots lead. */
	{"GenuineIntel-6-AD-1", "memory_bound", "Memory_Bound",
	 "100 * ('topdown-mem-bound' / ('topdown-fe-bound' + 'topdown-bad-spec' + "
	 "'topdown-retiring' + 'topdown-be-bound'))",
	 "%"},
	{"GenuineIntel-6-AD-1", "vendor_tma_Info_Thread_IPC", "Info_Thread_IPC",
	 "'INST_RETIRED.ANY' / 'CPU_CLK_UNHALTED.THREAD'", ""},
	/* The P-cores alone. */
	{"GenuineIntel-6-97-1", "cpu_core_Info_Thread_IPC", "Info_Thread_IPC",
	 "'cpu_core/INST_RETIRED.ANY/' / 'cpu_core/CPU_CLK_UNHALTED.THREAD/'", ""},
	{"GenuineIntel-6-97-1", "Info_System_Kernel_CPI", "Info_System_Kernel_CPI",
	 "'cpu_core/CPU_CLK_UNHALTED.THREAD_P:SUP/' / 'cpu_core/INST_RETIRED.ANY_P:SUP/'",
	 "/instr"},
	/* Constants, and the clock of one socket. */
	{"GenuineIntel-6-55-0", "Info_System_Uncore_Frequency", "Info_System_Uncore_Frequency",
	 "('UNC_CHA_CLOCKTICKS:one_unit' / SOCKET_COUNT) / 1e9 / (DURATIONTIMEINMILLISECONDS / "
	 "1000)",
	 ""},
	{"GenuineIntel-6-8F-1", "iio_bandwidth_read", "iio_bandwidth_read",
	 "('UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS' * 4 / 1000000) / interval_s", "MB/s"},
	{"GenuineIntel-6-8F-1", "Info_System_CPUs_Utilized", "Info_System_CPUs_Utilized",
	 "'CPU_CLK_UNHALTED.REF_TSC' / (SYSTEM_TSC_FREQ * interval_s)", ""},
	{"GenuineIntel-6-55-0", "Port_0", "Port_0",
	 "100 * ('UOPS_DISPATCHED_PORT.PORT_0' / (('CPU_CLK_UNHALTED.THREAD_ANY' / 2) if "
	 "HYPERTHREADING_ON else 'CPU_CLK_UNHALTED.THREAD'))",
	 "%"},
	{"GenuineIntel-6-3C-1", "Info_System_Power", "Info_System_Power",
	 "('power/energy-pkg/' / 0.000061) * 61 / ((DURATIONTIMEINMILLISECONDS / 1000) * 1000000)",
	 ""},
	/* In Linux' formulas metrics in percent are fractions. */
	{"GenuineIntel-6-55-0", "Bottleneck_Compute_Bound_Est", "Bottleneck_Compute_Bound_Est",
	 "100 * (((vendor_Core_Bound / 100) * (vendor_Divider / 100) / ((vendor_Divider / 100) + "
	 "(vendor_Serializing_Operation / 100) + (vendor_Ports_Utilization / 100))) + "
	 "((vendor_Core_Bound / 100) * ((vendor_Ports_Utilization / 100) / ((vendor_Divider / 100) "
	 "+ "
	 "(vendor_Serializing_Operation / 100) + (vendor_Ports_Utilization / 100))) * "
	 "((vendor_Ports_Utilized_3m / 100) / ((vendor_Ports_Utilized_0 / 100) + "
	 "(vendor_Ports_Utilized_1 / 100) + (vendor_Ports_Utilized_2 / 100) + "
	 "(vendor_Ports_Utilized_3m / 100)))))",
	 ""},
	/* A typical latency, where the vendor has one. */
	{"GenuineIntel-6-AD-1", "Lock_Latency", "Lock_Latency",
	 "100 * (('MEM_INST_RETIRED.LOCK_LOADS' * estimate(63.76)) / 'CPU_CLK_UNHALTED.THREAD')",
	 "%"},
	{"GenuineIntel-6-BD-1", "Lock_Latency", "Lock_Latency",
	 "Metric Lock_Latency: the vendor has no typical latency for this CPU of "
	 "MEM_INST_RETIRED.LOCK_LOADS.",
	 "%"},
	/* Names that pmctop has. */
	{"ARM-41-D4F-0-0", "vendor_ipc", "vendor_ipc", "'INST_RETIRED' / 'CPU_CYCLES'", "/cycle"},
	{"ARM-41-D4F-0-0", "dtlb_mpki", "vendor_dtlb_mpki", "'DTLB_WALK' / 'INST_RETIRED' * 1000",
	 "/ki"},
};

static void test_formulas(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *machine = machine_of_id(rows[i].id);
		struct metric_def def;

		if (metric_vendor_find(&machine->context, rows[i].asked, &def) < 0)
			fail_msg("%s has no %s", rows[i].id, rows[i].asked);
		const char *formula =
			def.forms[0].expression ? def.forms[0].expression : def.refused;
		if (strcmp(def.name, rows[i].name) != 0 || strcmp(formula, rows[i].formula) != 0 ||
		    strcmp(def.unit, rows[i].unit) != 0)
			fail_msg("%s is %s = %s in '%s'", rows[i].asked, def.name, formula,
				 def.unit);
		metric_def_fini(&def);
		cpu_machine_free(machine);
	}
}

/* The colours follow the metric's own comparison; useful work has none. */
static void test_thresholds(void **state)
{
	static const struct {
		const char *name;
		enum metric_better better;
		double warn, bad;
		const char *help;
	} thresholds[] = {
		{"Memory_Bound", METRIC_LOWER, 20, 40,
		 "share of Slots; a part of Backend_Bound; threshold: (Memory_Bound > 20) & "
		 "(Backend_Bound > 20)"},
		{"Retiring", METRIC_NEUTRAL, 0, 0,
		 "share of Slots; threshold: (Retiring > 70) | (Heavy_Operations > 10)"},
		{"Light_Operations", METRIC_NEUTRAL, 0, 0,
		 "share of Slots; a part of Retiring; threshold: Light_Operations > 60"},
		{"Info_Bad_Spec_IpMispredict", METRIC_HIGHER, 200, 100,
		 "of the vendor; threshold: Info_Bad_Spec_IpMispredict < 200"},
		{"Info_Thread_CPI", METRIC_NEUTRAL, 0, 0, "per instruction"},
	};
	struct machine *machine = machine_of_id("GenuineIntel-6-AD-1");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(thresholds); i++) {
		struct metric_def def;

		assert_int_equal(metric_vendor_find(&machine->context, thresholds[i].name, &def),
				 0);
		if (def.better != thresholds[i].better ||
		    strcmp(def.help, thresholds[i].help) != 0 ||
		    fabs(def.warn - thresholds[i].warn) > 0 ||
		    fabs(def.bad - thresholds[i].bad) > 0)
			fail_msg("%s: %d, %g, %g, %s", def.name, (int)def.better, def.warn, def.bad,
				 def.help);
		metric_def_fini(&def);
	}
	cpu_machine_free(machine);
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

/* A text so many times. The caller frees it. */
static char *repeat(const char *text, size_t n)
{
	size_t length = strlen(text);
	char *all = xmalloc(n * length + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(all + i * length, text, length);
	all[n * length] = '\0';
	return all;
}

/* A formula of the user's files that would be made for hours. Of equal letters the first counts. */
static void test_many_letters(void **state)
{
	enum { NAMES = 500000 };
	char *formula = repeat("c+", NAMES), *events = repeat("b ", NAMES);
	struct machine *machine = cpu_machine_new("GenuineIntel-6-55-0", server, 1);
	struct event_table_metric metric = {
		.name = "M",
		.pmu = "cpu",
		.unit = "",
		.parent = "",
		.domain = "",
		.formula = formula,
		.events = events,
		.constants = "b=3 c=1 c=2 cc=4",
		.threshold = "",
	};
	const struct event_table *table = event_table_cache_get(machine->context.tables);
	struct error why = {.text = ""};

	(void)state;
	char *text = metric_vendor_formula(&machine->context, table, &metric, &why);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "1 + 1 + ", 8), 0);
	assert_int_equal(strlen(text), 4 * NAMES - 1);
	free(text);
	metric.formula = "= ";
	assert_null(metric_vendor_formula(&machine->context, table, &metric, &why));
	assert_string_equal(why.text, "Metric M: its formula is empty.");
	free(formula);
	free(events);
	cpu_machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_thresholds),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_many_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
