// SPDX-License-Identifier: MIT
/*
 * Names of the vendors' tables: their codes on a machine with that CPU, compared with an
 * independent reading of the vendors' files (tests/event_codes.py). EVENT_CODES is another file of
 * these.
 */
#include "tests/unit/shared/cpu_machine.h"

#include "core/metric/catalog.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DEVICES "/sys/bus/event_source/devices/"

/* Writes "pmu:config[:config1]" of each code. */
static void codes_of(const struct machine *machine, const char *name, char *text, size_t size)
{
	struct error err = {.text = ""};
	struct event event;
	size_t n = 0;

	text[0] = '\0';
	if (event_resolve(&machine->context, name, &event, &err) < 0) {
		snprintf(text, size, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < event.n_codes && n < size; i++) {
		const struct perf_event_attr *attr = &event.codes[i].attr;
		const struct pmu *pmu = &machine->pmus.items[event.codes[i].pmu];

		assert_int_equal(event.kind == EVENT_SOCKET, pmu->kind == PMU_SOCKET);
		assert_int_equal(attr->type, pmu->type);
		n += (size_t)snprintf(text + n, size - n, "%s%s:%llx", n ? " " : "", pmu->name,
				      (unsigned long long)attr->config);
		if (attr->config1 && n < size)
			n += (size_t)snprintf(text + n, size - n, ":%llx",
					      (unsigned long long)attr->config1);
	}
	event_fini(&event);
}

static void check_codes(const struct machine *machine, const char *name, const char *want)
{
	char text[512];

	codes_of(machine, name, text, sizeof(text));
	if (strcmp(text, want) != 0)
		fail_msg("%s is %s, not %s", name, text, want);
}

/* A line of the file of codes. */
struct line {
	char name[160], pmu[48], code[120];
};

struct codes {
	char id[64];
	struct line *lines;
	size_t n, capacity;
};

static void check_cpu(const struct codes *codes, unsigned *checked)
{
	const char *pmus[64];
	size_t n = 0;

	for (size_t i = 0; i < codes->n; i++) {
		size_t k = 0;

		while (k < n && strcmp(pmus[k], codes->lines[i].pmu) != 0)
			k++;
		if (k == n && n < ARRAY_SIZE(pmus))
			pmus[n++] = codes->lines[i].pmu;
	}
	if (n == 0)
		return;
	struct machine *machine = cpu_machine_new(codes->id, pmus, n);
	for (size_t i = 0; i < codes->n; i++) {
		const struct line *line = &codes->lines[i];
		char text[512];

		codes_of(machine, line->name, text, sizeof(text));
		const char *found = strstr(text, line->code);
		size_t length = strlen(line->code);
		if (!found || (found[length] && found[length] != ' '))
			fail_msg("%s of %s is %s, not %s", line->name, codes->id, text, line->code);
		++*checked;
	}
	cpu_machine_free(machine);
}

static void test_codes(void **state)
{
	const char *path = getenv("EVENT_CODES");
	FILE *file = fopen(path ? path : "tests/fixtures/event_codes.txt", "r");
	struct codes codes = {.n = 0};
	unsigned checked = 0, cpus = 0;
	char text[256];

	(void)state;
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		struct line line;
		char config[24], config1[24];

		text[strcspn(text, "\n")] = '\0';
		if (text[0] == '=') {
			check_cpu(&codes, &checked);
			codes.n = 0;
			cpus++;
			snprintf(codes.id, sizeof(codes.id), "%.60s", text + 1);
			continue;
		}
		assert_int_equal(
			sscanf(text, "%159s %47s %23s %23s", line.name, line.pmu, config, config1),
			4);
		bool second = strcmp(config1, "0") != 0;
		snprintf(line.code, sizeof(line.code), "%s:%s%s%s", line.pmu, config,
			 second ? ":" : "", second ? config1 : "");
		codes.lines = array_reserve(codes.lines, &codes.capacity, codes.n + 1,
					    sizeof(*codes.lines));
		codes.lines[codes.n++] = line;
	}
	check_cpu(&codes, &checked);
	free(codes.lines);
	fclose(file);
	print_message("# %u codes of %u kinds of CPUs\n", checked, cpus);
	assert_true(checked >= 900 && cpus >= 40);
}

static void test_well_known(void **state)
{
	static const struct {
		const char *id;
		const char *pmus[4];
		const char *codes[8][2];
	} rows[] = {
		{"GenuineIntel-6-55-4",
		 {"cpu", "uncore_cha_0", "uncore_cha_1", "uncore_imc_0"},
		 {{"INST_RETIRED.ANY", "cpu:c0"},
		  {"MEM_LOAD_RETIRED.L3_MISS", "cpu:20d1"},
		  {"mem_load_retired:l3_miss", "cpu:20d1"},
		  {"UOPS_ISSUED.STALL_CYCLES", "cpu:180010e"},
		  {"FRONTEND_RETIRED.DSB_MISS", "cpu:1c6:11"},
		  {"MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128", "cpu:1cd:80"},
		  {"UNC_CHA_CLOCKTICKS", "uncore_cha_0:0 uncore_cha_1:0"},
		  {"UNC_M_CAS_COUNT.RD", "uncore_imc_0:304"}}},
		{"GenuineIntel-6-6A-6",
		 {"cpu", "uncore_cha_0"},
		 {{"TOPDOWN.SLOTS", "cpu:400"},
		  {"CPU_CLK_UNHALTED.THREAD", "cpu:3c"},
		  {"CPU_CLK_UNHALTED.REF_TSC", "cpu:300"},
		  {"OCR.READS_TO_CORE.LOCAL_DRAM", "cpu:1b7:104000477"}}},
		{"GenuineIntel-6-8F-8",
		 {"cpu"},
		 {{"CYCLE_ACTIVITY.STALLS_L3_MISS", "cpu:60006a3"},
		  {"L2_RQSTS.MISS", "cpu:3f24"},
		  {"BR_MISP_RETIRED.ALL_BRANCHES", "cpu:c5"}}},
		{"GenuineIntel-6-AD-1",
		 {"cpu", "uncore_imc_0", "uncore_imc_1"},
		 {{"MEM_LOAD_RETIRED.L3_MISS", "cpu:20d1"},
		  {"DTLB_LOAD_MISSES.WALK_COMPLETED", "cpu:e12"},
		  {"UNC_M_CAS_COUNT_SCH0.RD", "uncore_imc_0:cf05 uncore_imc_1:cf05"}}},
		{"GenuineIntel-6-97-2",
		 {"cpu_core", "cpu_atom"},
		 {{"INST_RETIRED.ANY", "cpu_atom:c0 cpu_core:c0"},
		  {"UOPS_RETIRED.ALL", "cpu_atom:c2"},
		  {"UOPS_ISSUED.ANY", "cpu_atom:e cpu_core:1ae"},
		  {"EXE_ACTIVITY.1_PORTS_UTIL", "cpu_core:2a6"}}},
		/* Without E-cores. */
		{"GenuineIntel-6-97-2", {"cpu"}, {{"UOPS_ISSUED.ANY", "cpu:1ae"}}},
		{"AuthenticAMD-26-2-1",
		 {"cpu", "amd_l3"},
		 {{"RETIRED_INSTRUCTIONS", "cpu:c0"}, {"UNC_L3_REQUESTS.L3_MISS", "amd_l3:104"}}},
		{"ARM-41-D49-0-0",
		 {"armv8_pmuv3_0"},
		 {{"INST_RETIRED", "armv8_pmuv3_0:8"}, {"stall_slot", "armv8_pmuv3_0:3f"}}},
		{"ARM-41-D4F-0-1",
		 {"armv8_pmuv3_0"},
		 {{"L1D_CACHE_REFILL", "armv8_pmuv3_0:3"},
		  {"STALL_SLOT_BACKEND", "armv8_pmuv3_0:3d"}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = 0;

		while (n < 4 && rows[i].pmus[n])
			n++;
		struct machine *machine = cpu_machine_new(rows[i].id, rows[i].pmus, n);
		for (size_t k = 0; k < 8 && rows[i].codes[k][0]; k++)
			check_codes(machine, rows[i].codes[k][0], rows[i].codes[k][1]);
		cpu_machine_free(machine);
	}
}

/* What the vendor's metrics have behind a name, and names of the vendor as terms of one PMU. */
static void test_changes(void **state)
{
	static const struct {
		const char *id;
		const char *pmus[4];
		const char *codes[10][2];
	} rows[] = {
		{"GenuineIntel-6-AD-1",
		 {"cpu", "uncore_cha_0", "uncore_cha_1"},
		 {{"UOPS_RETIRED.MS:c1:e1", "cpu:10404c2:8"},
		  {"UOPS_RETIRED.MS:E1:C0x1:u", "cpu:10404c2:8"},
		  {"EXE_ACTIVITY.3_PORTS_UTIL:u0x80", "cpu:80a6"},
		  {"cpu/UOPS_RETIRED.MS:c1:e1/", "cpu:10404c2:8"},
		  {"cpu/EXE_ACTIVITY.3_PORTS_UTIL,cmask=2/", "cpu:20008a6"},
		  {"UNC_CHA_CLOCKTICKS:one_unit", "uncore_cha_0:1"},
		  {"UNC_CHA_CLOCKTICKS:c3", "uncore_cha_0:3000001 uncore_cha_1:3000001"},
		  {"TOPDOWN.SLOTS:perf_metrics", "cpu:400"},
		  {"TOPDOWN.SLOTS:percore",
		   "Modifier 'percore' of the vendor's event: the counts of both threads of a "
		   "core are not added."}}},
		{"GenuineIntel-6-6A-6",
		 {"cpu"},
		 {{"OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002", "cpu:1b7:103b800002"}}},
		{"GenuineIntel-6-55-7",
		 {"cpu", "uncore_cha_0"},
		 {{"UNC_CHA_TOR_INSERTS.IA_MISS:filter1=0x40432", "uncore_cha_0:2135:40432"},
		  {"CPU_CLK_UNHALTED.THREAD_ANY", "cpu:20003c"}}},
		{"GenuineIntel-6-97-2",
		 {"cpu_core", "cpu_atom"},
		 {{"cpu_core/UOPS_ISSUED.ANY:c1/", "cpu_core:10001ae"},
		  {"cpu_atom/UOPS_ISSUED.ANY/", "cpu_atom:e"},
		  {"cpu_atom/EXE_ACTIVITY.1_PORTS_UTIL/",
		   "PMU cpu_atom has no term 'EXE_ACTIVITY.1_PORTS_UTIL'."}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = 0;

		while (n < 4 && rows[i].pmus[n])
			n++;
		struct machine *machine = cpu_machine_new(rows[i].id, rows[i].pmus, n);
		for (size_t k = 0; k < 10 && rows[i].codes[k][0]; k++)
			check_codes(machine, rows[i].codes[k][0], rows[i].codes[k][1]);
		cpu_machine_free(machine);
	}
}

/* The shares of the slots are events of sysfs, where the PMU has them. */
static void test_perf_metrics(void **state)
{
	static const char *const pmus[] = {"cpu"};
	struct machine *machine = cpu_machine_new("GenuineIntel-6-AD-1", pmus, 1);
	struct error err;
	struct event event;

	(void)state;
	assert_int_equal(
		event_resolve(&machine->context, "PERF_METRICS.MEMORY_BOUND", &event, &err),
		-ENODEV);
	fk_file(machine->fk, DEVICES "cpu/events/slots", "event=0x00,umask=0x4");
	fk_file(machine->fk, DEVICES "cpu/events/topdown-mem-bound", "event=0x00,umask=0x87");
	check_codes(machine, "PERF_METRICS.MEMORY_BOUND", "cpu:8700");
	check_codes(machine, "perf_metrics.memory_bound", "cpu:8700");
	assert_int_equal(
		event_resolve(&machine->context, "CPU_CLK_UNHALTED.THREAD_P:SUP", &event, &err), 0);
	assert_true(event.codes[0].attr.exclude_user && !event.codes[0].attr.exclude_kernel);
	event_fini(&event);
	cpu_machine_free(machine);
}

/* The counters of a code, and what is beside them. */
static void test_constraints(void **state)
{
	static const char *const pmus[] = {"cpu"};
	static const struct {
		const char *id;
		bool smt;
		const char *name;
		uint64_t counters, pmu_counters;
		enum counter_register extra;
		enum counter_topdown topdown;
		bool alone;
	} rows[] = {
		{"GenuineIntel-6-AD-1", true, "INST_RETIRED.ANY_P", 0xff, 0xf000000ff},
		{"GenuineIntel-6-AD-1", true, "INST_RETIRED.ANY:u", 0x100000000, 0xf000000ff},
		{"GenuineIntel-6-AD-1", true, "CPU_CLK_UNHALTED.REF_TSC", 0x400000000, 0xf000000ff},
		{"GenuineIntel-6-AD-1", true, "CYCLE_ACTIVITY.STALLS_L3_MISS", 0xf, 0xf000000ff},
		{"GenuineIntel-6-AD-1", true, "OCR.DEMAND_DATA_RD.DRAM", 0xf, 0xf000000ff,
		 COUNTER_OFFCORE},
		{"GenuineIntel-6-AD-1", true, "FRONTEND_RETIRED.DSB_MISS", 0xff, 0xf000000ff,
		 COUNTER_FRONTEND, COUNTER_NO_TOPDOWN, true},
		{"GenuineIntel-6-AD-1", true, "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_8", 0xfe,
		 0xf000000ff, COUNTER_LOAD_LATENCY, COUNTER_NO_TOPDOWN, true},
		{"GenuineIntel-6-AD-1", true, "TOPDOWN.SLOTS", 0x800000000, 0xf000000ff,
		 COUNTER_NO_REGISTER, COUNTER_SLOTS},
		{"GenuineIntel-6-AD-1", true, "cpu/event=0,umask=0x81/", 0x2000000000000, 0,
		 COUNTER_NO_REGISTER, COUNTER_TOPDOWN_METRIC},
		{"GenuineIntel-6-AD-1", true, "cpu/event=0x2a,umask=1,offcore_rsp=7/", 0, 0,
		 COUNTER_OFFCORE},
		{"GenuineIntel-6-AD-1", true, "cpu/event=0x2a,umask=1,config1=7/", 0, 0},
		{"GenuineIntel-6-AD-1", true, "cycles", 0, 0},
		{"GenuineIntel-6-AD-1", true, "r10e", 0, 0},
		{"GenuineIntel-6-55-4", true, "UOPS_ISSUED.ANY", 0xf, 0x70000000f},
		{"GenuineIntel-6-55-4", false, "UOPS_ISSUED.ANY", 0xff, 0x7000000ff},
		{"AuthenticAMD-26-2-1", true, "RETIRED_INSTRUCTIONS", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *machine = cpu_machine_new(rows[i].id, pmus, 1);
		struct event event;

		fk_file(machine->fk, "/sys/devices/system/cpu/smt/active",
			rows[i].smt ? "1\n" : "0\n");
		fk_file(machine->fk, DEVICES "cpu/events/slots", "event=0x00,umask=0x4");
		assert_int_equal(event_resolve(&machine->context, rows[i].name, &event, NULL), 0);
		const struct counter_constraint *constraint = &event.codes[0].constraint;
		if (constraint->counters != rows[i].counters ||
		    constraint->pmu_counters != rows[i].pmu_counters)
			fail_msg("%s of %s: %llx of %llx", rows[i].name, rows[i].id,
				 (unsigned long long)constraint->counters,
				 (unsigned long long)constraint->pmu_counters);
		assert_int_equal(constraint->extra, rows[i].extra);
		assert_int_equal(constraint->topdown, rows[i].topdown);
		assert_int_equal(constraint->alone, rows[i].alone);
		event_fini(&event);
		cpu_machine_free(machine);
	}
}

static void test_modifiers(void **state)
{
	static const char *const pmus[] = {"cpu"};
	struct machine *machine = cpu_machine_new("GenuineIntel-6-AD-1", pmus, 1);
	struct event event;
	struct error err;

	(void)state;
	assert_int_equal(event_resolve(&machine->context, "UOPS_RETIRED.SLOTS:u", &event, &err), 0);
	assert_true(event.codes[0].attr.exclude_kernel && !event.codes[0].attr.exclude_user);
	assert_string_equal(event.name, "UOPS_RETIRED.SLOTS:u");
	event_fini(&event);
	assert_int_equal(event_resolve(&machine->context, "UOPS_RETIRED.SLOTZ", &event, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "UOPS_RETIRED.SLOTS"));
	assert_int_equal(
		event_resolve(&machine->context, "uops_retired.slots:c1:zz:u", &event, &err),
		-EINVAL);
	assert_string_equal(err.text,
			    "Unknown modifier 'zz' of the vendor's event uops_retired.slots "
			    "(examples: c1, e1, i1, u0x80, SUP).");
	/* The PMU is not on this machine. */
	assert_int_equal(event_resolve(&machine->context, "UNC_M_CAS_COUNT_SCH0.RD", &event, &err),
			 -ENODEV);
	assert_string_equal(err.text, "'UNC_M_CAS_COUNT_SCH0.RD' is an event of uncore_imc, "
				      "a PMU that this kernel does not offer.");
	cpu_machine_free(machine);
}

struct listed {
	unsigned n, reads, deprecated, absent;
};

static int count_entry(void *arg, const struct catalog_entry *entry)
{
	struct listed *listed = arg;

	listed->n++;
	if (strcmp(entry->name, "UNC_CHA_CLOCKTICKS") == 0) {
		assert_string_equal(entry->pmu, "uncore_cha");
		assert_string_equal(entry->help, "event=0x0");
		listed->reads++;
	}
	listed->deprecated += strncmp(entry->name, "OFFCORE_RESPONSE.", 17) == 0;
	listed->absent += strncmp(entry->name, "UNC_M2M_", 8) == 0;
	return 0;
}

static void test_catalog(void **state)
{
	static const char *const pmus[] = {"cpu", "uncore_cha_0", "uncore_cha_1"};
	struct machine *machine = cpu_machine_new("GenuineIntel-6-55-7", pmus, 3);
	struct listed listed = {0};

	(void)state;
	assert_int_equal(catalog_names(&machine->context, count_entry, &listed), 0);
	assert_int_equal(listed.reads, 1);
	assert_int_equal(listed.deprecated, 0);
	assert_int_equal(listed.absent, 0);
	assert_in_range(listed.n, 1500, 4000);
	cpu_machine_free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),       cmocka_unit_test(test_well_known),
		cmocka_unit_test(test_changes),     cmocka_unit_test(test_perf_metrics),
		cmocka_unit_test(test_constraints), cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_catalog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
